"""Where several periods hold together."""

from collections.abc import Iterable, Iterator, Sequence

from damals.domain.periods import Bound, Period, between

Span = tuple[int, int]
"""From one instant up to another."""


def at_least(periods: Sequence[Period], count: int) -> list[Period]:
    """Where at least so many of some periods hold together, in order.

    Together they may hold exactly where so many may, and surely hold exactly where so many surely
    do.
    """
    if len(periods) < count:
        return []
    possible = _spans(((one.start.earliest, one.end.latest) for one in periods), count)
    certain = _spans(((one.start.latest, one.end.earliest) for one in periods), count)
    known = _Bounds(periods)
    found: list[Period] = []
    for start, end in possible:
        inside = [span for span in certain if start <= span[0] < end]
        found += known.between(start, end, inside)
    return found


def _spans(spans: Iterable[Span], count: int) -> list[Span]:
    """Where at least so many of some spans hold; empty ones hold nowhere."""
    events = [event for a, b in spans if a < b for event in ((a, 1), (b, -1))]
    found: list[Span] = []
    holding, begun = 0, 0
    for at, step in sorted(events):
        holding += step
        if step > 0 and holding == count:
            begun = at
        elif step < 0 and holding == count - 1:
            if found and found[-1][1] == begun:  # one ended where another began
                found[-1] = (found[-1][0], at)
            elif begun < at:
                found.append((begun, at))
    return found


class _Bounds:
    """The bounds of some periods, by where they lie: what was written is kept where it fits."""

    def __init__(self, periods: Iterable[Period]) -> None:
        listed = sorted(periods, key=lambda one: (str(one.start.text), str(one.end.text)))
        self._starts = {(one.start.earliest, one.start.latest): one.start for one in listed}
        self._ends = {(one.end.earliest, one.end.latest): one.end for one in listed}

    def between(self, start: int, end: int, certain: Sequence[Span]) -> Iterator[Period]:
        """Periods that may hold in a span, and surely do so in some parts of it."""
        if not certain:
            yield self._never_sure(start, end)
        for place, (first, last) in enumerate(certain):
            before = certain[place - 1][1] if place else start
            behind = certain[place + 1][0] if place + 1 < len(certain) else end
            yield Period(self._start(before, first), self._end(last, behind))

    def _never_sure(self, start: int, end: int) -> Period:
        firsts = [one for one in self._starts.values() if one.earliest == start]
        lasts = [one for one in self._ends.values() if one.latest == end]
        pairs = (
            Period(first, last)
            for first in sorted(firsts, key=lambda one: one.latest)
            for last in sorted(lasts, key=lambda one: one.earliest)
            if first.latest >= last.earliest
        )
        return next(pairs, Period(between(start, end), between(start, end)))

    def _start(self, earliest: int, latest: int) -> Bound:
        return self._starts.get((earliest, latest)) or between(earliest, latest)

    def _end(self, earliest: int, latest: int) -> Bound:
        return self._ends.get((earliest, latest)) or between(earliest, latest)
