"""From a parsed note to the parameters of an operation: what each frontmatter field means."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from damals.app import arrows
from damals.app.people import OWNERSHIP, RELATION_TO_OWNER, ownership
from damals.app.source_model import ParsedNote, SourceFile
from damals.app.vault.fields import (
    EXTERNAL_ID,
    KEY,
    NAMING,
    PLAIN,
    PROPERTIES,
    SECOND_END,
    TYPED_PROPERTIES,
    WHO_SEES_IT,
)
from damals.app.vault.relations import Said, stated
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput
from damals.domain.fields import FIELDS, When
from damals.domain.ids import named_id, parse_uuid
from damals.domain.instants import format_instant
from damals.domain.params import Params
from damals.domain.parsing import parse_end, parse_start
from damals.domain.types import TypeCatalogue

_UNREAD: Final = frozenset({"vault.yaml", "vault.yaml_limits", "vault.template"})
"""Warnings of a frontmatter of which nothing is known."""

Access = Literal["said", "unread", "unclear"]
"""Whether a note says who may see it (or says nothing of it), says nothing that can be read, or
says it in words that cannot: somebody wanted it kept."""
_DAY_IN_NAME: Final = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where notes come from in one run of an import.

    Attributes:
        name: of the source.
        root: address of the folder.
        imported_at: instant of the run.
        types: which relations there are.
        commit, committed_at: of a version history, what is replayed.
        readmits: what says what was erased is taken in all the same.
        readmitted: erased entries in whose place others may be imported; all of them if it
            readmits.
    """

    workspace: str
    name: str
    root: str
    zone: ZoneInfo
    imported_at: int
    types: TypeCatalogue
    commit: str | None = None
    committed_at: int | None = None
    readmits: bool = False
    readmitted: frozenset[UUID] = frozenset()

    @property
    def committed(self) -> Mapping[str, object]:
        """What the source of a note says of its commit; nothing outside of a history."""
        if self.commit is None or self.committed_at is None:
            return {}
        return {"commit": self.commit, "committed_at": format_instant(self.committed_at)}


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a note is: its id and, when its frontmatter names it otherwise, its external id."""

    entry_id: UUID
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it will be told to the ledger.

    Attributes:
        fields: what it says of itself, by name, in the notation of parameters; of the attributes
            only those that it names.
        said: its links and what they state.
        declared_from, declared_to: validity as its frontmatter states it.
        warnings: what of its frontmatter was not understood: message key, values.
        access: whether it says who may see it.
    """

    file: SourceFile
    parsed: ParsedNote
    fields: Mapping[str, object]
    said: tuple[Said, ...]
    declared_from: str | None
    declared_to: str | None
    warnings: tuple[tuple[str, Mapping[str, object]], ...]
    access: Access = "said"


@dataclass(frozen=True, slots=True)
class Change:
    """A note that is new or changed, with the operation that says so.

    Attributes:
        kind: ``added``, ``changed``, ``moved``, ``removed`` or ``healed``.
        size: characters of its text.
        archives: it also says that the note is out of use.
    """

    kind: str
    path: str
    params: Params
    size: int = 0
    archives: bool = False


def says_archived(parsed: ParsedNote) -> bool:
    """Whether its frontmatter takes a note out of use; every other status is a property."""
    status = parsed.fields.get("status")
    return isinstance(status, str) and status.strip().casefold() == "archived"


def declared_identity(parsed: ParsedNote, workspace: str) -> Identity | None:
    """The identity that the frontmatter gives, or ``None``."""
    value = parsed.fields.get("id")
    if not isinstance(value, str) or not value.strip():
        return None
    name = value.strip()
    entry_id = parse_uuid(name)
    if entry_id is None:
        return Identity(named_id(workspace, name), name)
    other = parsed.fields.get(EXTERNAL_ID)
    return Identity(entry_id, other if isinstance(other, str) and other.strip() else None)


