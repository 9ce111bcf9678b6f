"""The parts of a score as pieces of a bar: where each begins, and how wide it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from damals.app.results import Parts

NAMES = ("vector", "text", "time", "graph", "persona", "importance")
"""The parts in the order in which they are drawn."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a score.

    Attributes:
        name: of the part: ``vector``, ``text``, …
        value: its share of the score.
        x, width: where it is drawn, in hundredths of a whole bar, which is a score of 1.
    """

    name: str
    value: float
    x: float
    width: float


def pieces(parts: Parts) -> Sequence[Piece]:
    """The parts that count, side by side: together they are as wide as the score is high."""
    made: list[Piece] = []
    x = 0.0
    for name in NAMES:
        value: float = getattr(parts, name)
        width = round(max(value, 0.0) * 100, 3)
        if width:
            made.append(Piece(name, value, round(x, 3), width))
            x += width
    return made
