"""Which backups are kept when there are many: so many last ones, and one for each day, week, month.

The rules are those of ``restic forget``: each keeps the newest of the last so many days (weeks,
months) *that have any*, whatever lies between them; what one rule keeps is kept. While a rule has
not found as many as it asks for, the oldest is kept too, so that the months to come have a first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.errors import InvalidInput
from damals.domain.zones import to_local

MOST: Final = 100_000
"""No rule keeps more."""


@dataclass(frozen=True, slots=True)
class Keep:
    """How many are kept, by each rule; 0: the rule keeps none."""

    last: int = 0
    daily: int = 0
    weekly: int = 0
    monthly: int = 0

    def __post_init__(self) -> None:
        """See that something is kept.

        Raises:
            InvalidInput: ``backup.keep_nothing``, ``backup.keep``.
        """
        for one in fields(self):
            count: object = getattr(self, one.name)
            if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST:
                raise InvalidInput("backup.keep", name=one.name, value=count, high=MOST)
        if not (self.last or self.daily or self.weekly or self.monthly):
            raise InvalidInput("backup.keep_nothing")


def _day(moment: datetime) -> tuple[int, ...]:
    return (moment.year, moment.month, moment.day)


def _week(moment: datetime) -> tuple[int, ...]:
    return tuple(moment.isocalendar())[:2]


def _month(moment: datetime) -> tuple[int, ...]:
    return (moment.year, moment.month)


_SPANS: Final[Mapping[str, Callable[[datetime], tuple[int, ...]]]] = {
    "daily": _day,
    "weekly": _week,
    "monthly": _month,
}


def kept(instants: Sequence[int], keep: Keep, zone: ZoneInfo) -> Mapping[int, tuple[str, ...]]:
    """By place in ``instants``, the rules that keep it; what is not there may go.

    Args:
        instants: when each was made, in any order; UTC microseconds.
        keep: the rules.
        zone: whose days, ISO weeks and months are meant.
    """
    newest_first = sorted(range(len(instants)), key=lambda place: instants[place], reverse=True)
    reasons: dict[int, list[str]] = {place: ["last"] for place in newest_first[: keep.last]}
    for name, span_of in _SPANS.items():
        left: int = getattr(keep, name)
        seen: set[tuple[int, ...]] = set()
        for place in newest_first:
            span = span_of(to_local(instants[place], zone))
            is_oldest = place == newest_first[-1]
            if len(seen) < left and (span not in seen or is_oldest):
                seen.add(span)
                reasons.setdefault(place, []).append(name)
    return {place: tuple(names) for place, names in reasons.items()}
