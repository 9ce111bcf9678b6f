"""What use cases that look at a whole workspace get of each entry."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from damals.app.ledger_model import At
from damals.app.readmitting import ReadmittedLedger
from damals.domain.entries import Relation
from damals.domain.periods import Period
from damals.domain.reserve import Reserve


@dataclass(frozen=True, slots=True)
class StandingEntry:
    """An entry as it is currently known.

    Attributes:
        periods: when it holds, disjoint; at least one.
        reserve: who may see it, by its newest version.
    """

    periods: tuple[Period, ...]
    reserve: Reserve


class StandingLedger(ReadmittedLedger, Protocol):
    """The part of a reader of the ledger that looks at a whole workspace."""

    def placed_in(self, folder: str, at: At) -> Sequence[UUID]:
        """The entries whose source's path at a pair lies in a folder of this name, by id.

        Args:
            folder: in small letters; paths of named sources are compared, without case.
            at: archived entries are among them.
        """
        ...

    def saying(self, name: str, after: int = 0) -> Sequence[UUID]:
        """Entries that had a property by a version recorded behind transaction ``after``, by id.

        Known still or not; entries that have the name elsewhere in their fields may be among them.
        """
        ...

    def standing_entries(self) -> Mapping[UUID, StandingEntry]:
        """What is currently known to hold, and when; nothing that is archived."""
        ...

    def standing_relations(self) -> Iterator[Relation]:
        """What is currently known to stand between entries, by row; no links to nothing yet."""
        ...
