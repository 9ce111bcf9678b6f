"""Changing the frontmatter of one note: the only place that writes into a vault.

The lines of the fields that are asked for are changed and no others; what came of it is read again
as an import would read it, and is written only when exactly the asked fields differ.
"""

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from damals.adapters.vault.annotate_block import Block, Item, NotByLines
from damals.adapters.vault.annotate_file import NoteFile
from damals.adapters.vault.annotate_scalar import bare
from damals.adapters.vault.frontmatter import Frontmatter, split_frontmatter
from damals.app.annotating_model import Check, FieldChange, Value, unchecked
from damals.app.vault.fields import MEANINGFUL, OTHER_NAMES, SECOND_END
from damals.app.vault.file_kinds import is_note
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput
from damals.domain.names import fold

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LINE_END: Final = re.compile(r"\r\n?")
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_REFUSED: Final = {
    "vault.yaml": "annotate.yaml",
    "vault.yaml_limits": "annotate.yaml_limits",
    "vault.duplicate_key": "annotate.duplicate_key",
    "vault.template": "annotate.template",
}
Changes = Mapping[str, Value | None]


@dataclass(frozen=True, slots=True)
class _Text:
    """A note's text: the rules around the frontmatter, what lies between, and what follows."""

    head: tuple[str, ...]
    block: Block
    tail: tuple[str, ...]
    rest: str

    @property
    def whole(self) -> str:
        return "".join((*self.head, *self.block.lines, *self.tail)) + self.rest


class FrontmatterEditor:
    """Edits notes of Markdown (a ``NoteEditor``)."""

    def edit(
        self, path: Path, changes: Changes, *, dry_run: bool, check: Check = unchecked
    ) -> Sequence[FieldChange]:
        """Change fields of one note; see :class:`damals.app.annotating_model.NoteEditor`."""
        if path.is_file() and not is_note(path.name):
            raise InvalidInput("annotate.not_a_note", path=str(path))
        file = NoteFile.read(path)
        text, mark = _decoded(path, file.data)
        before = split_frontmatter(_normal(text))
        _check(path, before)
        named = {_name_in(before, name): value for name, value in _spread(before, changes)}
        named = {name: _left(path, before, name, value) for name, value in named.items()}
        named = {name: value for name, value in named.items() if _is_news(before, name, value)}
        if not named:
            return ()
        parts = _parted(text, before)
        try:
            made = _edited(parts, named)
        except NotByLines as error:
            raise InvalidInput("annotate.by_hand", path=str(path)) from error
        after = split_frontmatter(_normal(made.whole))
        if not _as_asked(before, after, named):
            raise InvalidInput("annotate.by_hand", path=str(path))
        check(after.fields)
        changed = _differences(before, after)
        if changed and not dry_run:
            file.replace(mark + made.whole.encode("utf-8"))
        return changed


def _decoded(path: Path, data: bytes) -> tuple[str, bytes]:
    """The text and the byte order mark before it."""
    if data.startswith(_UTF16):
        raise InvalidInput("annotate.utf16", path=str(path))
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        text = data[len(mark) :].decode("utf-8")
    except UnicodeDecodeError as error:
        line = _normal(data[: error.start].decode("utf-8", "replace")).count("\n") + 1
        raise InvalidInput("vault.not_utf8", path=str(path), line=line) from error
    if (nul := text.find("\0")) >= 0:
        line = _normal(text[:nul]).count("\n") + 1
        raise InvalidInput("vault.nul", path=str(path), line=line)
    return text, mark


def _normal(text: str) -> str:
    return _LINE_END.sub("\n", text)


def _check(path: Path, front: Frontmatter) -> None:
    """Refuse a frontmatter that an import does not read as it stands."""
    for key, line in front.warnings:
        if key in _REFUSED:
            raise InvalidInput(_REFUSED[key], path=str(path), line=line)


def _spread(front: Frontmatter, changes: Changes) -> list[tuple[str, Value | None]]:
    """The changes, with both names of an end that has two and is to go."""
    spread: list[tuple[str, Value | None]] = []
    for name, value in changes.items():
        both = name == "valid_to" and value is None and SECOND_END in front.fields
        spread.append((name, value))
        if both and "valid_to" in front.fields:
            spread.append((SECOND_END, value))
    return spread


