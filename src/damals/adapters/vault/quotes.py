"""Quotes in a note, and where they name their sources.

A quote is a run of lines that begin with ``>``. A callout (``> [!note]``) is none, unless it is a
``[!quote]`` or a ``[!cite]``. The lines that begin with a dash (``—``, ``–``, ``--``) or with
``Quelle:`` or ``Source:`` say where it is from, in the quote or right below it, at most one empty
line away. A quote without such a line is from what it links to.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

_QUOTE: Final = re.compile(r" {0,3}>[ \t>]*")
_CALLOUT: Final = re.compile(r"\[!([^\]\n]*)\]")
_QUOTING: Final = frozenset({"quote", "cite"})
_FROM: Final = re.compile(r"[ \t*_~]*(?:—|–|―|--(?!-)|(?:quelle|source)\s*:)", re.IGNORECASE)

Span = tuple[int, int]
"""Offsets in a text, from one up to another."""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    quoted: bool

    @property
    def names_source(self) -> bool:
        return _FROM.match(self.text) is not None


def quoted(body: str) -> tuple[Span, ...]:
    """Where in a text a link names the source of a quote, in order."""
    if ">" not in body:
        return ()
    found: list[Span] = []
    block: list[_Line] = []
    behind: list[_Line] = []
    for line in (*_lines(body), _Line(len(body), len(body), "x", quoted=False)):
        if line.quoted:
            if behind:
                found += _sources(block, behind)
                block, behind = [], []
            block.append(line)
        elif block:
            behind.append(line)
            if line.text.strip():
                found += _sources(block, behind)
                block, behind = [], []
    return tuple(found)


def holds(spans: Sequence[Span], place: int) -> bool:
    """Whether one of some spans, in order, holds a place."""
    index = bisect_right(spans, place, key=itemgetter(0)) - 1
    return index >= 0 and place < spans[index][1]


def _lines(body: str) -> Iterator[_Line]:
    start = 0
    for text in body.split("\n"):
        mark = _QUOTE.match(text)
        end = start + len(text)
        yield _Line(start, end, text[mark.end() :] if mark else text, quoted=mark is not None)
        start = end + 1


def _sources(block: list[_Line], behind: list[_Line]) -> Iterator[Span]:
    """Where one quote names its sources.

    Args:
        block: its lines.
        behind: the empty lines behind it, and the first that is not.
    """
    callout = _CALLOUT.match(block[0].text)
    if callout and callout[1].strip().casefold() not in _QUOTING:
        return
    below = behind[-1:] if len(behind) <= 2 else []  # noqa: PLR2004 -- one empty line and this one
    naming = [line for line in (*block, *below) if line.names_source]
    yield from ((line.start, line.end) for line in naming or block)