def read_note(file: SourceFile, parsed: ParsedNote, origin: Origin) -> Note:
    """What a parsed note means; a field that cannot mean anything is kept as a property."""
    warnings: list[tuple[str, Mapping[str, object]]] = [
        (key, {"path": file.path, "line": line}) for key, line in parsed.warnings
    ]
    states = stated(parsed, origin.types)
    warnings += [
        ("vault.relation_text", {"path": file.path, "field": name}) for name in states.unread
    ]
    warnings += _unclear(states.properties)
    properties: dict[str, Json] = dict(states.properties)
    if parsed.arrows:
        properties[arrows.PROPERTY] = arrows.kept(parsed.arrows)
    fields: dict[str, object] = {"tags": list(parsed.tags)} if parsed.tags else {}
    hidden = parsed.unsure
    for name in PLAIN:
        value, error = field_value(parsed, name, origin)
        if error is not None:
            warnings.append(("vault.field", {"field": name, "cause": error}))
            properties[name] = parsed.fields[name]
            hidden = hidden or name in WHO_SEES_IT
        elif value is not None:
            fields[name] = value
    access = _access(parsed, unclear=hidden)
    if access == "unclear":
        fields = {name: value for name, value in fields.items() if name not in WHO_SEES_IT}
        warnings.append(("vault.hidden", {}))
    for name, error in _misshapen(parsed.fields):
        warnings.append(("vault.field", {"field": name, "cause": error}))
    properties |= _properties(parsed.fields)
    if isinstance(key := parsed.fields.get(KEY), str) and key.strip():
        fields["key"] = key
    declared_from, declared_to = _declared(file, parsed, origin, _Unread(warnings, properties))
    fields |= {
        "title": parsed.title,
        "content": parsed.body,
        "properties": properties,
        "source": _source(file, parsed, origin, declared_from, declared_to),
    }
    bounds = (declared_from, declared_to)
    return Note(file, parsed, fields, states.said, *bounds, tuple(warnings), access)


