"""Parameters as they travel: plain JSON values that mean on the other side what they mean here."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import cast
from urllib.parse import quote
from uuid import UUID

from damals.domain.entries import Json
from damals.domain.errors import InvalidInput
from damals.domain.fields import nullable_text
from damals.domain.instants import format_instant, from_datetime

Query = Sequence[tuple[str, str]]


def plain(value: object) -> Json:
    """A parameter as a JSON value.

    Raises:
        InvalidInput: ``instant.naive`` for a ``datetime`` without offset, ``remote.value`` for
            what has no JSON form.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, date | UUID):
        return _written(value)
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in cast("Sequence[object]", value)]
    raise InvalidInput("remote.value", type=type(value).__name__)


def _written(value: date | UUID) -> str:
    if isinstance(value, datetime):
        return format_instant(from_datetime(value))
    return str(value)


def body(values: Mapping[str, object]) -> bytes:
    """A JSON document. What is half a character travels as an escape."""
    return json.dumps(plain(values), separators=(",", ":")).encode("ascii")


def query(values: Mapping[str, object]) -> Query:
    """Parameters of a question; those that are ``None`` or false were not asked."""
    found: list[tuple[str, str]] = []
    for name, value in values.items():
        told = plain(value)
        if told is None or told is False:
            continue
        several = cast("list[Json]", told) if isinstance(told, list) else [told]
        found += [(name, _text(one)) for one in several]
    return found


def all_or(limit: int | None) -> int | str:
    """A limit as a question or a body says it."""
    return "all" if limit is None else limit


def _text(value: Json) -> str:
    if value is True:
        return "true"
    text = value if isinstance(value, str) else json.dumps(value)
    # A query is UTF-8; half a character can be in no answer either.
    return text.encode("utf-8", "replace").decode("utf-8")


def segment(name: str) -> str:
    """A name as one segment of a path, whatever is in it."""
    quoted = quote(name, safe="", errors="replace")
    return quoted.replace(".", "%2E") if set(name) == {"."} else quoted


def named(name: object, parameter: str = "id") -> str:
    """A name that can stand in a path: an empty one would be another path.

    Args:
        name: as it was given.
        parameter: that it was given as.

    Raises:
        InvalidInput: ``field.text``, ``field.empty``.
    """
    text = nullable_text(parameter, str(name) if isinstance(name, UUID) else name)
    if text is None:
        raise InvalidInput("field.empty", name=parameter)
    return text
