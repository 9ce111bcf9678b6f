"""An axis of time: where instants stand, and what is written beside them.

An axis is true to scale wherever it can be. Where changes lie too close together to be seen, the
stretches between them are given a least length and the others shrink alike: the order and all
edges stay exact, and every stretch has room.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.errors import InvalidInput
from damals.domain.instants import DAY, FOREVER, from_datetime
from damals.domain.zones import to_local

MOST_FILLED: Final = 0.6
"""Of an axis, how much stretches of the least length may take together."""

DAY_ALONE: Final = len("2024-06-01")
DIGITS: Final = (
    DAY_ALONE,
    len("2024-06-01 12:30"),
    len("2024-06-01 12:30:05"),
    *range(len("2024-06-01 12:30:05.1"), len("2024-06-01 12:30:05.123456") + 1),
)
"""As so many characters an instant can be told, the briefest first."""

MOST_LINES: Final = 80
"""Of a calendar on an axis."""


@dataclass(frozen=True)
class Scale:
    """Where the instants of an axis stand.

    Attributes:
        knots: instants in order, at least one.
        places: where each stands, in pixels along the axis.
    """

    knots: tuple[int, ...]
    places: tuple[float, ...]

    def at(self, instant: int) -> float:
        """Where an instant stands; what lies beyond an end stands there."""
        after = bisect_right(self.knots, instant)
        if after == 0:
            return self.places[0]
        if after == len(self.knots):
            return self.places[-1]
        first, last = self.knots[after - 1], self.knots[after]
        start, end = self.places[after - 1], self.places[after]
        return start + (end - start) * ((instant - first) / (last - first))

    @cached_property
    def length(self) -> float:
        """From end to end, in pixels."""
        return abs(self.places[-1] - self.places[0])


def scale(instants: Iterable[int], start: float, end: float, least: float) -> Scale:
    """An axis on which each of some instants can be told from the next one.

    Args:
        instants: those that something begins or ends at; at least one.
        start: where the first one stands, in pixels.
        end: where the last one stands; the axis may run backwards.
        least: how far apart two of them stand at least, as far as there is room.
    """
    knots = tuple(sorted(set(instants)))
    spans = [after - before for before, after in pairwise(knots)]
    if not spans:
        return Scale(knots, ((start + end) / 2,))
    widths = _widths(spans, abs(end - start), least)
    sign = 1 if end >= start else -1
    places = [start]
    for width in widths:
        places.append(places[-1] + sign * width)
    places[-1] = end  # whatever the sums were rounded to
    return Scale(knots, tuple(places))


def _widths(spans: Sequence[int], room: float, least: float) -> list[float]:
    """Lengths in proportion to spans, but for those that would be shorter than the least."""
    least = min(least, room * MOST_FILLED / len(spans))
    raised: set[int] = set()
    while True:
        rest = sum(span for place, span in enumerate(spans) if place not in raised)
        free = room - least * len(raised)
        if not rest:
            return [room / len(spans)] * len(spans)
        short = {
            place
            for place, span in enumerate(spans)
            if place not in raised and free * span / rest < least
        }
        if not short:
            return [
                least if place in raised else free * span / rest for place, span in enumerate(spans)
            ]
        raised |= short


# --- what is written beside an axis


def told(instant: int, zone: ZoneInfo, near: Iterable[int] = (), *, whole: bool = False) -> str:
    """An instant as briefly as it can be told from others: its day, or with a time of that day.

    Args:
        instant: UTC microseconds.
        zone: whose days are told.
        near: others that must read differently.
        whole: a day alone means its first instant, and no other one of it.
    """
    local = _local(instant, zone)
    if local is None:
        return "…"
    others = [one for one in (_local(i, zone) for i in near if i != instant) if one]
    for digits in DIGITS:
        text = _text(local, digits)
        lost = whole and digits == DAY_ALONE and local.time() != time.min
        if not lost and all(_text(one, digits) != text for one in others):
            return text
    return _text(local, DIGITS[-1])


def _text(local: datetime, digits: int) -> str:
    whole = local.replace(tzinfo=None).isoformat(" ", "microseconds")
    return whole[:digits]


def _local(instant: int, zone: ZoneInfo) -> datetime | None:
    try:
        return to_local(instant, zone)
    except InvalidInput:  # the first or the last day that there is
        return None


def calendar(first: int, last: int, zone: ZoneInfo, most: int) -> tuple[tuple[int, str], ...]:
    """Years, months or days between two instants, with their names: no more than so many."""
    begin, end = _local(first, zone), _local(last, zone)
    if begin is None or end is None:
        return ()
    if last - first < 3 * DAY:
        return ()
    if last - first <= most * DAY:
        return _days(begin, last, zone)
    months = (end.year - begin.year) * 12 + end.month - begin.month
    step = next((n for n in (1, 3, 6) if months // n <= most), 12)
    if step == 12 or months > 30:  # noqa: PLR2004 -- two years and a half are told by years
        return _years(begin.year, end.year, last, zone, most)
    return _months(begin, last, zone, step)


def _days(begin: datetime, last: int, zone: ZoneInfo) -> tuple[tuple[int, str], ...]:
    found: list[tuple[int, str]] = []
    day = begin.date()
    while len(found) < MOST_LINES:
        day += timedelta(days=1)
        at = from_datetime(datetime(day.year, day.month, day.day, tzinfo=zone))
        if at > last:
            break
        found.append((at, day.isoformat()))
    return tuple(found)


def _months(begin: datetime, last: int, zone: ZoneInfo, step: int) -> tuple[tuple[int, str], ...]:
    found: list[tuple[int, str]] = []
    place = begin.year * 12 + begin.month - 1
    while len(found) < MOST_LINES:
        place = (place // step + 1) * step
        year, month = place // 12, place % 12 + 1
        at = from_datetime(datetime(year, month, 1, tzinfo=zone)) if year <= 9999 else FOREVER  # noqa: PLR2004 -- the last year that there is
        if at > last:
            break
        found.append((at, f"{year:04d}-{month:02d}" if month > 1 else f"{year:04d}"))
    return tuple(found)


def _years(
    first: int, final: int, last: int, zone: ZoneInfo, most: int
) -> tuple[tuple[int, str], ...]:
    step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000)
                if (final - first) // n <= most)  # fmt: skip
    years = range((first // step + 1) * step, final + 1, step)
    marks = [(from_datetime(datetime(year, 1, 1, tzinfo=zone)), f"{year:04d}") for year in years]
    return tuple(mark for mark in marks if mark[0] <= last)
