"""The two clocks of a page: what was typed into them, and how far their sliders reach."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Final

from fastapi import Depends, Query

from damals.app.errors import DamalsError, NotFound
from damals.app.span_results import Reach, TimeSpan
from damals.domain.instants import instant_of
from damals.domain.parsing import parse_instant
from damals.domain.zones import load_zone, to_local
from damals.interfaces.web.visitor import Visitor

MOST_AHEAD: Final = timedelta(days=10 * 366)
"""Plans further ahead are typed: a slider to the year 9999 would have no room for the past."""


NO_HOME: Final = "home.missing"
"""Nothing is known yet, not even a workspace."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of instants as it was typed; ``None`` is now."""

    as_of: str | None = None
    known_at: str | None = None

    @property
    def told(self) -> dict[str, str | None]:
        """For a use case or an address: ``visitor.path("entries", id, **pair.told)``."""
        return {"as_of": self.as_of, "known_at": self.known_at}


@dataclass(frozen=True, slots=True)
class Edge:
    """How far the slider of one clock reaches, in days of the workspace's zone.

    Attributes:
        first: the day at its left end, ``2024-06-01``.
        now: the day that an empty field stands for.
        days: from its left to its right end.
    """

    first: str
    now: str
    days: int
    _now: int
    _zone: str

    def at(self, text: str | None) -> int:
        """Where a typed value stands; now for what is empty or cannot be read."""
        return min(max((self._day(text) - date.fromisoformat(self.first)).days, 0), self.days)

    def _day(self, text: str | None) -> date:
        try:
            zone = load_zone(self._zone)
            meant = parse_instant(text, zone=zone, now=self._now) if text else self._now
            return to_local(meant, zone).date()
        except DamalsError:
            return date.fromisoformat(self.now)


@dataclass(frozen=True, slots=True)
class Span:
    """How far both sliders reach; ``None`` for a clock that has nothing to slide over."""

    valid: Edge | None
    recorded: Edge | None


def span_of(visitor: Visitor) -> Span | None:
    """How far the sliders of a page's clocks reach; ``None`` while nothing is known.

    Raises:
        NotFound: ``workspace.unknown``.
    """
    try:
        told = visitor.memory.span()
    except NotFound as error:
        if error.key == NO_HOME:
            return None
        raise
    begun = told.recorded.first_day
    if begun is None:
        return None
    return Span(_edge(told, told.valid, begun), _edge(told, told.recorded, begun))


def _edge(told: TimeSpan, reach: Reach, begun: str) -> Edge | None:
    today = date.fromisoformat(told.today)
    first = min(date.fromisoformat(reach.first_day or begun), today)
    last = max(date.fromisoformat(reach.last_day or told.today), today)
    days = (min(last, today + MOST_AHEAD) - first).days
    if not days:
        return None
    return Edge(first.isoformat(), told.today, days, instant_of(told.now), told.zone)


_Typed = Annotated[str | None, Query(max_length=200)]


def _pair(as_of: _Typed = None, known_at: _Typed = None) -> Pair:
    return Pair((as_of or "").strip() or None, (known_at or "").strip() or None)


AskedPair = Annotated[Pair, Depends(_pair)]
"""The pair of instants in the address of a page."""
