"""Readings of imprecise dates: a bound is the instant that it is in every reading.

A date that is not exact lies at some unknown instant of its range. A *reading* fixes all of them;
in a reading every period is exact. What holds in all readings is certain, what holds in some is
possible. The very same date is the same instant in every reading.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from damals.domain.instants import BEGINNING, FOREVER

Bound = tuple[int, ...]
"""Its instant in each reading."""


@dataclass(frozen=True)
class Rect:
    """A period: in each reading half-open, and empty where it does not begin before it ends."""

    start: Bound
    end: Bound

    def somewhere(self) -> bool:
        """Whether it holds at any instant in any reading."""
        return any(s < e for s, e in zip(self.start, self.end, strict=True))

    def at(self, instant: int) -> tuple[bool, ...]:
        """Whether it holds at an instant, in each reading."""
        return tuple(s <= instant < e for s, e in zip(self.start, self.end, strict=True))

    @property
    def imprecise(self) -> bool:
        return len(set(self.start)) > 1 or len(set(self.end)) > 1


Rects = tuple[Rect, ...]


def earliest(bound: Bound) -> int:
    return min(bound)


def latest(bound: Bound) -> int:
    return max(bound)


def earlier(a: Bound, b: Bound) -> Bound:
    return tuple(map(min, a, b))


def later(a: Bound, b: Bound) -> Bound:
    return tuple(map(max, a, b))


def common(a: Rect, b: Rect) -> Rect:
    return Rect(later(a.start, b.start), earlier(a.end, b.end))


def meet(a: Rect, b: Rect) -> bool:
    """Whether both hold at one instant in some reading."""
    return common(a, b).somewhere()


def by_the_letter(a: Rect, b: Rect) -> bool:
    """The rule in words: they overlap unless one surely ends before, or at the very same bound."""
    return not (ends_before(a, b) or ends_before(b, a))


def ends_before(a: Rect, b: Rect) -> bool:
    return latest(a.end) <= earliest(b.start) or a.end == b.start


def take(parts: Iterable[Rect], taken: Rect) -> list[Rect]:
    """What is left of some periods, in each reading."""
    left = []
    for part in parts:
        if not meet(part, taken):
            left.append(part)
            continue
        left.append(Rect(part.start, earlier(part.end, taken.start)))
        left.append(Rect(later(part.start, taken.end), part.end))
    return [one for one in left if one.somewhere()]


def take_all(parts: Iterable[Rect], taken: Iterable[Rect]) -> list[Rect]:
    left = list(parts)
    for one in taken:
        left = take(left, one)
    return left


def union(rects: Iterable[Rect]) -> Rects:
    """The same periods, those as one that are one in every reading."""
    whole: list[Rect] = []
    for one in sorted(rects, key=lambda r: (earliest(r.start), latest(r.start), latest(r.end))):
        joined = _joined(whole[-1], one) if whole else None
        if joined is None:
            whole.append(one)
        else:
            whole[-1] = joined
    return tuple(whole)


def _joined(first: Rect, second: Rect) -> Rect | None:
    start, end = [], []
    for s1, e1, s2, e2 in zip(first.start, first.end, second.start, second.end, strict=True):
        if s1 < e1 and s2 < e2 and e1 != s2:
            return None
        start.append(s2 if s1 >= e1 and s2 < e2 else s1)
        end.append(e2 if s2 < e2 or s1 >= max(e1, e2) else e1)
    return Rect(tuple(start), tuple(end))


def certain(rects: Iterable[Rect], instant: int) -> bool:
    """Whether something of it holds in every reading."""
    found = [one.at(instant) for one in rects]
    return bool(found) and all(map(any, zip(*found, strict=True)))


def possible(rects: Iterable[Rect], instant: int) -> bool:
    return any(any(one.at(instant)) for one in rects)


def edges(rects: Iterable[Rect]) -> set[int]:
    """The instants at which an answer may change."""
    return {i for one in rects for bound in (one.start, one.end) for i in bound}


@dataclass
class Readings:
    """All readings of the dates that a history may use.

    Attributes:
        ranges: first and last instant of each imprecise date, and instants between.
        slots: how many unknown bounds there may be, each of another transaction or kind.
        named: which slot an unknown bound has.
    """

    ranges: Sequence[Sequence[int]] = ()
    slots: int = 0
    named: dict[tuple[int, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choices = [range(len(one)) for one in self.ranges] + [range(2)] * self.slots
        self._readings = list(product(*choices))
        self._unknown: set[Bound] = set()

    def exact(self, instant: int) -> Bound:
        return (instant,) * len(self._readings)

    def within(self, place: int) -> Bound:
        return tuple(self.ranges[place][reading[place]] for reading in self._readings)

    def room(self, now: int, kind: str) -> bool:
        """Whether an unknown bound can be told apart from all others."""
        return (now, kind) in self.named or len(self.named) < self.slots

    def unknown(self, now: int, kind: str) -> Bound:
        """A bound that nobody knows, first recorded at ``now``."""
        place = len(self.ranges) + self.named.setdefault((now, kind), len(self.named))
        bound = tuple((BEGINNING, now)[reading[place]] for reading in self._readings)
        self._unknown.add(bound)
        return bound

    def is_unknown(self, bound: Bound) -> bool:
        return bound in self._unknown

    @property
    def open(self) -> Bound:
        return self.exact(FOREVER)
