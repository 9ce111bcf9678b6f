"""The ledger in memory: it forgets everything with the process, and is otherwise complete."""

import hmac
import secrets
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from damals.adapters.memory.accesses import MemoryAccesses
from damals.adapters.memory.erasures import MemoryErasures
from damals.adapters.memory.reader import MemoryReader
from damals.adapters.memory.receipts import MemoryReceipts
from damals.adapters.memory.registry import MemoryRegistry
from damals.adapters.memory.space import Space
from damals.adapters.memory.writer import Counters, MemoryWriter
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import Audit, ChunkRow, Lag, OutboxItem, Workspace
from damals.domain.errors import Conflict, NotFound, Unavailable
from damals.domain.instants import FOREVER
from damals.domain.names import folded_tags

_KEY_BYTES: Final = 32


class MemoryLedger:
    """A ``Ledger`` of plain dictionaries; clear before fast."""

    def __init__(self, *, busy_timeout_ms: int = 10_000) -> None:
        """Begin with nothing.

        Args:
            busy_timeout_ms: how long to wait for another writer.
        """
        self._timeout_s = busy_timeout_ms / 1000
        self._lock = threading.Lock()
        self._spaces: dict[str, Space] = {}
        self._counters = Counters()
        self._cursors: dict[str, int] = {}
        self._queues: dict[str, set[int]] = {}
        self._registry = MemoryRegistry(self._spaces, self._locked)
        self._erasures = MemoryErasures(self._spaces, self._locked)
        self._receipts = MemoryReceipts(self._spaces, self._locked)
        self._accesses = MemoryAccesses(self._spaces, self._locked)

    def create_workspace(self, name: str, zone: str, now: int) -> Workspace:
        """Make a workspace.

        Raises:
            Conflict: ``workspace.exists``.
        """
        with self._locked():
            if name in self._spaces:
                raise Conflict("workspace.exists", name=name)
            made = Workspace(name, zone, now)
            self._spaces[name] = Space(made, secrets.token_bytes(_KEY_BYTES))
        return made

    @property
    def engine(self) -> str:
        """What it is kept in."""
        return "memory"

    def workspaces(self) -> Sequence[Workspace]:
        """All workspaces, by name."""
        return [self._spaces[name].workspace for name in sorted(self._spaces)]

    @property
    def registry(self) -> MemoryRegistry:
        """Who may use it, and what is kept of their requests."""
        return self._registry

    @property
    def erasures(self) -> MemoryErasures:
        """What is being erased: nothing that would last."""
        return self._erasures

    @property
    def receipts(self) -> MemoryReceipts:
        """What is kept of answers."""
        return self._receipts

    @property
    def accesses(self) -> MemoryAccesses:
        """What was returned to someone."""
        return self._accesses

    @contextmanager
    def read(self, workspace: str, access: AccessFilter = OWNER) -> Generator[MemoryReader]:
        """A snapshot to read from; a write of others that follows is not seen in it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        space = self._space(workspace)
        yield MemoryReader(space, space.floored(access))

    @contextmanager
    def write(self, workspace: str, access: AccessFilter = OWNER) -> Generator[MemoryWriter]:
        """The write lock; commits at the end, rolls back on any exception.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy`` when the lock is not free in time.
        """
        with self._locked():
            space = self._space(workspace).copy()
            others = [one for name, one in self._spaces.items() if name != workspace]
            yield MemoryWriter(space, self._counters, others, space.floored(access))
            self._spaces[workspace] = space

    def outbox(self, index: str, limit: int, after: int = 0) -> Sequence[OutboxItem]:
        """The oldest work behind a cursor and a position: one transaction, or several small."""
        cursor = max(after, self._cursors.get(index, 0))
        waiting = [
            (position, number, space)
            for space in self._spaces.values()
            for number, position in space.positions.items()
            if position > cursor
        ]
        waiting.sort(key=lambda one: one[0])
        items: list[OutboxItem] = []
        rows = 0
        for position, number, space in waiting[:limit]:
            item = _item(position, number, space)
            rows += len(item.opened)
            if items and rows > limit:
                break
            items.append(item)
        return items

    def advance(self, index: str, position: int, unembedded: Sequence[UUID]) -> None:
        """Move an index's cursor and queue the points whose vectors it still lacks."""
        with self._locked():
            self._cursors[index] = max(position, self._cursors.get(index, 0))
            self._queues.setdefault(index, set()).update(self._rows(unembedded))

    def restart(self, index: str) -> None:
        """Put an index's cursor back to the beginning and empty its queue."""
        with self._locked():
            self._cursors[index] = 0
            self._queues[index] = set()

    def queue(self, index: str, limit: int) -> Sequence[tuple[str, ChunkRow]]:
        """Points that lack a vector, newest first: workspace and chunk row."""
        chunks = self._chunks()
        newest = sorted(self._queues.get(index, ()), reverse=True)
        there = [row for row in newest if row in chunks]  # those of erased entries are gone
        return [chunks[row] for row in there[:limit]]

    def dequeue(self, index: str, point_ids: Sequence[UUID]) -> None:
        """These points have their vectors."""
        with self._locked():
            self._queues.get(index, set()).difference_update(self._rows(point_ids))

    def indexed(self, index: str) -> int:
        """How many points an index holds when it is whole up to its cursor."""
        cursor = self._cursors.get(index, 0)
        return sum(
            space.positions[chunk.opened_by] <= cursor
            for space in self._spaces.values()
            for chunk in space.chunks.values()
        )

    def lag(self, index: str, workspace: str | None = None, access: AccessFilter = OWNER) -> Lag:
        """How far an index is behind with what may be seen."""
        cursor = self._cursors.get(index, 0)
        asked = [s for name, s in self._spaces.items() if workspace in (None, name)]
        queued = self._queues.get(index, ())
        behind = (len(space.told_behind(cursor, access)) for space in asked)
        missing = (space.seen_rows(queued, access) for space in asked)
        return Lag(sum(behind), sum(missing))

    def current_points(self) -> Iterator[UUID]:
        """The ids of all chunk rows."""
        return iter([chunk.point_id for _, chunk in self._chunks().values()])

    def lookup(self, workspace: str, text: str) -> bytes:
        """The keyed digest of a text."""
        return hmac.digest(self._space(workspace).key, text.encode(), "sha256")

    def audit(self, workspace: str) -> Audit:
        """There is no chain: nobody else can reach what is kept here."""
        space = self._space(workspace)
        return Audit(len(space.transactions), len(space.versions) + len(space.relations), "")

    def check(self) -> Sequence[str]:
        """There are no files that could have problems."""
        return []

    def crowded(self, most: int) -> Sequence[tuple[str, UUID]]:
        """Workspace and entry of each that lists more than ``most`` tags or names of an acl."""
        found = {
            (name, one.entry_id)
            for name, space in self._spaces.items()
            for one in space.versions.values()
            if one.recorded_to == FOREVER
            and most < max(len(folded_tags(one.attributes.tags)), len(one.attributes.acl))
        }
        return sorted(found)

    def close(self) -> None:
        """Nothing to let go of."""

    def _space(self, workspace: str) -> Space:
        if workspace not in self._spaces:
            raise NotFound("workspace.unknown", name=workspace)
        return self._spaces[workspace]

    def _chunks(self) -> dict[int, tuple[str, ChunkRow]]:
        return {
            row: (name, chunk)
            for name, space in self._spaces.items()
            for row, chunk in space.chunks.items()
        }

    def _rows(self, point_ids: Sequence[UUID]) -> set[int]:
        wanted = set(point_ids)
        return {row for row, (_, chunk) in self._chunks().items() if chunk.point_id in wanted}

    @contextmanager
    def _locked(self) -> Generator[None]:
        if not self._lock.acquire(timeout=self._timeout_s):
            raise Unavailable("ledger.busy", path="memory")
        try:
            yield
        finally:
            self._lock.release()


def _item(position: int, number: int, space: Space) -> OutboxItem:
    chunks = space.chunks.values()
    opened = tuple(chunk for chunk in chunks if chunk.opened_by == number)
    return OutboxItem(
        position,
        space.workspace.name,
        opened,
        {chunk.point_id: chunk.recorded_to for chunk in chunks if chunk.closed_by == number},
        space.access({chunk.entry_id for chunk in opened}),
        space.access(space.access_changed(number)),
        _archived(number, space, {chunk.entry_id for chunk in opened}),
        tuple(i for i, stone in space.tombstones.items() if stone.number == number),
        number,
    )


def _archived(number: int, space: Space, cut: set[UUID]) -> dict[UUID, int]:
    """Since when those are archived, by now, whom a transaction archived or took out.

    And those it opened chunk rows of while they are archived, which new points must know.
    """
    rows = space.archivings.values()
    changed = {one.entry_id for one in rows if number in (one.opened_by, one.closed_by)}
    current = {one.entry_id: one.recorded_from for one in rows if one.recorded_to == FOREVER}
    told = changed | (cut & current.keys())
    return {entry_id: current.get(entry_id, FOREVER) for entry_id in told}
