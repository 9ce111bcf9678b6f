"""Alembic revisions of the ledger, run by ``migrate.py``."""
