"""The health of a home: every part is looked at by itself, and each fault names what mends it."""
