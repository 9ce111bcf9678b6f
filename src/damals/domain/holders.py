"""Who holds a key when: found by where periods start, however many have held it.

No two current rectangles of one key overlap. Let ``w`` surely hold at some instant and start by
``t`` in every reading. Then nothing that starts earlier than ``w`` can hold at ``t`` or later: it
ends before ``w`` begins, or at the very bound at which ``w`` begins, which is not behind ``t``. A
walk from ``t`` backwards therefore ends at the first such ``w``.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from damals.domain.periods import Period

if TYPE_CHECKING:
    from damals.domain.state import EntryState, Rectangle


def holds(state: "EntryState", key: str, period: Period) -> bool:
    """Whether an entry may hold a key at some instant of a period."""
    return any(r.attributes.key == key and r.period.overlaps(period) for r in state.rectangles)


def _nobody() -> dict[str, list[tuple[int, UUID]]]:
    """No holders: every draft begins with none, and ``dict[K, V]()`` takes four times as long."""
    return {}


@dataclass(slots=True)
class Holders:
    """Entries by where they begin to hold a key, as far as they were added.

    What an entry does not hold any more may stay.
    """

    _starts: dict[str, list[tuple[int, UUID]]] = field(default_factory=_nobody)

    def add(self, state: "EntryState") -> None:
        """Take over where an entry begins to hold its keys."""
        for rectangle in state.rectangles:
            key = rectangle.attributes.key
            if key is None:
                continue
            starts = self._starts.setdefault(key, [])
            one = (rectangle.period.start.earliest, state.id)
            place = bisect_left(starts, one)
            if starts[place : place + 1] != [one]:
                starts.insert(place, one)

    def clear(self) -> None:
        """Forget everything."""
        self._starts.clear()

    def within(
        self, key: str, period: Period, current: Callable[[UUID], "EntryState | None"]
    ) -> Iterator[UUID]:
        """The entries that may hold a key in a period, as they are by now; some repeated.

        Args:
            key: what is held.
            period: when.
            current: gives an entry as it is by now.
        """
        starts = self._starts.get(key, [])
        first = bisect_left(starts, (period.start.earliest,))
        behind = bisect_left(starts, (period.end.latest,), first)
        for _, entry_id in starts[first:behind]:
            state = current(entry_id)
            if state is not None and holds(state, key, period):
                yield entry_id
        for place in range(first - 1, -1, -1):
            start, entry_id = starts[place]
            state = current(entry_id)
            held = [] if state is None else _starting(state, key, start)
            if any(rectangle.period.overlaps(period) for rectangle in held):
                yield entry_id
            if any(_surely_by(rectangle.period, period.start.earliest) for rectangle in held):
                return


def _starting(state: "EntryState", key: str, start: int) -> "list[Rectangle]":
    return [
        rectangle
        for rectangle in state.rectangles
        if rectangle.attributes.key == key and rectangle.period.start.earliest == start
    ]


def _surely_by(period: Period, instant: int) -> bool:
    """Whether a period starts by an instant, and surely holds at some."""
    return period.start.latest <= instant and period.start.latest < period.end.earliest
