"""Frontmatter: the YAML mapping between two ``---`` at the very top of a note.

YAML is read from its events, not with a constructor: so every scalar stays the text that was
written (``no``, ``12:30``, ``007``, ``2024-02-30``), nesting and aliases are bounded, repeated
keys are seen, and what YAML reads as comment or nested list (``- #tag``, ``up: [[A]]``) is taken
from the raw line.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Final, Protocol

from damals.app.vault.fields import MEANINGFUL, OTHER_NAMES, WHO_SEES_IT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from damals.domain.entries import Json

MAX_DEPTH: Final = 40
MAX_NODES: Final = 20_000
"""Values a frontmatter may hold, aliases expanded."""
MAX_CHARS: Final = 1_000_000

_TAGGED: Final = {
    f"tag:yaml.org,2002:{name}": kind
    for name, kind in (("bool", bool), ("int", int), ("float", float))
}
"""Values that say themselves that they are no text, as an export writes them."""
_NULLS: Final = frozenset(["", "~", "null", "Null", "NULL"])
_OPEN: Final = re.compile(r"---[ \t]*\n")
_CLOSE: Final = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY_LINE: Final = re.compile(r"^[\w./-]{1,60}(?: [\w./-]{1,60}){0,3}[ \t]*:(?=\s|$)", re.MULTILINE)
_WHO: Final = re.compile(
    rf"""^[\s{{,?"']*(?:{"|".join(WHO_SEES_IT)})["']?\s*:""", re.MULTILINE | re.IGNORECASE
)
_WIKILINK: Final = re.compile(r"\[\[[^\[\]\n\"']+\]\]")
_HASH_VALUE: Final = re.compile(r"[ \t]+(#[^\s#][^\n]*)")
_TAG_LIST: Final = re.compile(
    r"^(tags?[ \t]*:[ \t]*+)\[([^\[\]\n\"']*+)\][ \t]*$", re.MULTILINE | re.IGNORECASE
)


class _Mark(Protocol):
    line: int
    index: int


class _Event(Protocol):
    """An event of PyYAML, which has no types of its own; not every kind has every attribute."""

    start_mark: _Mark
    end_mark: _Mark
    value: str
    style: str | None
    tag: str | None
    anchor: str | None
    flow_style: bool | None


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A note's frontmatter and what stands behind it.

    Attributes:
        body: the text behind the block; the whole text when there is none.
        body_line: line of the file at which ``body`` begins, from 1.
        fields: fields of :data:`MEANINGFUL`, by that name.
        properties: all other fields, by name as written.
        template: the block holds unfilled placeholders, so the note is a pattern for notes.
        warnings: message keys with the line of the file.
        unsure: it says who may see the note, but cannot be read, or says it twice.
    """

    body: str
    body_line: int = 1
    fields: Mapping[str, "Json"] = field(default_factory=dict[str, "Json"])
    properties: Mapping[str, "Json"] = field(default_factory=dict[str, "Json"])
    template: bool = False
    warnings: tuple[tuple[str, int | None], ...] = ()
    unsure: bool = False


def split_frontmatter(text: str) -> Frontmatter:
    r"""Part a note (line ends ``\n``, no byte order mark) into frontmatter and body. Never raises.

    A block that is no mapping (a letterhead between two rules) is left in the body. A block that
    cannot be read, or of a template, gives no fields and one warning.
    """
    opening = _OPEN.match(text)
    if opening is None:
        return Frontmatter(text)
    closing = _CLOSE.search(text, opening.end())
    if closing is None:  # the end of the block is missing, not necessarily the block
        return Frontmatter(text, unsure=_tells_who(text[opening.end() :]))
    block = text[opening.end() : closing.start()]
    body = text[closing.end() + 1 :]
    body_line = text.count("\n", 0, closing.start()) + 2
    looks_like_fields = _KEY_LINE.search(block) is not None
    if _is_template(block) and looks_like_fields:
        warnings = (("vault.template", 1),)
        unsure = _tells_who(block)
        return Frontmatter(body, body_line, template=True, warnings=warnings, unsure=unsure)
    read: _Block | None = None
    warnings: tuple[tuple[str, int | None], ...] = ()
    try:
        read = _read_block(block)
    except _NotReadable as problem:
        warnings = ((problem.key, problem.line + 2),)
    if read is None:
        unsure = _tells_who(block)
        if not (warnings and looks_like_fields):
            return Frontmatter(text, unsure=unsure)
        return Frontmatter(body, body_line, warnings=warnings, unsure=unsure)
    repeated = tuple(("vault.duplicate_key", line + 2) for line, _ in read.repeated)
    unsure = any(name in WHO_SEES_IT for _, name in read.repeated)
    fields, properties = _sort_fields(read.mapping)
    return Frontmatter(body, body_line, fields, properties, warnings=repeated, unsure=unsure)


def _tells_who(block: str) -> bool:
    """Whether a block that is not read as fields names one that says who may see the note."""
    return _WHO.search(block) is not None


def _is_template(block: str) -> bool:
    return ("{{" in block and "}}" in block) or ("<%" in block and "%>" in block)


def _sort_fields(mapping: dict[str, "Json"]) -> tuple[dict[str, "Json"], dict[str, "Json"]]:
    fields: dict[str, Json] = {}
    properties: dict[str, Json] = {}
    for key, value in mapping.items():
        if (name := key.casefold()) in MEANINGFUL:
            fields[name] = value
        else:
            properties[key] = value
    for other, name in OTHER_NAMES.items():
        for key in [key for key in properties if key.casefold() == other]:
            fields.setdefault(name, properties.pop(key))
    return fields, properties


class _NotReadable(Exception):
    def __init__(self, key: str, line: int) -> None:
        super().__init__(key)
        self.key = key
        self.line = line


@dataclass(slots=True)
class _Block:
    mapping: dict[str, "Json"]
    repeated: list[tuple[int, str]]


def _read_block(block: str) -> _Block | None:
    """The mapping a block holds; ``None`` when it is well-formed but no mapping.

    Raises:
        _NotReadable: it is no YAML, or beyond the limits.
    """
    if len(block) > MAX_CHARS:
        raise _NotReadable("vault.yaml_limits", 0)
    block = _TAG_LIST.sub(_quote_hashes, block)
    builder = _Builder(block)
    yaml_error, events = _events(block)
    try:
        for event in events:
            builder.add(event)
    except yaml_error as error:
        mark = getattr(error, "problem_mark", None)
        position = getattr(error, "position", 0)
        line = mark.line if mark else block.count("\n", 0, position)
        raise _NotReadable("vault.yaml", line) from error
    if not builder.documents:
        return _Block({}, [])
    document = builder.documents[0]
    if not isinstance(document, dict):
        return None
    return _Block(document, builder.repeated)


@lru_cache(maxsize=1)
def _yaml() -> tuple["Callable[..., Iterator[_Event]]", type, type[Exception]]:
    import yaml  # noqa: PLC0415 - a command that reads no vault does not pay for it

    # The library has no types of its own.
    parse: Callable[..., Iterator[_Event]] = getattr(yaml, "parse")  # noqa: B009 - as above
    return parse, getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.YAMLError


def _events(block: str) -> tuple[type[Exception], "Iterator[_Event]"]:
    parse, loader, yaml_error = _yaml()
    return yaml_error, parse(block, Loader=loader)


def _tagged(text: str, tag: str) -> "Json":
    """What a value says that it is; the text, when it is no such thing."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, float) and not isfinite(value):
        return text
    return value if type(value) is _TAGGED[tag] else text


def _quote_hashes(match: re.Match[str]) -> str:
    """``tags: [#a, #b]`` is no YAML, but what people write."""
    if "#" not in match[2]:
        return match[0]
    items = ", ".join(f"'{item.strip()}'" for item in match[2].split(",") if item.strip())
    return f"{match[1]}[{items}]"


@dataclass(slots=True)
class _Open:
    """A collection that is not closed yet."""

    value: "list[Json] | dict[str, Json]"
    start: int
    flow: bool
    anchor: str | None
    nodes_before: int
    key: str | None = None


class _Builder:
    """Builds values from YAML events, without recursion."""

    def __init__(self, block: str) -> None:
        self.documents: list[Json] = []
        self.repeated: list[tuple[int, str]] = []
        self._block = block
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Json, int]] = {}
        self._nodes = 0

    def add(self, event: _Event) -> None:
        kind = type(event).__name__
        if kind in ("SequenceStartEvent", "MappingStartEvent"):
            self._open(event, [] if kind == "SequenceStartEvent" else {})
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            self._close(event)
        elif kind == "ScalarEvent":
            self._count(1, event)
            value = self._scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = (value, 1)
            self._put(value, event)
        elif kind == "AliasEvent":
            if event.anchor is None or event.anchor not in self._anchors:
                raise _NotReadable("vault.yaml", event.start_mark.line)
            value, nodes = self._anchors[event.anchor]
            self._count(nodes, event)
            self._put(value, event)

    def _open(self, event: _Event, value: "list[Json] | dict[str, Json]") -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise _NotReadable("vault.yaml_limits", event.start_mark.line)
        before = self._nodes
        self._count(1, event)
        start = event.start_mark.index
        self._stack.append(_Open(value, start, bool(event.flow_style), event.anchor, before))

    def _close(self, event: _Event) -> None:
        opened = self._stack.pop()
        value: Json = opened.value
        if opened.flow and isinstance(value, list):
            raw = self._block[opened.start : event.end_mark.index]
            value = raw if _WIKILINK.fullmatch(raw) else value
        if opened.anchor:
            self._anchors[opened.anchor] = (value, self._nodes - opened.nodes_before)
        self._put(value, event)

    def _put(self, value: "Json", event: _Event) -> None:
        if not self._stack:
            self.documents.append(value)
            return
        top = self._stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is not None:
            top.value[top.key] = value
            top.key = None
        elif isinstance(value, list | dict):
            raise _NotReadable("vault.yaml", event.start_mark.line)
        else:
            top.key = str(value or "")
            name = top.key.casefold()
            fields = (
                len(self._stack) == 1 and name in MEANINGFUL
            )  # of which spelling does not count
            if top.key in top.value or (fields and name in map(str.casefold, top.value)):
                self.repeated.append((event.start_mark.line, name if fields else ""))

    def _count(self, nodes: int, event: _Event) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise _NotReadable("vault.yaml_limits", event.start_mark.line)

    def _scalar(self, event: _Event) -> "Json":
        if event.tag in _TAGGED:
            return _tagged(event.value, event.tag)
        if event.style or event.tag or event.value not in _NULLS:
            return event.value
        at_key = bool(self._stack) and isinstance(self._stack[-1].value, dict)
        if at_key and self._stack[-1].key is None:
            return event.value
        # YAML takes "- #tag" and "tags: #tag" for comments.
        hidden = _HASH_VALUE.match(self._block, event.end_mark.index)
        return hidden[1].strip() if hidden and not event.value else None
