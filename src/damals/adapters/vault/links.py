"""Links and tags in the text of a note, with exact offsets.

The source of each text block is scanned once, left to right, with one expression; every
alternative stops at the next delimiter of its kind, so that the time is linear in the length.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from urllib.parse import unquote

from damals.adapters.vault.labels import labels
from damals.adapters.vault.markdown import Lines, parse_blocks
from damals.adapters.vault.quotes import holds, quoted
from damals.app.source_model import FieldLinks, Link
from damals.app.vault.file_kinds import without_suffix
from damals.domain.entries import Json
from damals.domain.names import is_tag

_TAG_CHARACTERS: Final = (
    r"\w/\-\u0300-\u036f\u200d\u20e3\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f"
    r"\U0001f000-\U0001faff\U000e0020-\U000e007f"
)
_TOKEN: Final = re.compile(
    rf"""
      \\.
    | (?P<code>`+)
    | (?P<comment><!--)
    | <[A-Za-z][A-Za-z0-9+.-]{{1,31}}:[^<>\s]*+>
    | </?[A-Za-z][A-Za-z0-9-]*+(?:\s[^<>\[\]]*+)?/?>
    | (?:(?:https?|ftps?|file|obsidian|zotero)://|www\.)(?:[^\s<>\[\]%]|%(?!%))++
    | (?P<wiki>!?\[\[(?P<inner>[^\[\]\n]++)\]\])
    | (?P<open>!?\[)
    | (?P<close>\])
    | (?P<display>\$\$)
    | (?<![\w$\\])\$(?=\S)(?:\\.|[^$\\\n])++\$(?<=\S\$)(?!\d)
    | (?P<mark>%%)
    | (?<![^\s(\[{{>"'„“‚‘»«–—,;:!?*_~=|.])\#(?P<tag>[{_TAG_CHARACTERS}]++)
    """,
    re.VERBOSE,
)
_DESTINATION: Final = re.compile(
    r"""
    \]\(\s*+
    (?: <(?P<angle>(?:\\.|[^<>\n\\])*+)>
      | (?P<bare>(?:\\.|[^\s()<>\\]|\((?:\\.|[^\s()<>\\])*+\))*+) )
    (?:\s++(?:"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'|\([^()]*+\)))?+
    \s*+\)
    """,
    re.VERBOSE,
)
_MAYBE_TAG: Final = re.compile(rf"#(?<![\w#/&\\]#)[{_TAG_CHARACTERS}]")
_BACKTICKS: Final = re.compile("`+")
_PIPE: Final = re.compile(r"\\?\|")
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_FILE_SUFFIX: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,7}$")
_PICTURES: Final = (
    *(".apng", ".avif", ".bmp", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".svg"),
    *(".tif", ".tiff", ".webp"),
)
_SOUNDS: Final = (".3gp", ".flac", ".m4a", ".mp3", ".ogg", ".opus", ".wav")
_FILMS: Final = (".avi", ".mkv", ".mov", ".mp4", ".ogv", ".webm")
_MEDIA: Final = frozenset([*_PICTURES, *_SOUNDS, *_FILMS])
_DOCUMENTS: Final = frozenset([".pdf", ".canvas"])
_RAW_HTML: Final = re.compile(r"\s*<(?:pre|script|style|textarea)\b", re.IGNORECASE)


