"""The keys of ``types.yaml``: what each may say, and how what is wrong is refused."""

import math
import re
from collections.abc import Callable, Collection, Iterator
from typing import Final, NoReturn, cast

from damals.adapters.files.yaml_nodes import Node
from damals.domain.access import VISIBILITIES
from damals.domain.errors import InvalidInput
from damals.domain.types import MAX_HOPS, RISKS, RULES, DeriveRule, RuleName, near_names

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
            allowed: its possible keys; any when ``None``.
        """
        if node.pairs is None:
            expected = ", ".join(allowed) if allowed else "NAME: {…}"
            raise self.wrong(
                node, place or "types.yaml", f"{{{expected}: …}}" if allowed else expected
            )
        seen: set[str] = set()
        for key, value in node.pairs:
            if not key.scalar or (allowed is not None and key.text not in allowed):
                self._refuse_key(key, place, allowed)
            name = f"{place}.{key.text}" if place else key.text
            if key.text in seen:
                raise InvalidInput("types.duplicate", path=self.path, line=key.line, place=name)
            seen.add(key.text)
            self._lines[name] = key.line
            yield key.text, name, value

    def _refuse_key(self, key: Node, place: str, allowed: Collection[str] | None) -> NoReturn:
        known = ", ".join(allowed or ())
        raise InvalidInput(
            "types.unknown_key",
            path=self.path,
            line=key.line,
            place=f"{place}.{key.shown}" if place else key.shown,
            near=near_names(key.text, allowed or ()) or known,
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


Reader = Callable[[TypesFile, Node, str], object]


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


def _hops(file: TypesFile, node: Node, place: str) -> int:
    plain = node.scalar and not node.quoted and node.text.isascii() and node.text.isdigit()
    if not plain or int(node.text[:9]) not in MAX_HOPS:
        raise file.wrong(node, place, f"{MAX_HOPS[0]} … {MAX_HOPS[-1]}")
    return int(node.text)


def _word(file: TypesFile, node: Node, place: str) -> str | None:
    """A name that is checked once everything is read; nothing, when it is left empty."""
    if node.null:
        return None
    if not node.scalar or not node.text.strip():
        raise file.wrong(node, place, "NAME")
    return node.text


def _one_of(allowed: Collection[str]) -> Reader:
    def read(file: TypesFile, node: Node, place: str) -> str:
        if not node.scalar or node.text not in allowed:
            raise file.wrong(node, place, ", ".join(allowed))
        return node.text

    return read


def read_names(file: TypesFile, node: Node, place: str) -> tuple[str, ...]:
    """A list of names, each once."""
    if node.items is None:
        raise file.wrong(node, place, "[NAME, …]")
    names: list[str] = []
    for item in node.items:
        if item.null or not item.scalar or not item.text.strip():
            raise file.wrong(item, place, "[NAME, …]")
        if item.text in names:
            spot = f"{place}.{item.text}"
            raise InvalidInput("types.duplicate", path=file.path, line=item.line, place=spot)
        names.append(item.text)
    return tuple(names)


KEYS: Final[dict[str, dict[str, Reader]]] = {
    "types": {
        "layer": _word,
        "half_life_days": _days,
        "staleness_risk": _one_of(RISKS),
        "visibility": _one_of(VISIBILITIES),
    },
    "relations": {
        "weight": _share,
        "directed": _flag,
        "symmetric": _flag,
        "transitive": _flag,
        "inverse": _word,
        "scoring": _share,
        "min_visibility": _one_of(VISIBILITIES),
    },
    "domains": {
        "decay": _days,
        "research": _days,
        "verification": _days,
        "risk": _one_of(RISKS),
    },
    "derive": {
        "rule": _one_of(RULES),
        "of": read_names,
        "max_hops": _hops,
        "confidence": _share,
    },
}
"""Every key of every section; ``layers`` is a list of names."""


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
    for key in ("rule", "of"):
        if key not in said:
            raise InvalidInput(
                "types.missing", path=file.path, line=node.line, place=place, key=key
            )
    if said["rule"] != "closure" and "max_hops" in said:
        line = file.line_of(f"{place}.max_hops")
        raise InvalidInput("types.hops", path=file.path, line=line, place=f"{place}.max_hops")
    return DeriveRule(
        rule=cast("RuleName", said["rule"]),
        of=cast("tuple[str, ...]", said["of"]),
        max_hops=cast("int", said.get("max_hops", 3)),
        confidence=cast("float", said.get("confidence", 1.0)),
    )
