"""How well a passage answers a question, and whether anything does.

Words alone mislead where a question asks for something else about a known thing ("the phone
number of Müller GmbH"): the name is everywhere, what is asked for nowhere. So a word counts by how
rarely it is found among what was ranked, and one that is found nowhere counts most. Vectors alone
mislead likewise, as the name makes all that is said of a thing near; so they count by what a
passage adds to its title, too.

The weights are calibrated on the questions of the demo archive (``demo/questions.jsonl``).
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

GRAM: Final = 4
ALIKE: Final = 0.6
"""Share of common grams from which on two words are relatives: ``Frist``, ``Kündigungsfrist``."""
RELATED: Final = 0.7
"""What a relative of a word counts."""

Groups = Mapping[str, frozenset[int]]
"""By stem, the groups of words that ask for the same."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a passage, each from 0 to 1.

    Attributes:
        coverage: share of the question's words in the passage and in what it stands under.
        own: the same in the passage alone.
        fits: whether it has what the question word asks for: a number, a date, a place, a
            person; a half where that cannot be told.
        rank: share of the best score that its result has.
        cosine, title: nearness of the question to the passage under its title, and to the title;
            ``None`` without a model.
    """

    coverage: float
    own: float
    fits: float
    rank: float
    cosine: float | None = None
    title: float | None = None


# --- words


def weights_of(
    asked: Collection[str], texts: Sequence[Collection[str]], groups: Groups
) -> dict[str, float]:
    """How much each word of a question counts: the rarer among the texts, the more.

    Args:
        asked: stems of the question's content words.
        texts: stems of each text that was found.
        groups: which words ask for the same.
    """
    count = len(texts) or 1
    found = {stem: sum(matched(stem, text, groups) > 0 for text in texts) for stem in asked}
    return {stem: math.log(1 + count / (0.5 + found[stem])) for stem in asked}


def coverage(weights: Mapping[str, float], text: Collection[str], groups: Groups) -> float:
    """Weighted share of the words that a text has; 0 for a question without any."""
    total = sum(weights.values())
    if not total:
        return 0.0
    return sum(weight * matched(one, text, groups) for one, weight in weights.items()) / total


def matched(stem: str, text: Collection[str], groups: Groups) -> float:
    """1 for a word that is in a text, :data:`RELATED` for one that has a relative there."""
    if stem in text:
        return 1.0
    own = groups.get(stem, frozenset())
    related = any(_alike(stem, other) or own & groups.get(other, frozenset()) for other in text)
    return RELATED if related else 0.0


def _alike(one: str, other: str) -> bool:
    """Whether the shorter of two words is mostly a part of the longer."""
    if min(len(one), len(other)) <= GRAM:
        return False
    first, second = _grams(one), _grams(other)
    return len(first & second) > ALIKE * min(len(first), len(second))


def _grams(word: str) -> set[str]:
    return {word[start : start + GRAM] for start in range(len(word) - GRAM + 1)}


def stems(words: Iterable[tuple[str, int, int]]) -> frozenset[str]:
    """The stems of words with their places."""
    return frozenset(stem for stem, _, _ in words)


# --- together

_UNRELATED: Final = 0.78
_MATCHING: Final = 0.92
"""Cosines of unrelated and of matching texts, as the default model gives them."""
_MOST_GAIN: Final = 0.1
_UNFIT: Final = 10.0
"""What it counts against a passage that it lacks the kind of thing that is asked for."""


def nearness(evidence: Evidence) -> float:
    """How good a passage is among others, from 0 to 1."""
    words = 0.4 * evidence.coverage + 0.2 * evidence.rank + 0.2 * evidence.fits
    if evidence.cosine is None:
        return words + 0.2 * evidence.own
    return (words + 0.5 * _share(evidence.cosine)) / 1.3


def _share(cosine: float) -> float:
    return min(max((cosine - _UNRELATED) / (_MATCHING - _UNRELATED), 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Case:
    """What speaks for an answer as a whole.

    Attributes:
        best: evidence of the best passage.
        lead: by how much it is nearer than the fourth, at most 0.4.
        missing: share of the names of things in the question that the best passage, and what it
            stands under, say nothing of.
    """

    best: Evidence
    lead: float
    missing: float


def confidence(case: Case) -> float:
    """How likely the best passage answers the question, from 0 to 1."""
    best = case.best
    lacking = _UNFIT if best.fits == 0 else 0.0
    if best.cosine is None or best.title is None:
        total = -3.0 + 6.0 * best.coverage + 6.0 * case.lead - 4.0 * case.missing - lacking
    else:
        gain = min(max(best.cosine - best.title, -0.03), _MOST_GAIN) / _MOST_GAIN
        near = _share(best.cosine)
        total = -6.3 + 5.1 * best.coverage + 3.4 * near + 4.0 * gain
        total += 10.8 * case.lead - 6.6 * case.missing - lacking
    return 1 / (1 + math.exp(-total))
