"""Whether a sentence of a model answers the question, beside being said by what it cites.

A source may hold orders, and a model may obey them: ``HACKED`` stands in the passage, and so is
supported by it. What counts is therefore how much of the question is in the sentence, in the very
sentence of the passage that has its words, and in what that stands under, and whether it is of the
kind that is asked for.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from damals.app.passages import Passage, Reading
from damals.domain.answer_kinds import asks_for_person, fits, places
from damals.domain.evidence import coverage
from damals.domain.passages import readable

COVERED: Final = 0.35
"""Least share of the question in a sentence, its place in the passage, its title and headings."""
OWN: Final = 0.25
"""Least share of it in the sentence itself, or around it, where its kind does not tell."""
BRIEF: Final = 2
"""A sentence of fewer content words is an answer only as what the question word asks for."""

_END: Final = re.compile(r"(?<=[^\W\d_]{3}[.!?])(?<!bzw\.)(?<!ggf\.)(?<!usw\.)\s+|(?<=[!?])\s+")
"""Ends of sentences; a short word or a number with a point is none."""
_ORDER: Final = re.compile(
    r"\b(?:ignor\w+|disregard|vergiss|vergesst|vergessen sie|forget|override)\b[^.!?]{0,60}"
    r"\b(?:instructions?|prompts?|rules|anweisung\w*|befehle?|vorgaben|regeln|quellen|sources)\b",
    re.IGNORECASE,
)
"""An order to forget one's orders: it is meant for a model, and says nothing of the world."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked.

    Attributes:
        question: without the words that said when.
        weights: how much each of its stems counts.
    """

    question: str
    weights: Mapping[str, float]


def answers(said: str, passage: Passage, reading: Reading, wanted: Wanted) -> bool:
    """Whether a sentence that a passage supports answers a question.

    Args:
        said: without marks.
        passage: what it cites.
        reading: reads both.
        wanted: the question.
    """
    words = reading.stems(said)
    around = _around(words, passage, reading)
    if around is None:
        return False
    near = words | reading.stems(around)
    share = _share(near | reading.stems(passage.under), reading, wanted)
    if share < COVERED and wanted.weights:
        return False
    kind = _kind(said, around, wanted.question)
    brief = len(words) < BRIEF
    if kind is True:
        return True
    if kind is False:
        return not brief and _share(words, reading, wanted) >= OWN
    return _share(near, reading, wanted) >= OWN or not (brief or passage.evidence.own)


def _share(words: frozenset[str], reading: Reading, wanted: Wanted) -> float:
    return coverage(wanted.weights, words, reading.groups)


def _around(words: frozenset[str], passage: Passage, reading: Reading) -> str | None:
    """The sentences of a passage that a sentence has words of; ``None`` when it needs an order."""
    said = [(one, reading.stems(one)) for one in _parts(passage)]
    plain = [(one, stems) for one, stems in said if not _ORDER.search(one)]
    there = reading.stems(passage.under).union(*(stems for _, stems in plain))
    ordered = frozenset[str]().union(*(stems for one, stems in said if _ORDER.search(one)))
    if words & (ordered - there):
        return None
    return " ".join(one for one, stems in plain if words & stems)


def _parts(passage: Passage) -> Iterator[str]:
    return (one for one in _END.split(readable(passage.quote)) if one)


def _kind(said: str, around: str, question: str) -> bool | None:
    """Whether a sentence has what the question word asks for; ``None`` where that cannot tell."""
    found = fits(question, said)
    if found == 0.0:
        return any(re.search(rf"\b{re.escape(one)}\b", said) for one in places(question, around))
    return None if found != 1.0 or asks_for_person(question) else True
