"""Appending to one workspace in memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeVar
from uuid import UUID

from damals.adapters.memory.reader import MemoryReader
from damals.adapters.memory.registry import keep
from damals.adapters.memory.space import Space
from damals.app.access_model import KeptAnswer
from damals.app.done import done_in
from damals.app.floors_model import Floors
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import ChunkRow, NewTransaction, StoredTransaction, Tombstone
from damals.app.readmitting import Readmission
from damals.app.sources_model import SourceRun
from damals.domain.entries import Archiving, Attributes, Relation, Verification, Version
from damals.domain.errors import Conflict
from damals.domain.ids import parse_uuid
from damals.domain.instants import FOREVER, format_instant
from damals.domain.operations import TransactionName
from damals.domain.periods import Period
from damals.domain.state import (
    Done,
    EntryState,
    TransactionRows,
    ordered,
    rectangle_of,
    statement,
)

_Row = TypeVar("_Row", Version, Relation, ChunkRow, Archiving, Verification)


@dataclass(frozen=True, slots=True)
class Counters:
    """Row numbers, ascending over all workspaces; a number is never given twice."""

    versions: Iterator[int] = field(default_factory=lambda: count(1))
    relations: Iterator[int] = field(default_factory=lambda: count(1))
    chunks: Iterator[int] = field(default_factory=lambda: count(1))
    archivings: Iterator[int] = field(default_factory=lambda: count(1))
    verifications: Iterator[int] = field(default_factory=lambda: count(1))
    positions: Iterator[int] = field(default_factory=lambda: count(1))


class MemoryWriter(MemoryReader):
    """A ``LedgerWriter`` on a space of its own, which the ledger takes over at the end."""

    def __init__(
        self,
        space: Space,
        counters: Counters,
        others: Sequence[Space] = (),
        access: AccessFilter = OWNER,
    ) -> None:
        """Begin to append.

        Args:
            space: a copy of the workspace.
            counters: of the ledger.
            others: the other workspaces of the ledger.
            access: what may be seen; as ``States`` it gives everything.
        """
        super().__init__(space, access)
        self._counters = counters
        self._others = others

    def by_id(self, entry_id: UUID) -> EntryState | None:
        """The state of an entry, or ``None`` when there is no such entry."""
        space = self._space
        if entry_id not in space.names:
            return None
        current = [v for v in space.versions_of(entry_id) if v.recorded_to == FOREVER]
        relations = [r for r in space.relations.values() if r.recorded_to == FOREVER]
        return EntryState(
            id=entry_id,
            external_id=None if entry_id in space.tombstones else space.names[entry_id],
            rectangles=ordered(rectangle_of(version) for version in current),
            relations=tuple(r for r in relations if r.src_id == entry_id),
            cut_by=_unique(r.src_id for r in relations if r.cuts and r.dst_id == entry_id),
            last=space.newest_of(entry_id),
            last_transaction=space.touches[entry_id][-1],
            archiving=next((a for a in _open(space.archivings) if a.entry_id == entry_id), None),
            verifications=tuple(v for v in _open(space.verifications) if v.entry_id == entry_id),
            erased=entry_id in space.tombstones,
        )

    def by_external_id(self, external_id: str) -> EntryState | None:
        """The state of the entry with this external id, or ``None``."""
        for entry_id, name in self._space.names.items():
            if name == external_id and entry_id not in self._space.tombstones:
                return self.by_id(entry_id)
        return None

    def holding_key(self, key: str, period: Period) -> Iterable[EntryState]:
        """The entries of which a current rectangle with this key overlaps a period, by id."""
        held = (v for v in self._open() if v.attributes.key == key)
        return self._current(v.entry_id for v in held if v.period.overlaps(period))

    def stating(self, attributes: Attributes) -> Iterable[EntryState]:
        """The entries that currently state this type, title, content and key, by id."""
        wanted = statement(attributes)
        fitting = (v.entry_id for v in self._open() if statement(v.attributes) == wanted)
        return self._current(fitting)

    def changed_by(self, transaction: TransactionName) -> TransactionRows | None:
        """What a transaction changed; ``None`` when there is none of this number or instant."""
        space = self._space
        names = {format_instant(t.recorded_at): n for n, t in space.transactions.items()}
        number = names.get(transaction, 0) if isinstance(transaction, str) else transaction
        if number not in space.transactions:
            return None
        return TransactionRows(
            number=number,
            versions_opened=_opened(space.versions, number),
            versions_closed=_closed(space.versions, number),
            relations_opened=_opened(space.relations, number),
            relations_closed=_closed(space.relations, number),
            archivings_opened=_opened(space.archivings, number),
            archivings_closed=_closed(space.archivings, number),
            verifications_opened=_opened(space.verifications, number),
            verifications_closed=_closed(space.verifications, number),
            erased=tuple(i for i, stone in space.tombstones.items() if stone.number == number),
        )

    def done_since(self, entry_id: UUID, number: int) -> Iterable[Done]:
        """The operations that touched an entry, from transaction ``number`` on, in order."""
        touching = [n for n in self._space.touches.get(entry_id, ()) if n >= number]
        transactions = [self._space.transactions[n] for n in touching]
        numbers = {t.recorded_at: n for n, t in self._space.transactions.items()}
        return [
            one
            for stored in transactions
            for one in done_in(stored, numbers.get)
            if entry_id in stored.operations[one.operation].touched
        ]

    def elsewhere(self, target: str) -> bool:
        """Whether this id or external id names an entry of another workspace."""
        entry_id = parse_uuid(target)
        return any(
            i not in other.tombstones and (i == entry_id or name == target)
            for other in self._others
            for i, name in other.names.items()
        )

    def _open(self) -> list[Version]:
        return _open(self._space.versions)

    def _current(self, entry_ids: Iterable[UUID]) -> list[EntryState]:
        states = (self.by_id(entry_id) for entry_id in sorted(set(entry_ids)))
        return [state for state in states if state is not None]

    def open_chunks(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[ChunkRow]]:
        """The current chunk rows of the entries."""
        current = _open(self._space.chunks)
        return {i: [c for c in current if c.entry_id == i] for i in entry_ids}

    def expect(self, texts: Iterable[str]) -> None:
        """Nothing to prepare: everything is at hand."""

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
        _close(space.archivings, effects.archivings_closed, transaction)
        _close(space.verifications, effects.verifications_closed, transaction)
        counters = self._counters
        _add(space.versions, counters.versions, effects.opened)
        _add(space.relations, counters.relations, effects.relations_opened)
        _add(space.chunks, counters.chunks, transaction.chunks_opened)
        _add(space.archivings, counters.archivings, effects.archivings_opened)
        _add(space.verifications, counters.verifications, effects.verifications_opened)
        for entry_id in effects.erased:
            self._erase(entry_id, transaction)

    def kept_answer(self, key: bytes) -> KeptAnswer | None:
        """The answer kept under a request's key."""
        return self._space.answers.get(key)

    def keep_answer(self, key: bytes, answer: KeptAnswer) -> None:
        """Keep an answer, in the same write as what it answers; the first under a key stays."""
        keep(self._space.answers, key, answer, self._space.last_erasure)

    def put_source(self, run: SourceRun) -> None:
        """Note how an import ended; it replaces what was noted of that source before."""
        forgotten = run.since is not None and self._space.last_erasure > run.since
        result = None if forgotten else run.result
        self._space.sources[run.name] = replace(run, result=result, since=None)

    def erased_as(self, kind: str, name: str) -> None:
        """What the last transaction erased is a whole source or person, not some entries."""
        if kind == "source":
            self._space.erased_sources[name] = self.head().recorded_at

    def entries_of_source(self, name: str) -> Sequence[UUID]:
        """The entries that ever belonged to a source and are not erased, by id."""
        found = {
            one.entry_id
            for one in self._space.versions.values()
            if one.attributes.source.name == name
        }
        return sorted(found - self._space.tombstones.keys())

    def erased_source(self, name: str) -> int | None:
        """When a source was erased, unless it was readmitted since."""
        return self._space.erased_sources.get(name)

    def readmit_source(self, name: str, now: int, actor: str) -> bool:
        """Let an erased source be imported again; whether it was erased."""
        del now, actor
        return self._space.erased_sources.pop(name, None) is not None

    def readmit(self, found: Readmission, now: int, actor: str) -> None:
        """From now on others may be imported in the place of what was erased."""
        del now, actor
        known = self._space.tombstones
        self._space.readmitted.update(one for one in found.entries if one in known)
        self._space.marks.difference_update(found.marks)

    def put_floors(self, source: str, floors: Floors) -> None:
        """Note what a source asks of those who are shown its relations."""
        self._space.floors[source] = dict(floors)

    def _erase(self, entry_id: UUID, transaction: NewTransaction) -> None:
        space = self._space
        space.tombstones[entry_id] = Tombstone(
            entry_id, transaction.recorded_at, transaction.number, transaction.actor
        )
        space.marks.update(transaction.marks)
        for row in [row for row, chunk in space.chunks.items() if chunk.entry_id == entry_id]:
            del space.chunks[row]
        space.forget()
        space.forget_receipts(entry_id)
        space.forget_accesses(entry_id)

    def _check(self, transaction: NewTransaction) -> None:
        head = self.head()
        if transaction.number != head.number + 1 or transaction.recorded_at <= head.recorded_at:
            raise Conflict(
                "transaction.order",
                number=transaction.number,
                recorded_at=format_instant(transaction.recorded_at),
                last=format_instant(head.recorded_at),
            )


def _add(rows: dict[int, _Row], numbers: Iterator[int], opened: Iterable[_Row]) -> None:
    for one in opened:
        row = next(numbers)
        rows[row] = replace(one, row=row)


def _open(rows: dict[int, _Row]) -> list[_Row]:
    return [one for one in rows.values() if one.recorded_to == FOREVER]


def _opened(rows: dict[int, _Row], number: int) -> tuple[_Row, ...]:
    return tuple(one for one in rows.values() if one.opened_by == number)


def _closed(rows: dict[int, _Row], number: int) -> tuple[_Row, ...]:
    return tuple(one for one in rows.values() if one.closed_by == number)


def _close(rows: dict[int, _Row], closed: Iterable[int], transaction: NewTransaction) -> None:
    for row in closed:
        if row not in rows or rows[row].recorded_to != FOREVER:
            raise Conflict("transaction.not_open", number=transaction.number)
        rows[row] = replace(
            rows[row], recorded_to=transaction.recorded_at, closed_by=transaction.number
        )


def _unique(ids: Iterable[UUID]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(ids))


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
