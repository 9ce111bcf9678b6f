"""Backups: made while work goes on, checked without a home, restored without the erased."""
