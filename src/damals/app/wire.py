"""Results as plain JSON values, and back again: for answers that are kept or come from afar."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from damals.app.change_results import Changed, ChangedEntry
from damals.app.results import Entry, Result
from damals.app.seen_results import Seen, SeenEntry
from damals.domain.entries import Json

R = TypeVar("R", bound=Result)


def to_wire(result: Result) -> dict[str, Json]:
    """The documented JSON shape of a result, from which it can be read back."""
    if isinstance(result, ChangedEntry):
        return Changed.of(result).to_dict()
    return Seen.of(result).to_dict() if isinstance(result, SeenEntry) else result.to_dict()


def from_wire(kind: type[R], told: Mapping[str, Json]) -> R:
    """A result from its JSON shape. Fields of a newer program are left out.

    Raises:
        KeyError, TypeError, ValueError: it is no such shape.
    """
    if issubclass(kind, ChangedEntry):
        return cast("R", _changed_entry(told))
    if issubclass(kind, SeenEntry):
        seen: Seen = _result(Seen, told)
        return cast("R", SeenEntry.of(seen.entry, seen.caveats))
    return _result(kind, told)


def _changed_entry(told: Mapping[str, Json]) -> ChangedEntry:
    answer: Changed = _result(Changed, told)
    shown = {field.name: getattr(answer.entry, field.name) for field in fields(Entry)}
    filed = answer.integration.caveats if answer.integration else ()
    return ChangedEntry(
        **shown,
        unchanged=bool(answer.unchanged),
        replaced=answer.replaced or (),
        restored=answer.restored or (),
        integration=answer.integration,
        caveats=tuple(one for one in answer.caveats or () if one not in filed),
    )


def _result(kind: type[Any], told: Mapping[str, Json]) -> Any:  # noqa: ANN401 -- of that kind
    hints = _hints(kind)
    values: dict[str, object] = {}
    for field in fields(kind):
        name = field.name.rstrip("_")
        if name in told:
            values[field.name] = _value(hints[field.name], told[name])
        elif field.default is MISSING and field.default_factory is MISSING:
            values[field.name] = None
    return kind(**values)


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(hint: Any, told: Json) -> object:  # noqa: ANN401 -- any annotation
    if told is None:
        return None
    if get_origin(hint) in (Union, UnionType):
        [hint, *_] = [arm for arm in get_args(hint) if arm is not NoneType]
    if get_origin(hint) is tuple:
        one = get_args(hint)[0]
        return tuple(_value(one, item) for item in cast("list[Json]", told))
    if is_dataclass(hint):
        return _result(cast("type[Any]", hint), cast("Mapping[str, Json]", told))
    return float(cast("float", told)) if hint is float else told
