"""Whether a passage says what a sentence of a model says, as far as words can tell.

A share of common words cannot decide that: the word that an answer turns on is one of many. So the
words that carry an answer must all be there, and only those between them may be others.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from damals.app.clauses import regrouped
from damals.app.passages import Passage, Reading
from damals.domain.evidence import matched
from damals.domain.passages import readable
from damals.domain.qualified import exchanged, qualified

SUPPORTED: Final = 0.6
"""Share of a sentence's small words, those with content, that the passage must say."""
NEARLY: Final = 0.3
"""A smaller share is enough where the vectors say the same."""
MEANT: Final = 0.86
"""Cosine from which on a sentence says what a passage says."""

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_LINK: Final = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|www\.)[^\s<>\"')\]]+|[^\s<>@()\[\]]+@[\w.-]+\.\w+"
    r"|(?<![\w.])(?:[a-z0-9-]{2,}\.)+[a-z]{2,}(?:/[^\s<>\"')\]]*)?(?!\w)"
)
"""An address on the net or of mail, with or without its scheme."""
_BEGINS: Final = re.compile(r"""(?:^|[.!?:;]\s)[\s"'„“”»«(*–-]*$""")
_HEAD: Final = 4
"""Least length of a noun that a compound may end with: ``Frist``, ``Kündigungsfrist``."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_OPPOSITE: Final = _set("un miss nicht anti gegen ex")
"""What before a noun makes it its opposite: ``Nichtraucher``."""
_DENIAL: Final = re.compile(
    r"\b(?:nicht|nichts|kein\w*|nie|niemals|niemand\w*|nirgend\w*|ohne|weder"
    r"|not|no|never|none|nor|nobody|nothing|nowhere|cannot|without|neither)\b|n['’]t\b",
    re.IGNORECASE,
)
_COUNTED: Final = {
    word: str(number)
    for number, words in enumerate(
        ("zwei two", "drei three", "vier four", "fünf five", "sechs six", "sieben seven",
         "acht eight", "neun nine", "zehn ten", "elf eleven", "zwölf twelve"), start=2,
    )
    for word in words.split()
}  # fmt: skip
_LINKING: Final = _set(
    "liegt liegen lautet lauten heißt heißen beträgt betragen befindet befinden gibt laut ja nein"
    " yes located amounts called named according"
)
"""Small words that say nothing of their own, beside the stop words."""
_ADDRESS: Final = frozenset(("I", "Sie", "Ihnen", "Ihr", "Ihre", "Ihren", "Ihrem", "Ihrer"))
_ENGLISH: Final = _set(
    "the of and is are has have to with for by at its from their it that he she who be"
)
_GERMAN: Final = _set(
    "der das des dem den und ist sind hat haben zu mit für von im am auf bei ein eine einen einem"
    " einer eines nicht wird werden seit sich"
)
_DETERMINER: Final = re.compile(
    r"(?:der|die|das|des|dem|den|im|am|zum|zur|beim|vom|ins"
    r"|(?:k?ein|mein|dein|sein|ihr|unser|dies|jed|all)(?:e[nmrs]?)?)",
    re.IGNORECASE,
)
_ABSTRACT: Final = re.compile(
    r"\w{3,}(?:ung|heit|keit|schaft|tät)(?:en|s)?|\w{3,}nis(?:se[ns]?|es)?", re.IGNORECASE
)
_TITLED: Final = _set("frau herr herrn familie firma dr prof mr mrs ms")


def supported(said: str, passage: Passage, reading: Reading, asked: frozenset[str]) -> bool:
    """Whether a passage, with the title and the headings that it stands under, says a sentence.

    It does when it denies if and only if the sentence does, has every number, every address on
    the net and every capitalised word of the sentence, says of one subject what that does, with its
    names in their places, means its figures and limits alike, and has of the small words with
    content enough. Names must
    be there as they are; a common noun in any form, as the end of a compound, or, if the question
    has it, as a word that asks for the same. In English every capitalised word is a name.

    Args:
        said: a sentence without marks.
        passage: what it cites.
        reading: reads both.
        asked: stems of the question.
    """
    said = normalize("NFC", said)
    quote, under = (normalize("NFC", one) for one in (readable(passage.quote), passage.under))
    text = f"{under} {quote}"
    if bool(_DENIAL.search(said)) != bool(_DENIAL.search(text)):
        return False
    if not _links(said) <= _links(f"{text} {passage.quote}"):
        return False
    said = _LINK.sub(" ", said)
    if regrouped(said, quote, reading) or exchanged(said, quote):
        return False
    if not (_numbers(said) <= _numbers(text) and qualified(said, quote, under)):
        return False
    source = _Source.of(text, reading, asked)
    words = list(_words(said, reading))
    if not all(source.names(word) for word in words if word.large):
        return False
    return _small(" ".join(word.text for word in words if not word.large), said, source)


def _numbers(text: str) -> set[str]:
    counted = {_COUNTED[word] for word in _WORD.findall(text.casefold()) if word in _COUNTED}
    return counted | set(_NUMBER.findall(text))


def _links(text: str) -> set[str]:
    return {one.rstrip(".,;:!?") for one in _LINK.findall(text)}


def _small(words: str, said: str, source: "_Source") -> bool:
    reading = source.reading
    stems = reading.stems(words)
    if not stems:
        return True
    found = sum(matched(one, source.stems, reading.groups) for one in stems)
    share = found / len(stems)
    return share >= SUPPORTED or (share >= NEARLY and reading.same(said, source.text, MEANT))


# --- the words of a sentence


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a sentence.

    Attributes:
        large: it is capitalised.
        first: it begins a sentence.
        common: it is a common noun, not a name, as far as its place and its form tell.
    """

    text: str
    large: bool
    first: bool
    common: bool


