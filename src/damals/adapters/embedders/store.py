"""A cache of vectors by content: nothing is embedded twice.

One SQLite file that can be thrown away: what it lacks is embedded again. A text is named by the
lookup bytes its caller derives from it (a keyed digest), so the file cannot be searched for
guesses. Vectors tell something of their text, therefore :meth:`VectorStore.forget`.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, TypeVar
from zlib import crc32

import structlog

from damals.app.index_model import VectorKey
from damals.domain.errors import Unavailable

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS vector (
  workspace TEXT NOT NULL,
  lookup BLOB NOT NULL,
  model TEXT NOT NULL,
  version TEXT NOT NULL,
  vector BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (workspace, lookup, model, version)
) STRICT
"""
_SHAPE: Final = "SELECT workspace, lookup, model, version, vector, checksum FROM vector LIMIT 0"
_INSERT: Final = """
INSERT OR REPLACE INTO vector (workspace, lookup, model, version, vector, checksum)
VALUES (?, ?, ?, ?, ?, ?)
"""
_BUSY_MS: Final = 10_000
_READERS_S: Final = 2.0
"""So long a reader is waited for before the log is emptied."""
_CHECKPOINT_PAUSE_S: Final = 0.1
_SET_ASIDE: Final = ".damaged"

_log = structlog.get_logger(__name__)
_Result = TypeVar("_Result")


class VectorStore:
    """The cache. Safe to share between threads; several processes may open the same file.

    A damaged file is set aside beside its place (one at a time, until the next ``forget``), and an
    empty one takes over; a damaged row counts as missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get_many(self, keys: Iterable[VectorKey]) -> dict[VectorKey, bytes]:
        """The vectors that are there, little-endian float32."""
        wanted = list(keys)
        return self._guarded(lambda db: _get(db, wanted))

    def put_many(self, vectors: Mapping[VectorKey, bytes]) -> None:
        """Keep vectors, replacing those of the same key."""
        rows = [
            (key.workspace, key.lookup, key.model, key.version, vector, _checksum(key, vector))
            for key, vector in vectors.items()
        ]
        self._guarded(lambda db: _put(db, rows))

    def forget(self, workspace: str, lookups: Sequence[bytes]) -> int:
        """Remove the vectors of these texts under every model, from the log and free pages too.

        Returns:
            How many vectors were removed.

        Raises:
            Unavailable: ``embed.cache_busy`` when a reader kept the log from being emptied.
        """
        removed = self._guarded(lambda db: _delete(db, workspace, lookups))
        # A file that cannot be read cannot be searched either: it goes as a whole.
        self._damaged_path.unlink(missing_ok=True)
        if not self._guarded(_empty_log):
            raise Unavailable("embed.cache_busy", path=str(self._path))
        return removed

    def problem(self) -> str | None:
        """What SQLite finds wrong with the file, or ``None``; a missing file is none."""
        if not self._path.is_file():
            return None
        with self._lock:
            try:
                found = self._connected().execute("PRAGMA quick_check(1)").fetchone()
            except sqlite3.DatabaseError as error:
                self._disconnect()
                return str(error)
        return None if found == ("ok",) else str(found[0])

    def strangers(self, workspaces: Collection[str]) -> Sequence[str]:
        """Workspaces that vectors are of, besides those named; of a damaged file none."""
        if not self._path.is_file():
            return ()
        with self._lock:
            try:
                rows = self._connected().execute("SELECT DISTINCT workspace FROM vector").fetchall()
            except sqlite3.DatabaseError:
                self._disconnect()
                return ()
        return sorted({str(row[0]) for row in rows}.difference(workspaces))

    def forget_workspaces(self, workspaces: Collection[str]) -> None:
        """Remove all vectors of workspaces, from the log and free pages too."""
        self._guarded(lambda db: _delete_workspaces(db, workspaces))
        self.forget("", ())

    def begin_anew(self) -> None:
        """Throw everything away, a damaged file as well."""
        with self._lock:
            self._disconnect()
            for path in (self._path, self._damaged_path):
                for suffix in ("", "-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file. Closing twice is harmless; the next call opens it again."""
        with self._lock:
            self._disconnect()

    @property
    def _damaged_path(self) -> Path:
        return self._path.with_name(self._path.name + _SET_ASIDE)

    def _guarded(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Run ``work``; when the file proves damaged, run it again on an empty one."""
        with self._lock:
            try:
                return work(self._connected())
            except sqlite3.DatabaseError as error:
                if not _means_damage(error):
                    raise
                self._set_aside(error)
            return work(self._connected())

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _open(self._path)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.DatabaseError):
                self._connection.close()
            self._connection = None

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        _log.warning("vector_cache.damaged", path=str(self._path), error=str(error))
        self._disconnect()
        with suppress(FileNotFoundError):
            self._path.replace(self._damaged_path)
        for suffix in ("-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL").close()
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON").close()
        connection.execute(_SCHEMA)
        connection.execute(_SHAPE).close()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _means_damage(error: sqlite3.DatabaseError) -> bool:
    """A damaged file, or one of another shape; not a full disk and not a lock."""
    if isinstance(error, sqlite3.OperationalError):
        return "no such column" in str(error) or "malformed" in str(error)
    return not isinstance(error, (sqlite3.ProgrammingError, sqlite3.InterfaceError))


def _get(db: sqlite3.Connection, keys: Sequence[VectorKey]) -> dict[VectorKey, bytes]:
    found: dict[VectorKey, bytes] = {}
    question = (
        "SELECT vector, checksum FROM vector"
        " WHERE workspace = ? AND lookup = ? AND model = ? AND version = ?"
    )
    for key in keys:
        parameters = (key.workspace, key.lookup, key.model, key.version)
        with closing(db.execute(question, parameters)) as rows:
            row = rows.fetchone()
        if row is not None and _checksum(key, row[0]) == row[1]:
            found[key] = row[0]
    return found


def _put(db: sqlite3.Connection, rows: Sequence[tuple[object, ...]]) -> None:
    with _transaction(db):
        db.executemany(_INSERT, rows)


def _delete(db: sqlite3.Connection, workspace: str, lookups: Sequence[bytes]) -> int:
    before = db.total_changes
    with _transaction(db):
        db.executemany(
            "DELETE FROM vector WHERE workspace = ? AND lookup = ?",
            [(workspace, lookup) for lookup in lookups],
        )
    return db.total_changes - before


def _delete_workspaces(db: sqlite3.Connection, workspaces: Collection[str]) -> None:
    with _transaction(db):
        db.executemany("DELETE FROM vector WHERE workspace = ?", [(one,) for one in workspaces])


def _empty_log(db: sqlite3.Connection) -> bool:
    """Write the log back and cut it to nothing; an open reader may need a moment to finish."""
    end = time.monotonic() + _READERS_S
    db.execute("PRAGMA busy_timeout = 0").close()  # each try would wait as long as a write does
    try:
        while time.monotonic() < end:
            with closing(db.execute("PRAGMA wal_checkpoint(TRUNCATE)")) as rows:
                (busy, *_) = rows.fetchone()
            if not busy:
                return True
            time.sleep(_CHECKPOINT_PAUSE_S)
    finally:
        db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}").close()
    return False


class _transaction:  # noqa: N801 - reads as a statement
    """One write transaction; sqlite3's own handling is off (``isolation_level=None``)."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _checksum(key: VectorKey, vector: bytes) -> int:
    return crc32(vector, crc32(key.lookup))
