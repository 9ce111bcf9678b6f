"""Everything that is special to PostgreSQL; its errors are in ``postgres_errors.py``."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from operator import itemgetter
from typing import Any, Final, cast

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.pool import ConnectionPoolEntry

from damals.domain.errors import DamalsError, InvalidInput, Unavailable

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict
except ImportError as missing:
    raise Unavailable("postgres.no_driver") from missing

from damals.adapters.sql.contents import BULK_INSERT
from damals.adapters.sql.engine import TAKE_TURN, TRANSLATE, meant
from damals.adapters.sql.postgres_errors import Server, translated

_LOCK: Final = """
SELECT pg_advisory_xact_lock((1684106593::bigint << 32) | oid::bigint)
FROM pg_namespace WHERE nspname = current_schema()
"""
"""One writer a ledger, and a ledger is a schema: 1684106593 is "dama"; locks are per database."""

_TURN: Final = """
SELECT pg_advisory_xact_lock(((1684106593 + %s)::bigint << 32) | oid::bigint)
FROM pg_namespace WHERE nspname = current_schema()
"""
_TURNS: Final = {"keys": 1, "denials": 2, "kept": 3}
"""What has writers of its own beside those of the ledger, and their locks' place behind its."""

_ALONE: Final = """
SELECT pg_try_advisory_lock(((1684106593 + 8)::bigint << 32) | oid::bigint)
FROM pg_namespace WHERE nspname = current_schema()
"""
"""Held by the session: what it is for goes through many transactions."""
_AGAIN_S: Final = 0.2

_PREPARE: Final = """
SELECT set_config('lock_timeout', %s, false), set_config('synchronous_commit',
    replace(current_setting('synchronous_commit'), 'off', 'on'), false),
  set_config('tcp_keepalives_idle', '30', false),
  set_config('tcp_keepalives_interval', '10', false),
  set_config('tcp_keepalives_count', '3', false), current_schema()
"""
"""A commit is on the server's disk, and the lock of a machine that vanished is given back after a
minute, not after hours. A stricter choice of the server (``remote_apply``) stays."""

_INVALID_INDEXES: Final = """
SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
WHERE NOT (i.indisvalid AND i.indisready)
"""
_CHECKSUM_FAILURES: Final = """
SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()
"""