def _words(said: str, reading: Reading) -> Iterator[_Word]:
    """The words that say something: no linking ones, and no numbers."""
    found = list(_WORD.finditer(said))
    texts = [one[0] for one in found]
    english = _is_english(texts)
    for place, one in enumerate(found):
        text = one[0]
        small = text.casefold()
        titled = place > 0 and texts[place - 1].casefold() in _TITLED  # "Dr." ends no sentence
        first = not titled and bool(_BEGINS.search(said[: one.start()]))
        capital = any(letter.isupper() for letter in text)
        abbreviation = len(text) > 1 and text.isupper()
        function = small in _LINKING or small in _COUNTED or not reading.stems(text)
        if text.isdecimal() or text in _ADDRESS:
            continue
        if function and not abbreviation and (first or not capital):
            continue
        common = capital and not abbreviation and not english and _is_common(texts, place)
        yield _Word(text, capital, first, common)


def _is_english(words: list[str]) -> bool:
    small = [word.casefold() for word in words]
    return sum(one in _ENGLISH for one in small) > sum(one in _GERMAN for one in small)


def _is_common(words: list[str], place: int) -> bool:
    """Whether a capitalised word of a German sentence is a common noun.

    A determiner stands before it and no further noun or name behind it, or it has the ending of an
    abstract noun. Doubtful ones are names, which are looked for more strictly.
    """
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if before.casefold() in _TITLED:
        return False
    if _ABSTRACT.fullmatch(words[place]):
        return True
    return bool(_DETERMINER.fullmatch(before)) and not after[:1].isupper()


# --- the words of a passage


@dataclass(frozen=True, slots=True)
class _Source:
    """What a passage says.

    Attributes:
        large: its capitalised words, folded.
        small: its other words, folded, and their stems.
        asked: stems of the question.
    """

    text: str
    reading: Reading
    stems: frozenset[str]
    large: frozenset[str]
    small: frozenset[str]
    asked: frozenset[str]

    @classmethod
    def of(cls, text: str, reading: Reading, asked: frozenset[str]) -> "_Source":
        words = _WORD.findall(text)
        small = [one for one in words if one == one.lower()]
        large = frozenset(one.casefold() for one in words if one != one.lower())
        either = reading.stems(" ".join(small)) | {one.casefold() for one in small}
        return cls(text, reading, reading.stems(text), large, either, asked)

    def names(self, word: _Word) -> bool:
        """Whether a capitalised word is there."""
        folded = word.text.casefold()
        if folded in self.large:
            return True
        stems = self.reading.stems(word.text)
        if word.first and (folded in self.small or (stems and stems <= self.small)):
            return True  # only its place makes it large
        return word.common and bool(stems) and all(map(self._has, stems))

    def _has(self, stem: str) -> bool:
        if stem in self.stems:
            return True
        ends = (other.removesuffix(stem) for other in self.stems if other.endswith(stem))
        if len(stem) >= _HEAD and any(before not in _OPPOSITE for before in ends):
            return True
        groups = self.reading.groups
        own = groups.get(stem, frozenset()) if stem in self.asked else frozenset[int]()
        return any(own & groups.get(other, frozenset()) for other in self.stems)
