"""What an entry claims, taken apart: of what, what, how much, when, and whether it denies it.

No grammar is parsed. A sentence is cut at the first word that links a thing with what is said of
it (``ist``, ``kostet``, a colon): before it stands what it is about, behind it what it says.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property, lru_cache
from typing import Final
from uuid import UUID

from damals.domain.figures import Figure, figures, measures
from damals.domain.likeness import ADDING_FOLDED, WORD, folded, plain, stem, words_of
from damals.domain.measures import is_unit
from damals.domain.negation import denials
from damals.domain.periods import Period
from damals.domain.values import frozen

_FORMS: Final = 30_000
MAX_CHARS: Final = 20_000
"""Of a longer text only the beginning is compared."""


@frozen
class Claim:
    """What is compared of an entry.

    Attributes:
        period: when it holds.
        key: of a single-valued thing; two keys are two things.
        subject: what it is about, when it says so (``properties.subject``).
    """

    id: UUID
    title: str
    content: str
    type: str
    period: Period
    key: str | None = None
    subject: str | None = None


@frozen
class Word:
    """A word that carries something.

    Attributes:
        stem: what its forms share.
        written: as it stands there.
        large: it is a name, a German noun or the name of a version: it begins with a capital, or
            has a digit.
        subject: it stands before what is said.
    """

    stem: str
    written: str
    large: bool
    subject: bool


_LINKS: Final = words_of("""
ist sind war waren wird werden hat haben hatte hatten beträgt betragen betrug lautet lauten heißt
heißen liegt liegen lag gilt gelten kostet kosten endet enden beginnt beginnen startet dauert
dauern wohnt wohnen arbeitet arbeiten lebt leben läuft laufen steht stehen befindet findet finden
nutzt nutzen verwendet verwenden benutzt spricht sprechen mag mögen isst essen trinkt bevorzugt
unterstützt unterstützen erlaubt erlauben verbietet braucht benötigt erfordert erwartet bekommt
erhält leitet führt öffnet schließt kommt fährt bezahlt zahlt kann können darf dürfen muss müssen
soll sollen will wollen wurde wurden begann endete wiegt misst umfasst enthält gehört lauscht hört
verkauft kauft besitzt besucht plant hält is are was were has have had lies costs cost ends ended
begins began starts started takes lasts lives works runs stands uses use used speaks likes prefers
eats drinks supports support allows allow requires require needs expects gets receives leads opens
closes comes pays can may must shall should would cannot weighs measures contains belongs listens
sells buys owns visits plans expires remains equals does do did don't doesn't didn't isn't aren't
wasn't can't won't
""")
"""Words that link a thing with what is said of it."""
_SEPARATOR: Final = re.compile(r"\s*(?:(?<!\d):|:(?!\d)|[=→])\s*|\s+[-–—]+>?\s+")
SENTENCE: Final = re.compile(
    r"(?<=[^\W\d]{3}[.!?])(?<!mio\.)(?<!mrd\.)(?<!tsd\.)(?<!std\.)(?<!min\.)(?<!sek\.)(?<!bzw\.)"
    r"(?<!ggf\.)(?<!usw\.)(?<!vgl\.)(?<!inkl\.)(?<!zzgl\.)(?<!evtl\.)(?<!etc\.)\s+"
    r"|(?<=[!?;…])\s+|\n+",
    re.IGNORECASE,
)
"""Where a sentence ends."""
_SOURCE: Final = re.compile(
    r"(?:^|(?<=\n))\s*(?:laut|according to|nach angaben von|per)\s+[^,:\n]{1,60}[,:]\s+"
    r"|(?:^|(?<=\n))\s*(?:[\w.&-]+\s+){1,4}(?:sagt|says|said|meldet|reports|meint|behauptet|claims"
    r"|berichtet|states)\s*(?:,\s*(?:dass|daß)|that|:)?\s+",
    re.IGNORECASE,
)
"""Who says it: two who say different things contradict each other all the same."""
_FORMER: Final = re.compile(
    r"\((?:was|were|previously|formerly|before|vorher|früher|bisher|zuvor|war|vormals|ehemals"
    r"|statt|instead of|not|nicht)\b[^()]*\)"
    r"|\b(?:statt|anstatt|anstelle von|instead of|rather than)\s+(?:bisher\s+|der\s+|the\s+)?"
    r"[\w.,%€$/-]*\d[\w.,%€$/-]*(?:\s?[€$%]|\s(?:s|ms|min|h|km|m|kg|g|euro|eur|tage?n?|days?)\b)?",
    re.IGNORECASE,
)
"""What held before, said beside what holds."""
_PAST: Final = re.compile(
    r"\b(?:betrug|betrugen|war|waren|lag|lagen|was|were|gemessen|measured)\b", re.IGNORECASE
)
_BOUNDARY: Final = re.compile(
    r"\b(?:ab|seit|bis|zum|since|from|until|till|by|starting|gültig ab|frist)\s*(?:dem|den|zum)?"
    r"\s*$",
    re.IGNORECASE,
)
_UNTIL: Final = re.compile(
    r"\b(?:bis|zum|until|till|by)\s*(?:einschließlich|including|zum|the)?\s*$", re.IGNORECASE
)
EMPTY: Final = words_of(
    "notiz notizen note notes memo todo info information infos fakt fact facts zusammenfassung"
    " summary erinnerung memory erinnern remember merke merken wichtig important ergebnis result"
    " antwort answer kopie copy re fwd aw wg eintrag entry text wissen knowledge recall user nutzer"
    " benutzer untitled unbenannt neu new update aktualisierung nachtrag"
)
"""Titles of such words say nothing of what the entry is about."""
_EMPTY_STEMS: Final = frozenset(stem(word) for word in EMPTY)


class Profile:
    """A claim, taken apart; each part when it is asked for.

    Attributes:
        claim: it.
        words: by stem, the first of each.
        about: stems of what its title is about; empty when the title says nothing of that.
        linked: it has a sentence, and not only a value under a title.
    """

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self._title = _bare(claim.title)
        self._content = _bare(claim.content[:MAX_CHARS])
        said = [one for one in SENTENCE.split(self._content) if one.strip()]
        self._parts = [(one, split_at(one)) for one in said]
        place = split_at(self._title)
        if not place:
            place = len(self._title) if said else _at_value(self._title)
        self._parts.insert(0, (self._title, place))
        self.linked = not said or any(place for _, place in self._parts[1:])
        self.words: dict[str, Word] = {}
        for text, place in self._parts:
            for word in words_in(text, place):
                self.words.setdefault(word.stem, word)
        title, place = self._parts[0]
        explicit = frozenset(word.stem for word in words_in(claim.subject or "", 0))
        own = frozenset(word.stem for word in words_in(title, place) if word.subject)
        self.about = explicit or own - _EMPTY_STEMS

    @cached_property
    def untitled(self) -> "Profile":
        """What it says, without the title; the title is what it says where nothing else does."""
        said = self.claim.content if self.claim.content.strip() else self.claim.title
        return Profile(replace(self.claim, title="", content=said))

    @cached_property
    def told(self) -> str:
        """The title as it is compared, for equality."""
        return folded_words(self._title)

    @cached_property
    def text(self) -> str:
        """Folded words of title and content, in order, for equality."""
        return folded_words(f"{self._title}\n{self._content}")

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The words of the text, each once."""
        return frozenset(self.text.split())

    @cached_property
    def denials(self) -> tuple[str, ...]:
        """The words that deny."""
        if self._title in self._content:
            return denials(self._content)
        return denials(f"{self._title}\n{self._content}")

    def denying(self, other: "Profile") -> str:
        """The words that deny and that the other one does not say, as they stand there."""
        more = Counter(self.denials) - Counter(other.denials)
        return " ".join(self.written(word) for word in more.elements())

    def written(self, said: str) -> str:
        """A folded word as it stands there, in the text rather than in the title."""
        words = WORD.findall(f"{self._content}\n{self._title}")
        return next((word for word in words if folded(word) == folded(said)), said)

    @cached_property
    def adds(self) -> bool:
        """Whether it says that it comes to something else."""
        return not ADDING_FOLDED.isdisjoint(self.tokens)

    @cached_property
    def measured(self) -> bool:
        """Whether it says what was once measured."""
        return any(_PAST.search(text) for text, _ in self._parts)

    @cached_property
    def _figures(self) -> tuple[tuple[Figure, ...], tuple[Figure, ...]]:
        qualifiers: list[Figure] = []
        values: list[Figure] = []
        for number, (text, place) in enumerate(self._parts):
            for one in figures(text):
                names = _qualifies(text, one, place, title=number == 0)
                (qualifiers if names else values).append(one)
        return _once(qualifiers), _once(values)

    @property
    def qualifiers(self) -> tuple[Figure, ...]:
        """Figures that say of which thing or time it is."""
        return self._figures[0]

    @property
    def values(self) -> tuple[Figure, ...]:
        """Figures that are said of it."""
        return self._figures[1]

    def bounds(self, one: Figure) -> bool:
        """Whether a date is said as a start or an end (``ab 2024``), not as a time of which."""
        return any(
            text.startswith(one.text, one.start) and _bounded(text, one) for text, _ in self._parts
        )

    def ends_at(self, one: Figure) -> bool:
        """Whether a date is said as an end (``bis 2024``)."""
        return any(
            text.startswith(one.text, one.start) and _UNTIL.search(text[: one.start])
            for text, _ in self._parts
        )


