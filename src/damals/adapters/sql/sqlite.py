"""Everything that is special to SQLite, and the one place for its errors."""

import os
import sqlite3
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, Final

from sqlalchemy import Connection, Engine, FromClause, create_engine, event
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.pool import ConnectionPoolEntry

from damals.adapters.sql.engine import TRANSLATE
from damals.domain.errors import Corrupt, DamalsError, Unavailable

_WRITE: Final = {"damals_begin": "BEGIN IMMEDIATE"}
"""Execution options of a connection that takes the write lock at once."""

_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_UNAVAILABLE: Final[Mapping[int | None, str]] = {
    sqlite3.SQLITE_BUSY: "ledger.busy",
    sqlite3.SQLITE_LOCKED: "ledger.busy",
    sqlite3.SQLITE_PROTOCOL: "ledger.busy",
    sqlite3.SQLITE_FULL: "ledger.disk_full",
    sqlite3.SQLITE_READONLY: "ledger.read_only",
    sqlite3.SQLITE_CANTOPEN: "ledger.unreadable",
    sqlite3.SQLITE_IOERR: "ledger.unreadable",
    sqlite3.SQLITE_PERM: "ledger.unreadable",
}
_PRIMARY_CODE: Final = 0xFF
_WAL_RETRY_S: Final = 0.02
_CUT_S: Final = 10.0
"""So long a reader of an old state is waited for."""
_CUT_PAUSE_S: Final = 0.1
_IN_MEMORY_BYTES: Final = 256 * 1024 * 1024


# The driver asks every value but numbers and texts whether it can be adapted to the protocol of
# its statements, and looks in vain for two attributes before it takes the value as it is. One that
# has an adapter is not asked: of a row with digests and NULLs that is a third of its insertion.
_SAME: Final[Mapping[None, None]] = {None: None}
sqlite3.register_adapter(bytes, bytes)
sqlite3.register_adapter(NoneType, _SAME.get)


class SqliteDatabase:
    """A ``Database`` in one file, which is made by the first write.

    A committed transaction is on the disk (``synchronous=FULL``), and what is deleted is
    overwritten (``secure_delete``). No connection holds a transaction longer than it is asked to.

    Args:
        path: the file; its folder exists.
        busy_timeout_ms: how long to wait for another writer.
    """

    def __init__(self, path: Path, busy_timeout_ms: int = 10_000) -> None:
        self._path = path
        self._busy_timeout_ms = busy_timeout_ms
        self.engine: Engine = create_engine(
            URL.create("sqlite", database=str(path)),
            connect_args={"timeout": busy_timeout_ms / 1000, "check_same_thread": False},
            max_overflow=-1,
            execution_options={TRANSLATE: partial(_translated, path=path)},
            hide_parameters=True,  # texts of people have no place in a traceback
        )
        self.engine.dialect.statement_compiler = _HintingCompiler
        event.listen(self.engine, "connect", _Connected(path, busy_timeout_ms))
        event.listen(self.engine, "begin", _begin)
        event.listen(self.engine, "handle_error", _Translator(path))

    @property
    def location(self) -> str:
        """The path of the file."""
        return str(self._path)

    @property
    def version(self) -> str:
        """The library that reads the file."""
        return f"SQLite {sqlite3.sqlite_version}"

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A snapshot of the file."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *, wait_ms: int | None = None) -> Generator[Connection]:
        """A transaction that holds the write lock of the file."""
        with (
            self.engine.connect() as connection,
            self._patience(connection, wait_ms),
            connection.execution_options(**_WRITE).begin(),
        ):
            yield connection

    def beside(self, *, wait_ms: int | None = None) -> AbstractContextManager[Connection]:
        """As :meth:`writing`: a file has one writer."""
        return self.writing(wait_ms=wait_ms)

    @contextmanager
    def _patience(self, connection: Connection, wait_ms: int | None) -> Generator[None]:
        """Let a connection wait for another writer no longer than this."""
        driver: Any = connection.connection.driver_connection
        if wait_ms is not None:
            driver.execute(f"PRAGMA busy_timeout={wait_ms}").close()
        try:
            yield
        finally:
            if wait_ms is not None:
                driver.execute(f"PRAGMA busy_timeout={self._busy_timeout_ms}").close()

    @property
    def afar(self) -> bool:
        """It is a file."""
        return False

    def alone(self, wait_s: float) -> AbstractContextManager[bool]:
        """Whoever has locked its home is alone."""
        del wait_s
        return nullcontext(True)

    def before_upgrade(self, stored: int) -> None:
        """Copy the file beside itself, as ``<name>.format-N.backup``."""
        copy = self._path.with_name(f"{self._path.name}.format-{stored}.backup")
        partial = copy.with_name(f"{copy.name}.part")
        partial.unlink(missing_ok=True)
        with self.engine.connect() as connection:
            _backup(connection, partial)
        partial.replace(copy)

    def compact(self) -> Sequence[str]:
        """Write the file anew and cut its log to nothing; both are checked.

        Raises:
            Unavailable: ``erase.reader`` when somebody reads an old state for too long.
        """
        with self.engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            large = self._path.stat().st_size > _IN_MEMORY_BYTES
            try:
                if large:  # the copy that is made meanwhile would fill the memory
                    driver.execute("PRAGMA temp_store=FILE").close()
                driver.execute("VACUUM").close()
            except sqlite3.Error as error:
                raise _translated(error, self._path) from error
            finally:
                driver.execute("PRAGMA temp_store=MEMORY").close()
            # Each try would wait for readers as long as a write waits for others.
            with self._patience(connection, 0):
                if not _cut_log(driver):
                    raise Unavailable("erase.reader", path=str(self._path))
        return [self._path.name, f"{self._path.name}-wal"]

    def problems(self, connection: Connection) -> list[str]:
        """What SQLite itself finds wrong with the file; empty when sound."""
        rows = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        lines = [str(row) for row in rows if row != "ok"]
        orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        return lines + [
            f"{row[0]}: row {row[1]} names a missing row of {row[2]}" for row in orphans
        ]


