"""How one text became another, word by word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

MAX_WORDS: Final = 20_000
"""Above this many words in both texts together, whole lines are compared: time grows with the
square."""

_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]+")
_LINES: Final = re.compile(r"[^\n]*\n|[^\n]+")

Op = Literal["equal", "insert", "delete"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of both texts, or of the new or the old one alone."""

    op: Op
    text: str


def wording(old: str, new: str) -> tuple[Passage, ...]:
    """The passages of two texts in order, a deletion before what was inserted in its place.

    All that is not inserted is the old text, all that is not deleted is the new one. Words,
    punctuation and blanks are compared as wholes (Ratcliff and Metzener 1988, as in ``difflib``).
    """
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    if len(before) + len(after) > MAX_WORDS:
        before, after = _LINES.findall(old), _LINES.findall(new)
    # Blanks are as good as everywhere: as anchors they would only cost time.
    matcher = SequenceMatcher(str.isspace, before, after)
    return tuple(
        passage
        for op, first, last, start, end in matcher.get_opcodes()
        for passage in _passages(op, "".join(before[first:last]), "".join(after[start:end]))
    )


def _passages(op: str, old: str, new: str) -> Iterator[Passage]:
    if op == "equal":
        yield Passage("equal", old)
        return
    if old:
        yield Passage("delete", old)
    if new:
        yield Passage("insert", new)
