"""From a finished draft to rows: what a transaction opens and closes in recorded time."""

from collections.abc import Callable
from itertools import chain
from typing import TypeVar
from uuid import UUID

from damals.domain.entries import Archiving, Relation, Verification, Version
from damals.domain.state import Draft, EntryState, Rectangle
from damals.domain.values import frozen

_Item = TypeVar("_Item")
_Row = TypeVar("_Row", Archiving, Verification)


@frozen
class Effects:
    """The rows of one transaction.

    Attributes:
        created: entries that did not exist before, in a fixed order.
        opened: versions that begin to be known.
        closed: rows of versions that end to be known.
        touched: ids of the entries whose knowledge changed.
        erased: ids of the entries of which only a tombstone is left.
    """

    created: tuple[EntryState, ...]
    opened: tuple[Version, ...]
    closed: tuple[int, ...]
    relations_opened: tuple[Relation, ...]
    relations_closed: tuple[int, ...]
    touched: tuple[UUID, ...]
    archivings_opened: tuple[Archiving, ...] = ()
    archivings_closed: tuple[int, ...] = ()
    verifications_opened: tuple[Verification, ...] = ()
    verifications_closed: tuple[int, ...] = ()
    erased: tuple[UUID, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.touched or self.created)


def effects(draft: Draft) -> Effects:
    """The difference between the start and the end of a draft, entries by order of touching."""
    found = [_entry_effects(draft, draft.before[i], after) for i, after in draft.after.items()]
    changed = [one for one in found if not one.empty]
    if len(changed) == 1:
        return changed[0]
    return Effects(
        created=_joined(changed, lambda one: one.created),
        opened=_joined(changed, lambda one: one.opened),
        closed=_joined(changed, lambda one: one.closed),
        relations_opened=_joined(changed, lambda one: one.relations_opened),
        relations_closed=_joined(changed, lambda one: one.relations_closed),
        touched=_joined(changed, lambda one: one.touched),
        archivings_opened=_joined(changed, lambda one: one.archivings_opened),
        archivings_closed=_joined(changed, lambda one: one.archivings_closed),
        verifications_opened=_joined(changed, lambda one: one.verifications_opened),
        verifications_closed=_joined(changed, lambda one: one.verifications_closed),
        erased=_joined(changed, lambda one: one.erased),
    )


def _joined(parts: list[Effects], of: Callable[[Effects], tuple[_Item, ...]]) -> tuple[_Item, ...]:
    return tuple(chain.from_iterable(of(part) for part in parts))


def _entry_effects(draft: Draft, before: EntryState, after: EntryState) -> Effects:
    """What became of one entry."""
    made, gone = _rectangles(before, after)
    related, unrelated = _relations(draft, before, after)
    archived, unarchived = _difference(_single(before.archiving), _single(after.archiving))
    verified, unverified = _difference(before.verifications, after.verifications)
    erased = after.erased and not before.erased
    rows = (made, gone, related, unrelated, archived, unarchived, verified, unverified)
    return Effects(
        created=(after,) if before.last_transaction == 0 else (),
        opened=tuple([version_of(draft, after.id, rectangle) for rectangle in made]),
        closed=tuple([rectangle.row for rectangle in gone]),
        relations_opened=tuple(related),
        relations_closed=tuple(unrelated),
        touched=(after.id,) if erased or any(rows) else (),
        archivings_opened=archived,
        archivings_closed=unarchived,
        verifications_opened=verified,
        verifications_closed=unverified,
        erased=(after.id,) if erased else (),
    )


def _relations(
    draft: Draft, before: EntryState, after: EntryState
) -> tuple[list[Relation], list[int]]:
    """The relations that are new, and the numbers of those that are gone."""
    if before.relations is after.relations:
        return [], []
    stored = {r.row for r in after.relations if r.row}
    related = [r for r in after.relations if not r.row and _visible(draft, r)]
    return related, [r.row for r in before.relations if r.row not in stored]


def _single(archiving: Archiving | None) -> tuple[Archiving, ...]:
    return () if archiving is None else (archiving,)


def _difference(
    before: tuple[_Row, ...], after: tuple[_Row, ...]
) -> tuple[tuple[_Row, ...], tuple[int, ...]]:
    """The rows that are new, and the numbers of those that are gone."""
    if not (before or after):  # of most entries
        return (), ()
    kept = {one.row for one in after if one.row}
    new = tuple(one for one in after if not one.row)
    return new, tuple(one.row for one in before if one.row not in kept)


def _rectangles(before: EntryState, after: EntryState) -> tuple[list[Rectangle], list[Rectangle]]:
    """What is new and what is gone; a rectangle cut and restored inside the draft is neither."""
    if not before.rectangles:  # of every new entry
        return list(after.rectangles), []
    gone = {(r.period, r.attributes.title, r.generation): r for r in before.rectangles}
    made: list[Rectangle] = []
    for rectangle in after.rectangles:
        key = (rectangle.period, rectangle.attributes.title, rectangle.generation)
        old = gone.get(key)
        if old is not None and old.attributes == rectangle.attributes:
            del gone[key]
        else:
            made.append(rectangle)
    return made, list(gone.values())


def version_of(draft: Draft, entry_id: UUID, rectangle: Rectangle) -> Version:
    """A rectangle as a version that the draft records."""
    return Version(
        row=0,
        entry_id=entry_id,
        period=rectangle.period,
        attributes=rectangle.attributes,
        generation=rectangle.generation,
        zone=rectangle.zone,
        recorded_from=draft.now,
        opened_by=draft.number,
        operation=rectangle.operation,
    )


def _visible(draft: Draft, relation: Relation) -> bool:
    """Whether both ends are ever known; a relation to what vanished in the draft is not kept."""
    if relation.target is not None:
        return True
    other = draft.after.get(relation.dst_id)
    return other is None or other.last is not None or bool(other.rectangles)