def folded_words(text: str) -> str:
    """The words of a text, folded, with one blank between."""
    return " ".join(map(folded, WORD.findall(text)))


def _bare(text: str) -> str:
    """Without who says it, and without what held before."""
    return _SOURCE.sub(" ", _FORMER.sub(" ", plain(text)))


def split_at(text: str) -> int:
    """Where in a title or a sentence that begins what is said; 0 where nothing links."""
    for found in WORD.finditer(text):
        if is_link(found[0]):
            end = found.end()
            break
    else:
        end = 0
    separated = _SEPARATOR.search(text, 0, end or len(text))
    if separated is not None and text[: separated.start()].strip():
        return separated.end()
    return end


def _at_value(title: str) -> int:
    """Where the value stands in a title that says all: at its last number; 0 without one."""
    said = figures(title)
    measured = [one for one in said if one.base] or list(said)
    return measured[-1].start if measured else 0


@lru_cache(maxsize=_FORMS)
def is_link(word: str) -> bool:
    """Whether a word links a thing with what is said of it."""
    return word.casefold().replace("’", "'") in _LINKS


def words_in(text: str, place: int) -> Iterator[Word]:
    """The words that carry something; none of digits alone, and no unit of a number.

    Args:
        text: a title or a sentence.
        place: where what is said begins.
    """
    before = -1  # where a word with a capital ended
    counted = -1  # where a number ended
    for found in WORD.finditer(text):
        written = found[0]
        at, end = found.span()
        root, name, kind = _read(written)
        if kind is _Kind.NUMBER:
            counted = end
        elif root and not (kind is _Kind.UNIT and at <= counted + 1):
            # As Berger in "Anna Berger", which is not Berg.
            own = before == at - 1 and name.endswith("er")
            yield Word(name if own else root, written, bool(name), at < place)
        before = end if name and root else -1


