"""Markdown as plain words, for a line or two in a list; whole texts are rendered instead."""

import re
from typing import Final

MAX_CHARS: Final = 4_000
"""Of a text are looked at: no line in a list shows more."""

_LEFT_OUT: Final = re.compile(r"\s*(```|~~~|\|?\s*:?-{3,}[\s:|-]*$|[*_-](\s*[*_-]){2,}\s*$)")
"""Lines that say nothing: fences, rules, the second line of a table."""
_CALLOUT: Final = re.compile(r"\s*(?:>\s?)+(?:\[![\w-]{1,40}\][+-]?\s*)?")
_HEADING: Final = re.compile(r"\s*#{1,6}\s+")
_ITEM: Final = re.compile(r"\s*(?:[*+-]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_WIKI: Final = re.compile(r"!?\[\[([^\[\]|]{1,400})(?:\|([^\[\]]{1,400}))?\]\]")
_LINK: Final = re.compile(r"!?\[([^\[\]]{1,400})\]\([^()\s]{0,400}(?:\s\"[^\"]{0,200}\")?\)")
_STRESS: Final = re.compile(
    r"(\*{1,3}|~~|==|`{1,2})(?=\S)([^*~=`\n]{1,400})(?<=\S)\1|(?<!\w)(__?)(?=\S)([^_\n]{1,400})(?<=\S)\3(?!\w)"
)


def plain(text: str | None, title: str | None = None) -> str:
    """The words of a Markdown text, each line without its marks.

    Args:
        text: what somebody wrote; only its beginning is looked at.
        title: what stands above already, and need not be said again by the first line.
    """
    lines = (text or "")[:MAX_CHARS].splitlines()
    shown = [words for line in lines if (words := _words(line))]
    if title is not None and shown and shown[0].casefold() == title.strip().casefold():
        shown = shown[1:]
    return "\n".join(shown)


def _words(line: str) -> str:
    if _LEFT_OUT.match(line):
        return ""
    for mark in (_CALLOUT, _HEADING, _ITEM):
        line = mark.sub("", line, count=1) if mark.match(line) else line
    line = _WIKI.sub(_named, line)
    line = _LINK.sub(r"\1", line)
    line = _STRESS.sub(lambda found: found[2] or found[4], line)
    if line.lstrip().startswith("|"):
        line = " · ".join(cell for one in line.split("|") if (cell := one.strip()))
    return line.strip()


def _named(link: re.Match[str]) -> str:
    """What a link is called, else what it leads to."""
    target, name = link[1], link[2]
    return (name or target.replace("#", " ")).strip()
