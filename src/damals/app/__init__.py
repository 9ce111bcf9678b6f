"""Use cases: one module each, over the ports of ``ports.py``."""
