"""What a timeline returns; shapes and conventions as in ``results.py``."""

from collections.abc import Iterator
from dataclasses import dataclass

from damals.app.results import Entry, Result, Understood


@dataclass(frozen=True, slots=True)
class EventView(Result):
    """Something that happened.

    Attributes:
        step: its number on the whole timeline, from 1.
        kind: as of the changes of a diff.
        clock: on which it happened: ``valid`` or ``known``.
        at: when, on that clock.
        title: of the entry, as it was behind the event, else as it was before.
        valid_from, valid_to: when it holds, as it was given there.
        relation: type of the relation behind it.
        other_id, other_title: the entry at the other end of it, as far as it is told.
        reason, actor, operation: of what was done in ``transaction``.
        as_of, known_at: the pair at which it can be seen what it led to.
    """

    step: int
    kind: str
    clock: str
    at: str
    entry_id: str
    title: str
    type: str
    valid_from: str | None
    valid_to: str | None
    relation: str | None
    other_id: str | None
    other_title: str | None
    reason: str | None
    actor: str
    operation: str | None
    transaction: int
    as_of: str
    known_at: str


@dataclass(frozen=True, slots=True)
class Timeline(Result):
    """What happened to a topic, on both clocks, and what holds of it at one pair.

    Attributes:
        topic, axis: as asked.
        understood: how the asked instants were read.
        events: a page of them, in order.
        count: how many there are.
        next: the step behind which there are more; ``None`` where there are none.
        step: the event that is looked at; ``None`` for the asked pair.
        as_of, known_at: the pair of the state: that of the step, else the asked one.
        held: what holds of the topic there.
        held_count: how many entries that are, told or not.
    """

    topic: str
    axis: str | None
    understood: Understood
    events: tuple[EventView, ...]
    count: int
    next: int | None
    step: int | None
    as_of: str
    known_at: str
    held: tuple[Entry, ...]
    held_count: int

    def __iter__(self) -> Iterator[EventView]:
        """The events of this page."""
        return iter(self.events)

    def __len__(self) -> int:
        """How many events this page has."""
        return len(self.events)
