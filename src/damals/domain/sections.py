"""Under which headings a place in a text stands."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final

_ATX: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*")
_PARAGRAPH: Final = re.compile(r" {0,3}(?![-*+>|#`~=]|\d{1,9}[.)][ \t])\S.*")
"""A line that can be a heading when it is underlined."""

_Found = tuple[int, int, str]
"""Where a heading begins, its level, and its words."""


class Sections:
    """The headings of a text in Markdown; read when the first place is asked for.

    Args:
        text: of an entry.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def at(self, offset: int) -> tuple[str, ...]:
        """The headings above a place, the outermost first; its own for a place in a heading."""
        starts, paths = self._paths
        place = bisect_right(starts, offset)
        return paths[place - 1] if place else ()

    @cached_property
    def _paths(self) -> tuple[list[int], list[tuple[str, ...]]]:
        starts: list[int] = []
        paths: list[tuple[str, ...]] = []
        above: list[tuple[int, str]] = []
        for start, level, words in _headings(self._text):
            while above and above[-1][0] >= level:
                above.pop()
            above.append((level, words))
            starts.append(start)
            paths.append(tuple(one for _, one in above))
        return starts, paths


def _headings(text: str) -> Iterator[_Found]:
    offset, before, begun = 0, "", 0
    fence = ""
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        fenced = _FENCE.fullmatch(bare)
        if fence:
            if fenced and fenced[1].startswith(fence) and not fenced[2].strip():
                fence = ""
        elif fenced and not (fenced[1][0] == "`" and "`" in fenced[2]):
            fence = fenced[1]
        elif found := _ATX.fullmatch(bare):
            if words := (found[2] or "").strip():
                yield offset, len(found[1]), words
        elif before and (found := _UNDERLINE.fullmatch(bare)):
            yield begun, 1 if found[1][0] == "=" else 2, before.strip()
        # A paragraph of several lines that is underlined is rare, and named by its last one.
        before = bare if not fence and _PARAGRAPH.fullmatch(bare) else ""
        begun = offset
        offset += len(line)
