"""Arrows of a canvas as one of its properties, so that an unchanged canvas need not be read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from damals.app.source_model import Arrow
from damals.domain.entries import Json

PROPERTY: Final = "canvas"
"""Name of the property."""

_PARTS: Final = 3
"""Start, end and label."""


def kept(arrows: Sequence[Arrow]) -> Json:
    """Arrows as the property keeps them."""
    return {"arrows": [[arrow.start, arrow.end, arrow.label] for arrow in arrows]}


def arrows_in(properties: Mapping[str, Json]) -> Iterator[Arrow]:
    """The arrows that a property keeps; what somebody else made of it is none."""
    canvas = properties.get(PROPERTY)
    arrows = canvas.get("arrows") if isinstance(canvas, dict) else None
    for arrow in arrows if isinstance(arrows, list) else ():
        parts = arrow if isinstance(arrow, list) else ()
        if len(parts) == _PARTS and all(isinstance(one, str) for one in parts):
            yield Arrow(*cast("list[str]", parts))
