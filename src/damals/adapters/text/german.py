"""The lexical encoder for German: stems and character 4-grams as sparse vectors.

Each content word gives its stem, a form of a verb that of the infinitive (``saß`` meets ``sitzt``),
and if it is longer than four characters all its 4-grams: these do what splitting compounds does
(``Kündigungsfrist`` meets ``Frist der Kündigung``). Stems and grams have token ids in namespaces of
their own.

A passage's weights are the term part of BM25 (Robertson and Zaragoza 2009, section 3.4)::

    tf (k1 + 1) / (tf + k1 (1 - b + b length / average))

with constant averages, so that no passage depends on another; stems and grams each have their own
length. The inverse document frequency is the index's part. How much a gram counts beside a stem
stands in the question's weights alone. The constants were measured with ``bench/german.py``.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import version as package_version
from importlib.resources import files
from itertools import chain
from threading import Lock
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from damals.adapters.text.verbs import UMLAUTS, infinitive
from damals.app.index_model import SparseVector

GRAM: Final = 4
_VERSION: Final = 2
_LONGEST: Final = 64
_WORDS_REMEMBERED: Final = 1 << 16
_GRAMS_REMEMBERED: Final = 1 << 17
# Letters and digits, with what may stand inside a word: combining marks (decomposed umlauts), the
# soft hyphen, joiners. The underscore is Markdown's. Longer runs (texts without blanks, encoded
# data) are taken in parts.
_WORD: Final = re.compile(
    rf"[^\W_](?:[^\W_]|[\u0300-\u036f\u00ad\u200c\u200d]){{0,{_LONGEST - 1}}}"
)
# Nearly all texts have nothing of the kind, and then a plain run is found three times as fast.
_PLAIN_WORD: Final = re.compile(rf"\w{{1,{_LONGEST}}}")
_NOT_PLAIN: Final = re.compile("[_\u0300-\u036f\u00ad\u200c\u200d]")
_INVISIBLE: Final[dict[int, None]] = dict.fromkeys((0xAD, 0x200C, 0x200D))


class Saturation(NamedTuple):
    """The constants of BM25's term part."""

    k1: float
    b: float
    average: float


STEMS: Final = Saturation(k1=1.2, b=0.75, average=75.0)
GRAMS: Final = Saturation(k1=1.2, b=0.75, average=375.0)
GRAM_WEIGHT: Final = 0.3
"""What a gram of a question counts beside a stem."""


class _Tokens(NamedTuple):
    """What a written word stands for; ``stem`` is empty for a stop word.

    Attributes:
        asked_ids: what a question with it asks for. Whoever writes all words small may mean the
            noun: then ``unterlagen`` asks for the verb and for the papers.
    """

    stem: str
    stem_id: int
    gram_ids: tuple[int, ...]
    asked_ids: tuple[int, ...]


_NOTHING: Final = _Tokens("", 0, (), ())


class _Stemmed(NamedTuple):
    """A word as it is compared.

    Attributes:
        plain: folded.
        stem: empty for a stop word.
        other: the stem of what it may be instead, else the same.
    """

    plain: str
    stem: str
    other: str


class GermanLexicalEncoder:
    """Port ``LexicalEncoder``. Safe to share between threads."""

    def __init__(self) -> None:
        self._tokens = _Remembered()
        self._stems = _Stems(self._tokens)

    @property
    def version(self) -> str:
        """Rules and stemmer, for example ``de2-snowball3.0.1``."""
        return f"de{_VERSION}-snowball{package_version('PyStemmer')}"

    def passage(self, text: str) -> SparseVector:
        """Weights of a stored text, saturated as in BM25."""
        words = self._content(text)
        stems = Counter([word.stem_id for word in words])
        grams = Counter(chain.from_iterable([word.gram_ids for word in words]))
        weights = _saturated(grams, GRAMS)
        for token, weight in _saturated(stems, STEMS).items():
            weights[token] = weights.get(token, 0.0) + weight
        return _sparse(weights)

    def query(self, text: str) -> SparseVector:
        """Weights of a question: how often a stem was said, grams less."""
        words = self._content(text)
        asked = Counter(chain.from_iterable(word.asked_ids for word in words))
        weights: dict[int, float] = {**asked}
        for token, count in Counter(chain.from_iterable(w.gram_ids for w in words)).items():
            weights[token] = weights.get(token, 0.0) + GRAM_WEIGHT * count
        return _sparse(weights)

    def words(self, text: str) -> Sequence[tuple[str, int, int]]:
        """The content words: stem, start and end offset in ``text``, in order.

        The stem of a form of a verb is that of its infinitive; the offsets are of what is written.
        """
        tokens = self._tokens
        return [
            (known.stem, *found.span())
            for found in _word_in(text).finditer(text)
            if (known := tokens[found[0]]).stem
        ]

    def matched(self, text: str, stems: Collection[str]) -> Sequence[str]:
        """The words that have one of some stems, each once as it is written, in order."""
        stem_of = self._stems
        return [
            word
            for word in dict.fromkeys(_word_in(text).findall(text))
            if (stem := stem_of[word]) and stem in stems
        ]

    def _content(self, text: str) -> list[_Tokens]:
        tokens = self._tokens
        return [known for word in _word_in(text).findall(text) if (known := tokens[word]).stem]


