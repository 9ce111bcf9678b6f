"""What revisions are made of: plain statements that both databases run inside a transaction.

Alembic's own ways are left aside where they would copy a whole table on SQLite (batch mode), which
loses what Alembic does not know of, or take out of a statement what only a dialect knows.
"""

from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Column, Connection
from sqlalchemy.schema import CreateColumn

from damals.adapters.sql import reserved, schema
from damals.adapters.sql.columns import metadata

TABLES = (schema, reserved)
"""Modules whose import fills the metadata."""


def run_script(connection: Connection, folder: Path, name: str) -> None:
    """Run the statements of ``<name>.<dialect>.sql``, a frozen copy of a former schema."""
    script = folder / f"{name}.{connection.dialect.name}.sql"
    for statement in script.read_text(encoding="utf-8").split(";\n"):
        if statement.strip():
            connection.exec_driver_sql(statement.strip())


def create_tables(connection: Connection, names: Iterable[str]) -> None:
    """Create tables of today's schema, with their indexes."""
    for name in names:
        metadata.tables[name].create(connection)


def add_columns(connection: Connection, columns: Iterable[tuple[str, str]]) -> None:
    """Add columns of today's schema, named as table and column; each may be NULL."""
    for table, name in columns:
        column = metadata.tables[table].columns[name]
        definition = CreateColumn(column).compile(dialect=connection.dialect)
        references = " ".join(_references(column))
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {definition} {references}")


def create_indexes(connection: Connection, names: Iterable[str]) -> None:
    """Create indexes of today's schema."""
    tables = metadata.tables.values()
    known = {str(index.name): index for table in tables for index in table.indexes}
    for name in names:
        known[name].create(connection)


def drop_indexes(connection: Connection, names: Iterable[str]) -> None:
    """Drop indexes of a former schema."""
    for name in names:
        connection.exec_driver_sql(f"DROP INDEX {name}")


def drop_tables(connection: Connection, names: Iterable[str]) -> None:
    """Drop tables of a former schema in which nothing can be, with their indexes."""
    for name in names:
        connection.exec_driver_sql(f"DROP TABLE {name}")


def _references(column: Column[object]) -> Iterable[str]:
    for key in column.foreign_keys:
        yield f"REFERENCES {key.column.table.name} ({key.column.name})"
