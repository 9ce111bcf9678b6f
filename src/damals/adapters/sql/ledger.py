"""The ledger on SQLite: opening it, its workspaces, and who may read or write when."""

import secrets
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, func, insert, select

from damals.adapters.sql import outbox
from damals.adapters.sql.contents import TextOwner, lookup_of
from damals.adapters.sql.engine import WRITE, file_problems, open_engine
from damals.adapters.sql.migrate import ensure_format
from damals.adapters.sql.reader import SqlReader
from damals.adapters.sql.schema import workspaces
from damals.adapters.sql.writer import SqlWriter
from damals.app.ledger_model import ChunkRow, Lag, OutboxItem, Workspace
from damals.domain.errors import Conflict, Corrupt, NotFound

_KEY_BYTES: Final = 32


class SqlLedger:
    """A ``Ledger`` in one SQLite file. Safe to use from several threads and processes.

    A thread that is inside :meth:`write` must not begin another write, :meth:`advance`,
    :meth:`restart` and :meth:`dequeue` among them: it would wait for itself.
    """

    def __init__(self, path: Path, *, busy_timeout_ms: int = 10_000) -> None:
        """Open a file; it is created when there is none, and upgraded when it is older.

        Args:
            path: the database file; its folder exists.
            busy_timeout_ms: how long to wait for another writer.

        Raises:
            Unavailable: ``ledger.busy``, ``ledger.read_only``, ``ledger.disk_full``,
                ``ledger.unreadable`` or ``ledger.newer``.
            Corrupt: ``ledger.corrupt``.
        """
        self._path = path
        self._engine = open_engine(path, busy_timeout_ms)
        self._keys: dict[str, bytes] = {}
        try:
            ensure_format(self._engine, path)
        except BaseException:
            self.close()
            raise

    def create_workspace(self, name: str, zone: str, now: int) -> Workspace:
        """Make a workspace.

        Raises:
            Conflict: ``workspace.exists``.
        """
        with self._writing() as connection:
            if connection.execute(select(workspaces).where(workspaces.c.name == name)).first():
                raise Conflict("workspace.exists", name=name)
            next_id = select(func.coalesce(func.max(workspaces.c.id), 0) + 1)
            values = {
                "id": connection.execute(next_id).scalar_one(),
                "name": name,
                "zone": zone,
                "created_at": now,
                "key": secrets.token_bytes(_KEY_BYTES),
            }
            connection.execute(insert(workspaces), values)
        return Workspace(name, zone, now)

    def workspaces(self) -> Sequence[Workspace]:
        """All workspaces, by name."""
        with self._reading() as connection:
            rows = connection.execute(select(workspaces).order_by(workspaces.c.name))
            return [Workspace(row.name, row.zone, row.created_at) for row in rows]

    @contextmanager
    def read(self, workspace: str) -> Generator[SqlReader]:
        """A snapshot to read from; a write of others that follows is not seen in it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._reading() as connection:
            row = _workspace_row(connection, workspace)
            yield SqlReader(connection, *_described(row))

    @contextmanager
    def write(self, workspace: str) -> Generator[SqlWriter]:
        """The write lock; commits at the end, rolls back on any exception.

        When it has returned, what was appended is on the disk.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy`` when the lock is not free in time.
        """
        with self._writing() as connection:
            row = _workspace_row(connection, workspace)
            writer = SqlWriter(connection, *_described(row))
            yield writer
            writer.flush()

    def outbox(self, index: str, limit: int) -> Sequence[OutboxItem]:
        """The oldest work behind an index's cursor, of every workspace."""
        with self._reading() as connection:
            return outbox.items(connection, index, limit)

    def advance(self, index: str, position: int, unembedded: Sequence[UUID]) -> None:
        """Move an index's cursor and queue the points whose vectors it still lacks."""
        with self._writing() as connection:
            outbox.advance(connection, index, position, unembedded)

    def restart(self, index: str) -> None:
        """Put an index's cursor back to the beginning and empty its queue."""
        with self._writing() as connection:
            outbox.restart(connection, index)

    def queue(self, index: str, limit: int) -> Sequence[tuple[str, ChunkRow]]:
        """Points that lack a vector, newest first: workspace and chunk row."""
        with self._reading() as connection:
            return outbox.queue(connection, index, limit)

    def dequeue(self, index: str, point_ids: Sequence[UUID]) -> None:
        """These points have their vectors."""
        with self._writing() as connection:
            outbox.dequeue(connection, index, point_ids)

    def indexed(self, index: str) -> int:
        """How many points an index holds when it is whole up to its cursor."""
        with self._reading() as connection:
            return outbox.indexed(connection, index)

    def lag(self, index: str, workspace: str | None = None) -> Lag:
        """How far an index is behind."""
        with self._reading() as connection:
            return outbox.lag(connection, index, workspace)

    def current_points(self) -> Iterator[UUID]:
        """The ids of all chunk rows. No transaction stays open between its pages."""
        return outbox.all_points(self._points_page)

    def lookup(self, workspace: str, text: str) -> bytes:
        """The keyed digest of a text."""
        if workspace not in self._keys:
            with self._reading() as connection:
                self._keys[workspace] = _workspace_row(connection, workspace).key
        return lookup_of(self._keys[workspace], text)

    def check(self) -> Sequence[str]:
        """Problems of the file itself, one line each; empty when sound."""
        try:
            with self._reading() as connection:
                return file_problems(connection)
        except Corrupt as error:
            return [str(error.values.get("problem", error))]

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def _points_page(self, after: int) -> list[tuple[int, UUID]]:
        with self._reading() as connection:
            return outbox.points_page(connection, after)

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        with self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def _writing(self) -> Generator[Connection]:
        with self._engine.connect() as connection, connection.execution_options(**WRITE).begin():
            yield connection


def _workspace_row(connection: Connection, name: str) -> Row[Any]:
    row = connection.execute(select(workspaces).where(workspaces.c.name == name)).first()
    if row is None:
        raise NotFound("workspace.unknown", name=name)
    return row


def _described(row: Row[Any]) -> tuple[Workspace, TextOwner]:
    return Workspace(row.name, row.zone, row.created_at), TextOwner(row.id, row.key)
