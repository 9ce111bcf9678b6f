"""From a finished draft to rows: what a transaction opens and closes in recorded time."""

from dataclasses import dataclass
from uuid import UUID

from damals.domain.entries import Relation, Version
from damals.domain.state import Draft, EntryState, Rectangle


@dataclass(frozen=True, slots=True)
class Effects:
    """The rows of one transaction.

    Attributes:
        created: entries that did not exist before, in a fixed order.
        opened: versions that begin to be known.
        closed: rows of versions that end to be known.
        touched: ids of the entries whose knowledge changed.
    """

    created: tuple[EntryState, ...]
    opened: tuple[Version, ...]
    closed: tuple[int, ...]
    relations_opened: tuple[Relation, ...]
    relations_closed: tuple[int, ...]
    touched: tuple[UUID, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.touched or self.created)


def effects(draft: Draft) -> Effects:
    """The difference between the start and the end of a draft, entries by order of touching."""
    created: list[EntryState] = []
    opened: list[Version] = []
    closed: list[int] = []
    relations: list[Relation] = []
    relations_closed: list[int] = []
    touched: list[UUID] = []
    for entry_id, after in draft.after.items():
        before = draft.before[entry_id]
        if before.last_transaction == 0:
            created.append(after)
        made, gone = _rectangles(before, after)
        opened.extend(version_of(draft, entry_id, rectangle) for rectangle in made)
        closed.extend(rectangle.row for rectangle in gone)
        stored = {r.row for r in after.relations if r.row}
        new = [r for r in after.relations if not r.row and _visible(draft, r)]
        ended = [r.row for r in before.relations if r.row not in stored]
        relations.extend(new)
        relations_closed.extend(ended)
        if made or gone or new or ended:
            touched.append(entry_id)
    return Effects(
        tuple(created),
        tuple(opened),
        tuple(closed),
        tuple(relations),
        tuple(relations_closed),
        tuple(touched),
    )


def _rectangles(before: EntryState, after: EntryState) -> tuple[list[Rectangle], list[Rectangle]]:
    """What is new and what is gone; a rectangle cut and restored inside the draft is neither."""
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
