"""A vault's version history, replayed as recorded time."""