class _Kind(Enum):
    """What a word is beside a number."""

    NUMBER = 1
    UNIT = 2
    OTHER = 3


@lru_cache(maxsize=_FORMS)
def _read(written: str) -> tuple[str, str, _Kind]:
    """What is compared of a word, the same for a name (else nothing), and its kind."""
    if written.isdecimal() or measures(written):
        return "", "", _Kind.NUMBER
    capital = written[:1].isupper()
    root = stem(written)
    if capital and len(written) == 1:
        root = folded(written)
    name = folded(written) if capital or any(map(str.isdigit, written)) else ""
    return root, name, _Kind.UNIT if is_unit(written) else _Kind.OTHER


def _bounded(text: str, one: Figure) -> bool:
    return bool(_BOUNDARY.search(text[max(one.start - 16, 0) : one.start]))


def _qualifies(text: str, one: Figure, place: int, *, title: bool) -> bool:
    """Whether a figure says of which thing or time a sentence is."""
    if one.label:
        return True
    if one.start >= place:
        return False
    if one.kind == "date":
        return not _bounded(text, one)
    return not one.base if title else one.unit in ("", "version")


def _once(some: Sequence[Figure]) -> tuple[Figure, ...]:
    """Figures without those that say the same twice, as title and content do."""
    kept: list[Figure] = []
    for one in some:
        if not any(one.low == k.low and one.high == k.high and one.agrees(k) for k in kept):
            kept.append(one)
    return tuple(kept)
