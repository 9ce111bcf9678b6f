"""Changing what one note says of itself: values are checked here, an editor writes them.

What is written is what an import would read: every value goes through the readers that imports use.
Words that depend on today ("gestern") are written as the date that they mean, for a file is read
again and again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, cast

from damals.app.annotating_model import NoteEditor, Value
from damals.app.results import Result
from damals.app.vault.fields import KINDS, OTHER_NAMES
from damals.app.vault.notes import declared_texts
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput
from damals.domain.fields import FIELDS, When, nullable_text, texts
from damals.domain.names import is_tag
from damals.domain.parsing import parse_end, parse_start
from damals.domain.periods import Period
from damals.domain.types import TypeCatalogue

_DATES: Final = ("bound", "moment")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a note is to say.

    Attributes:
        fields: that mean something to damals (:data:`damals.app.vault.fields.KINDS`), by name.
        relations: by their names, the notes that they lead to.
        properties: other fields.
        unset: fields that go.
        dropped: other names of the note that go, while it keeps the rest of them.
    """

    fields: Mapping[str, object]
    relations: Mapping[str, Sequence[str]]
    properties: Mapping[str, str]
    unset: Sequence[str]
    dropped: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ChangedField(Result):
    """A field of a frontmatter, before and after; ``None`` where it is not there."""

    name: str
    before: Json
    after: Json


@dataclass(frozen=True, slots=True)
class Annotated(Result):
    """What was changed in a note.

    Attributes:
        path: of the file.
        changed: what differs; nothing when it said so already.
        dry_run: nothing was written.
    """

    path: str
    changed: tuple[ChangedField, ...]
    dry_run: bool


def annotate(
    editor: NoteEditor,
    path: Path,
    wanted: Wanted,
    reading: tuple[When, Callable[[], TypeCatalogue]],
    *,
    dry_run: bool = False,
) -> Annotated:
    """Change fields of one note's frontmatter.

    Args:
        editor: writes.
        path: of the note.
        wanted: what it is to say.
        reading: whose days dates mean, and which relations there are.
        dry_run: only tell what would be changed.

    Raises:
        InvalidInput: ``annotate.…``, ``period.empty`` when the note would end before it begins,
            or what readers say of a value.
        NotFound, InvalidInput, Conflict: as :meth:`NoteEditor.edit`.
    """
    when, types = reading
    changes: dict[str, Value | None] = {}
    told = (
        *_fields(wanted.fields, when),
        *_relations(wanted.relations, types),
        *_properties(wanted.properties),
        *((_known_name(name), None) for name in wanted.unset),
        *_dropped(wanted.dropped),
    )
    for name, value in told:
        if name in changes:
            raise InvalidInput("annotate.twice", name=name)
        changes[name] = value
    if not changes:
        raise InvalidInput("annotate.nothing")
    found = editor.edit(
        path, changes, dry_run=dry_run, check=partial(_check_period, path.name, when)
    )
    changed = tuple(ChangedField(one.name, one.before, one.after) for one in found)
    return Annotated(str(path), changed, dry_run)


def _check_period(name: str, when: When, fields: Mapping[str, Json]) -> None:
    """Refuse a note that no import would take: one that ends before it begins."""
    start, end = declared_texts(name, fields)
    try:
        bounds = [
            parse(text, zone=when.zone, now=when.now) if isinstance(text, str) and text else None
            for parse, text in ((parse_start, start), (parse_end, end))
        ]
    except InvalidInput:
        return  # what stood there before and means nothing is a property of the note
    if bounds[0] is not None and bounds[1] is not None:
        Period(bounds[0], bounds[1])


def _fields(fields: Mapping[str, object], when: When) -> Iterator[tuple[str, Value]]:
    for name, given in fields.items():
        if KINDS[name] == "list":
            yield name, _list(name, given, when)
        elif KINDS[name] in _DATES:
            yield name, Value(_date(name, given, when), plain=True)
        else:
            yield name, _scalar(name, given, when)


def _list(name: str, given: object, when: When) -> Value:
    read = FIELDS.get(name)
    items = texts(name, given) if read is None else read(name, given, when)
    listed = tuple(_one_line(name, one) for one in cast("Sequence[str]", items))
    for one in listed if name == "tags" else ():
        if not is_tag(one):
            raise InvalidInput("annotate.tag_number", tag=one)
    return Value(items=listed, commas=name == "tags")


def _dropped(names: Sequence[str]) -> Iterator[tuple[str, Value]]:
    if any(not name.strip() for name in names):
        raise InvalidInput("annotate.no_value", name="drop_alias")
    if names:
        yield "aliases", Value(without=tuple(_one_line("aliases", name) for name in names))


def _date(name: str, given: object, when: When) -> str:
    """A bound as it was given, or, when it depends on today, the day that it means."""
    parse = parse_end if name == "valid_to" else parse_start
    bound = parse(given, zone=when.zone, now=when.now)
    if name in FIELDS:
        FIELDS[name](name, given, when)
    text = str(given).strip()
    if not text or (KINDS[name] == "moment" and bound.text is None):
        raise InvalidInput("annotate.no_value", name=name)
    mark = text[-1] if bound.uncertain and text[-1] in "~?" else ""
    resolved = text.removesuffix(mark).rstrip() if bound.text is None else bound.text
    return resolved if resolved.endswith(mark) else resolved + mark


def _scalar(name: str, given: object, when: When) -> Value:
    read = FIELDS.get(name)
    value = given if read is None else read(name, given, when)
    if value is None or value == "":
        raise InvalidInput("annotate.no_value", name=name)
    if isinstance(value, bool):
        return Value("true" if value else "false", plain=True)
    if isinstance(value, int | float):
        return Value(f"{value:g}" if isinstance(value, float) else str(value), plain=True)
    text = nullable_text(name, value)
    if text is None or not text.strip():
        raise InvalidInput("annotate.no_value", name=name)
    return Value(_one_line(name, text.strip()))


def _relations(
    relations: Mapping[str, Sequence[str]], types: Callable[[], TypeCatalogue]
) -> Iterator[tuple[str, Value]]:
    for name, targets in relations.items():
        types().relation(name)
        links = tuple(f"[[{_target(name, one)}]]" for one in targets)
        yield name, Value(links[0]) if len(links) == 1 else Value(items=links)


def _target(name: str, given: str) -> str:
    text = _one_line(name, given.strip())
    text = text.removeprefix("[[").removesuffix("]]")
    if not text.strip() or any(part in text for part in ("[[", "]]")):
        raise InvalidInput("annotate.no_target", name=name, value=given)
    return text


def _properties(properties: Mapping[str, str]) -> Iterator[tuple[str, Value]]:
    for name, given in properties.items():
        folded = name.casefold()
        if folded in KINDS or folded in OTHER_NAMES:
            option = OTHER_NAMES.get(folded, folded)
            raise InvalidInput("annotate.own_option", name=name, field=option)
        text = nullable_text(name, given) or ""
        yield _one_line("property", name), Value(_one_line(name, text))


def _known_name(name: str) -> str:
    """A field by the name that changes are told with."""
    folded = name.strip().casefold().replace("-", "_")
    known = OTHER_NAMES.get(folded, folded)
    if known in KINDS:
        return known
    if not name.strip():
        raise InvalidInput("annotate.no_field", name=name)
    return name.strip()


def _one_line(name: str, text: str) -> str:
    if any(char in text for char in "\n\r"):
        raise InvalidInput("annotate.line_break", name=name)
    return text
