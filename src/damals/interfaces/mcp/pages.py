"""Pages of what comes whole: a cursor names the place, and the instants that were meant."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from damals.app.errors import InvalidInput
from damals.domain.entries import Json

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """A page of a sequence.

    Attributes:
        items: those of the page.
        next: place of the page behind it, or ``None`` when this is the last.
    """

    items: Sequence[T]
    next: int | None


def page(items: Sequence[T], start: int, limit: int) -> Slice[T]:
    """At most ``limit`` items from a place on."""
    end = start + limit
    return Slice(items[start:end], end if end < len(items) else None)


def write_cursor(place: int | None, **meant: str) -> str | None:
    """The cursor of a place, opaque to whoever gets it; ``None`` for the end."""
    if place is None:
        return None
    said = json.dumps({"n": place, **meant}, separators=(",", ":"))
    return urlsafe_b64encode(said.encode()).decode().rstrip("=")


def read_cursor(cursor: str | None) -> tuple[int, Mapping[str, str]]:
    """The place of a cursor, 0 without one, and what was meant with it.

    Raises:
        InvalidInput: ``mcp.cursor`` for one that was not made here.
    """
    if cursor is None:
        return 0, {}
    try:
        told: Json = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except ValueError as error:
        raise InvalidInput("mcp.cursor", cursor=cursor) from error
    place = told.pop("n", None) if isinstance(told, dict) else None
    rest = cast("dict[str, Json]", told) if isinstance(told, dict) else {}
    sound = isinstance(place, int) and place > 0 and all(isinstance(v, str) for v in rest.values())
    if not sound:
        raise InvalidInput("mcp.cursor", cursor=cursor)
    return cast("int", place), cast("Mapping[str, str]", rest)