def _word_in(text: str) -> re.Pattern[str]:
    """The pattern of a word that suits a text; which one it is changes no word."""
    return _WORD if _NOT_PLAIN.search(text) else _PLAIN_WORD


class _Remembered(dict[str, _Tokens]):
    """Tokens by written word. Forgets all when full: simple, and words repeat soon enough."""

    def __init__(self) -> None:
        stemmer: Any = import_module("Stemmer")  # compiled, without annotations
        super().__init__()
        self._stem: Callable[[str], str] = stemmer.Stemmer("german").stemWord
        self._one_at_a_time = Lock()
        self._gram_ids: dict[str, int] = {}

    def __missing__(self, word: str) -> _Tokens:
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        if len(self._gram_ids) >= _GRAMS_REMEMBERED:
            self._gram_ids.clear()
        self[word] = found = self._analyse(word)
        return found

    def stemmed(self, word: str) -> _Stemmed:
        """A word with its stem, from which its tokens follow."""
        plain = normalize("NFC", normalize("NFC", word.translate(_INVISIBLE)).casefold())
        if plain in stop_words():
            return _Stemmed(plain, "", "")
        verb = infinitive(plain, large=word[:1].isupper())
        with self._one_at_a_time:
            written = self._stem(plain)
            stem = self._stem(verb.infinitive.casefold()) if verb else written
        doubtful = verb is not None and verb.doubtful
        return _Stemmed(plain, stem, written if doubtful else stem)

    def _analyse(self, word: str) -> _Tokens:
        plain, stem, other = self.stemmed(word)
        if not stem:
            return _NOTHING
        asked = dict.fromkeys(_token_id("w", one) for one in (stem, other))
        return _Tokens(stem, _token_id("w", stem), tuple(self._grams(plain)), tuple(asked))

    def _grams(self, word: str) -> Iterator[int]:
        if len(word) <= GRAM:
            return
        # As the stemmer does, ü and ue are taken as the same.
        written = word.translate(UMLAUTS)
        for start in range(len(written) - GRAM + 1):
            gram = written[start : start + GRAM]
            token = self._gram_ids.get(gram)
            if token is None:
                self._gram_ids[gram] = token = _token_id("g", gram)
            yield token


class _Stems(dict[str, str]):
    """Stems by written word, where no tokens are wanted: they take most of the time.

    Empty for a stop word.
    """

    def __init__(self, tokens: _Remembered) -> None:
        super().__init__()
        self._tokens = tokens

    def __missing__(self, word: str) -> str:
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        known = self._tokens.get(word)
        self[word] = stem = known.stem if known is not None else self._tokens.stemmed(word).stem
        return stem


@cache
def stop_words() -> frozenset[str]:
    """German and English stop words, folded, umlauts also written with e."""
    data = files("damals.adapters.text") / "data"
    lines = [
        line
        for name in ("stopwords_de.txt", "stopwords_en.txt")
        for line in (data / name).read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    words = {word.casefold() for line in lines for word in line.split()}
    return frozenset(words | {word.translate(UMLAUTS) for word in words})


def _token_id(namespace: str, token: str) -> int:
    """A stable unsigned 32-bit number; two tokens in four billion share one."""
    name = f"{namespace}{token}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=4).digest(), "little")


def _saturated(counts: Counter[int], constants: Saturation) -> dict[int, float]:
    k1, b, average = constants
    floor = k1 * (1 - b + b * counts.total() / average)
    by_count = {n: n * (k1 + 1) / (n + floor) for n in set(counts.values())}
    return dict(zip(counts, map(by_count.__getitem__, counts.values()), strict=True))


def _sparse(weights: dict[int, float]) -> SparseVector:
    indices = tuple(sorted(weights))
    return SparseVector(indices, tuple(map(weights.__getitem__, indices)))
