"""Cuts: what happens to an entry when another takes over a part of its validity."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final
from uuid import UUID

from damals.domain.entries import Relation
from damals.domain.errors import Conflict, InvalidInput
from damals.domain.ids import parse_uuid, relation_id
from damals.domain.instants import BEGINNING
from damals.domain.operations import CUTTING_RELATIONS, DeclaredRelation
from damals.domain.periods import OPEN_END, Bound, BoundKind, Period
from damals.domain.state import Draft, EntryState, Rectangle

ALWAYS: Final = Period(Bound(BEGINNING, BEGINNING, BoundKind.UNKNOWN), OPEN_END)
"""Period of a relation that holds wherever the entry holds that declares it."""


def cut(
    draft: Draft, winner: EntryState, loser: EntryState, portion: Period, relation: str
) -> EntryState:
    """Cut ``loser`` back by ``portion`` and relate ``winner`` → ``loser``.

    Returns:
        ``winner`` with the new relation; ``loser`` is put into the draft.
    """
    left: list[Rectangle] = []
    taken: list[Period] = []
    for rectangle in loser.rectangles:
        if not rectangle.period.overlaps(portion):
            left.append(rectangle)
            continue
        taken.append(_common(rectangle.period, portion))
        left.extend(
            replace(rectangle, period=part, row=0, operation=draft.operation)
            for part in rectangle.period.without(portion)
        )
    cut_by = tuple(dict.fromkeys((*loser.cut_by, winner.id)))
    draft.put(replace(loser, rectangles=tuple(left), cut_by=cut_by))
    made = tuple(_cut_row(draft, winner.id, loser.id, relation, period) for period in taken)
    return replace(winner, relations=(*winner.relations, *made))


def _common(first: Period, second: Period) -> Period:
    start = max(first.start, second.start, key=lambda b: (b.earliest, b.latest))
    end = min(first.end, second.end, key=lambda b: (b.latest, b.earliest))
    return Period(start, end)


def _cut_row(draft: Draft, src: UUID, dst: UUID, relation: str, period: Period) -> Relation:
    return replace(_row(draft, src, dst, relation), period=period, cuts=True)


def _row(draft: Draft, src: UUID, dst: UUID, relation: str, anchor: str = "") -> Relation:
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
    losers = [s for s in draft.holding_key(key, but=winner.id) if _overlapping(s, period)]
    for loser in sorted(losers, key=lambda s: s.id):
        winner = cut(draft, winner, loser, period, "supersedes")
    return winner, tuple(sorted(s.id for s in losers))


def _overlapping(state: EntryState, period: Period) -> bool:
    return any(r.period.overlaps(period) for r in state.rectangles)


def refuse_overlap(draft: Draft, entry_id: UUID, key: str, period: Period) -> None:
    """Refuse a period in which another entry of ``key`` holds.

    Raises:
        Conflict: ``key.overlap``, naming the other entry.
    """
    for state in draft.holding_key(key, but=entry_id):
        if _overlapping(state, period):
            title = state.rectangles[-1].attributes.title
            raise Conflict("key.overlap", key=key, id=str(state.id), title=title)


def declare(draft: Draft, state: EntryState, said: Iterable[DeclaredRelation]) -> None:
    """Make ``said`` the declared relations of an entry; what it no longer says is closed.

    Raises:
        InvalidInput: ``relation.to_itself``, or ``relation.cutting`` for a type that cuts.
        NotFound: ``entry.unknown`` for the other end.
    """
    kept = {_said(r): r for r in state.relations if r.declared}
    others = [r for r in state.relations if not r.declared]
    rows = {_said(row): row for row in (_declared_row(draft, state, one) for one in said)}
    if rows.keys() == kept.keys():
        return
    merged = [kept.get(key, row) for key, row in rows.items()]
    draft.put(replace(state, relations=(*others, *merged)))


def _said(row: Relation) -> tuple[object, ...]:
    return (row.id, row.dst_id, row.confidence, row.evidence, row.unresolved)


def _declared_row(draft: Draft, state: EntryState, said: DeclaredRelation) -> Relation:
    if said.relation in CUTTING_RELATIONS:
        raise InvalidInput("relation.cutting", relation=said.relation)
    entry_id = parse_uuid(said.dst)
    dst = entry_id if said.target is not None else draft.require(said.dst, entry_id).id
    if dst is None:
        raise InvalidInput("relation.no_id", dst=said.dst)
    if dst == state.id and said.target is None:
        raise InvalidInput("relation.to_itself", id=str(dst))
    return replace(
        _row(draft, state.id, dst, said.relation, said.target or ""),
        confidence=said.confidence,
        evidence=said.evidence,
        declared=True,
        target=said.target,
        unresolved=said.unresolved,
    )
