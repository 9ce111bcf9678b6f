"""The home folder: its paths and its lock."""
