"""The ledger in a database: opening it, its workspaces, and who may read or write when."""

import secrets
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, func, insert, inspect, select

from damals.adapters.sql import outbox
from damals.adapters.sql.accesses import SqlAccesses
from damals.adapters.sql.audit import audit
from damals.adapters.sql.contents import TextOwner, lookup_of
from damals.adapters.sql.crowded import crowded
from damals.adapters.sql.engine import Database
from damals.adapters.sql.erasure_store import SqlErasures
from damals.adapters.sql.lag import lag_seen
from damals.adapters.sql.migrate import MIGRATING, ensure_format, refuse_newer
from damals.adapters.sql.prepared import first_row
from damals.adapters.sql.reader import SqlReader
from damals.adapters.sql.receipts import SqlReceipts
from damals.adapters.sql.registry import SqlRegistry
from damals.adapters.sql.relation_floors import floored
from damals.adapters.sql.schema import meta, workspaces
from damals.adapters.sql.sqlite import SqliteDatabase
from damals.adapters.sql.writer import SqlWriter
from damals.app.backups.model import RESTORING
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import Audit, ChunkRow, Lag, OutboxItem, Workspace
from damals.domain.errors import Conflict, Corrupt, NotFound

_KEY_BYTES: Final = 32


_NAMED: Final = select(
    workspaces,
    select(meta.c.value).where(meta.c.name == "format").scalar_subquery().label("format"),
).where(workspaces.c.name == bindparam("name"))


