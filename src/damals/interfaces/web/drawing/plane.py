"""The bitemporal plane: valid time across, recorded time up, one rectangle for each version.

What an entry says at a pair of instants is what stands where they cross. An end that has not come
and a start that nobody knows run out of the picture; a bound that is known to lie in a range is
drawn as that range, between what is possible and what is certain.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.instants import BEGINNING, FOREVER
from damals.interfaces.web.drawing.marks import Axis, Mark, Writing, across, upwards
from damals.interfaces.web.drawing.scale import Scale, calendar, scale

MILLISECOND: Final = 1_000
"""In microseconds."""

FADE: Final = 54.0
"""Width of what runs out of the picture, in pixels."""

LEAST: Final = 26.0
"""Least length of a stretch between two changes, in pixels, where there is room."""

BESIDE: Final = 12.0
"""Between the axis of recorded time and what is written beside it, in pixels."""

BOLD: Final = 1.08
"""How much wider bold text is."""

MOST_YEARS: Final = 14
"""Lines of the calendar behind the plane, at most."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a version lies on both clocks: UTC microseconds, sentinels for open and unknown ends.

    Attributes:
        start: the first and the last instant at which it may have begun to hold.
        end: the first and the last instant at which it may have ended.
        known: from when to when it was known; ``FOREVER`` while it is.
        own: it is of the entry that the plane is about, not of one that stands beside it.
        asked: it is what holds at the asked pair.
        label: what is written into it, if it fits.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    known: tuple[int, int]
    own: bool = True
    asked: bool = False
    label: str = ""

    @property
    def current(self) -> bool:
        """Whether it is known to this day."""
        return self.known[1] == FOREVER

    @property
    def bounds(self) -> tuple[int, ...]:
        """All instants of its bounds that lie in time."""
        both = (*self.start, *self.end)
        return tuple(one for one in both if BEGINNING < one < FOREVER)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Shape:
    """How a version is drawn.

    Attributes:
        whole: all instants at which it may hold.
        certain: those at which it surely does; ``None`` for none.
        possible: the others: before it surely holds, and after.
        edges: path of its edges that are known exactly.
        vague: path of those between which a bound lies.
        label: what fits of it, and where it stands.
    """

    extent: Extent
    whole: Box
    certain: Box | None
    possible: tuple[Box, ...]
    edges: str
    vague: str
    label: str
    label_at: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Cross:
    """The asked pair: the places of its instants, and what each is called."""

    valid: Mark
    known: Mark


@dataclass(frozen=True, slots=True)
class Size:
    """Of a picture, in pixels.

    Attributes:
        left: room for what is written beside recorded time.
        top: room for the facts of a version.
        bottom: room for what is written below valid time.
        char: width of a character.
    """

    width: float = 960.0
    height: float = 490.0
    left: float = 112.0
    right: float = 14.0
    top: float = 84.0
    bottom: float = 58.0
    char: float = 6.9

    @property
    def plot(self) -> Box:
        """Where rectangles stand."""
        width = self.width - self.left - self.right
        return Box(self.left, self.top, width, self.height - self.top - self.bottom)


WIDE: Final = Size()
NARROW: Final = Size(width=400.0, height=520.0, left=86.0, right=6.0, top=150.0)


@dataclass(frozen=True, slots=True)
class Plane:
    """A picture of the plane, to be drawn as it stands.

    Attributes:
        shapes: what was said first stands first.
        valid, known: what is written beside each axis.
        lines: places of the calendar's lines across, and ``lines_known`` upwards.
        diagonal: path of what was known as it happened.
        now: where the present stands on recorded time; nothing is known above it.
        fades: whether something runs out to the left and to the right.
        valid_scale, known_scale: for whoever points at the plane.
    """

    size: Size
    shapes: tuple[Shape, ...]
    cross: Cross
    valid: tuple[Mark, ...]
    known: tuple[Mark, ...]
    lines: tuple[float, ...]
    lines_known: tuple[float, ...]
    diagonal: str
    now: float
    fades: tuple[float, float]
    valid_scale: Scale
    known_scale: Scale

    @property
    def valid_points(self) -> Sequence[tuple[float, int]]:
        """Knots of valid time for programs: place, and milliseconds since 1970."""
        return _points(self.valid_scale)

    @property
    def known_points(self) -> Sequence[tuple[float, int]]:
        """The same of recorded time."""
        return _points(self.known_scale)


