"""Errors as plain JSON values, and back again: for those who meet them far from where they rose."""

from collections.abc import Mapping
from math import isfinite
from typing import Final, cast

from damals.app.errors import OUTCOMES, DamalsError, outcome_of
from damals.domain.entries import Json

MAX_CHARS: Final = 1_000
"""Longer values of a message are clipped; a message shows less of them anyway."""

KINDS: Final = {outcome.code: kind for kind, outcome in OUTCOMES.items()}
"""The class of errors behind each code; ``internal`` has none."""

Told = dict[str, Json]


def told(error: DamalsError) -> Told:
    """What an error says, without its words: code, key and values."""
    values = {name: _plain(value) for name, value in error.values.items()}
    return {"code": outcome_of(error).code, "key": error.key, "values": cast("Json", values)}


def error_told(document: Mapping[str, Json]) -> DamalsError | None:
    """The error that a document tells of; ``None`` when it tells of none of ours.

    Rendered here, it reads as it would have where it rose, in the language spoken here.
    """
    kind = KINDS.get(str(document.get("code")))
    key, values = document.get("key"), document.get("values")
    if kind is None or not isinstance(key, str) or not isinstance(values, Mapping):
        return None
    named = cast("Mapping[str, Json]", values)
    return kind(key, **{name: _cause(value) for name, value in named.items()})


def _plain(value: object) -> Json:
    if isinstance(value, DamalsError):
        return cast("Json", told(value))
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    text = str(value)
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1] + "…"


def _cause(value: Json) -> object:
    """A value; an error that was the cause of another is one again."""
    if isinstance(value, Mapping):
        return error_told(cast("Mapping[str, Json]", value)) or str(value)
    return value
