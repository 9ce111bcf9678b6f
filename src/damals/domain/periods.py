"""Bounds and periods of valid time.

A *bound* is one end of a period. It may be exact, known only to lie in a range (``2024-09``),
unknown, or open. A *period* is half-open, ``[from, to)``. Both are pure values: instants are
integers, UTC microseconds (see ``instants.py``); open ends are sentinels, never ``None``.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from damals.domain.errors import Conflict, InvalidInput
from damals.domain.instants import BEGINNING, FOREVER, format_instant
from damals.domain.values import frozen


class BoundKind(StrEnum):
    """How much is known of a bound."""

    EXACT = "exact"
    RANGE = "range"
    UNKNOWN = "unknown"
    OPEN = "open"


Certainty = Literal["certain", "possible"]


@frozen
class Bound:
    """One end of a period: it lies at some instant in ``[earliest, latest]``.

    Attributes:
        earliest: first instant it can be, UTC microseconds.
        latest: last instant it can be; equal to ``earliest`` when exact.
        kind: how much is known.
        text: as it was given (``2024-09``); ``None`` for an unknown start and an open end.
        uncertain: it was marked with ``~`` or ``?``; changes no comparison.
    """

    earliest: int
    latest: int
    kind: BoundKind
    text: str | None = None
    uncertain: bool = False

    def same_as(self, other: "Bound") -> bool:
        """Whether both are the very same bound, however each was written.

        An unknown start and an unknown end first recorded at one instant have the same readings
        and are two bounds all the same; their texts tell them apart.
        """
        return self.identity == other.identity

    @property
    def identity(self) -> tuple[int, int, BoundKind, str | None]:
        """Equal for two bounds that are the very same."""
        text = self.text if self.kind is BoundKind.UNKNOWN else None
        return (self.earliest, self.latest, self.kind, text)


OPEN_END = Bound(FOREVER, FOREVER, BoundKind.OPEN)


def exact(instant: int, text: str | None = None) -> Bound:
    """A bound at exactly ``instant`` (UTC microseconds)."""
    return Bound(instant, instant, BoundKind.EXACT, text)


def unknown_start(recorded_at: int) -> Bound:
    """A start nobody knows: before ``recorded_at``, the instant it was first recorded."""
    return Bound(BEGINNING, recorded_at, BoundKind.UNKNOWN)


def unknown_end(recorded_at: int) -> Bound:
    """An end nobody knows, except that it lay before ``recorded_at``."""
    return Bound(BEGINNING, recorded_at, BoundKind.UNKNOWN, "unknown")


@frozen
class Period:
    """A half-open period ``[start, end)`` of valid time.

    Raises:
        InvalidInput: ``period.empty`` when no instant can lie inside.
    """

    start: Bound
    end: Bound

    def __post_init__(self) -> None:
        if self.start.earliest >= self.end.latest:
            raise InvalidInput("period.empty", start=_shown(self.start), end=_shown(self.end))

    @property
    def uncertain(self) -> bool:
        """Whether either end was marked as uncertain."""
        return self.start.uncertain or self.end.uncertain

    @property
    def marks(self) -> tuple[bool, bool]:
        """Of each end, whether it was marked as uncertain."""
        return self.start.uncertain, self.end.uncertain

    @property
    def inside(self) -> int:
        """An instant at which it may hold: the first of its sure ones, when it has any."""
        start = self.start
        return start.latest if self.possible_at(start.latest) else start.earliest

    def certain_at(self, instant: int) -> bool:
        """Whether it surely holds at ``instant``."""
        return self.start.latest <= instant < self.end.earliest

    def possible_at(self, instant: int) -> bool:
        """Whether it can hold at ``instant`` (surely or perhaps)."""
        return self.start.earliest <= instant < self.end.latest

    def certainty_at(self, instant: int) -> Certainty | None:
        """``certain``, ``possible`` or, when it cannot hold at ``instant``, ``None``."""
        if self.certain_at(instant):
            return "certain"
        return "possible" if self.possible_at(instant) else None

    def overlaps(self, other: "Period") -> bool:
        """Whether both may hold at one instant.

        Two periods that meet at the very same bound do not overlap, however imprecise it is. A
        period overlaps itself, even when it lies within one imprecise bound (from ``2024-09`` to
        ``2024-09``).
        """
        if self.same_as(other):
            return True
        return not (_ends_before(self, other) or _ends_before(other, self))

    def same_as(self, other: "Period") -> bool:
        """Whether both ends are the very same bounds."""
        return self.start.same_as(other.start) and self.end.same_as(other.end)

    @property
    def identity(self) -> tuple[object, object]:
        """Equal for two periods whose ends are the very same bounds."""
        return (self.start.identity, self.end.identity)

    def covers(self, other: "Period") -> bool:
        """Whether ``other`` surely lies inside, ends included."""
        return _surely_before(self.start, other.start) and _surely_before(other.end, self.end)

    def admits(self, other: "Period") -> bool:
        """Whether ``other`` may lie inside: no reading of its ends is outside every reading."""
        return self.start.earliest <= other.start.earliest and other.end.latest <= self.end.latest

    def common(self, other: "Period") -> "Period":
        """Where both hold, of two that overlap."""
        return Period(_later(other.start, self.start), _earlier(other.end, self.end))

    def continues(self, before: "Period") -> bool:
        """Whether it begins where ``before`` ends, whatever their imprecise bounds turn out to be.

        A cut takes what is left behind the later of two starts, or before the earlier of two ends.
        """
        return (
            before.end.same_as(self.start)
            or self.start.same_as(_later(before.end, before.start))
            or before.end.same_as(_earlier(self.start, self.end))
        )

    def until(self, at: Bound) -> "Period | None":
        """What is left of it when it ends at ``at`` or at its own end, whichever is earlier."""
        return period_or_none(self.start, _earlier(at, self.end))

    def without(self, portion: "Period") -> tuple["Period", ...]:
        """What is left of it when ``portion`` is taken out: zero, one or two periods.

        Nothing that is left can hold where the whole could not, so an end that may lie on either
        side of the cut becomes a range.

        Raises:
            Conflict: ``cut.imprecise`` when the bounds are so imprecise that what is left would
                overlap with what is taken.
        """
        if not self.overlaps(portion):
            return (self,)
        left = right = None
        if not _alike(self.start, portion.start):
            left = period_or_none(self.start, _earlier(portion.start, self.end))
        if not _alike(self.end, portion.end):
            right = period_or_none(_later(portion.end, self.start), self.end)
        parts = tuple(part for part in (left, right) if part is not None)
        apart = [portion, *parts]
        if any(a.overlaps(b) for n, a in enumerate(apart) for b in apart[n + 1 :]):
            raise Conflict("cut.imprecise", whole=_described(self), portion=_described(portion))
        return parts


def any_overlap(periods: Iterable[Period]) -> bool:
    """Whether any two of some periods overlap.

    By their starts, each is compared with those before it that may reach it: of periods that do
    not overlap hardly any do, and only where bounds are imprecise.
    """
    reaching: list[Period] = []
    for one in sorted(periods, key=lambda period: period.start.earliest):
        reaching = [other for other in reaching if other.end.latest > one.start.earliest]
        if any(one.overlaps(other) for other in reaching):
            return True
        reaching.append(one)
    return False


def _alike(edge: Bound, cut: Bound) -> bool:
    """Whether nothing lies between: the very same bound, or two that nobody knows."""
    return edge.same_as(cut) or edge.kind is cut.kind is BoundKind.UNKNOWN


def _earlier(cut: Bound, end: Bound) -> Bound:
    """The earlier of both: where a period ends that is cut at ``cut`` and ends at ``end``."""
    return _one_of(cut, end, min(cut.earliest, end.earliest), min(cut.latest, end.latest))


def _later(cut: Bound, start: Bound) -> Bound:
    """The later of both: where a period begins again behind a cut."""
    return _one_of(cut, start, max(cut.earliest, start.earliest), max(cut.latest, start.latest))


def _one_of(first: Bound, second: Bound, earliest: int, latest: int) -> Bound:
    for bound in (first, second):
        if (bound.earliest, bound.latest) == (earliest, latest):
            return bound
    return between(earliest, latest)


def between(earliest: int, latest: int) -> Bound:
    """A bound somewhere in ``[earliest, latest]``, written as both instants.

    ``BEGINNING`` is left out: nothing is known of how early it may lie.
    """
    first = "" if earliest == BEGINNING else format_instant(earliest)
    return Bound(earliest, latest, BoundKind.RANGE, f"{first}/{format_instant(latest)}")


def _described(period: Period) -> str:
    return f"[{_shown(period.start)}, {_shown(period.end)})"


def period_or_none(start: Bound, end: Bound) -> Period | None:
    """The period between two bounds, or ``None`` when nothing lies between them."""
    if start.earliest >= end.latest or start.same_as(end):
        return None
    return Period(start, end)


def _shown(bound: Bound) -> str:
    return bound.text or format_instant(bound.earliest)


def _ends_before(first: Period, second: Period) -> bool:
    return first.end.latest <= second.start.earliest or first.end.same_as(second.start)


def _surely_before(first: Bound, second: Bound) -> bool:
    both_unknown = first.kind is second.kind is BoundKind.UNKNOWN
    return both_unknown or first.same_as(second) or first.latest <= second.earliest