def _properties(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Fields that are properties of an entry, and those that have another shape than they need."""
    said = {name: fields[name] for name in PROPERTIES if fields.get(name) not in (None, "", [])}
    said |= {name: fields[name] for name, _ in _misshapen(fields)}
    typed = fields.get(TYPED_PROPERTIES)
    return said | (typed if isinstance(typed, dict) else {})


def _access(parsed: ParsedNote, *, unclear: bool) -> Access:
    if unclear:
        return "unclear"
    return "unread" if any(key in _UNREAD for key, _ in parsed.warnings) else "said"


def field_value(parsed: ParsedNote, name: str, origin: Origin) -> tuple[Json, InvalidInput | None]:
    """What a note says in a field that is an attribute, and what is wrong with that.

    ``None`` when it says nothing there that can be read. A list that is too long can be read; to
    leave it out could show the note to everybody, so the note as a whole is refused with it.
    """
    value = parsed.fields.get(name)
    if value in (None, ""):
        return None, None
    try:
        FIELDS[name](name, value, When(origin.zone, origin.imported_at))
    except InvalidInput as error:
        return (value, None) if error.key == "field.too_many" else (None, error)
    return value, None


@dataclass(frozen=True, slots=True)
class _Unread:
    """Where a value goes that means nothing: it is reported, and kept as a property."""

    warnings: list[tuple[str, Mapping[str, object]]]
    properties: dict[str, Json]


def _unclear(properties: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Properties that mean something, with a value that does not."""
    said = properties.get(RELATION_TO_OWNER)
    if said not in (None, "") and ownership(said) is None:
        allowed = ", ".join(OWNERSHIP)
        cause = InvalidInput("field.choice", name=RELATION_TO_OWNER, value=said, allowed=allowed)
        yield ("vault.field", {"field": RELATION_TO_OWNER, "cause": cause})


def _misshapen(fields: Mapping[str, Json]) -> Iterator[tuple[str, InvalidInput]]:
    """Fields whose value has another shape than it needs, so that nothing was made of it."""
    for name in NAMING:
        value = fields.get(name)
        if isinstance(value, list | dict) and value:
            yield name, InvalidInput("field.text", name=name, value=value)
    tags = fields.get("tags")
    if isinstance(tags, dict) or (isinstance(tags, list) and _holds_mapping(tags)):
        yield "tags", InvalidInput("field.list", name="tags", value=tags)


def _holds_mapping(items: list[Json]) -> bool:
    return any(
        isinstance(item, dict) or (isinstance(item, list) and _holds_mapping(item))
        for item in items
    )


def _declared(
    file: SourceFile, parsed: ParsedNote, origin: Origin, unread: _Unread
) -> tuple[str | None, str | None]:
    """Both bounds as stated, checked; the day in a note's name is a start."""
    fields = parsed.fields
    end_name = _end_name(fields)
    if end_name == "valid_to" and fields.get(SECOND_END) not in (None, ""):
        unread.properties[SECOND_END] = fields[SECOND_END]
    start = _bound("valid_from", fields, origin, unread)
    end = _bound(end_name, fields, origin, unread)
    day = _day_of(file.path.rpartition("/")[2], fields)
    if day is not None:
        try:
            parse_start(day, zone=origin.zone, now=origin.imported_at)
        except InvalidInput as error:
            unread.warnings.append(("vault.date", {"value": day, "cause": error}))
        else:
            start = day
    return start, end


def declared_texts(name: str, fields: Mapping[str, Json]) -> tuple[Json, Json]:
    """Both bounds as a note of this file name states them, unread."""
    return _day_of(name, fields) or fields.get("valid_from"), fields.get(_end_name(fields))


def _end_name(fields: Mapping[str, Json]) -> str:
    return "valid_to" if fields.get("valid_to") not in (None, "") else SECOND_END


def _day_of(name: str, fields: Mapping[str, Json]) -> str | None:
    """The day in a note's name, which is its start if it gives none."""
    day = _DAY_IN_NAME.search(name) if fields.get("valid_from") in (None, "") else None
    return day[1] if day else None


def _bound(name: str, fields: Mapping[str, Json], origin: Origin, unread: _Unread) -> str | None:
    value = fields.get(name)
    parse = parse_start if name == "valid_from" else parse_end
    try:
        text = _scalar(name, value)
        parse(text, zone=origin.zone, now=origin.imported_at)
    except InvalidInput as error:
        unread.warnings.append(("vault.field", {"field": name, "cause": error}))
        unread.properties[name] = value
        return None
    return text or None


def _scalar(name: str, value: Json) -> str:
    if isinstance(value, list | dict):
        raise InvalidInput("field.text", name=name, value=value)
    return "" if value is None else str(value).strip()


def _source(
    file: SourceFile,
    parsed: ParsedNote,
    origin: Origin,
    declared_from: str | None,
    declared_to: str | None,
) -> dict[str, object]:
    return {
        "kind": "vault",
        "name": origin.name,
        "path": file.path,
        "uri": origin.root,
        "line": parsed.body_line,
        "digest": file.digest,
        "imported_at": format_instant(origin.imported_at),
        "declared_from": declared_from,
        "declared_to": declared_to,
        **_filled(parsed),
        **origin.committed,
    }


_REQUIRED: Final = ("title", "type", "tags")
"""Fields that every note has: what it does not say of itself is filled."""


def _filled(parsed: ParsedNote) -> Mapping[str, object]:
    """The required fields that a note does not give; nothing when it gives them all."""
    said = {name for name in _REQUIRED if parsed.fields.get(name) not in (None, "")}
    said |= {"tags"} if parsed.tags else set()
    missing = [] if parsed.arrows is not None else [one for one in _REQUIRED if one not in said]
    return {"filled": missing} if missing else {}


def aliases_of(properties: Mapping[str, Json]) -> Sequence[str]:
    """The other names of a note; a text with commas is one name as well as several."""
    value = properties.get("aliases")
    names: Iterable[Json] = value if isinstance(value, list) else [value]
    if isinstance(value, str) and "," in value:
        names = [value, *value.split(",")]
    return [name for name in names if isinstance(name, str) and name.strip()]
