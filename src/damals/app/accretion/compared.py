"""What the filings of a transaction are compared with: each entry is taken apart once.

The write lock is held meanwhile, so the work must not grow with the square of a transaction: of
what it said before, only what shares rare words with a filing is compared with it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final
from uuid import UUID

from damals.app.claims import claim_of
from damals.domain.claims import Profile, folded_words
from damals.domain.echoes import Known
from damals.domain.entries import Attributes
from damals.domain.errors import InvalidInput
from damals.domain.likeness import WORD, stem
from damals.domain.state import Draft, EntryState, Rectangle

MOST_FILINGS: Final = 200
"""So many entries are filed in one transaction."""
MOST_DRAFTED: Final = 60
"""A filing is compared with so many entries of its own transaction."""
_SIDES: Final = 2_000
"""So many rectangles stay taken apart."""
_CHARS: Final = 4_000
"""Characters of a text that lead to others of its transaction."""
_COMMON: Final = 100
"""A word that more entries say leads to none where a rarer one does."""


class Side:
    """What an entry says for a period, as it is compared.

    Attributes:
        said: the rectangle.
    """

    def __init__(self, entry_id: UUID, said: Rectangle) -> None:
        self._id = entry_id
        self.said = said

    @cached_property
    def profile(self) -> Profile:
        """As it may say the same, or contradict."""
        return Profile(claim_of(self._id, self.said.attributes, self.said.period))

    @cached_property
    def known(self) -> Known[UUID]:
        """As it may be echoed."""
        has = self.said.attributes
        return Known(self._id, has.title, has.content, (*has.tags, has.key or ""))


class Compared:
    """The entries that the filings of one transaction are compared with."""

    def __init__(self, draft: Draft) -> None:
        """Nothing is looked at before something is filed.

        Args:
            draft: the transaction in the making.
        """
        self._draft = draft
        self._filed = 0
        self._sides: dict[tuple[UUID, int], Side] = {}
        self._said: dict[UUID, tuple[Rectangle, ...]] = {}
        self._saying: dict[str, dict[UUID, None]] = defaultdict(dict)

    def count(self) -> None:
        """One more is filed.

        Raises:
            InvalidInput: ``accretion.too_many``.
        """
        self._filed += 1
        if self._filed > MOST_FILINGS:
            raise InvalidInput("accretion.too_many", most=MOST_FILINGS)

    def sides(self, state: EntryState) -> Iterator[Side]:
        """What an entry says, period by period."""
        for one in state.rectangles:
            # A drafted rectangle has no number yet; it is kept, so no other one takes its place.
            name = (state.id, one.row or -id(one))
            side = self._sides.pop(name, None) or Side(state.id, one)
            self._sides[name] = side
            if len(self._sides) > _SIDES:
                del self._sides[next(iter(self._sides))]
            yield side

    def drafted(self, has: Attributes) -> Sequence[UUID]:
        """The entries of the transaction that share most with what is filed, the nearest first."""
        self._read()
        shared = [self._saying[word] for word in _words(has) if word in self._saying]
        shared.sort(key=len)
        found: Counter[UUID] = Counter()
        for entries in shared:
            if found and len(entries) > _COMMON:
                break
            for one in entries:
                found[one] += _COMMON // len(entries) + 1
        nearest = sorted(found, key=lambda one: (-found[one], one))
        return nearest[:MOST_DRAFTED]

    def _read(self) -> None:
        """Sort what was drafted since then by the words that it says."""
        for entry_id, state in self._draft.after.items():
            if self._said.get(entry_id) is not state.rectangles:
                self._said[entry_id] = state.rectangles
                for one in state.rectangles:
                    for word in _words(one.attributes):
                        self._saying[word][entry_id] = None


def _words(has: Attributes) -> frozenset[str]:
    """Stems of what is said, and the whole title, by which two of no rare word meet."""
    said = WORD.findall(f"{has.title}\n{has.content[:_CHARS]}")
    return frozenset({*map(stem, said), f"= {folded_words(has.title)}"} - {""})
