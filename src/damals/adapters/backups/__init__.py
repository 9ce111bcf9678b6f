"""Backups on disk: archives, their encryption, the folder they lie in, the erasure journal."""
