"""The target of a migration: a PostgreSQL schema that is being filled.

While it is filled it has a table ``migrating``: how far each table is copied, and the definitions
of the constraints and indexes that were taken away for that time, since rows arrive before those
that they refer to. Whatever is told there is told in the transaction that did it.
"""

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

from sqlalchemy import Connection, Table, and_, bindparam, delete

from damals.adapters.sql.contents import insert_rows
from damals.adapters.sql.copying_rows import AnyRow, Difference, Key, by_name, key_columns
from damals.adapters.sql.engine import Database
from damals.adapters.sql.migrate import MIGRATING, ensure_format
from damals.domain.errors import Unavailable

_CREATE: Final = f"CREATE TABLE {MIGRATING} (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
_EXISTS: Final = f"SELECT to_regclass(current_schema() || '.{MIGRATING}') IS NOT NULL"
_GET: Final = f"SELECT value FROM {MIGRATING} WHERE name = %s"  # noqa: S608 -- names of ours
_PUT: Final = (
    f"INSERT INTO {MIGRATING} VALUES (%s, %s)"  # noqa: S608 -- as above
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_FORGET: Final = f"DELETE FROM {MIGRATING} WHERE name = %s"  # noqa: S608 -- as above

_ALONE: Final = """
SELECT pg_try_advisory_lock(((1684106593 + 9)::bigint << 32) | oid::bigint)
FROM pg_namespace WHERE nspname = current_schema()
"""
"""A lock of the session beside those of ``postgres.py``."""

_CONSTRAINTS: Final = """
SELECT t.relname, c.conname, pg_get_constraintdef(c.oid), c.contype::text
FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
JOIN pg_namespace n ON n.oid = c.connamespace
WHERE n.nspname = current_schema() AND c.contype IN ('f', 'u', 'x')
ORDER BY c.contype, t.relname, c.conname
"""
_INDEXES: Final = """
SELECT i.relname, pg_get_indexdef(x.indexrelid)
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
JOIN pg_namespace n ON n.oid = i.relnamespace
WHERE n.nspname = current_schema()
  AND NOT EXISTS (
    SELECT 1 FROM pg_constraint c WHERE c.conindid = x.indexrelid AND c.contype <> 'f'
  )
ORDER BY i.relname
"""
_TAKEN: Final = "taken"
_CHANGED: Final = "changed"
_CURSOR: Final = "cursor "


class FilledSchema:
    """A schema that is being filled.

    Args:
        database: of it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def alone(self) -> Generator[None]:
        """The only one who fills it, until the end of the ``with``.

        Raises:
            Unavailable: ``migrate.busy``.
        """
        with self._database.engine.connect() as connection:
            if not connection.exec_driver_sql(_ALONE).scalar():
                raise Unavailable("migrate.busy", path=self._database.location)
            connection.commit()  # a lock of the session outlives the transaction
            try:
                yield
            finally:
                connection.invalidate()  # ends the session, and the lock with it

    def begin(self, home: str) -> None:
        """Make the tables, or go on filling those that are there.

        Args:
            home: id of the ledger that is copied.
        """
        with self._database.reading() as connection:
            if is_filling(connection):
                return
        ensure_format(self._database)
        with self._database.writing() as connection:
            connection.exec_driver_sql(_CREATE)
            connection.exec_driver_sql("UPDATE meta SET value = %s WHERE name = 'home'", (home,))
            _take_away(connection)

    def open_up(self) -> None:
        """Take constraints and indexes away, where they are there."""
        with self._database.writing() as connection:
            if not is_filling(connection):
                connection.exec_driver_sql(_CREATE)
            if _get(connection, _TAKEN) is None:
                _take_away(connection)

    def cursor(self, table: str) -> tuple[Key | None, int, bool]:
        """Behind which key to go on, how many rows there are, and whether it was the last."""
        with self._database.reading() as connection:
            told = _get(connection, _CURSOR + table)
        if told is None:
            return None, 0, False
        found = json.loads(told)
        return tuple(map(_value, found["key"])), found["rows"], found["whole"]

    def append(
        self, table: Table, rows: Sequence[AnyRow], after: Key, told: tuple[int, bool]
    ) -> None:
        """Add rows and note how far that is, both or neither.

        Args:
            table: which one.
            rows: the next ones.
            after: the key of the last of them.
            told: how many rows there are now, and whether these are all.
        """
        count, whole = told
        cursor = {"key": [_text(value) for value in after], "rows": count, "whole": whole}
        with self._database.writing() as connection:
            insert_rows(connection, table, by_name(table, rows))
            _put(connection, _CURSOR + table.name, json.dumps(cursor))

    def mend(self, table: Table, found: Sequence[Difference]) -> None:
        """Make rows what they have to be."""
        names = key_columns(table)
        bound = [f"_{name}" for name in names]
        gone = [dict(zip(bound, one.key, strict=True)) for one in found if one.gone]
        ours = [one.ours for one in found if one.ours is not None]
        with self._database.writing() as connection:
            if gone:
                same = [table.c[name] == bindparam(f"_{name}") for name in names]
                connection.execute(delete(table).where(and_(*same)), gone)
                changed = {*json.loads(_get(connection, _CHANGED) or "[]"), table.name}
                _put(connection, _CHANGED, json.dumps(sorted(changed)))
            insert_rows(connection, table, by_name(table, ours))

    def build(self) -> None:
        """Put constraints and indexes back: the server checks every row by them."""
        with self._database.writing() as connection:
            taken = _get(connection, _TAKEN)
            if taken is not None:
                for statement in json.loads(taken):
                    connection.exec_driver_sql(_literal(statement))
                connection.exec_driver_sql(_FORGET, (_TAKEN,))
        self._clean()

    def release(self) -> None:
        """Let it be a ledger like any other."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(f"DROP TABLE IF EXISTS {MIGRATING}")

    def _clean(self) -> None:
        """Leave nothing behind of rows that were replaced, and count anew for the planner."""
        with self._database.reading() as connection:
            told = _get(connection, _CHANGED) if is_filling(connection) else None
        changed: list[str] = json.loads(told or "[]")
        plain = self._database.engine.execution_options(isolation_level="AUTOCOMMIT")
        with plain.connect() as connection:
            for table in changed:
                connection.exec_driver_sql(f"VACUUM FULL {table}")
            connection.exec_driver_sql("ANALYZE")
            if changed:
                connection.exec_driver_sql(_FORGET, (_CHANGED,))


def is_filling(connection: Connection) -> bool:
    """Whether a schema is the target of a migration that has not ended."""
    return bool(connection.exec_driver_sql(_EXISTS).scalar())


def _take_away(connection: Connection) -> None:
    back: list[str] = []
    gone: list[str] = []
    for table, name, definition, _ in connection.exec_driver_sql(_CONSTRAINTS):
        back.append(f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" {definition}')
        gone.append(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"')
    indexes = connection.exec_driver_sql(_INDEXES).all()
    # Foreign keys ('f') come first: they go before the keys that they refer to, and return last.
    for statement in gone:
        connection.exec_driver_sql(statement)
    for name, _ in indexes:
        connection.exec_driver_sql(f'DROP INDEX "{name}"')
    definitions = [*reversed(back), *(definition for _, definition in indexes)]
    _put(connection, _TAKEN, json.dumps(definitions))


def _literal(statement: str) -> str:
    return statement.replace("%", "%%")


def _get(connection: Connection, name: str) -> str | None:
    return cast("str | None", connection.exec_driver_sql(_GET, (name,)).scalar())


def _put(connection: Connection, name: str, value: str) -> None:
    connection.exec_driver_sql(_PUT, (name, value))


def _text(value: object) -> str:
    return f"b{value.hex()}" if isinstance(value, bytes) else f"{type(value).__name__[0]}{value}"


def _value(text: str) -> Any:  # noqa: ANN401 -- a key of the ledger
    kind, rest = text[0], text[1:]
    return bytes.fromhex(rest) if kind == "b" else int(rest) if kind == "i" else rest
