"""Which of many claims are worth comparing: those that may speak of the same thing.

Claims meet in buckets: of one key, of one title, of a rare word of what their titles are about (the
rarest of the shorter title is in the longer one, too), of one text but for its numbers and denials,
of a rare word of it (a word that many texts share leads to none). A bucket that is too
large is put in order, and only neighbours in it are compared. So the work grows hardly faster than
the number of claims, and depends on nothing but what they say (sorted neighbourhoods: Hernández
and Stolfo 1995; prefixes of rare words: Bayardo et al. 2007).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from typing import Final

from damals.domain.claims import EMPTY, Claim, is_link, split_at
from damals.domain.figures import is_month
from damals.domain.likeness import WORD, alike, stem
from damals.domain.measures import is_unit
from damals.domain.names import fold
from damals.domain.values import frozen

BUCKET: Final = 24
"""Of a bucket of more claims only neighbours are compared."""
NEIGHBOURS: Final = 6
"""So many claims behind it are neighbours of one in a large bucket."""
RARE: Final = 2
"""So many of the rarest words of a title lead to others."""
RARE_OF_TEXT: Final = 4
"""The same for a claim whose title says nothing."""
ALONE: Final = 3
"""So many words of a text are enough to meet under another title by a rare one."""
TEXTS: Final = 12
"""A word that more texts share leads to none of them."""
NEAR: Final = 0.6
"""Least share of words of texts that are worth comparing under any titles."""
LOOKED_AT: Final = 2_000
"""Characters of a text that are looked at."""
LONG: Final = 12
"""So many words of a text are enough to meet under another title."""
DENYING: Final = "un"
"""What is possible and what is ``unmöglich`` meet."""
FEW: Final = 12
"""Of shorter claims a word is too much."""
LEAST: Final = 0.25
"""Least share of words of two claims that are worth comparing."""


@frozen
class _Seen:
    """What meets of a claim.

    Attributes:
        claim: it.
        since, until: the first and the last instant at which it may hold.
        order: by what it stands among others of a large bucket.
        about: stems of what its title is about, without numbers.
        words: stems of all that it says.
        said: stems of its text without title, when they are enough.
        text: its folded text without title, when it is long enough.
        numbers: of what its title is about; none where something is measured in them.
        dated: some of them may be a date, which can be written otherwise.
    """

    claim: Claim
    since: int
    until: int
    order: tuple[str, str]
    about: frozenset[str]
    words: frozenset[str]
    said: frozenset[str]
    text: str
    numbers: frozenset[str]
    dated: bool


_UNIT: Final = 1
_MONTH: Final = 2
_FORMS: Final = 30_000
_DIGIT: Final = re.compile(r"\d")
_WRITTEN: Final = re.compile(r"\d[.,/:-]\d")
"""Digits that may be written otherwise: dates, times, thousands."""


def near_pairs(claims: Iterable[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Pairs of claims that may be duplicates or contradict each other, by ids, each once.

    The smaller id is first. Claims that hold at different times are no pair.
    """
    stems = _Stems()
    seen = [_seen(claim, stems) for claim in sorted(claims, key=lambda one: one.id.int)]
    found: set[tuple[int, int]] = set()
    for bucket in _buckets(seen):
        found |= bucket
    for first, second in sorted(found):
        a, b = seen[first], seen[second]
        if _near(a, b):
            yield a.claim, b.claim


class _Stems(dict[str, str]):
    """The stem of each word that was asked for; empty for what no title is about."""

    def __missing__(self, word: str) -> str:
        found = self[word] = "" if word.isdecimal() else _root(word)
        return found


def _seen(claim: Claim, stems: _Stems) -> _Seen:
    title, content = claim.title, claim.content[:LOOKED_AT]
    titled = WORD.findall(title)
    said = WORD.findall(content)
    cut = split_at(title)
    before = [one for one in WORD.findall(title[:cut]) if not is_link(one)] if cut else titled
    about = {stems[word] for word in before if word.casefold() not in EMPTY}
    words = {stems[word] for word in (*titled, *said)}
    about.discard("")
    words.discard("")
    order = (fold(title), content[:200].casefold())
    text = " ".join(said).casefold() if len(said) >= LONG else ""
    alone = {stems[word] for word in said or titled}
    alone.discard("")
    own = frozenset(alone if len(alone) >= ALONE or len(about) <= 1 else ())
    numbers, dated = frozenset[str](), False
    if cut or said:  # else one of the numbers is what is said
        numbers, dated = _numbers(title[:cut] if cut else title, before)
    since, until = claim.period.start.earliest, claim.period.end.latest
    return _Seen(
        claim, since, until, order, frozenset(about), frozenset(words), own, text, numbers, dated
    )


def _numbers(about: str, words: Sequence[str]) -> tuple[frozenset[str], bool]:
    if _DIGIT.search(about) is None:
        return frozenset(), False
    found = frozenset([word.lstrip("0") for word in words if word.isdecimal()])
    kinds = set(map(_kind, words)) if found else {_UNIT}
    if _UNIT in kinds:
        return frozenset(), False
    return found, _MONTH in kinds or bool(_WRITTEN.search(about))


@lru_cache(maxsize=_FORMS)
def _kind(word: str) -> int:
    if is_unit(word):
        return _UNIT
    return _MONTH if is_month(word) else 0


def _root(word: str) -> str:
    return stem(word) or (word.casefold() if len(word) == 1 and word.isupper() else "")


