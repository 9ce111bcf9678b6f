"""A question in the one spelling that the grammar of times knows, with the way back."""

import re
from dataclasses import dataclass
from typing import Final

from damals.domain.natural import fold_words

HIDDEN: Final = "\x00"
"""Stands for every character of what is no part of the question's own words."""

_CLUSTER: Final = re.compile(r"\s+|[^\s][\u0300-\u036f]*")
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,400}\"|„[^“”\"\n]{1,400}[“”\"]|“[^”\n]{1,400}”|«[^»\n]{1,400}»|»[^«\n]{1,400}«"
    r"|‚[^‘’\n]{1,400}[‘’]|‘[^’\n]{1,400}’(?!\w)|`[^`\n]{1,400}`"
    r"|\b[a-z]+:[^\s]+|(?:(?<=\s)|^)[+-](?=[^\W\d])[^\s]+|\bwww\.[^\s]+|[^\s]+@[^\s]+"
)
"""Quoted words, operators of the search (``tag:x``, ``before:2024``), addresses."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A question, folded.

    Attributes:
        text: lower case, umlauts as two letters, one blank between words; quoted words hidden.
        places: where each of its characters stands in the original, and where that ends.
        original: as it was written.
    """

    text: str
    places: tuple[int, ...]
    original: str

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of a part of the folded text."""
        first, last = self.places[start], self.places[end]
        while last > first and self.original[last - 1].isspace():
            last -= 1
        return first, last

    def is_capital(self, start: int) -> bool:
        """Whether the original has a capital letter there."""
        return self.original[self.places[start]].isupper()


def fold(question: str) -> Folded:
    """Fold a question."""
    hidden = [False] * len(question)
    for match in _QUOTED.finditer(question):
        hidden[match.start() : match.end()] = [True] * (match.end() - match.start())
    parts: list[str] = []
    places: list[int] = []
    for match in _CLUSTER.finditer(question):
        place = match.start()
        folded = HIDDEN if hidden[place] else " " if match[0].isspace() else fold_words(match[0])
        parts.append(folded)
        places.extend([place] * len(folded))
    return Folded("".join(parts), (*places, len(question)), question)
