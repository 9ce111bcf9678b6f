"""Where a text names somebody."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

_AROUND: Final = 80
"""Characters of a quote on each side of a name."""
_SHORT: Final = 3
"""A name of one word that is no longer must be written as it is: ``Ute``, but not ``ute``."""
_ASIDE: Final = re.compile(r"\s*\([^()]*\)\s*$")
_GENITIVE: Final = r"(?:['’]s|['’]|e?s)?"


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a text, with what stands around it."""

    start: int
    quote: str


class Names:
    """The names of somebody, found in texts at the borders of words.

    Upper and lower case do not matter, but for very short names; blanks may be line breaks. A name
    is also found in the genitive (``Annas``, ``Max’``, ``Anna's``), and with the last word first
    (``Müller, Anna``).
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(_several(names)))
        exact = [one for one in self.names if " " not in one and len(one) <= _SHORT]
        loose = [one for one in self.names if one not in exact]
        self._patterns = [
            re.compile(_pattern(some), flags)
            for some, flags in ((loose, re.IGNORECASE), (exact, 0))
            if some
        ]

    def places(self, text: str) -> Iterator[Place]:
        """Where a text has one of the names; offsets are those of the text in NFC."""
        said = normalize("NFC", text)
        for pattern in self._patterns:
            for found in pattern.finditer(said):
                first, last = max(0, found.start() - _AROUND), found.end() + _AROUND
                quote = " ".join(said[first:last].split())
                before, behind = "… " if first else "", " …" if last < len(said) else ""
                yield Place(found.start(), f"{before}{quote}{behind}")

    def are_in(self, text: str | None) -> bool:
        """Whether a text has one of the names."""
        said = normalize("NFC", text or "")
        return any(pattern.search(said) for pattern in self._patterns)


def _several(names: Iterable[str]) -> Iterator[str]:
    """Each name, and other ways of writing it; nothing that is no name."""
    for name in names:
        whole = " ".join(normalize("NFC", name).split())
        for one in (whole, _ASIDE.sub("", whole)):
            yield from (way for way in (one, _turned(one)) if len(way) > 1)


def _turned(name: str) -> str:
    """The last word first, or back again."""
    last, comma, first = name.partition(", ")
    if comma:
        return f"{first} {last}" if first and "," not in first else ""
    first, _, last = name.rpartition(" ")
    return f"{last}, {first}" if first else ""


def _pattern(names: Iterable[str]) -> str:
    ordered = sorted(names, key=len, reverse=True)
    ways = (r"\s+".join(map(re.escape, name.split())) for name in ordered)
    return rf"(?<!\w)(?:{'|'.join(ways)}){_GENITIVE}(?!\w)"
