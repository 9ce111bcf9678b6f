"""The strip of a timeline: two lanes, one a clock, with the events of a page where they happened.

Places across are per cent of the width, so that the strip fits every screen and its texts keep
their size; places down are pixels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from damals.app.timeline_results import EventView
from damals.domain.instants import instant_of
from damals.interfaces.web.drawing.scale import Scale, calendar, scale

START: Final = 5.0
END: Final = 95.0
LEAST: Final = 1.5
"""So far apart, in per cent, are instants that differ, as far as there is room."""

HEIGHT: Final = 168
LANES: Final = {"valid": 62, "known": 128}
"""Where the lane of each clock lies, in pixels from the top."""

RISE: Final = 13
"""What happened at one instant is stacked, so many pixels apart."""

MOST_STACKED: Final = 4
TICKS: Final = 6


@dataclass(frozen=True, slots=True)
class Mark:
    """An event on its lane.

    Attributes:
        x: per cent.
        y: pixels; the middle of the mark.
        more: how many events stand for this one as well, which have no room.
    """

    event: EventView
    x: float
    y: float
    more: int = 0


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the calendar, with its name."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Strip:
    """What is drawn.

    Attributes:
        lags: from where an entry began to where it was learned, of those of which both are seen.
        as_of, known_at: where the asked pair stands, per cent.
    """

    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    lags: tuple[tuple[float, float], ...]
    as_of: float
    known_at: float
    lanes: dict[str, int]
    height: int = HEIGHT


def strip(events: Sequence[EventView], pair: tuple[str, str], zone: ZoneInfo) -> Strip:
    """The strip of some events.

    Args:
        events: at least one, in order.
        pair: the instants that are looked at; beyond the events they stand at an end.
        zone: whose calendar is drawn.
    """
    instants = [instant_of(one.at) for one in events]
    along = scale(instants, START, END, LEAST)
    lines = calendar(min(instants), max(instants), zone, TICKS)
    as_of, known_at = (round(along.at(instant_of(one)), 2) for one in pair)
    return Strip(
        tuple(_marks(events, along)),
        tuple(_apart(Tick(round(along.at(at), 2), text) for at, text in lines)),
        tuple(_lags(events, along)),
        as_of,
        known_at,
        dict(LANES),
    )


def _marks(events: Sequence[EventView], along: Scale) -> Iterator[Mark]:
    """Each event where it happened; of many at one instant the last stands for the rest."""
    stacks: dict[tuple[str, float], list[EventView]] = {}
    for one in events:
        stacks.setdefault((one.clock, round(along.at(instant_of(one.at)), 2)), []).append(one)
    for (clock, x), stack in stacks.items():
        shown = stack[:MOST_STACKED]
        for place, one in enumerate(shown):
            last = place == len(shown) - 1
            yield Mark(one, x, LANES[clock] - place * RISE, len(stack) - len(shown) if last else 0)


def _lags(events: Sequence[EventView], along: Scale) -> Iterator[tuple[float, float]]:
    """From where an entry began to where it became known, once for each pair of places."""
    begun = {one.entry_id: one.at for one in events if one.kind == "began"}
    seen: set[tuple[float, float]] = set()
    for one in events:
        entry = one.entry_id if one.kind == "learned" else one.other_id
        if one.clock == "known" and one.kind in ("learned", "superseded", "revised"):
            start = begun.pop(entry or "", None)
            if start is not None:
                ends = (along.at(instant_of(start)), along.at(instant_of(one.at)))
                seen.add((round(ends[0], 2), round(ends[1], 2)))
    yield from sorted(seen)


ROOM: Final = 13.0
"""Between two texts, in per cent."""


def _apart(ticks: Iterator[Tick]) -> Iterator[Tick]:
    """Those that have room for their text."""
    last = START - ROOM
    for one in sorted(ticks, key=lambda tick: tick.x):
        if one.x - last >= ROOM:
            last = one.x
            yield one
