"""What is written beside the axes of the plane: instants of changes first, the calendar between."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

from damals.interfaces.web.drawing.scale import Scale, told

APART: Final = 10.0
"""Least distance between two texts beside each other, in pixels."""

LINE: Final = 15.0
"""Height of a line of text."""

MARGIN: Final = 2.0

Calendar = Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on an axis.

    Attributes:
        at: in pixels.
        text: what is written there; empty where there is no room.
        text_at: the middle of the text, moved so that it stays in the picture.
        change: something begins or ends there; else it is a line of the calendar.
    """

    at: float
    text: str
    text_at: float
    change: bool = True


@dataclass(frozen=True, slots=True)
class Axis:
    """What lies on an axis.

    Attributes:
        instants: at which something changes.
        years: of the calendar, with their names.
        along: where they stand.
    """

    instants: Sequence[int]
    years: Calendar
    along: Scale


@dataclass(frozen=True, slots=True)
class Writing:
    """How instants are written.

    Attributes:
        zone: whose days are told.
        names: of instants that are called otherwise: now.
        char: width of a character, in pixels.
        width, height: of the picture, which no text leaves.
        beside: room for texts beside the axis that runs upwards, in pixels.
    """

    zone: ZoneInfo
    names: Mapping[int, str]
    char: float
    width: float
    height: float
    beside: float


def across(axis: Axis, how: Writing, taken: Iterable[Mark] = ()) -> tuple[Mark, ...]:
    """What is written below valid time; ``taken`` stands there already."""
    texts = [
        how.names.get(i) or told(i, how.zone, axis.instants, whole=True) for i in axis.instants
    ]

    def reach(mark: Mark) -> tuple[float, float]:
        half = len(mark.text) * how.char / 2 + APART / 2
        return mark.text_at - half, mark.text_at + half

    def inside(at: float, text: str) -> float:
        half = len(text) * how.char / 2 + MARGIN
        return min(max(at, half), how.width - half)

    return _placed(axis, texts, (reach, inside), tuple(taken))


def upwards(axis: Axis, how: Writing, taken: Iterable[Mark] = ()) -> tuple[Mark, ...]:
    """What is written beside recorded time; ``taken`` stands there already."""
    texts = _brief([told(one, how.zone, axis.instants) for one in axis.instants], how)
    texts = [how.names.get(i) or text for i, text in zip(axis.instants, texts, strict=True)]

    def reach(mark: Mark) -> tuple[float, float]:
        return mark.text_at - LINE / 2, mark.text_at + LINE / 2

    def inside(at: float, text: str) -> float:
        del text
        return min(max(at, LINE / 2), how.height - LINE / 2)

    return _placed(axis, texts, (reach, inside), tuple(taken))


def _brief(texts: Sequence[str], how: Writing) -> list[str]:
    """What finds room beside an axis: the day of what came first on it, the time of the others."""
    most = int(how.beside / how.char)
    brief: list[str] = []
    before = ""
    for text in texts:
        day, _, hour = text.partition(" ")
        brief.append(text if len(text) <= most or not hour else hour if day == before else day)
        before = day
    return brief


Room = tuple[Callable[[Mark], tuple[float, float]], Callable[[float, str], float]]
"""From where to where a text reaches, and where its middle stays in the picture."""


def _placed(
    axis: Axis, texts: Sequence[str], room: Room, taken: tuple[Mark, ...]
) -> tuple[Mark, ...]:
    """All places; a text only where it meets no other: the outermost changes come first."""
    (reach, inside), at = room, axis.along.at
    said = zip(axis.instants, texts, strict=True)
    changes = [Mark(at(i), text, inside(at(i), text)) for i, text in said]
    calendar = [Mark(at(i), text, inside(at(i), text), change=False) for i, text in axis.years]
    held = [reach(one) for one in taken]
    placed: dict[Mark, bool] = {}
    for one in (*changes[:1], *changes[-1:], *changes, *calendar):
        if one in placed:
            continue
        start, end = reach(one)
        free = all(end <= other[0] or start >= other[1] for other in held)
        placed[one] = free
        if free:
            held.append((start, end))
    return tuple(one if free else replace(one, text="") for one, free in placed.items())
