"""Noticing what changes in a folder."""
