"""The keys of ``types.yaml``: what each may say, and how what is wrong is refused."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NoReturn, cast

from damals.adapters.files.yaml_nodes import Node
from damals.domain.access import VISIBILITIES
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput
from damals.domain.fields import RISKS
from damals.domain.names import fold
from damals.domain.types import (
    GIVES,
    LINKS_TO,
    MAX_HOPS,
    MIN_COUNTS,
    RULES,
    DeriveRule,
    near_names,
)

SECTIONS: Final = ("types", "relations", "layers", "domains", "derive")
MAX_DAYS: Final = 1_000_000

_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})(?:[eE][+-]?\d{1,2})?")
_INFINITE: Final = frozenset(["inf", ".inf", ".Inf", ".INF"])
_TRUTHS: Final = {"true": True, "false": False}

SHARE: Final = "0 … 1"
DAYS: Final = f"0 < … ≤ {MAX_DAYS}, inf"


class TypesFile:
    """A file while it is read: remembers where its keys stand, and refuses with path and line."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lines: dict[str, int] = {}

    def pairs(
        self, node: Node, place: str, allowed: Collection[str] | None = None
    ) -> Iterator[tuple[str, str, Node]]:
        """Name, place and value of each pair of a mapping.

        Args:
            node: the mapping.
            place: where it stands, as ``relations.extends``; empty for the whole file.
            allowed: its possible keys; when ``None``, it declares names, as they are compared.
        """
        if node.pairs is None:
            expected = ", ".join(allowed) if allowed else "NAME: {…}"
            raise self.wrong(
                node, place or "types.yaml", f"{{{expected}: …}}" if allowed else expected
            )
        seen: set[str] = set()
        for key, value in node.pairs:
            if allowed is None and not key.scalar:
                raise self.wrong(key, place, "NAME: {…}")
            if allowed is not None and not (key.scalar and key.text in allowed):
                self._refuse_key(key, place, allowed)
            text = key.text if allowed else _compared(key.text)
            name = f"{place}.{text}" if place else text
            if text in seen:
                raise InvalidInput("types.duplicate", path=self.path, line=key.line, place=name)
            seen.add(text)
            self._lines[name] = key.line
            yield text, name, value

    def _refuse_key(self, key: Node, place: str, allowed: Collection[str]) -> NoReturn:
        known = ", ".join(allowed)
        raise InvalidInput(
            "types.unknown_key",
            path=self.path,
            line=key.line,
            place=f"{place}.{key.shown}" if place else key.shown,
            near=near_names(key.text, allowed) or known,
            allowed=known,
        )

    def wrong(self, node: Node, place: str, allowed: str) -> InvalidInput:
        """The error for a value, naming the legal ones."""
        return InvalidInput(
            "types.value",
            path=self.path,
            line=node.line,
            place=place,
            value=node.shown,
            allowed=allowed,
        )

    def line_of(self, *places: str) -> int:
        """Line of the first of these places that the file speaks of."""
        return next((self._lines[place] for place in places if place in self._lines), 1)


def _compared(name: str) -> str:
    """A small-letter name as it is compared: ``größer`` is ``grösser``. Others are refused."""
    return fold(name) if name == name.lower() else name


