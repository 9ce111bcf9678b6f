"""Benchmarks: ratios within one run, since seconds say more of the machine than of the code."""
