"""The current state that operations change: what is known now, at every valid instant.

A draft collects the changes of one transaction. Only the difference between its start and its end
becomes rows, so whatever happens inside a transaction, no version of zero recorded length exists.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from damals.domain.entries import Attributes, Relation, Version
from damals.domain.errors import Conflict, NotFound
from damals.domain.periods import Period


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class EntryState:
    """What is currently known of an entry.

    Attributes:
        rectangles: disjoint in valid time, by start; empty when retracted.
        relations: its currently known outgoing relations.
        cut_by: ids of the entries that took a part of it by ``supersedes`` or ``revises``.
        last: its latest attributes and generation, also when nothing is current; ``None`` for an
            entry without any stored version.
        last_transaction: number of the last transaction that touched it; 0 before the first.
        archived_at: recorded instant of its archiving, else ``None``.
    """

    id: UUID
    external_id: str | None = None
    rectangles: tuple[Rectangle, ...] = ()
    relations: tuple[Relation, ...] = ()
    cut_by: tuple[UUID, ...] = ()
    last: Version | None = None
    last_transaction: int = 0
    archived_at: int | None = None
    erased: bool = False

    @property
    def generation(self) -> int:
        """The highest generation it has had; 0 before the first."""
        stored = self.last.generation if self.last else 0
        return max((r.generation for r in self.rectangles), default=stored)


class States(Protocol):
    """Where a draft finds what is known; implemented by ledgers."""

    def by_id(self, entry_id: UUID) -> EntryState | None:
        """The state of an entry, or ``None`` when there is no such entry."""
        ...

    def by_external_id(self, external_id: str) -> EntryState | None:
        """The state of the entry with this external id, or ``None``."""
        ...

    def holding_key(self, key: str) -> Iterable[EntryState]:
        """The entries that currently have a rectangle with this key."""
        ...

    def stating(self, attributes: Attributes) -> Iterable[EntryState]:
        """The entries that currently state this type, title, content and key."""
        ...


@dataclass(slots=True)
class Draft:
    """The changes of one transaction, in the making.

    Attributes:
        now: the transaction's recorded instant.
        number: the transaction's number.
        operation: index of the operation being applied.
        before, after: touched entries at the start and as they are by now.
        last_held: of each touched entry the rectangle it held last, also when it holds none now.
    """

    states: States
    now: int
    number: int
    zone: str
    operation: int = 0
    before: dict[UUID, EntryState] = field(default_factory=dict[UUID, EntryState])
    after: dict[UUID, EntryState] = field(default_factory=dict[UUID, EntryState])
    last_held: dict[UUID, Rectangle] = field(default_factory=dict[UUID, Rectangle])
    _names: dict[str, UUID] = field(default_factory=dict[str, UUID])
    _holders: dict[object, set[UUID]] = field(default_factory=dict[object, set[UUID]])

    def find(self, target: str, entry_id: UUID | None) -> EntryState | None:
        """The entry with this external id or, when ``entry_id`` is given, this id."""
        state: EntryState | None = None
        if target in self._names:
            return self.after[self._names[target]]
        if entry_id is not None:
            state = self.after.get(entry_id) or self.states.by_id(entry_id)
        if state is None:
            state = self.states.by_external_id(target)
        return state if state is None else self.after.get(state.id, state)

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

    def holding_key(self, key: str, *, but: UUID) -> list[EntryState]:
        """The entries other than ``but`` that hold this key at some time, as drafted."""
        found = self._drafted(self.states.holding_key(key), key)
        return [
            state
            for state in found
            if state.id != but and any(r.attributes.key == key for r in state.rectangles)
        ]

    def stating(self, attributes: Attributes) -> list[EntryState]:
        """The entries that state this type, title, content and key, as drafted."""
        wanted = statement(attributes)
        found = self._drafted(self.states.stating(attributes), wanted)
        return [
            state
            for state in found
            if any(statement(r.attributes) == wanted for r in state.rectangles)
        ]

    def put(self, state: EntryState) -> None:
        """Take over the new state of an entry."""
        if state.id not in self.before:
            self.before[state.id] = self.states.by_id(state.id) or EntryState(state.id)
        self.after[state.id] = state
        if state.external_id is not None:
            self._names[state.external_id] = state.id
        for rectangle in state.rectangles:
            self.last_held[state.id] = rectangle
            self._holders.setdefault(rectangle.attributes.key, set()).add(state.id)
            self._holders.setdefault(statement(rectangle.attributes), set()).add(state.id)

    def _drafted(self, stored: Iterable[EntryState], index: object) -> list[EntryState]:
        """Stored and drafted entries that may fit, each as drafted, by id."""
        known = {state.id: state for state in stored}
        known |= {i: self.after[i] for i in self._holders.get(index, ())}
        return [self.after.get(i, known[i]) for i in sorted(known)]


def statement(attributes: Attributes) -> tuple[str, str, str, str | None]:
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
