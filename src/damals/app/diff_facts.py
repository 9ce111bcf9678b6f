"""Collecting what a diff is told from: states at three pairs of instants and the rows between."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeVar
from uuid import UUID

from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.domain.diff import Facts, State
from damals.domain.diff_rows import Edge, Pair, Rows
from damals.domain.entries import Archiving, Relation, Verification, Version
from damals.domain.operations import CONTRADICTS

BATCH: Final = 500
"""How many entries are asked for at once."""

_Item = TypeVar("_Item")
_Row = TypeVar("_Row", Version, Relation, Archiving, Verification)
_STANDING: Final = frozenset({"extends", CONTRADICTS})


def batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """The items in groups."""
    rest = iter(items)
    while group := list(islice(rest, BATCH)):
        yield group


@dataclass(slots=True)
class Collected:
    """What is known of some entries at the three pairs of a diff, and what was known between.

    Attributes:
        start, between, end: the pairs: before, after the world moved, and after knowledge did.
        found: the versions at each of the three, in this order.
    """

    reader: LedgerReader
    start: At
    end: At
    found: tuple[dict[UUID, Found], ...] = field(
        default_factory=lambda: tuple(dict[UUID, Found]() for _ in range(3))
    )
    _seen: set[UUID] = field(default_factory=set[UUID])
    _versions: dict[int, Version] = field(default_factory=dict[int, Version])
    _relations: dict[int, Relation] = field(default_factory=dict[int, Relation])
    _archivings: dict[int, Archiving] = field(default_factory=dict[int, Archiving])
    _verifications: dict[int, Verification] = field(default_factory=dict[int, Verification])

    @property
    def pairs(self) -> tuple[At, At, At]:
        """The three pairs."""
        between = At(self.end.as_of, self.start.known_at)
        return (self.start, between, self.end)

    def add(self, entry_ids: Iterable[UUID], *, both_ways: bool) -> None:
        """Read of these entries, and of those that they lead to.

        Args:
            entry_ids: the entries.
            both_ways: also of those whose place they took, and so on.
        """
        waiting = set(entry_ids) - self._seen
        fresh: set[UUID] = set()
        while waiting:
            self._seen |= waiting
            fresh |= waiting
            waiting = self._next(waiting, both_ways=both_ways) - self._seen
        for batch in batches(sorted(fresh)):
            self._read(batch)

    def _next(self, fresh: set[UUID], *, both_ways: bool) -> set[UUID]:
        """The other ends of the relations that are part of the story of some entries."""
        found: set[UUID] = set()
        for batch in batches(sorted(fresh)):
            for row in self.reader.relations_between(batch, *self._span):
                if row.cuts and row.period.possible_at(self.end.as_of):
                    found |= {row.src_id} if row.dst_id in fresh else set()
                    found |= {row.dst_id} if both_ways and row.src_id in fresh else set()
                elif row.relation in _STANDING and not row.unresolved and self._turned(row):
                    found |= {row.src_id, row.dst_id}
        return found

    def _read(self, entry_ids: Sequence[UUID]) -> None:
        read: dict[At, Mapping[UUID, Found]] = {}  # along one axis, two of the pairs are one
        for found, at in zip(self.found, self.pairs, strict=True):
            if at not in read:
                read[at] = self.reader.versions_at(entry_ids, at)
            found.update(read[at])
        rows = self.reader.rows_between(entry_ids, *self._span)
        self._versions |= _numbered(rows.versions)
        self._relations |= _numbered(rows.relations)
        self._archivings |= _numbered(rows.archivings)
        self._verifications |= _numbered(rows.verifications)

    @property
    def _span(self) -> tuple[int, int]:
        """From when to when knowledge moved."""
        since, until = sorted((self.start.known_at, self.end.known_at))
        return since, until

    def _turned(self, row: Relation) -> bool:
        since, until = self._span
        return row.recorded_from > since or row.recorded_to <= until

    def facts(self) -> Facts:
        """What the changes follow from."""
        first, between, last = (_versions_of(found) for found in self.found)
        return Facts(
            Pair(self.start.as_of, self.start.known_at),
            Pair(self.end.as_of, self.end.known_at),
            first,
            between,
            last,
            Rows(
                tuple(self._versions.values()),
                tuple(self._relations[row] for row in sorted(self._relations)),
                tuple(self._archivings.values()),
                tuple(self._verifications.values()),
            ),
            self._erased(),
        )

    def _erased(self) -> Mapping[UUID, Edge]:
        """What was erased on the way, as far as it is told."""
        return {
            stone.entry_id: Edge(stone.erased_at, stone.number)
            for stone in self.reader.tombstones().values()
            if self.start.known_at < stone.erased_at <= self.end.known_at
        }


def _versions_of(found: Mapping[UUID, Found]) -> State:
    return {entry_id: one.version for entry_id, one in found.items()}


def _numbered(rows: Iterable[_Row]) -> dict[int, _Row]:
    return {row.row: row for row in rows}
