"""Appending to one workspace in memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeVar
from uuid import UUID

from damals.adapters.memory.reader import MemoryReader
from damals.adapters.memory.space import Space
from damals.app.ledger_model import ChunkRow, NewTransaction, StoredTransaction
from damals.domain.entries import Attributes, Relation, Version
from damals.domain.errors import Conflict
from damals.domain.instants import FOREVER, format_instant
from damals.domain.state import EntryState, Rectangle, statement

_Row = TypeVar("_Row", Version, Relation, ChunkRow)


@dataclass(frozen=True, slots=True)
class Counters:
    """Row numbers, ascending over all workspaces; a number is never given twice."""

    versions: Iterator[int] = field(default_factory=lambda: count(1))
    relations: Iterator[int] = field(default_factory=lambda: count(1))
    chunks: Iterator[int] = field(default_factory=lambda: count(1))
    positions: Iterator[int] = field(default_factory=lambda: count(1))


class MemoryWriter(MemoryReader):
    """A ``LedgerWriter`` on a space of its own, which the ledger takes over at the end."""

    def __init__(self, space: Space, counters: Counters) -> None:
        super().__init__(space)
        self._counters = counters

    def by_id(self, entry_id: UUID) -> EntryState | None:
        """The state of an entry, or ``None`` when there is no such entry."""
        space = self._space
        if entry_id not in space.names:
            return None
        current = [v for v in space.versions_of(entry_id) if v.recorded_to == FOREVER]
        relations = [r for r in space.relations.values() if r.recorded_to == FOREVER]
        return EntryState(
            id=entry_id,
            external_id=space.names[entry_id],
            rectangles=tuple(_rectangle(v) for v in sorted(current, key=_by_start)),
            relations=tuple(r for r in relations if r.src_id == entry_id),
            cut_by=_unique(r.src_id for r in relations if r.cuts and r.dst_id == entry_id),
            last=space.newest_of(entry_id),
            last_transaction=space.touches[entry_id][-1],
        )

    def by_external_id(self, external_id: str) -> EntryState | None:
        """The state of the entry with this external id, or ``None``."""
        for entry_id, name in self._space.names.items():
            if name == external_id:
                return self.by_id(entry_id)
        return None

    def holding_key(self, key: str) -> Iterable[EntryState]:
        """The entries that currently have a rectangle with this key, by id."""
        return self._current(v.entry_id for v in self._open() if v.attributes.key == key)

    def stating(self, attributes: Attributes) -> Iterable[EntryState]:
        """The entries that currently state this type, title, content and key, by id."""
        wanted = statement(attributes)
        fitting = (v.entry_id for v in self._open() if statement(v.attributes) == wanted)
        return self._current(fitting)

    def _open(self) -> list[Version]:
        return [v for v in self._space.versions.values() if v.recorded_to == FOREVER]

    def _current(self, entry_ids: Iterable[UUID]) -> list[EntryState]:
        states = (self.by_id(entry_id) for entry_id in sorted(set(entry_ids)))
        return [state for state in states if state is not None]

    def open_chunks(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[ChunkRow]]:
        """The current chunk rows of the entries."""
        current = [c for c in self._space.chunks.values() if c.recorded_to == FOREVER]
        return {i: [c for c in current if c.entry_id == i] for i in entry_ids}

    def append(self, transaction: NewTransaction) -> None:
        """Store a transaction and put it into the outbox.

        Raises:
            Conflict: ``transaction.order`` when its number or instant does not follow the last;
                ``transaction.not_open`` when a row to close is unknown or closed already.
        """
        self._check(transaction)
        space, effects, number = self._space, transaction.effects, transaction.number
        space.transactions[number] = _stored(transaction)
        space.positions[number] = next(self._counters.positions)
        space.names.update({state.id: state.external_id for state in effects.created})
        operated = (one for operation in transaction.operations for one in operation.touched)
        created = (state.id for state in effects.created)
        for entry_id in _unique((*created, *effects.touched, *operated)):
            space.touches[entry_id] = (*space.touches.get(entry_id, ()), number)
        _close(space.versions, effects.closed, transaction)
        _close(space.relations, effects.relations_closed, transaction)
        _close(space.chunks, transaction.chunks_closed, transaction)
        for version in effects.opened:
            row = next(self._counters.versions)
            space.versions[row] = replace(version, row=row)
        for relation in effects.relations_opened:
            row = next(self._counters.relations)
            space.relations[row] = replace(relation, row=row)
        for chunk in transaction.chunks_opened:
            row = next(self._counters.chunks)
            space.chunks[row] = replace(chunk, row=row)

    def _check(self, transaction: NewTransaction) -> None:
        head = self.head()
        if transaction.number != head.number + 1 or transaction.recorded_at <= head.recorded_at:
            raise Conflict(
                "transaction.order",
                number=transaction.number,
                recorded_at=format_instant(transaction.recorded_at),
                last=format_instant(head.recorded_at),
            )


def _close(rows: dict[int, _Row], closed: Iterable[int], transaction: NewTransaction) -> None:
    for row in closed:
        if row not in rows or rows[row].recorded_to != FOREVER:
            raise Conflict("transaction.not_open", number=transaction.number)
        rows[row] = replace(
            rows[row], recorded_to=transaction.recorded_at, closed_by=transaction.number
        )


def _unique(ids: Iterable[UUID]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(ids))


def _by_start(version: Version) -> tuple[int, int, int, int]:
    start, end = version.period.start, version.period.end
    return (start.earliest, start.latest, end.earliest, end.latest)


def _rectangle(version: Version) -> Rectangle:
    return Rectangle(
        version.period,
        version.attributes,
        version.generation,
        version.zone,
        version.row,
        version.operation,
    )


def _stored(transaction: NewTransaction) -> StoredTransaction:
    return StoredTransaction(
        transaction.number,
        transaction.recorded_at,
        transaction.logged_at,
        transaction.actor,
        transaction.reason,
        transaction.zone,
        transaction.operations,
    )
