"""How well a passage answers a question, and whether anything does.

Words alone mislead where a question asks for something else about a known thing ("the phone
number of Müller GmbH"): the name is everywhere, what is asked for nowhere. So a word counts by how
rarely it is found among what was ranked, and one that is found nowhere counts most. Vectors alone
mislead likewise, as the name makes all that is said of a thing near; so they count by what a
passage adds to its title, too.

The weights are calibrated on the questions of the demo archive (``demo/questions.jsonl``).
"""

import math
import re
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


# --- what the question word asks for

_COUNTED: Final = (
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halb\w*|hälfte"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|half"
    r"|eine?[nrsm]?\s+(?:(?:einzige|halbe|ganze)\w*\s+)?(?:million\w*|stunde|tag\w*|woche|monat\w*"
    r"|jahr\w*|prozent|euro|drittel|viertel|mal)"
)
"""Numbers in words; "ein" is one before what is counted, else it is an article."""
_DATED: Final = (
    r"(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|januar|februar|märz|april|mai|juni|juli"
    r"|august|september|oktober|november|dezember|heute|uhr|jahre?s?|monate?n?|wochen?"
    r"|\w+day|january|february|march|may|june|july|october|december|today|years?|months?|weeks?"
)
_HOUSE: Final = (
    r"[A-ZÄÖÜ][\w.-]*(?:\s(?:den|der|dem)\s[A-ZÄÖÜ]\w*)?,?\s\d{1,3}\s?[a-z]?(?![\w.:%€])"
)
"""A street with a number of a house, or a post-office box: ``Am Markt 3``, ``Kaiserring 7a``."""
_STREET: Final = rf"\b\d{{5}}\b|(?i:stra(?:ß|ss)e|\bplatz\b|allee|\w(?:gasse|platz)\b)|{_HOUSE}"
_PLACED: Final = (
    rf"{_STREET}|\b(?:in|im|am|beim?|an|auf|aus|unter|hinter|neben|gegenüber|at|on|from|near)\b"
)
_BARE: Final = re.compile(
    r"\W*[A-ZÄÖÜ][\w-]+(?:[ ,/]+[A-ZÄÖÜ][\w-]+){0,3}\W*|.*,\s[A-ZÄÖÜ][\w-]+\W*", re.DOTALL
)
"""A passage that is a name and nothing else, or ends with one as an address does."""
_OF_PLACE: Final = re.compile(
    r"\b(?:\w*(?:anschrift|adresse|sitz|standort|wohnort|lage)|address|location|seat|site)\b",
    re.IGNORECASE,
)
"""A title under which a place stands."""
_NAMED_PLACE: Final = (
    _STREET
    + r"|\b(?i:in|aus|nach|at|from|near|bei|Raum|Stadt|Ort|town|city)\s+[A-ZÄÖÜ][a-zäöüß]{2,}"
)
"""A place with a name: that has no article before it, which a thing has."""
_MEASURED: Final = (
    r"\b(?:wie ?viele?|wie (?:hoch|schnell|lange|oft|groß|teuer)|was kostet|welcher betrag"
    r"|how (?:many|much|fast|long|often|high|large|big|old))\b"
)
_SETTLEMENT: Final = (
    r"\b(?:welche[rmns]?|which|what) (?:stadt|städten|ort|orten|dorf|gemeinde|land|straße|town|city"
    r"|place|village|country|street)\b"
)
_WHERE: Final = r"\b(?:wo|wohin|woher|adresse|anschrift|where|address)\b"
_WHO: Final = r"\b(?:wer|wen|wem|wessen|who|whom|whose)\b"
_WHO_IS: Final = re.compile(r"\b(?:wer (?:ist|war|wird)|who (?:is|was|'s))\b", re.IGNORECASE)
_KINDS: Final = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(said))
    for asked, said in (
        (_MEASURED, rf"\d|(?i:\b(?:{_COUNTED})\b)"),
        (
            r"\b(?:wann|wochentag|monat\w*|uhrzeit\w*|geburtstag|when|what time|which day)\b",
            rf"\d|(?i:\b(?:{_DATED})\b)",
        ),
        (_SETTLEMENT, _NAMED_PLACE),
        (_WHERE, _PLACED),
        (_WHO, r"\b[A-ZÄÖÜ]\w+"),
    )
)
_PERSON: Final = re.compile(
    r"\b(?:(?:Herrn?|Frau|Dr\.|Prof\.|Mrs?\.?|Ms\.?)\s+)?"
    r"([A-ZÄÖÜ][a-zäöüß]+)[ -]([A-ZÄÖÜ][a-zäöüß]+)\b"
)
_PLACE_NAME: Final = re.compile(
    r"\b(?:(?i:in|im|aus|nach|at|from|beim?|am|auf)|\d{5})\s+((?:[A-ZÄÖÜ][\w-]+\s?){1,3})"
)
_NO_NAMES: Final = re.compile(
    r"der|die|das|eine?[nmr]?|de[sm]|den|the|an?|in|im|am|bei|zu|für|mit|von|we[rm]|was|wie|wo|wann"
    r"|erste|zweite"
)
"""What is capitalised at a beginning, and is no part of a name."""


def fits(question: str, passage: str, under: str = "") -> float:
    """1 when a passage has the kind of thing that is asked for, 0 when not, ½ when unknown.

    A name in it is no more than ½ for who somebody is: it says nothing of the role.

    Args:
        question: as it was asked.
        passage: what may answer.
        under: what it stands under, which may name the person that it tells of.
    """
    if _WHO_IS.search(question):
        return 0.5 if _has_person(question, f"{under}. {passage}") else 0.0
    for asked, said in _KINDS:
        if asked.search(question):
            found = said.search(passage) or (said.pattern == _PLACED and _is_place(passage, under))
            return 1.0 if found else 0.0
    return 0.5


def _is_place(passage: str, under: str) -> bool:
    """Whether a passage is a place by what it stands under, or by being but a name."""
    return bool(under) and bool(_OF_PLACE.search(under) or _BARE.fullmatch(passage))


def _has_person(question: str, text: str) -> bool:
    """Whether a text names somebody whom the question does not."""
    asked = set(re.findall(r"\w+", question.casefold()))
    pairs = ([one.casefold() for one in found.groups()] for found in _PERSON.finditer(text))
    return any(not any(one in asked or _NO_NAMES.fullmatch(one) for one in pair) for pair in pairs)


def asks_for_person(question: str) -> bool:
    """Whether a question asks who: of that, a capital letter tells little."""
    return bool(re.search(_WHO, question, re.IGNORECASE))


def places(question: str, text: str) -> frozenset[str]:
    """The words of a text that stand where a place does, for a question for a place."""
    if not re.search(f"{_WHERE}|{_SETTLEMENT}", question, re.IGNORECASE):
        return frozenset()
    return frozenset(word for found in _PLACE_NAME.findall(text) for word in found.split())


# --- together

_UNRELATED: Final = 0.78
_MATCHING: Final = 0.92
"""Cosines of unrelated and of matching texts, as the default model gives them."""
_MOST_GAIN: Final = 0.1
_UNFIT: Final = 5.0
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
