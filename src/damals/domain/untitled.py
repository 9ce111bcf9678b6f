"""Texts that say the same of the same thing under titles that have nothing in common.

Who names an entry is free to, so two titles of one thing may share no word. Then the text itself
has to name the thing: one that is near another, and says enough of its own, is about the same. A
title may also be the only name of the thing that the text speaks of (``Server Alpha``, ``Server
Beta``: ``Der Server hat 16 GB``); then the texts are alike and the things are not.
"""

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from damals.domain.claims import Profile, Word
from damals.domain.likeness import WORD, words_of
from damals.domain.paired import Pair

NEAR: Final = 0.75
"""Least likeness of the texts."""
_NAMED: Final = 3
"""So many words of a text in common say what it is about,"""
_LARGE: Final = 2
"""when so many of them are names or German nouns,"""
_RICH: Final = 5
"""or when they are as many as this."""
_LEAST: Final = 0.5
"""With less in common, titles included, the texts alone are not near."""
_POINTING: Final = words_of(
    "er sie es ihr sein ihre seine dieser diese dieses dies dort hier dabei damit he she it they"
    " this that these those there his her its their"
)
"""A text that begins with one of them speaks of what its title names."""


def of_one_text(pair: Pair) -> bool:
    """Whether two texts are about the same, whatever their titles say."""
    a, b = pair.a, pair.b
    if not (a.claim.content.strip() or b.claim.content.strip()):
        return False
    common = len(a.words.keys() & b.words.keys())
    if 2 * common < _LEAST * (len(a.words) + len(b.words)):
        return False
    bare = pair.untitled
    if bare.likeness < NEAR or _numbered_apart(pair) or _led_apart(bare):
        return False
    said = [word for root, word in bare.a.words.items() if root in bare.b.words]
    if not (a.about and b.about):
        return bool(said) if len(a.about | b.about) <= 1 else _says_enough(said)
    return _says_enough(said) and not _names_by_title(pair)


def _numbered_apart(pair: Pair) -> bool:
    """Whether they are of other numbers or times; of a long text one title may number a copy."""
    return all(pair.qualifiers) or (any(pair.qualifiers) and not _rich(pair.untitled))


def _led_apart(bare: Pair) -> bool:
    """Whether two texts in which nothing links begin with the names of different things."""
    mine, theirs = _leading(bare.a), _leading(bare.b)
    return not (mine <= theirs or theirs <= mine)


def _leading(one: Profile) -> set[str]:
    """The names before the first common word; none where it is known what it speaks of."""
    if any(word.subject for word in one.words.values()):
        return set()
    return {word.stem for word in takewhile(lambda word: word.large, one.words.values())}


def _says_enough(said: Iterable[Word]) -> bool:
    words = list(said)
    large = sum(word.large for word in words)
    return len(words) >= _RICH or (len(words) >= _NAMED and large >= _LARGE)


def _own(one: Profile, other: Profile, bare: Pair) -> list[Word]:
    """What one title is about that nothing else says."""
    own = one.about - other.about - bare.a.words.keys() - bare.b.words.keys()
    return [one.words[root] for root in sorted(own) if root in one.words]


def _names_by_title(pair: Pair) -> bool:
    """Whether the titles name two things of which the texts only say what they are."""
    a, b, bare = pair.a, pair.b, pair.untitled
    own = _own(a, b, bare), _own(b, a, bare)
    if not all(own):
        return False
    shared = a.about & b.about
    told = shared & (bare.a.words.keys() | bare.b.words.keys())
    if told or _points(bare.a) or _points(bare.b):
        return True
    composed = all(sum(word.large for word in words) >= _LARGE for words in own)
    if not (shared or composed):
        return False
    return not _rich(bare)


def _rich(bare: Pair) -> bool:
    """Whether both say the very same, and much of it."""
    return bare.a.text == bare.b.text and len(bare.a.words) >= _RICH


def _points(one: Profile) -> bool:
    first = WORD.search(one.claim.content)
    return first is not None and first[0].casefold() in _POINTING