class _HintingCompiler(SQLiteCompiler):
    """Writes ``INDEXED BY`` hints, which SQLAlchemy leaves out for SQLite.

    SQLite's planner knows nothing of the data and may prefer a longer index to a partial one.
    """

    def get_from_hint_text(
        self,
        table: FromClause,  # noqa: ARG002 - the signature is SQLAlchemy's
        text: str | None,
    ) -> str | None:
        """What follows the name of a table that has a hint."""
        return text


class _Connected:
    """Prepares each new connection of the driver."""

    def __init__(self, path: Path, busy_timeout_ms: int) -> None:
        self._path = path
        self._patience_s = busy_timeout_ms / 1000

    def __call__(self, driver: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
        # Without this the driver opens and closes transactions on its own, around DDL too.
        driver.isolation_level = None
        cursor = driver.cursor()
        try:
            self._use_wal(cursor)
            cursor.execute("PRAGMA foreign_keys=ON")
            cursor.execute("PRAGMA synchronous=FULL")
            cursor.execute("PRAGMA secure_delete=ON")
            cursor.execute("PRAGMA temp_store=MEMORY")
            cursor.execute("PRAGMA cache_size=-16000")
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error
        finally:
            cursor.close()

    def _use_wal(self, cursor: sqlite3.Cursor) -> None:
        """Make readers and the writer independent of each other. It stays so in the file.

        SQLite does not wait for other processes here, whatever the busy timeout says.
        """
        give_up = time.monotonic() + self._patience_s
        while cursor.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            try:
                cursor.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                    raise
                time.sleep(_WAL_RETRY_S)


def _begin(connection: Connection) -> None:
    mode = connection.get_execution_options().get("damals_begin", "BEGIN")
    connection.exec_driver_sql(mode)


class _Translator:
    """Turns every error of the driver that has a meaning for people into one of ours."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, context: ExceptionContext) -> Exception | None:
        error = context.original_exception
        if not isinstance(error, sqlite3.Error):
            return None
        ours = _translated(error, self._path)
        return ours if isinstance(ours, DamalsError) else None


def _translated(error: sqlite3.Error, path: Path) -> Exception:
    """What a driver's error means; the error itself when it can only be a mistake of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & _PRIMARY_CODE if isinstance(code, int) else None
    details = {"path": str(path), "problem": str(error)}
    if primary in _DAMAGED or str(error).startswith("Could not decode"):
        return Corrupt("ledger.corrupt", **details)
    writable = os.access(path.parent, os.W_OK) or not path.parent.exists()
    if primary == sqlite3.SQLITE_CANTOPEN and not writable:
        return Unavailable("ledger.read_only", **details)
    key = _UNAVAILABLE.get(primary)
    return error if key is None else Unavailable(key, **details)


def _backup(connection: Connection, target: Path) -> None:
    """Copy the whole database, as this connection sees it, into a new file."""
    driver: Any = connection.connection.driver_connection
    with sqlite3.connect(target) as copy:
        driver.backup(copy)
    copy.close()


def _cut_log(driver: Any) -> bool:  # noqa: ANN401 -- the driver's connection
    """Write the log back and cut it to nothing. A reader of an old state makes that fail."""
    end = time.monotonic() + _CUT_S
    while time.monotonic() < end:
        busy = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if not busy:
            return True
        time.sleep(_CUT_PAUSE_S)
    return False
