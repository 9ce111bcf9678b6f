"""Two claims side by side: what both say, and what each says that the other does not."""

from functools import cached_property
from typing import Final

from damals.domain.claims import Profile, Word
from damals.domain.figures import Figure, differing
from damals.domain.likeness import alike, folded
from damals.domain.negation import opposites

_ALIKE_TYPES: Final = frozenset(("fact", "note", "wiki", "reference"))
"""Types that may say the same."""
_SPELLINGS: Final = 400
"""So many pairs of words are looked at for slips."""


class Pair:
    """Two claims, and what each says that the other does not."""

    def __init__(self, a: Profile, b: Profile) -> None:
        self.a, self.b = a, b
        only_a = [w for s, w in a.words.items() if s not in b.words]
        only_b = [w for s, w in b.words.items() if s not in a.words]
        self.flips = tuple(opposites(a.tokens - b.tokens, b.tokens - a.tokens))
        opposed = {word for flip in self.flips for word in flip}
        only_a = [w for w in only_a if folded(w.written) not in opposed]
        only_b = [w for w in only_b if folded(w.written) not in opposed]
        self.only_a, self.only_b, spelled = unspelled(only_a, only_b)
        common = len(a.words.keys() & b.words.keys()) + spelled + len(self.flips)
        total = len(a.words) + len(b.words)
        # Small words ("auf", "zu") can be opposites too, and are among no other words.
        self.likeness = min(2 * common / total, 1.0) if total else float(a.text == b.text)

    @cached_property
    def values(self) -> tuple[tuple[Figure, ...], tuple[Figure, ...]]:
        """The figures that each says and the other does not."""
        return differing(self.a.values, self.b.values)

    @cached_property
    def qualifiers(self) -> tuple[tuple[Figure, ...], tuple[Figure, ...]]:
        """The figures that say of which thing, of each, that the other says nowhere."""
        a, b = self.a, self.b
        only_a, _ = differing(a.qualifiers, (*b.qualifiers, *b.values))
        only_b, _ = differing(b.qualifiers, (*a.qualifiers, *a.values))
        return only_a, only_b

    @cached_property
    def untitled(self) -> "Pair":
        """What both say, whatever stands above it."""
        return Pair(self.a.untitled, self.b.untitled)

    @property
    def titled(self) -> bool:
        """Whether their titles are about the same."""
        if not (self.a.about and self.b.about):
            return False
        return self.a.told == self.b.told or self.a.about == self.b.about

    @property
    def denied(self) -> bool:
        """Whether one denies what the other says."""
        return (len(self.a.denials) + len(self.b.denials) + len(self.flips)) % 2 == 1

    @property
    def other_words(self) -> bool:
        """Whether each has words that the other has not."""
        return bool(self.only_a) and bool(self.only_b)

    @property
    def other_things(self) -> bool:
        """Whether both speak of different things by name, before they say anything of them."""
        return any(w.large and w.subject for w in self.only_a) and any(
            w.large and w.subject for w in self.only_b
        )

    @property
    def other_deeds(self) -> bool:
        """Whether each says something of its thing that the other does not, by common words."""
        return any(not w.large for w in self.only_a) and any(not w.large for w in self.only_b)

    @property
    def types(self) -> frozenset[str]:
        """The types of both; none for two that may say the same."""
        both = frozenset((self.a.claim.type, self.b.claim.type))
        return frozenset() if both <= _ALIKE_TYPES else both


def unspelled(first: list[Word], second: list[Word]) -> tuple[list[Word], list[Word], int]:
    """Words that are not another way to write one of the other text, and how many were."""
    if len(first) * len(second) > _SPELLINGS:
        return first, second, 0
    by_letter: dict[str, list[Word]] = {}
    for word in second:
        by_letter.setdefault(word.stem[:1], []).append(word)
    kept: list[Word] = []
    spelled: set[str] = set()
    for word in first:
        near = by_letter.get(word.stem[:1], ())
        same = next((o for o in near if o.stem not in spelled and _spelled(word, o)), None)
        if same is None:
            kept.append(word)
        else:
            spelled.add(same.stem)
    return kept, [w for w in second if w.stem not in spelled], len(spelled)


def _spelled(first: Word, second: Word) -> bool:
    return alike(first.stem, second.stem, name=first.large and second.large)
