"""How cases of the eight temporal failures are written down, and the world in which they happen."""

from collections.abc import Callable
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from damals import Damals
from damals.domain.allen import AllenRelation, allen
from damals.domain.instants import DAY, instant_of
from damals.domain.parsing import parse_end, parse_start
from damals.domain.periods import Period

BERLIN = "Europe/Berlin"
NOON = instant_of("2026-06-15T12:00:00+02:00")


@dataclass
class World:
    """A memory and its clock."""

    memory: Damals
    now: int = NOON

    def clock(self) -> int:
        return self.now

    def at(self, text: str) -> "World":
        """Move the clock to an instant; a day is noon in Berlin."""
        self.now = instant_of(text if "T" in text else f"{text}T12:00:00+01:00")
        return self

    def days(self, number: float) -> "World":
        self.now += round(number * DAY)
        return self

    def said(self, name: str, content: str = "", **fields) -> str:
        return self.memory.remember(name, content or name, external_id=name, **fields).id

    def held(self, as_of: str | None = None, known_at: str | None = None) -> set[str]:
        """Names of what holds at a pair."""
        page = self.memory.entries(as_of=as_of, known_at=known_at, limit=None)
        return {entry.external_id or entry.title for entry in page}

    def content(self, as_of: str | None = None, known_at: str | None = None) -> list[str]:
        page = self.memory.entries(as_of=as_of, known_at=known_at, limit=None)
        return sorted(entry.content for entry in page)

    def relation(self, first: str, second: str) -> AllenRelation:
        """How two remembered entries lie to each other in valid time."""
        return allen(self._period(first), self._period(second))

    def _period(self, name: str) -> Period:
        entry = self.memory.get(name)
        return period(entry.valid_from or "", entry.valid_to or "")


def period(start: str, end: str) -> Period:
    zone = ZoneInfo(BERLIN)
    return Period(
        parse_start(start, zone=zone, now=NOON), parse_end(end or None, zone=zone, now=NOON)
    )


Body = Callable[[World], None]


@dataclass
class Cases:
    """The cases of one failure.

    Attributes:
        number, failure: as the design lists them.
        cases: what is right, and how it shows.
    """

    number: int
    failure: str
    cases: dict[str, Body] = field(default_factory=dict)

    def __call__(self, right: str) -> Callable[[Body], Body]:
        def declared(body: Body) -> Body:
            assert right not in self.cases
            self.cases[right] = body
            return body

        return declared
