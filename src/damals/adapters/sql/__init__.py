"""The ledger on SQLite: the same tables and statements serve PostgreSQL. See ``docs/format.md``."""