class Found(NamedTuple):
    """Links of a text in order, and its tags as often as they stand there."""

    links: tuple[Link, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Hit:
    """A link or a tag; at first it is not known whether a comment hides it."""

    start: int
    end: int
    target: str
    fragment: str | None = None
    is_tag: bool = False
    hidden: bool = False


class _Mark(NamedTuple):
    """A ``%%``: where, in which text block, and whether it begins its line."""

    start: int
    block: int
    begins_line: bool


def find_links(body: str, body_line: int = 1) -> Found:
    """Links to notes and tags of a note's body, those in code, HTML comments and math left out.

    In ``%%…%%`` links are read and marked as hidden; tags are not read.

    Args:
        body: the text behind the frontmatter.
        body_line: the line of the file at which it begins, from 1.
    """
    if "[[" not in body and "](" not in body and not _MAYBE_TAG.search(body):
        return Found((), ())
    lines = Lines(body)
    scanner = _Scanner(body)
    for start, end in _text_blocks(body, lines):
        scanner.scan(start, end)
    hits = list(_marked(scanner, len(body)))
    linking = [hit for hit in hits if not hit.is_tag]
    named = labels(body, [(hit.start, hit.end) for hit in linking])
    quotes = quoted(body) if linking else ()
    links = tuple(
        Link(
            target=hit.target,
            fragment=hit.fragment,
            embed=body.startswith("!", hit.start),
            start=hit.start,
            end=hit.end,
            line=lines.number(hit.start) + body_line - 1,
            markdown=not body.startswith(("[[", "![["), hit.start),
            label=None if hit.hidden else label,
            hidden=hit.hidden,
            quoted=holds(quotes, hit.start),
        )
        for hit, label in zip(linking, named, strict=True)
    )
    return Found(links, tuple(hit.target for hit in hits if hit.is_tag and not hit.hidden))


_LEFT_OVER: Final = re.compile(r"[\s,;]+")


def field_links(value: Json) -> FieldLinks:
    """The links in the value of a frontmatter field, and what it says beside them."""
    links: list[Link] = []
    rest: list[Json] = []
    pending: list[Json] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(reversed(item))
        elif isinstance(item, str) and ("[[" in item or "](" in item):
            left = item.strip()
            found = find_links(left).links
            links.extend(found)
            ends = (0, *(link.end for link in found))
            starts = (*(link.start for link in found), len(left))
            beside = "".join(left[end:start] for end, start in zip(ends, starts, strict=True))
            if _LEFT_OVER.sub("", beside):
                rest.append(item)
        elif item not in (None, ""):
            rest.append(item)
    return FieldLinks(tuple(links), rest[0] if len(rest) == 1 else rest or None)


def _text_blocks(body: str, lines: Lines) -> Iterator[tuple[int, int]]:
    """Ranges of whole lines that hold text: paragraphs, headings, table rows, HTML."""
    reached = 0
    for token in parse_blocks(body):
        if token.type not in ("inline", "html_block") or not token.map:
            continue
        first, end = token.map
        start, stop = lines.offset(max(first, reached)), lines.offset(end)
        # The cells of a row share its line; it is read once.
        if end <= reached or (token.type == "html_block" and _is_raw(body, start, stop)):
            continue
        reached = end
        yield start, stop


def _is_raw(body: str, start: int, end: int) -> bool:
    """Whether an HTML block is code, or a comment without an end, which hides all that follows."""
    if body.startswith("<!--", start):
        return body.find("-->", start, end) < 0
    return _RAW_HTML.match(body, start) is not None


class _Scanner:
    """Collects hits and comment marks, block by block."""

    def __init__(self, body: str) -> None:
        self.hits: list[_Hit] = []
        self.marks: list[_Mark] = []
        self._body = body
        self._block = 0
        self._end = 0
        self._open: list[int] = []
        self._code: dict[int, list[int]] = {}
        self._never: set[str] = set()

    def scan(self, start: int, end: int) -> None:
        """Scan one text block."""
        self._block += 1
        self._end = end
        self._open.clear()
        self._never.clear()
        self._code.clear()
        for run in _BACKTICKS.finditer(self._body, start, end):
            self._code.setdefault(len(run[0]), []).append(run.start())
        position = start
        while match := _TOKEN.search(self._body, position, end):
            position = self._read(match)

    def _read(self, match: re.Match[str]) -> int:
        """Take in one token; returns where to go on."""
        kind, start = match.lastgroup, match.start()
        if kind == "code":
            return self._behind_code(match)
        if kind == "comment":
            return self._behind("-->", match.end())
        if kind == "display":
            return self._behind("$$", match.end())
        if kind == "close":
            return self._behind_link(start)
        if kind == "wiki":
            self._wikilink(match)
        elif kind == "open":
            self._open.append(start)
        elif kind == "mark":
            self.marks.append(_Mark(start, self._block, self._begins_line(start)))
        elif kind == "tag":
            self._tag(match)
        return match.end()

    def _begins_line(self, position: int) -> bool:
        """Whether only blanks stand before a place; looks no further back than they reach."""
        while position and self._body[position - 1] != "\n":
            position -= 1
            if not self._body[position].isspace():
                return False
        return True

    def _behind(self, closing: str, position: int) -> int:
        """Behind the next ``closing``; ``position`` when there is none (asked once a block)."""
        if closing not in self._never:
            found = self._body.find(closing, position, self._end)
            if found >= 0:
                return found + len(closing)
            self._never.add(closing)
        return position

    def _behind_code(self, match: re.Match[str]) -> int:
        length = len(match[0])
        starts = self._code.get(length, [])
        following = bisect_right(starts, match.start())
        return starts[following] + length if following < len(starts) else match.end()

    def _wikilink(self, match: re.Match[str]) -> None:
        name, fragment = _parts(_PIPE.split(match["inner"], maxsplit=1)[0])
        if "://" not in name and _is_note(name, strict=False):
            self._add_link(match.start(), match.end(), name, fragment)

    def _behind_link(self, closing: int) -> int:
        """At a ``]``: the link that ends here, if it is one."""
        if not self._open:
            return closing + 1
        start = self._open.pop()
        match = _DESTINATION.match(self._body, closing, self._end)
        if match is None:
            return closing + 1
        while self.hits and self.hits[-1].is_tag and self.hits[-1].start > start:
            self.hits.pop()
        raw = match["bare"] if match["angle"] is None else match["angle"]
        raw = _ESCAPE.sub(r"\1", raw)
        if raw and not _SCHEME.match(raw):
            name, _, fragment = raw.partition("#")
            name, fragment = unquote(name).strip(), unquote(fragment).strip()
            if _is_note(name, strict=True):
                self._add_link(start, match.end(), name, fragment or None)
        return match.end()

    def _add_link(self, start: int, end: int, name: str, fragment: str | None) -> None:
        name = without_suffix(name)
        if name or fragment:
            self.hits.append(_Hit(start, end, name, fragment))

    def _tag(self, match: re.Match[str]) -> None:
        tag = match["tag"].rstrip("/")
        if is_tag(tag):
            self.hits.append(_Hit(match.start(), match.end(), tag, is_tag=True))


def _parts(inner: str) -> tuple[str, str | None]:
    name, _, fragment = inner.partition("#")
    return name.strip(), fragment.strip() or None


def _is_note(name: str, *, strict: bool) -> bool:
    """Whether a target can be a note: no picture or sound; ``strict``: no foreign suffix either."""
    suffix = _FILE_SUFFIX.search(name)
    if "\0" in name or "{{" in name or "<%" in name:  # what a template will fill in
        return False
    if suffix is None or without_suffix(name) != name:
        return True
    kind = suffix[0].lower()
    return kind in _DOCUMENTS if strict else kind not in _MEDIA


def _marked(scanner: _Scanner, length: int) -> Iterator[_Hit]:
    """Hits in order, those in ``%%…%%`` marked. A comment over several blocks begins its line."""
    hidden = list(_comments(scanner.marks))
    hidden.append((length, length))
    index = 0
    for hit in sorted(scanner.hits, key=lambda hit: hit.start):
        while hidden[index][1] <= hit.start and index < len(hidden) - 1:
            index += 1
        inside = hidden[index][0] <= hit.start < hidden[index][1]
        yield replace(hit, hidden=True) if inside else hit


def _comments(marks: list[_Mark]) -> Iterator[tuple[int, int]]:
    index = 0
    while index + 1 < len(marks):
        opening, closing = marks[index], marks[index + 1]
        if opening.block == closing.block or opening.begins_line:
            yield opening.start, closing.start
            index += 2
        else:
            index += 1