def _name_in(front: Frontmatter, name: str) -> str:
    """A field as a note calls it that has only its other name."""
    if name == "valid_to" and name not in front.fields and SECOND_END in front.fields:
        return SECOND_END
    return name


def _left(path: Path, front: Frontmatter, name: str, value: Value | None) -> Value | None:
    """A value; where a list is to lose some of its names, those that it keeps."""
    if value is None or not value.without:
        return value
    found = _values(front, name)
    items: list[Json] = found if isinstance(found, list) else [] if found is None else [found]
    if isinstance(found, str) and "," in found:  # one name as well as several
        items = list[Json](part.strip() for part in found.split(","))
    listed = [one for one in items if isinstance(one, str)]
    if len(listed) < len(items):
        raise InvalidInput("annotate.by_hand", path=str(path))
    gone = {fold(one.strip()) for one in value.without}
    return Value(items=tuple(bare(one) for one in listed if fold(one.strip()) not in gone))


def _parted(text: str, front: Frontmatter) -> _Text:
    lines = [line for line in _LINE.findall(text) if line]
    end = next((line[len(line.rstrip("\r\n")) :] for line in lines[:1]), "") or "\n"
    count = front.body_line - 1
    if count == 0:
        return _Text(("---" + end,), Block((), end), ("---" + end,), text)
    inside = Block(tuple(lines[1 : count - 1]), end)
    return _Text((lines[0],), inside, (lines[count - 1],), "".join(lines[count:]))


def _edited(parts: _Text, changes: Changes) -> _Text:
    made = parts.block
    for name, value in changes.items():
        item = _find(made.items(), name)
        if value is None:
            made = made if item is None else made.without(item)
        elif item is None:
            made = made.added(name, value)
        else:
            made = made.changed(item, value)
    return replace(parts, block=made)


def _find(items: Sequence[Item], name: str) -> Item | None:
    """The field of a name; one that means something is compared folded."""
    folded = name in MEANINGFUL
    others = (other for other, first in OTHER_NAMES.items() if first == name != "valid_to")
    for wanted in (name, *others):
        for item in items:
            key = item.key.text
            if key == wanted or ((folded or wanted != name) and key.casefold() == wanted):
                return item
    return None


def _values(front: Frontmatter, name: str) -> Json:
    return front.fields.get(name) if name in MEANINGFUL else front.properties.get(name)


def _has(front: Frontmatter, name: str) -> bool:
    return name in (front.fields if name in MEANINGFUL else front.properties)


def _as_asked(before: Frontmatter, after: Frontmatter, changes: Changes) -> bool:
    """Whether exactly the asked fields say what was asked, and all else is as it was."""
    if after.body != before.body or after.template or len(after.warnings) > len(before.warnings):
        return False
    for name, value in changes.items():
        if value is None and _has(after, name):
            return False
        if value is not None and not _says(_values(after, name), value):
            return False
    return all(
        _others(one, changes) == _others(other, changes)
        for one, other in (
            (before.fields, after.fields),
            (before.properties, after.properties),
        )
    )


def _is_news(front: Frontmatter, name: str, value: Value | None) -> bool:
    if value is None:
        return _has(front, name)
    if not value.items and value.items is not None and not _has(front, name):
        return False
    return not (_has(front, name) and _says(_values(front, name), value))


def _others(fields: Mapping[str, Json], changes: Changes) -> list[tuple[str, Json]]:
    return [(name, value) for name, value in fields.items() if name not in changes]


def _says(found: Json, value: Value) -> bool:
    if value.items is None:
        return isinstance(found, str) and found == value.text
    items: list[Json] = found if isinstance(found, list) else [found]
    if isinstance(found, str) and value.commas:
        items = list[Json](found.split(","))
    told = [bare(one) for one in items if isinstance(one, str)]
    return sorted(told) == sorted(value.items)


def _differences(before: Frontmatter, after: Frontmatter) -> tuple[FieldChange, ...]:
    old = {**before.fields, **before.properties}
    new = {**after.fields, **after.properties}
    return tuple(
        FieldChange(name, old.get(name), new.get(name))
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name) or (name in old) != (name in new)
    )
