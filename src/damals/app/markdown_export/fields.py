"""The frontmatter of a note: what an entry is, as an import reads it back."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from damals.app.ledger_model import Found
from damals.app.vault.fields import (
    EXTERNAL_ID,
    HISTORY,
    KEY,
    MEANINGFUL,
    ORIGIN,
    OTHER_NAMES,
    PLAIN,
    PROPERTIES,
    TYPED_PROPERTIES,
    USUAL,
)
from damals.domain.entries import Attributes, Json, Source
from damals.domain.instants import format_instant
from damals.domain.periods import Bound, BoundKind, between
from damals.domain.types import TypeCatalogue

_INSTANTS: Final = ("created", "updated", "retrieved_at", "last_reviewed")
_PROVENANCE: Final = ("kind", "name", "path", "uri", "heading", "session", "commit")
_AS_GIVEN: Final = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?[~?]?"
)
"""A bound whose text means the same whenever it is read."""
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_NAME: Final = re.compile(r"[^\W_][\w ./-]{0,59}")


@dataclass(frozen=True, slots=True)
class Writing:
    """What all notes of an export are written with.

    Attributes:
        zone: of the workspace.
        types: whose usual visibility a note need not state.
    """

    zone: str
    types: TypeCatalogue
    history: bool


def fields_of(found: Found, path: str, writing: Writing, apart: frozenset[str]) -> dict[str, Json]:
    """The frontmatter but for relations.

    Args:
        found: the entry at the pair.
        path: of its file.
        writing: what it is written with.
        apart: properties that would state relations that nobody said: they are kept where no
            link is looked for.
    """
    has = found.version.attributes
    fields: dict[str, Json] = {"id": str(found.version.entry_id)}
    if found.info.external_id is not None:
        fields[EXTERNAL_ID] = found.info.external_id
    fields |= {"title": has.title, "type": has.type}
    fields |= dict(_bounds(found, path, writing.zone))
    if has.key is not None:
        fields[KEY] = has.key
    if has.tags:
        fields["tags"] = list(has.tags)
    fields |= dict(_plain(has, writing.types))
    fields |= _properties(has.properties, writing.types, apart)
    if ORIGIN not in has.properties:
        fields[ORIGIN] = _origin(has.source)
    if writing.history:
        fields[HISTORY] = True
    return fields


def _bounds(found: Found, path: str, zone: str) -> Iterator[tuple[str, Json]]:
    version = found.version
    same_zone = version.zone == zone
    start = _bound(version.period.start, same_zone)
    if start is None and _DAY.search(path):
        start = "unknown"  # else the day in the name of the file would be its start
    if start is not None:
        yield "valid_from", start
    end = _bound(version.period.end, same_zone)
    if end is not None:
        yield "valid_to", end


def _bound(bound: Bound, same_zone: bool) -> str | None:
    """A bound as it is read back; ``None`` for an unknown start and an open end."""
    if bound.kind in (BoundKind.OPEN, BoundKind.UNKNOWN):
        return bound.text
    if bound.text is not None and same_zone and _AS_GIVEN.fullmatch(bound.text):
        return bound.text
    if bound.kind is BoundKind.EXACT:
        return format_instant(bound.earliest) + ("~" if bound.uncertain else "")
    return str(between(bound.earliest, bound.latest).text) + ("~" if bound.uncertain else "")


def _plain(has: Attributes, types: TypeCatalogue) -> Iterator[tuple[str, Json]]:
    for name in PLAIN:
        value: object = getattr(has, name)
        usual: object = types.type(has.type).visibility if name == "visibility" else USUAL[name]
        if isinstance(value, tuple):
            value = [str(one) for one in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- texts
        if name == "type" or value == usual or value is None:
            continue
        yield name, _readable(name, value)


def _readable(name: str, value: object) -> Json:
    if name in _INSTANTS and isinstance(value, int):
        return format_instant(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return [str(one) for one in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- texts
    return str(value)


def _properties(
    has: Mapping[str, Json], types: TypeCatalogue, apart: frozenset[str]
) -> dict[str, Json]:
    """The properties, each under its name where an import takes it for a property again."""
    plain: dict[str, Json] = {}
    kept: dict[str, Json] = {}
    folded: set[str] = set()
    for name, value in has.items():
        usual = name in PROPERTIES and (name != "status" or not _archives(value))
        reads_back = usual or _is_property(name, types)
        if reads_back and name.casefold() not in folded and name not in apart:
            plain[name] = value
            folded.add(name.casefold())
        else:
            kept[name] = value
    return {**plain, TYPED_PROPERTIES: kept} if kept else plain


def _is_property(name: str, types: TypeCatalogue) -> bool:
    means = name.casefold() in MEANINGFUL or name.casefold() in OTHER_NAMES
    return _NAME.fullmatch(name) is not None and not means and types.find_relation(name) is None


def _archives(value: Json) -> bool:
    return isinstance(value, str) and value.strip().casefold() == "archived"


def _origin(source: Source) -> dict[str, Json]:
    """Where an entry came from, before it came into the folder."""
    return {name: value for name in _PROVENANCE if (value := getattr(source, name)) is not None}
