"""What a difference is told from: all that was known of entries between two recorded instants."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar
from uuid import UUID

from damals.domain.entries import Archiving, Relation, Verification, Version

_Row = Version | Relation | Archiving | Verification
_Item = TypeVar("_Item")
_Filed = TypeVar("_Filed", Version, Archiving, Verification)


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of instants, UTC microseconds."""

    as_of: int
    known_at: int


@dataclass(frozen=True, slots=True)
class Edge:
    """Where something changed.

    Attributes:
        at: the instant.
        number: the transaction behind it.
        operation: index of the operation in it; ``None`` for the last one that touched the entry.
    """

    at: int
    number: int
    operation: int | None = None


Place = tuple[Edge, UUID]
"""An edge and the entry that changed there."""


@dataclass(frozen=True, slots=True)
class Deed:
    """What was done at an edge.

    Attributes:
        kind: of the operation; ``None`` when none of the transaction touched the entry.
        reason: of the operation, else of its transaction.
    """

    kind: str | None
    reason: str | None
    actor: str


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of some entries that were known at any instant from one to another, both included.

    Their recorded ends are the true ones, also those that lie behind.

    Attributes:
        relations: those with either end among the entries.
    """

    versions: tuple[Version, ...] = ()
    relations: tuple[Relation, ...] = ()
    archivings: tuple[Archiving, ...] = ()
    verifications: tuple[Verification, ...] = ()


def opened(row: _Row) -> Edge:
    """Where a row began to be known."""
    return Edge(row.recorded_from, row.opened_by, row.operation)


def closed(row: _Row) -> Edge:
    """Where a row ended to be known; which operation did it is not kept."""
    return Edge(row.recorded_to, row.closed_by or row.opened_by)


def known(row: _Row, instant: int) -> bool:
    """Whether a row is known at an instant."""
    return row.recorded_from <= instant < row.recorded_to


class Story:
    """Rows by entry, and what they tell of the way from one recorded instant to another."""

    def __init__(self, rows: Rows, start: Pair, end: Pair) -> None:
        self.start = start
        self.end = end
        self.between = Pair(end.as_of, start.known_at)
        self.forward = start.known_at <= end.known_at
        self._versions = _filed(sorted(rows.versions, key=_by_recording))
        self._archivings = _filed(rows.archivings)
        self._verifications = _filed(rows.verifications)
        self._relations = rows.relations
        self._cuts_of = _grouped((r for r in rows.relations if r.cuts), lambda r: r.dst_id)
        self._cuts_by = _grouped((r for r in rows.relations if r.cuts), lambda r: r.src_id)

    def archiving(self, entry_id: UUID, pair: Pair) -> Archiving | None:
        """What an entry is archived by at an instant that both clocks have reached."""
        rows = self._archivings.get(entry_id, ())
        return next((one for one in rows if _reached(one, pair)), None)

    def verification(self, entry_id: UUID, pair: Pair) -> Verification | None:
        """The last verification of an entry at an instant that both clocks have reached."""
        rows = [one for one in self._verifications.get(entry_id, ()) if _reached(one, pair)]
        return max(rows, key=lambda one: (one.recorded_from, one.row), default=None)

    def known(self, entry_id: UUID) -> list[Version]:
        """Every version of an entry that is known at the end, whenever it holds."""
        versions = self._versions.get(entry_id, ())
        return [one for one in versions if known(one, self.end.known_at)]

    def cuts_of(self, entry_id: UUID, pair: Pair) -> list[Relation]:
        """The cuts that took the instant of a pair from an entry, the surest and newest first."""
        return _at(self._cuts_of.get(entry_id, ()), pair)

    def cuts_by(self, entry_id: UUID, pair: Pair) -> list[Relation]:
        """The cuts by which an entry took the instant of a pair from others."""
        return _at(self._cuts_by.get(entry_id, ()), pair)

    def new_cut(self, entry_id: UUID) -> Relation | None:
        """A cut that became known on the way and took the instant from an entry."""
        cuts = self.cuts_of(entry_id, self.end)
        return next((one for one in cuts if not known(one, self.start.known_at)), None)

    def cut_in(self, entry_id: UUID, edge: Edge) -> str | None:
        """The type of a cut of an entry that was made by the transaction of an edge."""
        cuts = self._cuts_of.get(entry_id, ())
        return next((one.relation for one in cuts if one.opened_by == edge.number), None)

    def relations(self, kind: str) -> Iterator[tuple[Relation | None, Relation | None]]:
        """Each relation of a type, as it is known at the start and at the end.

        One that is open to a decision, or has no other state, counts where it holds only.
        """
        rows = [one for one in self._relations if one.relation == kind and not one.unresolved]
        for same in _grouped(rows, lambda one: one.id).values():
            then = self._standing(same, self.start.known_at)
            now = self._standing(same, self.end.known_at)
            if then is not now:
                yield then, now

    def _standing(self, rows: Sequence[Relation], known_at: int) -> Relation | None:
        decided = ("src", "dst", "both")
        return next(
            (
                one
                for one in rows
                if known(one, known_at)
                and (one.resolution in decided or one.period.possible_at(self.end.as_of))
            ),
            None,
        )

    def _chain(self, entry_id: UUID) -> list[Version]:
        """The versions of an entry that may hold where the way ends, as they were recorded."""
        versions = self._versions.get(entry_id, ())
        return [one for one in versions if one.period.possible_at(self.end.as_of)]

    def appearance(self, entry_id: UUID) -> Edge:
        """Since when, on the way, an entry has been there that is there at the end."""
        chain, here = self._chain(entry_id), self.end.known_at
        run = next(one for one in chain if known(one, here))
        for one in reversed(chain) if self.forward else chain:
            if self.forward and one.recorded_from < run.recorded_from <= one.recorded_to:
                run = one
            if not self.forward and one.recorded_from <= run.recorded_to < one.recorded_to:
                run = one
        return opened(run) if self.forward else closed(run)

    def disappearance(self, entry_id: UUID) -> Edge:
        """Since when, on the way, an entry has been gone that is not there at the end."""
        chain, here = self._chain(entry_id), self.end.known_at
        if self.forward:
            left = [one for one in chain if one.recorded_to <= here]
            return closed(max(left, key=lambda one: one.recorded_to))
        ahead = [one for one in chain if one.recorded_from > here]
        return opened(min(ahead, key=lambda one: one.recorded_from))

    def turn(self, old: Version, new: Version, aspect: Callable[[Version], object]) -> Edge:
        """Where an aspect of an entry last changed, of one that is there at both ends."""
        first, last = (old, new) if self.forward else (new, old)
        chain = [
            one
            for one in self._chain(old.entry_id)
            if first.recorded_from <= one.recorded_from <= last.recorded_from
        ]
        steps = [b for a, b in pairwise(chain) if aspect(a) != aspect(b)]
        if not steps:
            return opened(last)
        return opened(steps[-1] if self.forward else steps[0])


def _reached(row: Archiving | Verification, pair: Pair) -> bool:
    return known(row, pair.known_at) and row.recorded_from <= pair.as_of


def _at(cuts: Iterable[Relation], pair: Pair) -> list[Relation]:
    held = [c for c in cuts if known(c, pair.known_at) and c.period.possible_at(pair.as_of)]
    return sorted(held, key=lambda c: (c.period.certain_at(pair.as_of), c.row), reverse=True)


def _by_recording(version: Version) -> tuple[int, int]:
    return (version.recorded_from, version.row)


def _filed(rows: Iterable[_Filed]) -> dict[UUID, list[_Filed]]:
    return _grouped(rows, lambda row: row.entry_id)


def _grouped(rows: Iterable[_Item], by: Callable[[_Item], UUID]) -> dict[UUID, list[_Item]]:
    found: dict[UUID, list[_Item]] = {}
    for row in rows:
        found.setdefault(by(row), []).append(row)
    return found
