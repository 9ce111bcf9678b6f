"""How one text became another, word by word."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final, Literal

MAX_WORDS: Final = 20_000
"""Above this many words in both texts together, lines are compared, and words only within those
that differ, as long as these are no more: time grows with the square."""

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
    budget = MAX_WORDS
    if _word_count(old, new) <= budget:
        return tuple(_compared(_WORDS, old, new))
    found: list[Passage] = []
    for removed, added, kept in _blocks(_LINES, old, new):
        if kept:
            found.append(Passage("equal", kept))
            continue
        count = _word_count(removed, added) if removed and added else 0
        if 0 < count <= budget:
            budget -= count
            found += _compared(_WORDS, removed, added)
        else:
            found += _exchanged(removed, added)
    return tuple(_joined(found))


def _word_count(old: str, new: str) -> int:
    return len(_WORDS.findall(old)) + len(_WORDS.findall(new))


def _compared(parts: re.Pattern[str], old: str, new: str) -> Iterator[Passage]:
    for removed, added, kept in _blocks(parts, old, new):
        if kept:
            yield Passage("equal", kept)
        else:
            yield from _exchanged(removed, added)


def _blocks(parts: re.Pattern[str], old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """What went, what came in its place, and what stayed: one of both kinds at a time."""
    before, after = parts.findall(old), parts.findall(new)
    # Blanks are as good as everywhere: as anchors they would only cost time.
    matcher = SequenceMatcher(str.isspace, before, after)
    for op, first, last, start, end in matcher.get_opcodes():
        if op == "equal":
            yield "", "", "".join(before[first:last])
        else:
            yield "".join(before[first:last]), "".join(after[start:end]), ""


def _exchanged(old: str, new: str) -> Iterator[Passage]:
    if old:
        yield Passage("delete", old)
    if new:
        yield Passage("insert", new)


def _joined(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Passages of which no two that follow each other stayed."""
    for op, same in groupby(passages, key=lambda one: one.op):
        some = list(same)
        if op == "equal":
            yield Passage("equal", "".join(one.text for one in some))
        else:
            yield from some