class SqlLedger:
    """A ``Ledger`` in one database. Safe to use from several threads and processes.

    A thread that is inside :meth:`write` must not begin another write, :meth:`advance`,
    :meth:`restart` and :meth:`dequeue` among them: it would wait for itself.
    """

    def __init__(
        self,
        place: Path | Database,
        *,
        busy_timeout_ms: int = 10_000,
        index_owner: str = "",
        unfinished: bool = False,
    ) -> None:
        """Open it; it is created where there is none, and upgraded when it is older.

        Args:
            place: a SQLite file, whose folder exists, or another database.
            busy_timeout_ms: of a file: how long to wait for another writer.
            index_owner: whose indexes are meant, where several homes share one ledger: each
                has an ``edge-1`` of its own.
            unfinished: it may be the target of a migration or a restore that has not ended.

        Raises:
            Unavailable: ``ledger.busy``, ``ledger.read_only``, ``ledger.disk_full``,
                ``ledger.unreadable``, ``ledger.newer``, ``ledger.migrating``,
                ``ledger.restoring``, or one of ``postgres.…``.
            Corrupt: ``ledger.corrupt``.
        """
        self._database: Database = (
            SqliteDatabase(place, busy_timeout_ms) if isinstance(place, Path) else place
        )
        self._engine = self._database.engine
        self._index_prefix = f"{index_owner}/" if index_owner else ""
        self._keys: dict[str, bytes] = {}
        self._registry = SqlRegistry(self._database, index_owner)
        self._erasures = SqlErasures(self._database, self._index_prefix)
        self._receipts = SqlReceipts(self._database)
        self._accesses = SqlAccesses(self._database)
        try:
            ensure_format(self._database, unfinished=unfinished)
        except BaseException:
            self.close()
            raise

    def create_workspace(self, name: str, zone: str, now: int) -> Workspace:
        """Make a workspace.

        Raises:
            Conflict: ``workspace.exists``.
        """
        with self._database.writing() as connection:
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

    @property
    def engine(self) -> str:
        """The database that answers, and its version."""
        return self._database.version

    def workspaces(self) -> Sequence[Workspace]:
        """All workspaces, by name."""
        with self._database.reading() as connection:
            rows = connection.execute(select(workspaces).order_by(workspaces.c.name))
            return [Workspace(row.name, row.zone, row.created_at) for row in rows]

    @property
    def registry(self) -> SqlRegistry:
        """Who may use it, and what is kept of their requests."""
        return self._registry

    @property
    def erasures(self) -> SqlErasures:
        """What is being erased, and how far that has come."""
        return self._erasures

    @property
    def receipts(self) -> SqlReceipts:
        """What is kept of answers."""
        return self._receipts

    @property
    def accesses(self) -> SqlAccesses:
        """What was returned to someone."""
        return self._accesses

    @contextmanager
    def read(self, workspace: str, access: AccessFilter = OWNER) -> Generator[SqlReader]:
        """A snapshot to read from; a write of others that follows is not seen in it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._database.reading() as connection:
            row = self._workspace_row(connection, workspace)
            access = floored(connection, row.id, access)
            yield SqlReader(connection, *_described(row), access)

    @contextmanager
    def write(self, workspace: str, access: AccessFilter = OWNER) -> Generator[SqlWriter]:
        """The write lock; commits at the end, rolls back on any exception.

        When it has returned, what was appended is on the disk.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy`` when the lock is not free in time.
        """
        with self._database.writing() as connection:
            row = self._workspace_row(connection, workspace)
            access = floored(connection, row.id, access)
            writer = SqlWriter(connection, *_described(row), access)
            yield writer
            writer.flush()

    def outbox(self, index: str, limit: int, after: int = 0) -> Sequence[OutboxItem]:
        """The oldest work behind an index's cursor and behind a position, of every workspace."""
        with self._database.reading() as connection:
            position = max(after, outbox.cursor_of(connection, self._own(index)))
            return outbox.items(connection, position, limit)

    def advance(self, index: str, position: int, unembedded: Sequence[UUID]) -> None:
        """Move an index's cursor and queue the points whose vectors it still lacks."""
        with self._database.writing() as connection:
            outbox.advance(connection, self._own(index), position, unembedded)

    def restart(self, index: str) -> None:
        """Put an index's cursor back to the beginning and empty its queue."""
        with self._database.reading() as connection:  # whoever is in a write may ask for it, too
            if outbox.untouched(connection, self._own(index)):
                return
        with self._database.writing() as connection:
            outbox.restart(connection, self._own(index))

    def queue(self, index: str, limit: int) -> Sequence[tuple[str, ChunkRow]]:
        """Points that lack a vector, newest first: workspace and chunk row."""
        with self._database.reading() as connection:
            return outbox.queue(connection, self._own(index), limit)

    def dequeue(self, index: str, point_ids: Sequence[UUID]) -> None:
        """These points have their vectors."""
        with self._database.writing() as connection:
            outbox.dequeue(connection, self._own(index), point_ids)

    def indexed(self, index: str) -> int:
        """How many points an index holds when it is whole up to its cursor."""
        with self._database.reading() as connection:
            return outbox.indexed(connection, self._own(index))

    def lag(self, index: str, workspace: str | None = None, access: AccessFilter = OWNER) -> Lag:
        """How far an index is behind with what may be seen."""
        with self._database.reading() as connection:
            if access == OWNER or workspace is None:
                return outbox.lag(connection, self._own(index), workspace)
            row = self._workspace_row(connection, workspace)
            reader = SqlReader(connection, *_described(row), access)
            return lag_seen(connection, self._own(index), reader)

    def current_points(self) -> Iterator[UUID]:
        """The ids of all chunk rows. No transaction stays open between its pages."""
        return outbox.all_points(self._points_page)

    def lookup(self, workspace: str, text: str) -> bytes:
        """The keyed digest of a text."""
        if workspace not in self._keys:
            with self._database.reading() as connection:
                self._keys[workspace] = self._workspace_row(connection, workspace).key
        return lookup_of(self._keys[workspace], text)

    def audit(self, workspace: str) -> Audit:
        """Recompute the hash chain of a workspace, and account for every row of it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._database.reading() as connection:
            return audit(connection, *_described(self._workspace_row(connection, workspace)))

    def check(self) -> Sequence[str]:
        """Problems of the files themselves, one line each; empty when sound."""
        try:
            with self._database.reading() as connection:
                return self._database.problems(connection)
        except Corrupt as error:
            return [str(error.values.get("problem", error))]

    def crowded(self, most: int) -> Sequence[tuple[str, UUID]]:
        """Workspace and entry of each that lists more than ``most`` tags or names of an acl."""
        with self._database.reading() as connection:
            return crowded(connection, most)

    def close(self) -> None:
        """Let go of the database."""
        self._registry.close()
        self._engine.dispose()

    def _points_page(self, after: int) -> list[tuple[int, UUID]]:
        with self._database.reading() as connection:
            return outbox.points_page(connection, after)

    def _own(self, index: str) -> str:
        """The name of an index among those of all homes."""
        return self._index_prefix + index

    def _workspace_row(self, connection: Connection, name: str) -> Row[Any]:
        row = first_row(connection, _NAMED, {"name": name})
        if row is None:
            raise NotFound("workspace.unknown", name=name)
        # A newer program may have upgraded the ledger since this one opened it.
        refuse_newer(int(row.format), self._database)
        return row


def _described(row: Row[Any]) -> tuple[Workspace, TextOwner]:
    return Workspace(row.name, row.zone, row.created_at), TextOwner(row.id, row.key)


def holds_workspace(database: Database) -> bool:
    """Whether there is a ledger with a workspace in a database. Nothing is made."""
    with database.reading() as connection:
        there = inspect(connection).get_table_names()
        if {MIGRATING, RESTORING}.intersection(there):
            return True  # what there is to say of it is said to whoever opens it
        if workspaces.name not in there:
            return False
        return connection.execute(select(workspaces.c.id).limit(1)).first() is not None