def _points(along: Scale) -> Sequence[tuple[float, int]]:
    knots = zip(along.places, along.knots, strict=True)
    return [(round(place, 2), instant // MILLISECOND) for place, instant in knots]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plane is drawn for.

    Attributes:
        as_of, known_at: the pair, UTC microseconds.
        now: the present.
        zone: whose days are written beside the axes.
        names: of instants that are called otherwise: now.
    """

    as_of: int
    known_at: int
    now: int
    zone: ZoneInfo
    names: Mapping[int, str] = field(default_factory=dict[int, str])


def plane(extents: Sequence[Extent], asked: Asked, size: Size = WIDE) -> Plane:
    """The picture of some versions, at least one, and of the pair that is asked for."""
    box = size.plot
    fades = _fades(extents)
    bounds = sorted({*chain.from_iterable(one.bounds for one in extents), asked.as_of, asked.now})
    changes = sorted({*(i for one in extents for i in one.known if i < FOREVER)})
    known_at = min(asked.known_at, max(asked.now, changes[-1]))
    valid = scale(bounds, box.x + fades[0], box.x + box.width - fades[1], LEAST)
    instants = {*changes, known_at, asked.now}
    known = scale(instants, box.y + box.height - LEAST / 2, box.y + LEAST / 2, LEAST)
    shapes = tuple(_shape(one, valid, known, size) for one in extents)
    years = calendar(bounds[0], bounds[-1], asked.zone, MOST_YEARS)
    years_known = calendar(changes[0], max(instants), asked.zone, MOST_YEARS)
    writing = Writing(
        asked.zone, asked.names, size.char, size.width, size.height, size.left - BESIDE
    )
    pills = (
        across(Axis([asked.as_of], (), valid), writing),
        upwards(Axis([known_at], (), known), writing),
    )
    return Plane(
        size=size,
        shapes=shapes,
        cross=Cross(pills[0][0], pills[1][0]),
        valid=across(Axis(bounds, years, valid), writing, pills[0]),
        known=upwards(Axis(sorted(instants), years_known, known), writing, pills[1]),
        lines=tuple(valid.at(at) for at, _ in years),
        lines_known=tuple(known.at(at) for at, _ in years_known),
        diagonal=_diagonal(valid, known),
        now=known.at(max(asked.now, changes[-1])),
        fades=fades,
        valid_scale=valid,
        known_scale=known,
    )


def _fades(extents: Iterable[Extent]) -> tuple[float, float]:
    """Room for what runs out, on either side; a little of it in any case."""
    some = tuple(extents)
    left = any(one.start[0] <= BEGINNING for one in some)
    right = any(one.end[1] >= FOREVER for one in some)
    return FADE if left else LEAST / 2, FADE if right else LEAST / 2


def _shape(one: Extent, valid: Scale, known: Scale, size: Size) -> Shape:
    first, last = _x(one.start[0], valid, size), _x(one.end[1], valid, size)
    sure = one.start[1] < one.end[0]
    begin, end = (
        (_x(one.start[1], valid, size), _x(one.end[0], valid, size)) if sure else (last,) * 2
    )
    bottom = known.at(one.known[0])
    top = size.top if one.current else known.at(one.known[1])
    height = bottom - top
    parts = ((first, begin), (end, last)) if sure else ((first, last),)
    whole = Box(first, top, last - first, height)
    label, label_at = _label(one, whole, begin if sure else first, size)
    return Shape(
        extent=one,
        whole=whole,
        certain=Box(begin, top, end - begin, height) if sure else None,
        possible=tuple(Box(a, top, b - a, height) for a, b in parts if b > a),
        edges=_edges(one, whole),
        vague=_vague(one, valid, size, (top, bottom)),
        label=label,
        label_at=label_at,
    )


def _x(instant: int, valid: Scale, size: Size) -> float:
    """Where a bound stands; open and unknown ends stand at the rim."""
    box = size.plot
    if instant <= BEGINNING:
        return box.x
    return box.x + box.width if instant >= FOREVER else valid.at(instant)


def _edges(one: Extent, box: Box) -> str:
    """When it became known and ceased to be, and where it begins and ends, if that is exact."""
    right, bottom = box.x + box.width, box.y + box.height
    path = [f"M{box.x:.1f} {bottom:.1f}H{right:.1f}"]
    if not one.current:
        path.append(f"M{box.x:.1f} {box.y:.1f}H{right:.1f}")
    if one.start[0] == one.start[1]:
        path.append(f"M{box.x:.1f} {box.y:.1f}V{bottom:.1f}")
    if one.end[0] == one.end[1] < FOREVER:
        path.append(f"M{right:.1f} {box.y:.1f}V{bottom:.1f}")
    return "".join(path)


def _vague(one: Extent, valid: Scale, size: Size, span: tuple[float, float]) -> str:
    """The instants between which a bound lies that is not exact."""
    places = [
        _x(instant, valid, size)
        for bound in (one.start, one.end)
        if bound[0] != bound[1]
        for instant in bound
        if BEGINNING < instant < FOREVER
    ]
    return "".join(f"M{x:.1f} {span[0]:.1f}V{span[1]:.1f}" for x in dict.fromkeys(places))


def _label(one: Extent, box: Box, begin: float, size: Size) -> tuple[str, tuple[float, float]]:
    """What fits into a rectangle, from where it surely holds."""
    x, y = begin + 8, box.y + box.height - 9
    room = int((box.x + box.width - begin - 16) / (size.char * BOLD))
    if box.height < LEAST / 2 or room < 1:
        return "", (x, y)
    y = min(y, box.y + box.height / 2 + 5) if box.height < LEAST else y
    if len(one.label) <= room:
        return one.label, (x, y)
    short = one.label[: room - 1].rstrip() + "…" if room > len("12 …") else ""
    return short or one.label.split(" ", 1)[0][:room], (x, y)


def _diagonal(valid: Scale, known: Scale) -> str:
    """What became known at the instant at which it began to hold."""
    first = max(valid.knots[0], known.knots[0])
    last = min(valid.knots[-1], known.knots[-1])
    if first >= last:
        return ""
    bends = {one for one in (*valid.knots, *known.knots) if first < one < last}
    points = [f"{valid.at(i):.1f} {known.at(i):.1f}" for i in sorted({first, last, *bends})]
    return "M" + "L".join(points)
