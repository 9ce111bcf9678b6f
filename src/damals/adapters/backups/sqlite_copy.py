"""A SQLite ledger copied while others write: SQLite's own backup, in one step.

The step holds a read transaction, so the copy is one committed state, and writers go on in the
write-ahead log. In several steps it would begin anew with each write, and beside a busy writer
never end. What comes out is checked page by page before it becomes a backup: a copy of a damaged
file would only push sound ones out.
"""

import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import uuid4

from damals.adapters.backups.durable import PRIVATE_FILE, make_folder, unreadable, unwritable
from damals.app.backups.model import (
    CONFIG,
    SQLITE,
    TYPES,
    VECTORS,
    Extent,
    workspace_digest,
)
from damals.app.backups.ports import Snapshot
from damals.domain.errors import Corrupt, NotFound, Unavailable

SNAPSHOTS: Final = "backup-*.part"
"""In the cache of a home: copies that are being packed."""

_BUSY_S: Final = 10.0
_CANNOT: Final = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR}
)
_EXTENTS: Final = """
SELECT w.name, t.number, hex(t.hash) FROM workspaces w LEFT JOIN transactions t
ON t.workspace_id = w.id AND t.number =
  (SELECT max(number) FROM transactions WHERE workspace_id = w.id)
ORDER BY w.id
"""


class SqliteSource:
    """A ``LedgerSource`` of a file.

    Args:
        ledger: the file.
        cache: folder for the copy while it is packed, on the disk that holds the ledger: what is
            encrypted in the backup lies nowhere else in the clear.
    """

    def __init__(self, ledger: Path, cache: Path) -> None:
        self._ledger = ledger
        self._cache = cache

    @contextmanager
    def snapshot(self) -> Generator[Snapshot]:
        """See :meth:`damals.app.backups.ports.LedgerSource.snapshot`."""
        if not self._ledger.exists():
            raise NotFound("home.missing", path=str(self._ledger.parent))
        with copied(self._ledger, self._cache) as copy:
            yield _described(copy, self._ledger)


@contextmanager
def copied(source: Path, folder: Path) -> Generator[Path]:
    """A consistent copy of a database that others may write, gone at the end.

    Raises:
        Corrupt: ``backup.ledger_broken``.
        Unavailable: ``backup.unwritable``, ``backup.unreadable``.
    """
    make_folder(folder)
    copy = folder / SNAPSHOTS.replace("*", uuid4().hex)
    try:
        _copy(source, copy)
        yield copy
    finally:
        with suppress(OSError):
            copy.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True,
                                    timeout=_BUSY_S)) as original,
            closing(sqlite3.connect(target)) as copy,
        ):  # fmt: skip
            copy.execute("PRAGMA synchronous=OFF")  # it is gone after a crash anyway
            original.backup(copy)
        with _reading(target) as copy:
            problem = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    except OSError as error:
        raise unwritable(target, error) from error
    except sqlite3.Error as error:
        raise _translated(error, source) from error
    if problem != "ok":
        raise Corrupt("backup.ledger_broken", path=str(source), problem=problem)


def _translated(error: sqlite3.Error, source: Path) -> Exception:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        return Unavailable("ledger.busy", path=str(source))
    if code in _CANNOT:
        return Unavailable("backup.unwritable", path=str(source.parent), reason=str(error))
    return Corrupt("backup.ledger_broken", path=str(source), problem=str(error))


@contextmanager
def _reading(path: Path) -> Generator[sqlite3.Connection]:
    """A file that nobody else knows."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        yield connection


def _described(copy: Path, ledger: Path) -> Snapshot:
    try:
        with _reading(copy) as connection:
            told = dict(connection.execute("SELECT name, value FROM meta").fetchall())
            rows = connection.execute(_EXTENTS).fetchall()
        found = int(told["format"])
    except (sqlite3.Error, KeyError, ValueError) as error:
        raise Corrupt("backup.ledger_broken", path=str(ledger), problem=str(error)) from error
    home = str(told["home"])
    return Snapshot(
        kind=SQLITE,
        format=found,
        home=home,
        schema=None,
        workspaces=extents(home, rows),
        size=copy.stat().st_size,
        open=lambda: opened(copy),
        programs={"sqlite": sqlite3.sqlite_version},
    )


def extents(home: str, rows: Sequence[Sequence[Any]]) -> tuple[Extent, ...]:
    """How far workspaces go, of rows with name, last number and hash in hex."""
    return tuple(
        Extent(workspace_digest(home, name), name, number or 0, (head or "").lower())
        for name, number, head in rows
    )


def opened(path: Path) -> BinaryIO:
    """A file to be packed.

    Raises:
        Unavailable: ``backup.unreadable``.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from error


class FilesOfHome:
    """The small files of a home (port ``HomeFiles``)."""

    def __init__(self, home: Path) -> None:
        self._home = home

    @contextmanager
    def copies(self, *, vectors: bool) -> Generator[Sequence[tuple[str, Path]]]:
        """See :meth:`damals.app.backups.ports.HomeFiles.copies`."""
        small = [(name, self._home / name) for name in (CONFIG, TYPES)]
        there = [(name, path) for name, path in small if path.is_file()]
        store = self._home / VECTORS
        if not (vectors and store.is_file()):
            yield there
            return
        with copied(store, store.parent) as copy:
            yield [*there, (VECTORS, copy)]
