"""Echoes: text that says nothing but what is known, as when an answer is filed again.

A text is an echo when each piece of it stands in something that is known: letter by letter apart
from how it is written down, or lightly reworded, with no other number, date, name or denial and
nothing in another order. What is doubtful is no echo: to store a thing twice is mended easily, to
drop it is not.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Generic, TypeVar

from damals.domain.claims import EMPTY, SENTENCE, Word, folded_words, split_at, words_in
from damals.domain.figures import Figure, differing, figures
from damals.domain.likeness import ADDING_FOLDED, WORD, alike, folded, plain, stem, words_of
from damals.domain.negation import denials, opposites

REWORDED: Final = 0.8
"""Least likeness of a piece and the sentence that it rewords."""
MAX_PIECES: Final = 400
"""A text of more pieces is compared as a whole only."""

_MARKS: Final = re.compile(
    r"\[\d{1,3}\]|^\s*(?:[-*•>#]+|\d{1,2}[.)])\s+|\*\*|__|`|\[\.\.\.\]|\[…\]"
    r"|\((?:quelle|source|entry|eintrag)s?:?[^)]{0,120}\)|entry://\S+",
    re.IGNORECASE | re.MULTILINE,
)
"""What a quotation brings along: marks of citations, of lists, and where it comes from."""
_SAYS: Final = re.compile(
    r"^\s*(?:laut (?:gedächtnis|damals|notiz|eintrag)|according to (?:memory|damals|the entry)"
    r"|(?:nach|laut) (?:meiner|unserer) (?:erinnerung|kenntnis|notiz)|(?:so)?weit ich (?:mich"
    r" erinnere|weiß)|aus dem gedächtnis|im gedächtnis steht|wie (?:ich mich erinnere|bekannt)"
    r"|as far as i (?:know|remember|recall)|from (?:my )?memory|i (?:remember|recall)(?: that)?"
    r"|as (?:recorded|noted|remembered)|zitat|quote"
    r"|(?:the )?(?:answer|antwort|ergebnis|result|zusammenfassung|summary|notiz|note))\s*[:,]\s*",
    re.IGNORECASE | re.MULTILINE,
)
_GATHERED: Final = words_of(
    "zusammen zitat zitate zitiert auszug auszüge überblick übersicht gesammelt kombiniert beides"
    " quote quotes quoted excerpt excerpts overview recap combined both together"
)
"""Titles that say how a text was made of others."""
_SAYING_NOTHING: Final = EMPTY | _GATHERED

_Name = TypeVar("_Name")


@dataclass(frozen=True)
class Known(Generic[_Name]):
    """Something that is known and may be echoed.

    Attributes:
        name: of it.
        title, content: what it says.
        more: what else belongs to it, as tags and headings; a title may name these too.
    """

    name: _Name
    title: str
    content: str
    more: Sequence[str] = field(default=())

    @cached_property
    def said(self) -> str:
        """Its words, folded, with a blank before, between and behind."""
        return f" {folded_words(plain(self.content))} " if self.content else self.titled

    @cached_property
    def titled(self) -> str:
        """The words of its title, in the same form."""
        return f" {folded_words(plain(self.title))} "

    @cached_property
    def whole(self) -> str:
        """Title and text, as they are shown one behind the other."""
        return f"{self.titled}{self.said.lstrip()}"

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all its words."""
        text = " ".join((self.title, self.content, *self.more))
        return frozenset(stem(word) or folded(word) for word in WORD.findall(plain(text)))

    @cached_property
    def sentences(self) -> Sequence["_Sentence"]:
        """What it says, sentence by sentence."""
        return [_Sentence(one) for one in (self.title, *_pieces(self.content)) if one.strip()]


