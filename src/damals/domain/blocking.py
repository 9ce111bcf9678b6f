"""Which of many claims are worth comparing: those that may speak of the same thing.

Claims meet in buckets: of one key, of one title, of a rare word of what their titles are about (the
rarest of the shorter title is in the longer one, too), of one longer text. A bucket that is too
large is put in order, and only neighbours in it are compared. So the work grows hardly faster than
the number of claims, and depends on nothing but what they say (sorted neighbourhoods: Hernández
and Stolfo 1995; prefixes of rare words: Bayardo et al. 2007).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
        order: by what it stands among others of a large bucket.
        about: stems of what its title is about, without numbers.
        words: stems of all that it says.
        text: its folded text without title, when it is long enough.
        numbers: of what its title is about; none where something is measured in them.
        dated: some of them may be a date, which can be written otherwise.
    """

    claim: Claim
    order: tuple[str, str, str]
    about: frozenset[str]
    words: frozenset[str]
    text: str
    numbers: frozenset[str]
    dated: bool


_WRITTEN: Final = re.compile(r"\d[.,/:-]\d")
"""Digits that may be written otherwise: dates, times, thousands."""


def near_pairs(claims: Iterable[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Pairs of claims that may be duplicates or contradict each other, by ids, each once.

    The smaller id is first. Claims that hold at different times are no pair.
    """
    stems: dict[str, str] = {}
    seen = [_seen(claim, stems) for claim in claims]
    seen.sort(key=lambda one: one.claim.id)
    found: set[tuple[int, int]] = set()
    for bucket in _buckets(seen):
        found |= bucket
    for first, second in sorted(found):
        a, b = seen[first], seen[second]
        if _near(a, b):
            yield a.claim, b.claim


def _seen(claim: Claim, stems: dict[str, str]) -> _Seen:
    title, content = claim.title, claim.content[:LOOKED_AT]
    titled = WORD.findall(title)
    said = WORD.findall(content)
    for word in (*titled, *said):
        if word not in stems:
            stems[word] = "" if word.isdecimal() else _root(word)
    cut = split_at(title)
    before = [one for one in WORD.findall(title[:cut]) if not is_link(one)] if cut else titled
    about = {stems[word] for word in before if word.casefold() not in EMPTY}
    words = {stems[word] for word in (*titled, *said)}
    about.discard("")
    words.discard("")
    order = (fold(title), content.casefold()[:200], str(claim.id))
    text = " ".join(said).casefold() if len(said) >= LONG else ""
    numbers, dated = frozenset[str](), False
    if cut or said:  # else one of the numbers is what is said
        numbers, dated = _numbers(title[:cut] if cut else title, before)
    return _Seen(claim, order, frozenset(about), frozenset(words), text, numbers, dated)


def _numbers(about: str, words: Sequence[str]) -> tuple[frozenset[str], bool]:
    found = frozenset(word.lstrip("0") for word in words if word.isdecimal())
    if not found or any(map(is_unit, words)):
        return frozenset(), False
    return found, bool(_WRITTEN.search(about)) or any(map(is_month, words))


def _root(word: str) -> str:
    return stem(word) or (word.casefold() if len(word) == 1 and word.isupper() else "")


def _buckets(seen: Sequence[_Seen]) -> Iterator[set[tuple[int, int]]]:
    """The pairs that meet in each bucket."""
    exact: dict[tuple[str, str], list[int]] = defaultdict(list)
    titles = Counter(chain.from_iterable(one.about for one in seen))
    texts = Counter(chain.from_iterable(one.words for one in seen))
    members: dict[str, list[int]] = defaultdict(list)
    heads: dict[str, list[int]] = defaultdict(list)
    untitled: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(seen):
        claim = one.claim
        if claim.key is not None:
            exact["key", fold(claim.key)].append(place)
        exact["title", one.order[0]].append(place)
        if one.text:
            exact["text", one.text].append(place)
        for word in one.about:
            members[word].append(place)
        for word in _rarest(one.about, titles, RARE):
            heads[word].append(place)
        if not one.about:
            for word in _rarest(one.words, texts, RARE_OF_TEXT):
                untitled[word.removeprefix(DENYING)].append(place)
    for bucket in chain(exact.values(), untitled.values()):
        yield _among(seen, bucket, bucket)
    for word, bucket in members.items():
        yield _among(seen, heads[word], bucket)


def _rarest(words: frozenset[str], counts: Mapping[str, int], most: int) -> Sequence[str]:
    return sorted(words, key=lambda word: (counts[word], word))[:most]


def _among(
    seen: Sequence[_Seen], heads: Sequence[int], bucket: Sequence[int]
) -> set[tuple[int, int]]:
    """The pairs of a bucket, or of neighbours in it when it is large."""
    if len(bucket) <= 1 or not heads:
        return set()
    if len(heads) * len(bucket) <= BUCKET * BUCKET:
        if heads is bucket:
            return set(combinations(bucket, 2))
        return {(min(i, j), max(i, j)) for i in heads for j in bucket if i != j}
    found: set[tuple[int, int]] = set()
    for turned in (False, True):
        placed = sorted(bucket, key=lambda i: _place(seen[i], turned=turned))
        for step in range(1, NEIGHBOURS + 1):
            pairs = zip(placed, placed[step:], strict=False)
            found.update((min(pair), max(pair)) for pair in pairs)
    return found


def _place(one: _Seen, *, turned: bool) -> tuple[str, ...]:
    title, content, own = one.order
    return (content, title, own) if turned else (title, content, own)


def _near(a: _Seen, b: _Seen) -> bool:
    """Whether two claims are worth the work of comparing them."""
    first, second = a.claim.period, b.claim.period
    if first.end.latest <= second.start.earliest or second.end.latest <= first.start.earliest:
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
    return keyed or _about_the_same(a, b)


def _numbered_apart(a: _Seen, b: _Seen) -> bool:
    """Whether titles are about things of other numbers, or of other years."""
    if a.dated or b.dated:
        return bool(a.numbers and b.numbers) and a.numbers.isdisjoint(b.numbers)
    return not (a.numbers <= b.numbers or b.numbers <= a.numbers)


def _about_the_same(a: _Seen, b: _Seen) -> bool:
    """Whether titles may be about the same: one says all of the other, or writes it otherwise."""
    only_a, only_b = a.about - b.about, b.about - a.about
    if not (only_a and only_b) or 4 * len(a.about & b.about) >= len(a.about) + len(b.about):
        return True
    return any(alike(one, other) for one in only_a for other in only_b)
