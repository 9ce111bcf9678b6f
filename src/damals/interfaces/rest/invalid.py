"""What the reader of requests refuses, in the words that the rules have for it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.requests import Request

from damals.app.errors import DamalsError, InvalidInput
from damals.domain.fields import unknown_parameters

_KINDS: Final = (
    ("string", "field.text"),
    ("int", "field.whole"),
    ("float", "field.number"),
    ("bool", "field.flag"),
    ("list", "field.list"),
    ("tuple", "field.list"),
    ("dict", "field.mapping"),
    ("model", "field.mapping"),
)
"""Beginnings of the names of pydantic's errors, and our message for each."""

_MISSING: Final = ("missing", "json_invalid")


def first_problem(errors: Sequence[Mapping[str, Any]], request: Request | None) -> DamalsError:
    """The first of the problems that were found, an unknown name before all others."""
    unknown = [error for error in errors if error["type"] == "extra_forbidden"]
    if unknown:
        return unknown_parameters(call_name(request), {_name(error) for error in unknown})
    error = errors[0]
    kind, place = str(error["type"]), error["loc"]
    if kind == "json_invalid":
        return InvalidInput("request.not_json", cause=str(error["ctx"]["error"]))
    if kind == "missing" and len(place) > 1:
        return InvalidInput("operation.missing", op=call_name(request), name=_name(error))
    if len(place) <= 1:
        return InvalidInput("request.no_object")
    return _of_value(error, kind)


def call_name(request: Request | None) -> str:
    """What the called operation is named in Python."""
    route = None if request is None else request.scope.get("route")
    return str(getattr(route, "operation_id", None) or "request")


def _of_value(error: Mapping[str, Any], kind: str) -> InvalidInput:
    name, value = _name(error), error.get("input")
    if kind == "literal_error":
        allowed = str(error["ctx"]["expected"]).replace("'", "").replace(" or ", ", ")
        return InvalidInput("field.choice", name=name, value=value, allowed=allowed)
    for beginning, key in _KINDS:
        if kind.startswith(beginning):
            return InvalidInput(key, name=name, value=value)
    return InvalidInput("request.field", name=name, problem=str(error["msg"]))


def _name(error: Mapping[str, Any]) -> str:
    """The name of the parameter: the first behind where it was looked for."""
    place = error["loc"]
    return str(place[1]) if len(place) > 1 else str(place[0])
