"""The base of everything that interfaces return."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final, cast

from damals.domain.entries import Json


class Result:
    """Base of all results."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Json]:
        """Its JSON shape."""
        return cast("dict[str, Json]", _plain(self))

    def to_dict_with(self, **told: Json) -> dict[str, Json]:
        """Its JSON shape, of which some fields are told otherwise."""
        return _fields(self, _shown(type(self)) or (), told)


_ATOMS: Final = frozenset({str, int, float, bool, type(None)})
"""What is its own JSON shape: nearly all that results hold."""

_NOTHING: Final[Mapping[str, Json]] = {}
Shape = tuple[tuple[str, str, bool], ...]


def _plain(value: object) -> Json:
    kind = type(value)
    if kind is tuple:  # most of what is neither a field nor an atom
        items = cast("tuple[object, ...]", value)
        return [cast("Json", i) if type(i) in _ATOMS else _plain(i) for i in items]
    shown = _shown(kind)
    if shown is not None:
        return _fields(value, shown, _NOTHING)
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple | frozenset):
        return [_plain(item) for item in cast("list[object]", value)]
    return cast("Json", value)


def _fields(value: object, shown: Shape, instead: Mapping[str, Json]) -> dict[str, Json]:
    plain: dict[str, Json] = {}
    for name, told, optional in shown:
        if name in instead:
            plain[told] = instead[name]
            continue
        item = getattr(value, name)
        if not (item is None and optional):
            plain[told] = item if type(item) in _ATOMS else _plain(item)
    return plain


@cache
def _shown(kind: type) -> Shape | None:
    """The fields of a result: name, name in JSON, whether it is left out when it is ``None``."""
    if not is_dataclass(kind):
        return None
    optional: frozenset[str] = getattr(kind, "OPTIONAL", frozenset())
    shape: Any = getattr(kind, "SHAPE", kind)
    names = [field.name for field in fields(shape)]
    return tuple((name, name.rstrip("_"), name in optional) for name in names)
