"""What changed in memory between instants, and the rows that tell of it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, TypeVar
from uuid import UUID

from damals.adapters.memory.space import Space
from damals.app import log_model
from damals.app.changed_model import (
    ARCHIVING,
    VERIFICATION,
    VERSION,
    Change,
    Changed,
    changed_by,
)
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import At, StoredTransaction
from damals.app.log_model import NOBODY, Sight, Told, entries_in, reverted_in
from damals.app.places import without_place
from damals.domain.diff_rows import Deed, Place, Rows
from damals.domain.entries import Archiving, Relation, Verification, Version
from damals.domain.instants import format_instant

_Row = Version | Relation | Archiving | Verification
_Kind = TypeVar("_Kind", Version, Relation, Archiving, Verification)


_WHAT: Final = {Version: VERSION, Archiving: ARCHIVING, Verification: VERIFICATION}


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


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when, both included, and what may be seen."""

    since: int
    until: int
    access: AccessFilter


def as_told(version: Version, access: AccessFilter) -> Version:
    """A version as it is told to someone."""
    if access.places:
        return version
    return replace(version, attributes=without_place(version.attributes))


def rows_between(space: Space, entry_ids: Iterable[UUID], span: Span) -> Rows:
    """The rows of some entries that were known at any instant from one to another."""
    wanted = set(entry_ids)

    def those(rows: Mapping[int, _Kind]) -> tuple[_Kind, ...]:
        return tuple(
            row
            for row in rows.values()
            if row.recorded_from <= span.until
            and row.recorded_to > span.since
            and not wanted.isdisjoint(_entries(row))
        )

    owner = span.access == OWNER
    seen = space.seen(wanted, span.access)
    versions = tuple(
        as_told(one, span.access) for one in those(space.versions) if one.entry_id in seen
    )
    relations = tuple(r for r in those(space.relations) if r.cuts or known(space, r, span.access))
    archivings, verifications = those(space.archivings), those(space.verifications)
    if not owner:
        relations = tuple(r for r in relations if r.cuts or shown(space, r, span.access))
        archivings = tuple(one for one in archivings if one.entry_id in seen)
        verifications = tuple(one for one in verifications if one.entry_id in seen)
    return Rows(versions, relations, archivings, verifications)


def shown(space: Space, relation: Relation, access: AccessFilter) -> bool:
    """Whether a relation may be seen: both of its ends, its type, and what it follows from."""
    if relation.relation in access.hidden_relations or not known(space, relation, access):
        return False
    seen_dst = relation.unresolved or space.visible(relation.dst_id, access)
    return seen_dst and space.visible(relation.src_id, access)


def known(space: Space, relation: Relation, access: AccessFilter) -> bool:
    """Whether all may be seen that a relation follows from; what is unknown, by the owner alone."""
    if access == OWNER and relation.premises is None:
        return True
    seen = space.seen(relation.premises or (), access)
    return relation.follows_from(seen)


def told(space: Space, number: int, access: AccessFilter) -> Told | None:
    """A transaction as it is told to someone."""
    stored = space.transactions[number]
    if access == OWNER:
        return Told(stored, {place: place for place in range(len(stored.operations))})
    return log_model.told(stored, _sight(space, stored, access))


def told_at(space: Space, number: int, places: Collection[int], access: AccessFilter) -> Told:
    """No more of a transaction than the operations at some places, as they are told."""
    found = told(space, number, access)
    if found is None:  # versions of what may be seen are opened by what is told
        raise KeyError(number)
    if any(number in space.touches[entry_id] for entry_id in space.tombstones):
        found = replace(found, transaction=replace(found.transaction, reason=None))
    return found.only(places)


def _sight(space: Space, stored: StoredTransaction, access: AccessFilter) -> Sight:
    """What may be seen of a transaction, and of those that it takes back."""
    seen = space.seen(entries_in(stored), access)
    named = reverted_in(stored)
    numbers = {format_instant(t.recorded_at): n for n, t in space.transactions.items() if named}
    back = {at: space.transactions[numbers[at]] for at in named}
    whole = (at for at, one in back.items() if _sight(space, one, access).covers_all(one))
    sight = Sight(seen, access.hidden_relations, frozenset(whole), places=access.places)
    if sight.covers_all(stored):
        return sight
    known = {at: one.number for at, one in back.items() if at not in sight.covered}
    changed = {n: _changed(space, n, access) for n in {stored.number, *known.values()}}
    reverted = {at: changed[number].own.keys() for at, number in known.items()}
    return replace(sight, changed=changed, reverted=reverted)


def _changed(space: Space, number: int, access: AccessFilter) -> Changed:
    """Of which visible entries a transaction began or ended something that may be seen."""
    return changed_by(
        change
        for row in _rows(space)
        for by, place in ((row.opened_by, row.operation), (row.closed_by, None))
        if by == number
        for change in _changes(space, row, place, access)
        if space.visible(change.entry_id, access)
    )


def _changes(space: Space, row: _Row, place: int | None, access: AccessFilter) -> Iterator[Change]:
    """What a row tells somebody: a relation, of its source; a cut, of what it cut."""
    if not isinstance(row, Relation):
        yield Change(row.entry_id, _WHAT[type(row)], place)
        return
    what = (row.src_id, row.relation, row.dst_id, row.rule if row.derived else None)
    if shown(space, row, access):
        yield Change(row.src_id, what, place)
    if row.cuts:
        yield Change(row.dst_id, what, place, cut=True)


def last_told(space: Space, entry_id: UUID, known_at: int, access: AccessFilter) -> int:
    """The last transaction that changed a visible entry, for all that somebody is told."""
    for number in reversed(space.touches[entry_id]):
        if space.transactions[number].recorded_at <= known_at:
            one = told(space, number, access)
            if one is not None and log_model.touches(one.transaction, (entry_id,)):
                return number
    return space.touches[entry_id][0]


def deed(space: Space, place: Place, access: AccessFilter) -> Deed:
    """What was done at an edge: the operation it names, or the last that touched the entry."""
    edge, entry_id = place
    found = told(space, edge.number, access)
    if found is None:
        return Deed(None, None, NOBODY)
    stored, erased = found.transaction, space.tombstones
    done = stored.operations
    if edge.operation is None:
        operation = next((one for one in reversed(done) if entry_id in one.touched), None)
    else:
        told_at = found.places.get(edge.operation)
        operation = None if told_at is None else done[told_at]
    whole = all(erased.keys().isdisjoint(one.touched) for one in done)
    reason = stored.reason if whole else None
    if operation is None:
        return Deed(None, reason, stored.actor)
    own = operation.reason if erased.keys().isdisjoint(operation.touched) else None
    return Deed(operation.kind, own or reason, stored.actor)


def _rows(space: Space) -> Iterator[_Row]:
    return chain(
        space.versions.values(),
        space.relations.values(),
        space.archivings.values(),
        space.verifications.values(),
    )


def _entries(row: _Row) -> tuple[UUID, ...]:
    return (row.src_id, row.dst_id) if isinstance(row, Relation) else (row.entry_id,)
