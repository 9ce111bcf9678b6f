"""The current state that operations change: what is known now, at every valid instant.

A draft collects the changes of one transaction. Only the difference between its start and its end
becomes rows, so whatever happens inside a transaction, no version of zero recorded length exists.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar
from uuid import UUID

from damals.domain.entries import Archiving, Attributes, Relation, Verification, Version
from damals.domain.errors import Conflict, NotFound
from damals.domain.holders import Holders, holds
from damals.domain.instants import FOREVER
from damals.domain.operations import TransactionName
from damals.domain.periods import Bound, Period
from damals.domain.values import frozen

_Row = TypeVar("_Row", Relation, Archiving, Verification)

Statement = tuple[str, str, str, str | None]
"""Type, title, content and key of a fact."""


@frozen
class Rectangle:
    """A currently known version: its recorded time is open.

    Attributes:
        zone: name of the zone its bounds were read in.
        row: number of the stored row; 0 for one that this transaction makes.
        operation: index of the operation that made it, in its transaction.
    """

    period: Period
    attributes: Attributes
    generation: int
    zone: str
    row: int = 0
    operation: int = 0


def rectangle_of(version: Version) -> Rectangle:
    """A stored version as the state holds it."""
    return Rectangle(
        version.period,
        version.attributes,
        version.generation,
        version.zone,
        version.row,
        version.operation,
    )


def ordered(rectangles: Iterable[Rectangle]) -> tuple[Rectangle, ...]:
    """Rectangles by start."""
    return tuple(sorted(rectangles, key=_by_start))


def _by_start(rectangle: Rectangle) -> tuple[int, int, int, int]:
    start, end = rectangle.period.start, rectangle.period.end
    return (start.earliest, start.latest, end.earliest, end.latest)


@frozen
class EntryState:
    """What is currently known of an entry.

    Attributes:
        rectangles: disjoint in valid time, by start; empty when retracted.
        relations: its currently known outgoing relations.
        cut_by: ids of the entries that took a part of it by ``supersedes`` or ``revises``.
        last: its latest attributes and generation, also when nothing is current; ``None`` for an
            entry without any stored version.
        last_transaction: number of the last transaction that touched it; 0 before the first.
        archiving: of an archived entry; else ``None``.
        verifications: in the order they were recorded.
    """

    id: UUID
    external_id: str | None = None
    rectangles: tuple[Rectangle, ...] = ()
    relations: tuple[Relation, ...] = ()
    cut_by: tuple[UUID, ...] = ()
    last: Version | None = None
    last_transaction: int = 0
    archiving: Archiving | None = None
    verifications: tuple[Verification, ...] = ()
    erased: bool = False

    @property
    def generation(self) -> int:
        """The highest generation it has had; 0 before the first."""
        stored = self.last.generation if self.last else 0
        return max((r.generation for r in self.rectangles), default=stored)


@frozen
class Done:
    """An operation that was done to an entry.

    Attributes:
        number, operation: its transaction and its place in it.
        kind: ``remember``, ``update``, …
        entry_id: the entry it was about; ``None`` for a ``revert``.
        end: of an ``end``, the bound that was set.
        bounded: of a ``correct``, whether it set bounds.
        reverted: of a ``revert``, the number of the transaction it took back.
    """

    number: int
    operation: int
    kind: str
    entry_id: UUID | None
    end: Bound | None = None
    bounded: bool = False
    reverted: int | None = None


@dataclass(frozen=True, slots=True)
class TransactionRows:
    """What one stored transaction opened and closed, as the rows are by now."""

    number: int
    versions_opened: tuple[Version, ...] = ()
    versions_closed: tuple[Version, ...] = ()
    relations_opened: tuple[Relation, ...] = ()
    relations_closed: tuple[Relation, ...] = ()
    archivings_opened: tuple[Archiving, ...] = ()
    archivings_closed: tuple[Archiving, ...] = ()
    verifications_opened: tuple[Verification, ...] = ()
    verifications_closed: tuple[Verification, ...] = ()
    erased: tuple[UUID, ...] = ()


class States(Protocol):
    """Where a draft finds what is known; implemented by ledgers."""

    def by_id(self, entry_id: UUID) -> EntryState | None:
        """The state of an entry, or ``None`` when there is no such entry."""
        ...

    def by_external_id(self, external_id: str) -> EntryState | None:
        """The state of the entry with this external id, or ``None``."""
        ...

    def holding_key(self, key: str, period: Period) -> Iterable[EntryState]:
        """The entries of which a current rectangle with this key overlaps a period."""
        ...

    def stating(self, attributes: Attributes) -> Iterable[EntryState]:
        """The entries that currently state this type, title, content and key."""
        ...

    def changed_by(self, transaction: TransactionName) -> TransactionRows | None:
        """What a transaction changed; ``None`` when there is none of this number or instant.

        Args:
            transaction: its number, or its recorded instant in the form of ``format_instant``.
        """
        ...

    def done_since(self, entry_id: UUID, number: int) -> Iterable[Done]:
        """The operations that touched an entry, from transaction ``number`` on, in order."""
        ...

    def elsewhere(self, target: str) -> bool:
        """Whether this id or external id names an entry of another workspace."""
        ...


def _nothing() -> dict[Any, Any]:
    """An empty mapping. There are many drafts, and ``dict[K, V]()`` takes four times as long."""
    return {}


def _none_yet() -> list[Any]:
    """An empty list, for the same reason."""
    return []


@dataclass(slots=True)
class Draft:
    """The changes of one transaction, in the making.

    Attributes:
        now: the transaction's recorded instant.
        number: the transaction's number.
        operation: index of the operation being applied.
        before, after: touched entries at the start and as they are by now.
        last_held: of each touched entry the rectangle it held last, also when it holds none now.
        done: the operations so far.
    """

    states: States
    now: int
    number: int
    zone: str
    operation: int = 0
    before: dict[UUID, EntryState] = field(default_factory=_nothing)
    after: dict[UUID, EntryState] = field(default_factory=_nothing)
    last_held: dict[UUID, Rectangle] = field(default_factory=_nothing)
    done: list[Done] = field(default_factory=_none_yet)
    _names: dict[str, UUID] = field(default_factory=_nothing)
    _holders: Holders = field(default_factory=Holders)
    _stating: dict[Statement, set[UUID]] = field(default_factory=_nothing)
    _unsorted: list[EntryState] = field(default_factory=_none_yet)
    _sources: dict[UUID, set[UUID]] = field(default_factory=_nothing)

    def find(self, target: str, entry_id: UUID | None) -> EntryState | None:
        """The entry with this id, when one is given; else the one with this external id."""
        state = None if entry_id is None else self.by_id(entry_id)
        if state is not None:
            return state
        if target in self._names:
            return self.after[self._names[target]]
        state = self.states.by_external_id(target)
        drafted = None if state is None else self.after.get(state.id, state)
        return None if drafted is None or drafted.erased else drafted  # its name is free again

    def by_id(self, entry_id: UUID) -> EntryState | None:
        """The entry with this id, as drafted."""
        return self.after.get(entry_id) or self.states.by_id(entry_id)

    def require(self, target: str, entry_id: UUID | None) -> EntryState:
        """As :meth:`find`.

        Raises:
            NotFound: ``entry.unknown``, or ``entry.erased`` when only a tombstone is left.
        """
        state = self.find(target, entry_id)
        if state is None:
            raise NotFound("entry.unknown", id=target)
        if state.erased:
            raise NotFound("entry.erased", id=target)
        return state

    def holding_key(self, key: str, period: Period, *, but: UUID) -> list[EntryState]:
        """The entries other than ``but`` that may hold this key in a period, as drafted, by id."""
        stored = self.states.holding_key(key, period)
        self._sort()
        found = self._drafted(stored, self._holders.within(key, period, self.after.get))
        return [state for state in found if state.id != but and holds(state, key, period)]

    def stating(self, attributes: Attributes) -> list[EntryState]:
        """The entries that state this type, title, content and key, as drafted."""
        wanted = statement(attributes)
        self._sort()
        found = self._drafted(self.states.stating(attributes), self._stating.get(wanted, ()))
        return [
            state
            for state in found
            if any(statement(r.attributes) == wanted for r in state.rectangles)
        ]

    def leading_to(self, entry_id: UUID) -> list[Relation]:
        """The relations of touched entries that lead to this one, as drafted."""
        sources = (self.after[one] for one in sorted(self._sources.get(entry_id, ())))
        return [row for source in sources for row in source.relations if row.dst_id == entry_id]

    def leading_from(self, state: EntryState, dst_id: UUID) -> list[Relation]:
        """The relations of an entry, as drafted, that lead to another.

        Of a touched entry it is known where its relations lead: one that everything links to has
        so many of them that they cannot all be looked at for each.
        """
        if state.id in self.after and state.id not in self._sources.get(dst_id, ()):
            return []
        return [row for row in state.relations if row.dst_id == dst_id]

    def again(self, row: _Row) -> _Row:
        """A row that the operation being applied records once more, as if for the first time."""
        return replace(
            row,
            row=0,
            recorded_from=self.now,
            opened_by=self.number,
            operation=self.operation,
            recorded_to=FOREVER,
            closed_by=None,
        )

    def begin(self, entry_id: UUID) -> None:
        """An entry is new, since its id was made up for it: nothing has to be looked up."""
        self.before[entry_id] = EntryState(entry_id)

    def put(self, state: EntryState) -> None:
        """Take over the new state of an entry."""
        if state.id not in self.before:
            self.before[state.id] = self.states.by_id(state.id) or EntryState(state.id)
        known = self.after.get(state.id)
        self.after[state.id] = state
        if state.external_id is not None:
            if state.erased:
                self._names.pop(state.external_id, None)
            else:
                self._names[state.external_id] = state.id
        if known is None or state.rectangles is not known.rectangles:
            self._unsorted.append(state)
            if state.rectangles:
                self.last_held[state.id] = state.rectangles[-1]
        before = () if known is None else known.relations
        if state.relations is not before:
            more = state.relations[: len(before)] == before  # most often, others are added
            for row in state.relations[len(before) if more else 0 :]:
                self._sources.setdefault(row.dst_id, set()).add(state.id)

    def _sort(self) -> None:
        """Sort what entries hold by what it says; in most transactions nobody asks for it."""
        for state in self._unsorted:
            self._holders.add(state)
            for rectangle in state.rectangles:
                self._stating.setdefault(statement(rectangle.attributes), set()).add(state.id)
        self._unsorted.clear()

    def _drafted(self, stored: Iterable[EntryState], drafted: Iterable[UUID]) -> list[EntryState]:
        """Stored and drafted entries that may fit, each as drafted, by id."""
        known = {state.id: state for state in stored}
        known |= {i: self.after[i] for i in drafted}
        return [self.after.get(i, known[i]) for i in sorted(known)]


def statement(attributes: Attributes) -> Statement:
    """What makes two remembered facts the same fact: type, title, content and key."""
    return (attributes.type, attributes.title, attributes.content, attributes.key)


def check_transaction(state: EntryState, expected: int | None) -> None:
    """Refuse a change that was decided on an older state.

    Raises:
        Conflict: ``entry.changed`` when the entry's last transaction is not ``expected``.
    """
    if expected is not None and state.last_transaction != expected:
        raise Conflict(
            "entry.changed", id=str(state.id), expected=expected, actual=state.last_transaction
        )
