"""Passages: the sentences, items and rows of a Markdown text, each of which can be quoted.

Offsets are those of the text that was given. A heading is no passage: it says what the passages
below it are about.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

Sentences = Callable[[str, int, int], Iterable[tuple[int, int]]]
"""Gives the ranges of the sentences of ``text[start:end]``."""

Range = tuple[int, int]

_MARKER: Final = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|>[ \t]?)")
_HEADING: Final = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]|$)")
_FENCE: Final = re.compile(r"[ \t]{0,3}(```|~~~)")
_RULE: Final = re.compile(r"[ \t|:*_=-]+$")
_LINK: Final = re.compile(r"!?\[\[([^\]|#\n]*)(?:#[^\]|\n]*)?(?:\|([^\]\n]*))?\]\]")
_STRONG: Final = re.compile(r"(\*\*|__|`)(.+?)\1")
_WEB_LINK: Final = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)")


def passages(text: str, sentences: Sentences) -> Iterator[Range]:
    """The ranges of all passages, in order, without the space around them."""
    for start, end in _blocks(text):
        for first, last in sentences(text, start, end):
            trimmed = _trimmed(text, first, last)
            if trimmed[0] < trimmed[1]:
                yield trimmed


def _blocks(text: str) -> Iterator[Range]:
    """Paragraphs, items without their markers, and rows of tables."""
    begin = end = position = 0
    fence: str | None = None
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        mark = _FENCE.match(line)
        if mark:
            fence = None if fence == mark[1] else fence or mark[1]
        item = None if fence or mark else _MARKER.match(line)
        row = fence is not None or line.lstrip().startswith("|")
        alone = bool(mark or not line.strip() or _HEADING.match(line) or _RULE.match(line.strip()))
        if begin < end and (alone or item or row):
            yield begin, end
            begin = end
        if alone:
            begin = end = position
        elif row:
            yield start, position
            begin = end = position
        else:
            if begin == end:
                begin = start + (item.end() if item else 0)
            end = position
    if begin < end:
        yield begin, end


def _trimmed(text: str, start: int, end: int) -> Range:
    found = text[start:end]
    first = start + len(found) - len(found.lstrip())
    return first, max(first, start + len(found.rstrip()))


def readable(passage: str) -> str:
    """A passage as it reads in a sentence of plain text: links by their names, on one line."""
    plain = _LINK.sub(lambda found: found[2] or found[1], passage)
    plain = _WEB_LINK.sub(r"\1", plain)
    return " ".join(_STRONG.sub(r"\2", plain).split()).strip("| ")


def table_head(text: str, start: int) -> str:
    """The first row of the table that a row at ``start`` is in; empty for what is no later row."""
    rows: list[str] = []
    for line in reversed(text[: text.rfind("\n", 0, start) + 1].splitlines()):
        if not line.lstrip().startswith("|"):
            break
        rows.append(line)
    return readable(rows[-1]) if rows and text[start : start + 1] == "|" else ""