def _buckets(seen: Sequence[_Seen]) -> Iterator[set[tuple[int, int]]]:
    """The pairs that meet in each bucket."""
    exact: dict[tuple[str, object], list[int]] = defaultdict(list)
    titles = _ranks(one.about for one in seen)
    texts = _ranks(one.words for one in seen)
    members: dict[str, list[int]] = defaultdict(list)
    heads: dict[str, list[int]] = defaultdict(list)
    untitled: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(seen):
        for name in _names(one):
            exact[name].append(place)
        for word in one.about:
            members[word].append(place)
        for word in _rarest(one.about, titles, RARE):
            heads[word].append(place)
        for word in () if one.about else _rarest(one.words, texts, RARE_OF_TEXT):
            untitled[word.removeprefix(DENYING)].append(place)
    orders = _orders(seen)
    for bucket in chain(exact.values(), untitled.values()):
        yield _among(orders, bucket, bucket)
    yield from _texted(seen, texts)
    for word, bucket in members.items():
        yield _among(orders, heads[word], bucket)


def _names(one: _Seen) -> Iterator[tuple[str, object]]:
    """What a claim has in common with those that say it letter by letter, or word by word."""
    if one.claim.key is not None:
        yield "key", fold(one.claim.key)
    yield "title", one.order[0]
    if one.text:
        yield "text", one.text
    if one.said:
        yield "said", one.said


def _texted(seen: Sequence[_Seen], counts: Mapping[str, int]) -> Iterator[set[tuple[int, int]]]:
    """The pairs of near texts that meet by a rare word, whatever their titles are."""
    texted: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(seen):
        for word in _rarest(one.said, counts, RARE + (len(one.said) > LONG // 2)):
            texted[word.removeprefix(DENYING)].append(place)
    for bucket in texted.values():
        if 1 < len(bucket) <= TEXTS:
            pairs = combinations(bucket, 2)
            yield {(i, j) for i, j in pairs if _said_alike(seen[i], seen[j])}


def _ranks(said: Iterable[Iterable[str]]) -> Mapping[str, int]:
    """The place of each word among all, the rarest first."""
    counts = Counter(chain.from_iterable(said))
    rarest = sorted(counts, key=lambda word: (counts[word], word))
    return {word: place for place, word in enumerate(rarest)}


def _rarest(words: frozenset[str], ranks: Mapping[str, int], most: int) -> Sequence[str]:
    return sorted(words, key=ranks.__getitem__)[:most]


Orders = Sequence[Sequence[int]]
"""In each order of all claims, the place of each."""


def _orders(seen: Sequence[_Seen]) -> Orders:
    """Claims by title and text, and by text and title."""
    return [
        _places(sorted(range(len(seen)), key=lambda i: seen[i].order)),
        _places(sorted(range(len(seen)), key=lambda i: seen[i].order[::-1])),
    ]


def _places(ordered: Sequence[int]) -> Sequence[int]:
    places = [0] * len(ordered)
    for place, one in enumerate(ordered):
        places[one] = place
    return places


def _among(orders: Orders, heads: Sequence[int], bucket: Sequence[int]) -> set[tuple[int, int]]:
    """The pairs of a bucket, or of neighbours in it when it is large."""
    if len(bucket) <= 1 or not heads:
        return set()
    if len(heads) * len(bucket) <= BUCKET * BUCKET:
        if heads is bucket:
            return set(combinations(bucket, 2))
        return {(min(i, j), max(i, j)) for i in heads for j in bucket if i != j}
    found: set[tuple[int, int]] = set()
    for places in orders:
        placed = sorted(bucket, key=places.__getitem__)
        for step in range(1, NEIGHBOURS + 1):
            pairs = zip(placed, placed[step:], strict=False)
            found.update([(i, j) if i < j else (j, i) for i, j in pairs])
    return found


def _said_alike(a: _Seen, b: _Seen) -> bool:
    """Whether two texts are near, whatever their titles are about."""
    total = len(a.said) + len(b.said)
    return total > 0 and 2 * len(a.said & b.said) >= NEAR * total


def _near(a: _Seen, b: _Seen) -> bool:
    """Whether two claims are worth the work of comparing them."""
    if a.until <= b.since or b.until <= a.since:
        return False
    keyed = a.claim.key is not None or b.claim.key is not None
    if not keyed and _numbered_apart(a, b):
        return False
    if a.text and a.text == b.text:
        return True
    total = len(a.words) + len(b.words)
    common = len(a.words & b.words)
    if total > FEW and 2 * common < LEAST * total:
        return False
    return keyed or _about_the_same(a, b) or _said_alike(a, b)


def _numbered_apart(a: _Seen, b: _Seen) -> bool:
    """Whether titles are about things of other numbers, or of other years."""
    if a.numbers == b.numbers:
        return False
    if a.dated or b.dated:
        return bool(a.numbers and b.numbers) and a.numbers.isdisjoint(b.numbers)
    return not (a.numbers <= b.numbers or b.numbers <= a.numbers)


def _about_the_same(a: _Seen, b: _Seen) -> bool:
    """Whether titles may be about the same: one says all of the other, or writes it otherwise."""
    only_a, only_b = a.about - b.about, b.about - a.about
    if not (only_a and only_b) or 4 * len(a.about & b.about) >= len(a.about) + len(b.about):
        return True
    return any(alike(one, other) for one in only_a for other in only_b)