_TABLES: Final = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind = 'r' ORDER BY c.relname
"""
_FOR_OWNERS_OF_SERVERS: Final = ("VACUUM (FULL) pg_statistic", "CHECKPOINT")
"""Whoever may do it: statistics hold values of columns, and a checkpoint writes tables out."""

_DEFAULTS: Final[dict[str, Any]] = {
    "application_name": "damals",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}


class PostgresDatabase:
    """A ``Database`` on a PostgreSQL server: the current schema of a database.

    Readers see a snapshot (repeatable read, read only). Writers take turns over the whole ledger,
    in the order in which they came: so positions, row numbers and recorded instants follow each
    other in the order of commits, and no cursor of an index skips what was committed late.

    Args:
        url: as libpq reads it, ``postgresql://user:password@host:port/database``.
        busy_timeout_ms: how long to wait for another writer.

    Raises:
        InvalidInput: ``postgres.url``.
        Unavailable: ``postgres.no_driver`` when psycopg is not installed.
    """

    def __init__(self, url: str, busy_timeout_ms: int = 10_000) -> None:
        try:
            given = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        except psycopg.Error:
            # What libpq says of it, and the exception before this one, may quote a password.
            raise InvalidInput("postgres.url") from None
        self._server = Server.of(given)
        self.engine: Engine = create_engine(
            "postgresql+psycopg://",
            connect_args={**_DEFAULTS, **given, "client_encoding": "utf8"},
            use_native_hstore=False,
            pool_pre_ping=True,
            max_overflow=-1,
            execution_options={TRANSLATE: partial(translated, server=self._server)},
            hide_parameters=True,  # texts of people have no place in a traceback
        )
        self._writing = self.engine.execution_options(
            **{BULK_INSERT: self._copy_rows, TAKE_TURN: _take_turn}
        )
        self._snapshots = self.engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        event.listen(self.engine, "connect", _Connected(self._server, busy_timeout_ms))
        event.listen(self.engine, "handle_error", _Translator(self._server))

    @property
    def location(self) -> str:
        """Host, port and database, without a password."""
        return self._server.location

    @property
    def version(self) -> str:
        """The server and its version."""
        with self.reading() as connection:
            return f"PostgreSQL {connection.exec_driver_sql('SHOW server_version').scalar()}"

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A snapshot of the ledger."""
        with self._snapshots.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *, wait_ms: int | None = None) -> Generator[Connection]:
        """A transaction that holds the write lock of the ledger.

        It sees what others committed, since each statement has a snapshot of its own (read
        committed), and the lock comes with a statement of its own before all others.
        """
        with self._writing.connect() as connection, connection.begin():
            if wait_ms is not None:
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(wait_ms)}")
            connection.exec_driver_sql(_LOCK)
            yield connection

    @contextmanager
    def beside(self, *, wait_ms: int | None = None) -> Generator[Connection]:
        """A transaction that needs no lock of the ledger (read committed)."""
        with self._writing.connect() as connection, connection.begin():
            if wait_ms is not None:
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(wait_ms)}")
            yield connection

    def _copy_rows(
        self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Insert many rows in one stream."""
        names = list(rows[0])
        driver = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
        columns = sql.SQL(", ").join(map(sql.Identifier, names))
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), columns)
        values = itemgetter(*names)
        try:
            with driver.cursor() as cursor, cursor.copy(statement) as copy:
                for row in rows:
                    copy.write_row(values(row))
        except psycopg.Error as error:
            raise meant(connection, error) from error

    @property
    def afar(self) -> bool:
        """It is on a server."""
        return True

    @contextmanager
    def alone(self, wait_s: float) -> Generator[bool]:
        """The only one at some long work; gives whether that came true."""
        end = time.monotonic() + wait_s
        with self.engine.connect() as connection:
            while not (held := bool(connection.exec_driver_sql(_ALONE).scalar())):
                connection.commit()
                if time.monotonic() >= end:
                    break
                time.sleep(_AGAIN_S)
            connection.commit()  # a lock of the session outlives the transaction
            try:
                yield held
            finally:
                connection.invalidate()  # ends the session, and the lock with it

    def before_upgrade(self, stored: int) -> None:
        """Nothing: an upgrade is one transaction here, and copies are ``pg_dump``'s matter."""

    def compact(self) -> Sequence[str]:
        """Write every table anew; statistics, which quote values, as far as the server lets us.

        Raises:
            Unavailable: ``ledger.busy`` when somebody uses one of them for too long.
        """
        anew: list[str] = []
        alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        with alone.connect() as connection:
            for name in connection.exec_driver_sql(_TABLES).scalars().all():
                connection.exec_driver_sql(f'VACUUM (FULL, ANALYZE) "{name}"')
                anew.append(name)
            for statement in _FOR_OWNERS_OF_SERVERS:
                with suppress(DamalsError, ProgrammingError):
                    connection.exec_driver_sql(statement)
        return anew

    def problems(self, connection: Connection) -> list[str]:
        """Indexes that the server calls invalid, and pages whose checksums were wrong."""
        invalid = connection.exec_driver_sql(_INVALID_INDEXES).scalars().all()
        lines = [f"index {name} is invalid: REINDEX INDEX {name}" for name in invalid]
        failures = connection.exec_driver_sql(_CHECKSUM_FAILURES).scalar()
        return lines + ([f"{failures} pages failed their checksum"] if failures else [])


def _take_turn(connection: Connection, what: str) -> None:
    connection.exec_driver_sql(_TURN, (_TURNS[what],))


class _Connected:
    """Prepares each new connection of the driver."""

    def __init__(self, server: Server, busy_timeout_ms: int) -> None:
        self._server = server
        self._lock_timeout = f"{busy_timeout_ms}ms"

    def __call__(
        self, driver: psycopg.Connection[tuple[Any, ...]], _entry: ConnectionPoolEntry
    ) -> None:
        try:
            row = driver.execute(_PREPARE, (self._lock_timeout,)).fetchone()
            driver.commit()
        except psycopg.Error as error:
            raise translated(error, self._server) from error
        if row is None or row[-1] is None:
            raise Unavailable("postgres.no_schema", path=self._server.location)


class _Translator:
    """Turns every error of the driver that has a meaning for people into one of ours."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def __call__(self, context: ExceptionContext) -> Exception | None:
        error = context.original_exception
        if not isinstance(error, psycopg.Error):
            return None
        ours = translated(error, self._server)
        return ours if isinstance(ours, DamalsError) else None
