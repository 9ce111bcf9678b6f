"""Cuts: what happens to an entry when another takes over a part of its validity."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from damals.domain.entries import Relation
from damals.domain.errors import Conflict
from damals.domain.ids import relation_id
from damals.domain.instants import BEGINNING
from damals.domain.periods import OPEN_END, Bound, BoundKind, Period
from damals.domain.state import Draft, EntryState, Rectangle

ALWAYS: Final = Period(Bound(BEGINNING, BEGINNING, BoundKind.UNKNOWN), OPEN_END)
"""Period of a relation that holds wherever the entry holds that declares it."""


RESOLVED: Final = "resolve"
"""Rule of a cut that decided a contradiction."""


def cut(draft: Draft, winner: EntryState, portion: Period, row: Relation) -> EntryState:
    """Cut the entry at the end of ``row`` back by ``portion``.

    Args:
        draft: where that entry is found, and put.
        winner: the entry at the beginning of ``row``.
        portion: what is taken, as far as the other holds there.
        row: the relation that is recorded, once for each period that was taken.

    Returns:
        ``winner`` with the new relations.
    """
    loser = draft.by_id(row.dst_id)
    if loser is None:
        return winner
    left: list[Rectangle] = []
    taken: list[Period] = []
    for rectangle in loser.rectangles:
        if not rectangle.period.overlaps(portion):
            left.append(rectangle)
            continue
        taken.append(rectangle.period.common(portion))
        left.extend(
            replace(rectangle, period=part, row=0, operation=draft.operation)
            for part in rectangle.period.without(portion)
        )
    if not taken:
        return winner
    cut_by = tuple(dict.fromkeys((*loser.cut_by, winner.id)))
    draft.put(replace(loser, rectangles=tuple(left), cut_by=cut_by))
    made = tuple(replace(row, period=period, cuts=True) for period in taken)
    return replace(winner, relations=(*winner.relations, *made))


def held_instead(draft: Draft, loser: EntryState, winner_id: UUID) -> list[Period]:
    """Where an entry that cut another holds in its place.

    That is wherever it holds; of one that a decision kept, only from the decision on, since both
    were held to be true before.
    """
    winner = draft.by_id(winner_id)
    if winner is None:
        return []
    held = [rectangle.period for rectangle in winner.rectangles]
    cuts = [row for row in winner.relations if row.cuts and row.dst_id == loser.id]
    if not cuts or any(row.rule != RESOLVED for row in cuts):
        return held
    return [row.period.common(one) for row in cuts for one in held if row.period.overlaps(one)]


def relation_row(draft: Draft, src: UUID, dst: UUID, relation: str, anchor: str = "") -> Relation:
    """A relation that the operation being applied records.

    Args:
        draft: tells when.
        src: the entry that it is said of.
        dst: the other one.
        relation: its type.
        anchor: where it is said, when that belongs to its identity.
    """
    return Relation(
        row=0,
        id=relation_id(src, relation, dst, anchor),
        src_id=src,
        dst_id=dst,
        relation=relation,
        period=ALWAYS,
        recorded_from=draft.now,
        opened_by=draft.number,
        operation=draft.operation,
    )


def cut_overlapping(
    draft: Draft, winner: EntryState, key: str, period: Period
) -> tuple[EntryState, tuple[UUID, ...]]:
    """Cut every other entry of ``key`` back by ``period``.

    Returns:
        ``winner`` with its ``supersedes`` relations, and the ids of those that were cut.
    """
    losers = draft.holding_key(key, period, but=winner.id)
    for loser in losers:
        winner = cut(draft, winner, period, relation_row(draft, winner.id, loser.id, "supersedes"))
    return winner, tuple(s.id for s in losers)


def refuse_overlap(draft: Draft, entry_id: UUID, key: str, period: Period) -> None:
    """Refuse a period in which another entry of ``key`` holds.

    Raises:
        Conflict: ``key.overlap``, naming the other entry.
    """
    for state in draft.holding_key(key, period, but=entry_id):
        title = state.rectangles[-1].attributes.title
        raise Conflict("key.overlap", key=key, id=str(state.id), title=title)
