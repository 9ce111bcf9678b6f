"""Erasing: what goes, in which steps, and the proof that it is gone."""
