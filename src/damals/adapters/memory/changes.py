"""What changed in memory between instants, and the rows that tell of it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar
from uuid import UUID

from damals.adapters.memory.space import Space
from damals.app.ledger_model import At
from damals.domain.diff_rows import Deed, Place, Rows
from damals.domain.entries import Archiving, Relation, Verification, Version

_Row = Version | Relation | Archiving | Verification
_Kind = TypeVar("_Kind", Version, Relation, Archiving, Verification)


def moved(space: Space, start: At, end: At) -> list[UUID]:
    """The entries that may be something else at one pair than at the other, by id."""
    found = {*_told(space, start.known_at, end.known_at), *_world(space, start, end.as_of)}
    return sorted(found)


def _told(space: Space, first: int, last: int) -> Iterator[UUID]:
    """The entries of which something was recorded between two instants."""
    low, high = min(first, last), max(first, last)
    numbers = {n for n, one in space.transactions.items() if low < one.recorded_at <= high}
    for row in _rows(space):
        if row.opened_by in numbers or row.closed_by in numbers:
            yield from _entries(row)


def _world(space: Space, start: At, as_of: int) -> Iterator[UUID]:
    """The entries of which a bound lies between two valid instants, as known at one instant."""
    low, high = min(start.as_of, as_of), max(start.as_of, as_of)
    for version in space.versions.values():
        span = (version.period.start, version.period.end)
        bounds = (instant for one in span for instant in (one.earliest, one.latest))
        if version.known_at(start.known_at) and any(low < bound <= high for bound in bounds):
            yield version.entry_id
    for archiving in space.archivings.values():
        known = archiving.recorded_from <= start.known_at < archiving.recorded_to
        if known and low < archiving.recorded_from <= high:
            yield archiving.entry_id


def rows_between(space: Space, entry_ids: Iterable[UUID], since: int, until: int) -> Rows:
    """The rows of some entries that were known at any instant from one to another."""
    wanted = set(entry_ids)

    def those(rows: Mapping[int, _Kind]) -> tuple[_Kind, ...]:
        return tuple(
            row
            for row in rows.values()
            if row.recorded_from <= until
            and row.recorded_to > since
            and not wanted.isdisjoint(_entries(row))
        )

    erased = space.tombstones
    versions = tuple(one for one in those(space.versions) if one.entry_id not in erased)
    return Rows(
        versions, those(space.relations), those(space.archivings), those(space.verifications)
    )


def deed(space: Space, place: Place) -> Deed:
    """What was done at an edge: the operation it names, or the last that touched the entry."""
    edge, entry_id = place
    stored = space.transactions[edge.number]
    done = stored.operations
    if edge.operation is None:
        operation = next((one for one in reversed(done) if entry_id in one.touched), None)
    else:
        operation = done[edge.operation] if edge.operation < len(done) else None
    if operation is None:
        return Deed(None, stored.reason, stored.actor)
    return Deed(operation.kind, operation.reason or stored.reason, stored.actor)


def _rows(space: Space) -> Iterator[_Row]:
    return chain(
        space.versions.values(),
        space.relations.values(),
        space.archivings.values(),
        space.verifications.values(),
    )


def _entries(row: _Row) -> tuple[UUID, ...]:
    return (row.src_id, row.dst_id) if isinstance(row, Relation) else (row.entry_id,)
