"""The parameters of tools, declared once: their JSON schema, and how a value is read.

Models send numbers for texts (``as_of: 2024``), texts for numbers, one value for a list of one,
and null for what they leave out: all of that is read as it was meant. Names that are not declared
are refused, since a parameter that is silently dropped is knowledge that is silently lost.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final, cast

from damals.app.errors import InvalidInput
from damals.domain.entries import Json
from damals.domain.fields import MAX_WHOLE

MAX_SHOWN: Final = 200
"""So much of a value that is refused is told."""

Schema = Mapping[str, Any]
"""A JSON schema."""

Reader = Callable[[str, Json], object]
"""From the name of a parameter and what was given to what the operation takes."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a tool.

    Attributes:
        name: in the protocol, and in the catalogues.
        schema: what a client is told of its values.
        read: checks and converts a value.
        standard: what stands for one that is left out.
    """

    name: str
    schema: Schema
    read: Reader
    required: bool = False
    standard: object = None


def must(parameter: Parameter) -> Parameter:
    """The same parameter, required."""
    return replace(parameter, required=True)


def read_arguments(
    tool: str, parameters: Sequence[Parameter], given: Mapping[str, Json]
) -> dict[str, object]:
    """The values of a call, those left out absent unless they have a standard.

    Raises:
        InvalidInput: ``mcp.argument_*``, naming the tool and the argument.
    """
    known = {one.name: one for one in parameters}
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            raise InvalidInput(
                "mcp.argument_unknown", tool=tool, name=name, known=", ".join(near or known)
            )
    values: dict[str, object] = {}
    for name, parameter in known.items():
        said = given.get(name)
        if said is not None:
            values[name] = parameter.read(name, said)
        elif parameter.required:
            raise InvalidInput("mcp.argument_missing", tool=tool, name=name)
        elif parameter.standard is not None:
            values[name] = parameter.standard
    return values


def _wrong(name: str, wanted: str, value: Json) -> InvalidInput:
    return InvalidInput("mcp.argument_kind", name=name, wanted=wanted, value=_shown(value))


def _shown(value: Json) -> str:
    """A value for a message, as the assistant wrote it, as much of it as is needed."""
    if isinstance(value, int) and abs(value) > MAX_WHOLE:
        return "…"  # numbers can have thousands of digits
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return said if len(said) <= MAX_SHOWN else f"{said[:MAX_SHOWN]}…"


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(name: str, value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and _is_number(value) and abs(value) <= MAX_WHOLE:
        return str(value)
    raise _wrong(name, "string", value)


def _nullable(name: str, value: Json) -> str | None:
    """A text; the empty one takes away what stood there."""
    return _text(name, value) or None


def _texts(name: str, value: Json) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [_text(name, item) for item in items]


def _flag(name: str, value: Json) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise _wrong(name, "boolean", value)


def _number(name: str, value: Json) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(cast("float", value))
    except (TypeError, ValueError, OverflowError) as error:
        raise _wrong(name, "number", value) from error
    if not math.isfinite(number):
        raise _wrong(name, "number", value)
    return number


def _count(name: str, value: Json) -> int:
    number = _number(name, value)
    if number < 0 or not number.is_integer():
        raise _wrong(name, "integer", value)
    return int(number)


def _relations(name: str, value: Json) -> list[Mapping[str, Json]]:
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, Mapping) for item in items):
        raise _wrong(name, '[{"type": …, "dst": …}]', value)
    return [cast("Mapping[str, Json]", item) for item in items]


STRING: Final[Schema] = {"type": "string"}


def text(name: str) -> Parameter:
    """A text."""
    return Parameter(name, STRING, _text)


def nullable(name: str) -> Parameter:
    """A text that is taken away by an empty one."""
    return Parameter(name, STRING, _nullable)


def texts(name: str) -> Parameter:
    """Several texts."""
    return Parameter(name, {"type": "array", "items": STRING}, _texts)


def instant(name: str) -> Parameter:
    """An instant as on the command line; an empty one takes it away.

    A year comes as a number as well, which the schema does not say: clients that know one type a
    parameter would refuse the tool.
    """
    return Parameter(name, STRING, _nullable)


def flag(name: str) -> Parameter:
    """Yes or no."""
    return Parameter(name, {"type": "boolean"}, _flag)


def share(name: str) -> Parameter:
    """A number from 0 to 1."""
    return Parameter(name, {"type": "number", "minimum": 0, "maximum": 1}, _number)


def count(name: str) -> Parameter:
    """A whole number from 0 on."""
    return Parameter(name, {"type": "integer"}, _count)


def number(name: str) -> Parameter:
    """A number, whose bounds are those of the operation."""
    return Parameter(name, {"type": "number"}, _number)


def choice(name: str, *choices: str) -> Parameter:
    """One of some words."""

    def read(name: str, value: Json) -> str:
        if value not in choices:
            raise _wrong(name, " | ".join(choices), value)
        return value

    return Parameter(name, {"enum": list(choices)}, read)


def limit(standard: int, most: int) -> Parameter:
    """How many are wanted, ``standard`` when nothing is said, and never more than ``most``."""

    def read(name: str, value: Json) -> int:
        number = _number(name, value)
        if number != int(number) or not 1 <= number <= most:
            raise _wrong(name, f"1 – {most}", value)
        return int(number)

    schema = {"type": "integer", "minimum": 1, "maximum": most, "default": standard}
    return Parameter("limit", schema, read, standard=standard)


RELATIONS: Final = Parameter(
    "relations",
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"type": STRING, "dst": STRING, "confidence": {"type": "number"}},
            "required": ["type", "dst"],
        },
    },
    _relations,
)