Reader = Callable[[TypesFile, Node, str], object]
Schema = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a key may say.

    Attributes:
        read: reads a value, or refuses it.
        schema: the same for editors, as far as a JSON schema can say it.
    """

    read: Reader
    schema: Schema

    def __call__(self, file: TypesFile, node: Node, place: str) -> object:
        """Read a value."""
        try:
            return self.read(file, node, place)
        except InvalidInput as error:
            if node.quoted and self._reads(file, replace(node, quoted=False), place):
                told = {**error.values, "value": node.text}
                raise InvalidInput("types.quoted", **told) from None
            raise

    def _reads(self, file: TypesFile, node: Node, place: str) -> bool:
        try:
            self.read(file, node, place)
        except InvalidInput:
            return False
        return True


def _share(file: TypesFile, node: Node, place: str) -> float:
    if node.scalar and not node.quoted and _NUMBER.fullmatch(node.text):
        number = float(node.text)
        if 0 <= number <= 1:
            return number
    raise file.wrong(node, place, SHARE)


def _days(file: TypesFile, node: Node, place: str) -> float | None:
    if node.null:
        return None
    if node.scalar and not node.quoted:
        if node.text in _INFINITE:
            return math.inf
        if _NUMBER.fullmatch(node.text) and 0 < float(node.text) <= MAX_DAYS:
            return float(node.text)
    raise file.wrong(node, place, DAYS)


def _flag(file: TypesFile, node: Node, place: str) -> bool:
    found = _TRUTHS.get(node.text.lower()) if node.scalar and not node.quoted else None
    if found is None:
        raise file.wrong(node, place, "true, false")
    return found


def _within(allowed: range) -> Kind:
    def read(file: TypesFile, node: Node, place: str) -> int:
        plain = node.scalar and not node.quoted and node.text.isascii() and node.text.isdigit()
        if not plain or int(node.text[:9]) not in allowed:
            raise file.wrong(node, place, f"{allowed[0]} … {allowed[-1]}")
        return int(node.text)

    return Kind(read, {"type": "integer", "minimum": allowed[0], "maximum": allowed[-1]})


def _word(file: TypesFile, node: Node, place: str) -> str | None:
    """A name that is checked once everything is read; nothing, when it is left empty."""
    if node.null:
        return None
    if not node.scalar or not node.text.strip():
        raise file.wrong(node, place, "NAME")
    return node.text


def _relation(file: TypesFile, node: Node, place: str) -> str | None:
    """The name of a relation; nothing, when it is left empty."""
    name = _word(file, node, place)
    return name and _compared(name)


def _relations(file: TypesFile, node: Node, place: str) -> tuple[str, ...]:
    return _each_once(file, node, place, _compared)


def _one_of(allowed: Collection[str]) -> Kind:
    def read(file: TypesFile, node: Node, place: str) -> str:
        if not node.scalar or node.text not in allowed:
            raise file.wrong(node, place, ", ".join(allowed))
        return node.text

    return Kind(read, {"type": "string", "enum": list(allowed)})


def read_names(file: TypesFile, node: Node, place: str) -> tuple[str, ...]:
    """A list of names, each once."""
    return _each_once(file, node, place, str)


def _each_once(
    file: TypesFile, node: Node, place: str, compared: Callable[[str], str]
) -> tuple[str, ...]:
    if node.items is None:
        raise file.wrong(node, place, "[NAME, …]")
    names: list[str] = []
    for item in node.items:
        if item.null or not item.scalar or not item.text.strip():
            raise file.wrong(item, place, "[NAME, …]")
        name = compared(item.text)
        if name in names:
            spot = f"{place}.{name}"
            raise InvalidInput("types.duplicate", path=file.path, line=item.line, place=spot)
        names.append(name)
    return tuple(names)


_SHARE: Final = Kind(_share, {"type": "number", "minimum": 0, "maximum": 1})
_FLAG: Final = Kind(_flag, {"type": "boolean"})
_NAME: Final[Schema] = {"type": "string", "pattern": r"\S"}
_WORD: Final = Kind(_word, {"anyOf": [dict(_NAME), {"type": "null"}]})
_RELATION: Final = Kind(_relation, _WORD.schema)
_DAYS: Final = Kind(
    _days,
    {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_DAYS},
            # `inf` is a text to every reader of YAML, and `.inf` a number.
            {"const": "inf"},
            {"type": "number", "minimum": 1e300},
            {"type": "null"},
        ]
    },
)
NAMES: Final = Kind(read_names, {"type": "array", "items": dict(_NAME), "uniqueItems": True})
_RELATIONS: Final = Kind(_relations, NAMES.schema)

KEYS: Final[dict[str, dict[str, Kind]]] = {
    "types": {
        "layer": _WORD,
        "half_life_days": _DAYS,
        "staleness_risk": _one_of(RISKS),
        "visibility": _one_of(VISIBILITIES),
    },
    "relations": {
        "weight": _SHARE,
        "directed": _FLAG,
        "symmetric": _FLAG,
        "transitive": _FLAG,
        "inverse": _RELATION,
        "scoring": _SHARE,
        "min_visibility": _one_of(VISIBILITIES),
    },
    "domains": {
        "decay": _DAYS,
        "research": _DAYS,
        "verification": _DAYS,
        "risk": _one_of(RISKS),
    },
    "derive": {
        "rule": _one_of(RULES),
        "of": _RELATIONS,
        "max_hops": _within(MAX_HOPS),
        "confidence": _SHARE,
        "gives": _RELATION,
        "min_count": _within(MIN_COUNTS),
    },
}
"""Every key of every section; ``layers`` is a list of names."""

ONLY_FOR: Final = {
    "max_hops": ("closure",),
    "gives": tuple(GIVES),
    "min_count": ("co_mention",),
}
"""Keys of ``derive`` that only some rules have."""


def read_derive(file: TypesFile, node: Node) -> tuple[DeriveRule, ...]:
    """The rules of a file, in order."""
    if node.items is None:
        raise file.wrong(node, "derive", "[{rule: …, of: […]}, …]")
    return tuple(
        _rule(file, item, f"derive.{number}") for number, item in enumerate(node.items, start=1)
    )


def _rule(file: TypesFile, node: Node, place: str) -> DeriveRule:
    keys = KEYS["derive"]
    said = {key: keys[key](file, value, spot) for key, spot, value in file.pairs(node, place, keys)}
    rule = str(said.get("rule"))
    if rule in GIVES:
        said = {"of": (LINKS_TO,), "gives": GIVES[rule]} | {
            k: v for k, v in said.items() if v is not None
        }
    for key in ("rule", "of"):
        if key not in said:
            raise InvalidInput(
                "types.missing", path=file.path, line=node.line, place=place, key=key
            )
    for key, rules in ONLY_FOR.items():
        if key in said and rule not in rules:
            spot, only = f"{place}.{key}", ", ".join(rules)
            line = file.line_of(spot)
            raise InvalidInput("types.only_for", path=file.path, line=line, place=spot, rules=only)
    make = cast("Callable[..., DeriveRule]", DeriveRule)
    return make(**said)