class _Sentence:
    """A sentence as it is compared with another that may be the same in other words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = list(words_in(text, split_at(text)))
        self.stems = frozenset(word.stem for word in self.words)
        self.figures: Sequence[Figure] = figures(text)
        self.denials = denials(text)
        self.tokens = frozenset(map(folded, WORD.findall(text)))

    def reworded(self, other: "_Sentence") -> bool:
        """Whether the other one says the same in other words."""
        if not self.stems or any(differing(self.figures, other.figures)):
            return False
        mine = [w for w in self.words if w.stem not in other.stems and not _among(w, other.words)]
        theirs = [w for w in other.words if w.stem not in self.stems and not _among(w, self.words)]
        if any(word.large for word in (*mine, *theirs)) or (mine and theirs):
            return False
        if len(self.denials) != len(other.denials) or not ADDING_FOLDED.isdisjoint(
            self.tokens ^ other.tokens
        ):
            return False
        if any(opposites(self.tokens - other.tokens, other.tokens - self.tokens)):
            return False
        common = len(self.words) + len(other.words) - len(mine) - len(theirs)
        near = common >= REWORDED * (len(self.words) + len(other.words))
        return near and _in_order(self.names, other.names) and self.measures == other.measures

    @property
    def names(self) -> list[str]:
        """Names and nouns, in their order."""
        return [word.stem for word in self.words if word.large]

    @property
    def measures(self) -> list[object]:
        """Numbers and dates by what they mean, in their order."""
        return [(one.kind, one.unit, one.low) for one in self.figures]


def _in_order(first: list[str], second: list[str]) -> bool:
    """Whether what a sentence names stands in one order, but for a part that was put in front.

    Of few names that part may be what it is about: ``Anna mag Ben``, ``Ben mag Anna``.
    """
    if first == second:
        return True
    if len(first) != len(second) or len(first) < _FRONTED:
        return False
    return any(first[place:] + first[:place] == second for place in range(1, len(first)))


_FRONTED: Final = 4


def _among(word: Word, others: Sequence[Word]) -> bool:
    return any(
        alike(word.stem, other.stem, name=word.large and other.large)
        for other in others
        if word.large == other.large
    )


def echoed(
    title: str, content: str, known: Sequence[Known[_Name]], told: Collection[_Name] = ()
) -> tuple[_Name, ...]:
    """The names of what a text is an echo of, the one that it says most of first; else nothing.

    Args:
        title: of what is filed; it may be anything that says nothing of its own.
        content: what is filed; the title when it is empty.
        known: what may be echoed.
        told: names of what was told to somebody lately: its text says what it says under any title
            that names nothing of it.
    """
    pieces = [one for one in _pieces(content or title) if folded_words(one)]
    if not pieces or len(pieces) > MAX_PIECES:
        return ()
    found: Counter[int] = Counter()
    for piece in pieces:
        place = _source(piece, known)
        if place is None:
            return ()
        found[place] += len(piece)
    sources = [place for place, _ in found.most_common()]
    first = known[sources[0]]
    again = len(sources) == 1 and first.name in told and _said_again(title, pieces, first)
    if content and not again and not _names(title, [known[place] for place in sources]):
        return ()
    return tuple(known[place].name for place in sources)


def _pieces(text: str) -> Iterator[str]:
    """Sentences and lines, without what a quotation brings along."""
    bare = _SAYS.sub("", _MARKS.sub(" ", plain(text)))
    return (one.strip() for one in SENTENCE.split(bare) if one.strip())


def _source(piece: str, known: Sequence[Known[_Name]]) -> int | None:
    """The place of what says a piece."""
    said = f" {folded_words(piece)} "
    for place, one in enumerate(known):
        if said in one.whole and not _out_of_denial(piece, said, one):
            return place
    sentence = _Sentence(piece)
    for place, one in enumerate(known):
        if any(sentence.reworded(other) for other in one.sentences):
            return place
    return None


def _out_of_denial(piece: str, said: str, known: Known[_Name]) -> bool:
    """Whether a piece was cut out of a sentence that denies it."""
    whole = (one for one in known.sentences if said in f" {folded_words(one.text)} ")
    holding = next(whole, None)
    return holding is not None and len(holding.denials) != len(denials(piece))


def _names(title: str, sources: Sequence[Known[_Name]]) -> bool:
    """Whether a title says nothing that the sources do not."""
    said = frozenset[str]().union(*(one.stems for one in sources))
    # In a title with a number, as a code, the small words tell things apart too: `A-3`, `B-3`.
    counted = any(letter.isdigit() for letter in title)
    for word in WORD.findall(plain(title)):
        root = stem(word)
        new = (root or folded(word)) not in said
        if new and word.casefold() not in _SAYING_NOTHING and (root or counted):
            return False
    known = " ".join(f"{one.title} {one.content}" for one in sources)
    return bool(denials(known)) or not denials(title)


def _said_again(title: str, pieces: Sequence[str], source: Known[_Name]) -> bool:
    """Whether a text that was told comes back under a label that is about nothing.

    The text has to say enough and to name itself what it is about, as its first title does: in
    ``Server Alpha: er hat 16 GB`` another title is another thing. A title that shares a word with
    it tells one such thing from another (``Frist Weber``), and so does a code or a number.
    """
    words = [word for piece in pieces for word in words_in(piece, split_at(piece))]
    large = sum(word.large for word in words)
    enough = len(words) >= _RICH or (len(words) >= _NAMED and large >= _LARGE)
    stems = {word.stem for word in words}
    label = WORD.findall(plain(title))
    coded = any(_is_code(word) for word in label)
    return (
        enough
        and not coded
        and not denials(title)
        and _roots(WORD.findall(plain(source.title))) <= stems
        and source.stems.isdisjoint(_roots(label))
    )


_RICH: Final = 5
_NAMED: Final = 3
_LARGE: Final = 2
"""A text of so many words says what it is about; fewer do when so many of them are nouns."""


def _roots(words: Sequence[str]) -> set[str]:
    """Stems of the words that say something."""
    return {stem(word) for word in words if word.casefold() not in _SAYING_NOTHING} - {""}


def _is_code(word: str) -> bool:
    """Whether a word of a title is the name of one of many: ``A-3``, ``B``, ``XR``."""
    return any(letter.isdigit() for letter in word) or len(word) == 1 or word.isupper()
