"""JSON schemas of results, exactly as ``to_wire`` writes them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from damals.app.change_results import Changed, ChangedEntry
from damals.app.results import Result
from damals.app.seen_results import Seen, SeenEntry

Schema = dict[str, Any]

REFERENCE: Final = "#/components/schemas/"
_PLAIN: Final[Mapping[object, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}


class Shapes:
    """The schemas of the results of a document, each once under its name."""

    def __init__(self) -> None:
        """None yet."""
        self.schemas: dict[str, Schema] = {}

    def of(self, kind: type[Result]) -> Schema:
        """A reference to the schema of a result, which is added when it is new."""
        if issubclass(kind, ChangedEntry):
            return self._of_class(Changed)
        return self._of_class(Seen if issubclass(kind, SeenEntry) else kind)

    def _of_class(self, kind: type[Any]) -> Schema:
        name = kind.__name__
        if name not in self.schemas:
            self.schemas[name] = {}  # for a result that holds results of its own kind
            self.schemas[name] = self._object(kind)
        return {"$ref": REFERENCE + name}

    def _object(self, kind: type[Any]) -> Schema:
        optional: frozenset[str] = getattr(kind, "OPTIONAL", frozenset())
        hints = get_type_hints(kind)
        properties: dict[str, Schema] = {}
        for field in fields(kind):
            hint = _without_null(hints[field.name]) if field.name in optional else hints[field.name]
            properties[field.name.rstrip("_")] = self._value(hint)
        required = [f.name.rstrip("_") for f in fields(kind) if f.name not in optional]
        about = (kind.__doc__ or "").split("\n\n")[0].strip()
        return {
            "type": "object",
            "description": about,
            "properties": properties,
            "required": required,
        }

    def _value(self, hint: Any) -> Schema:  # noqa: ANN401 -- any annotation
        if is_dataclass(hint):
            return self._of_class(cast("type[Any]", hint))
        if hint in _PLAIN:
            return {"type": _PLAIN[hint]}
        return self._composed(get_origin(hint), get_args(hint))

    def _composed(self, origin: Any, arguments: tuple[Any, ...]) -> Schema:  # noqa: ANN401 -- what annotations are made of
        if origin is tuple:
            return {"type": "array", "items": self._value(arguments[0])}
        if origin in (Union, UnionType):
            return self._any_of([self._value(arm) for arm in arguments])
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self._value(arguments[1])}
        return {}  # any JSON value

    def _any_of(self, arms: list[Schema]) -> Schema:
        if {} in arms:
            return {}
        if all(arm.keys() == {"type"} for arm in arms):
            return {"type": [arm["type"] for arm in arms]}
        return {"anyOf": arms}


R = TypeVar("R")


def _without_null(hint: R) -> R:
    """The annotation of a field that is left out rather than null."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    arms = [arm for arm in get_args(hint) if arm is not NoneType]
    return Union[tuple(arms)]  # noqa: UP007 -- made of a list  # type: ignore[return-value] -- an annotation of the same field
