"""Giving back: what happens to an entry when a cut that was made into it is taken back.

What is given back is what the cut took, less whatever was said of it later: a cut keeps nothing
alive that was ended, retracted or taken by somebody else since.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from damals.domain.entries import Relation
from damals.domain.operations import Retract
from damals.domain.outcomes import Outcome
from damals.domain.periods import Bound, Period
from damals.domain.state import Done, Draft, EntryState, Rectangle, ordered, rectangle_of
from damals.domain.targets import unarchived_target


def retract(draft: Draft, op: Retract) -> Outcome:
    """End all current rectangles; with ``restore`` give back what this entry had cut."""
    target = unarchived_target(draft, op.target, op.if_transaction)
    cuts = [r for r in target.relations if r.cuts] if op.restore else []
    if not target.rectangles and not cuts:
        return Outcome(target.id, unchanged=True)
    draft.put(replace(target, rectangles=()))
    standing = [*_successors(draft, target)] if cuts else []
    return Outcome(target.id, others=give_back(draft, cuts, standing))


def _successors(draft: Draft, state: EntryState) -> Iterator[Period]:
    """Where those hold that took over from an entry, or from one that did."""
    seen = {state.id}
    waiting = list(state.cut_by)
    while waiting:
        one = waiting.pop()
        other = draft.by_id(one)
        if other is None or one in seen:
            continue
        seen.add(one)
        waiting.extend(other.cut_by)
        yield from (rectangle.period for rectangle in other.rectangles)


def give_back(
    draft: Draft, cuts: Sequence[Relation], standing: Sequence[Period] = ()
) -> tuple[UUID, ...]:
    """Close cuts of one entry, and give back what they took where nothing later stands.

    Args:
        draft: what is known.
        cuts: relations of one entry.
        standing: where something else stands in any case.

    Returns:
        The entries that were cut and are still there, by id.

    Raises:
        Conflict: ``cut.imprecise`` when what is left to give back cannot be told.
    """
    if not cuts:
        return ()
    winner_id = cuts[0].src_id
    winner = draft.by_id(winner_id)
    left = set[UUID]()
    if winner is not None:
        gone = set(cuts)
        winner = replace(winner, relations=tuple(r for r in winner.relations if r not in gone))
        draft.put(winner)
        left = cut_by_it(winner)
    lost: dict[UUID, list[Relation]] = {}
    for row in cuts:
        lost.setdefault(row.dst_id, []).append(row)
    changed: list[UUID] = []
    for loser_id in sorted(lost):
        loser = draft.by_id(loser_id)
        if loser is not None and not loser.erased:
            loser = loser if loser_id in left else uncut(loser, winner_id)
            _take_back(draft, loser, lost[loser_id], standing)
            changed.append(loser_id)
    return tuple(changed)


def _take_back(
    draft: Draft, loser: EntryState, cuts: Iterable[Relation], standing: Sequence[Period]
) -> None:
    parts: list[Period] = []
    for row in cuts:
        parts.extend(_returned(draft, loser, row, [*standing, *parts]))
    said = last_said(draft, loser)
    if said is not None:
        back = [replace(said, period=part, row=0, operation=draft.operation) for part in parts]
        loser = replace(loser, rectangles=joined(draft, (*loser.rectangles, *back)))
    draft.put(loser)


def cut_by_it(winner: EntryState) -> set[UUID]:
    """The entries that an entry cuts."""
    return {row.dst_id for row in winner.relations if row.cuts}


def uncut(loser: EntryState, winner_id: UUID) -> EntryState:
    """The entry, no longer cut by ``winner_id``, of which no cut of it is left."""
    return replace(loser, cut_by=tuple(one for one in loser.cut_by if one != winner_id))


def last_said(draft: Draft, state: EntryState) -> Rectangle | None:
    """A rectangle with what an entry says, or said last."""
    if state.rectangles:
        return state.rectangles[-1]
    if state.id in draft.last_held:
        return draft.last_held[state.id]
    return None if state.last is None else rectangle_of(state.last)


def _returned(
    draft: Draft, loser: EntryState, row: Relation, standing: Iterable[Period]
) -> list[Period]:
    """What is left of a cut's portion."""
    parts = still_said([row.period], later(draft, loser.id, row))
    for taken in (
        *_taken(draft, loser, row.period),
        *standing,
        *(r.period for r in loser.rectangles),
    ):
        parts = without(parts, taken)
    return parts


def without(parts: Iterable[Period], taken: Period) -> list[Period]:
    """What is left of some periods when one is taken out of each."""
    return [left for part in parts for left in part.without(taken)]


def _taken(draft: Draft, loser: EntryState, portion: Period) -> Iterable[Period]:
    """Where others hold a portion instead: by a cut that still stands, or by the same key."""
    for other_id in loser.cut_by:
        other = draft.by_id(other_id)
        for row in other.relations if other else ():
            if row.cuts and row.dst_id == loser.id:
                yield row.period
    said = last_said(draft, loser)
    key = said.attributes.key if said else None
    if key is not None:
        for other in draft.holding_key(key, portion, but=loser.id):
            yield from (r.period for r in other.rectangles if r.attributes.key == key)


def still_said(periods: Sequence[Period], operations: Iterable[Done]) -> list[Period]:
    """What is left of periods that an entry had, after what was said of it later."""
    left = list(periods)
    for done in operations:
        if done.kind == "retract" or done.bounded:
            return []
        if done.end is not None:
            shortened = (until(part, done.end) for part in left)
            left = [part for part in shortened if part is not None]
    return left


def until(period: Period, end: Bound) -> Period | None:
    """What is left of a period that ends at ``end``, if it does not end before anyway."""
    if period.end.latest <= end.earliest or period.end.same_as(end):
        return period
    return period.until(end)


def later(draft: Draft, entry_id: UUID, row: Relation) -> list[Done]:
    """What was done to an entry after a cut was made, without what was reverted."""
    made = _as_made(draft, row)
    return done_after(draft, entry_id, made.opened_by, made.operation)


def _as_made(draft: Draft, row: Relation) -> Relation:
    """A cut as it was made first: a revert that brought it back does not make it younger."""
    stored = draft.states.done_since(row.src_id, row.opened_by)
    for done in (*stored, *draft.done):
        if (done.number, done.operation) == (row.opened_by, row.operation) and done.reverted:
            rows = draft.states.changed_by(done.reverted)
            for closed in rows.relations_closed if rows else ():
                if (closed.id, closed.period) == (row.id, row.period):
                    return _as_made(draft, closed)
    return row


def done_after(draft: Draft, entry_id: UUID, number: int, operation: int) -> list[Done]:
    """What was done to an entry after an operation, without what was reverted since.

    A revert that was reverted itself took nothing back, so the newest is looked at first.
    """
    stored = draft.states.done_since(entry_id, number) if number < draft.number else ()
    since = [d for d in (*stored, *draft.done) if (d.number, d.operation) > (number, operation)]
    reverted: set[int] = set()
    for done in reversed(since):
        if done.reverted is not None and done.number not in reverted:
            reverted.add(done.reverted)
    return [d for d in since if d.entry_id == entry_id and d.number not in reverted]


def joined(draft: Draft, rectangles: Iterable[Rectangle]) -> tuple[Rectangle, ...]:
    """Rectangles by start, those that continue one another and say the same as one."""
    whole: list[Rectangle] = []
    for one in ordered(rectangles):
        last = whole[-1] if whole else None
        if last is not None and one.period.continues(last.period) and _alike(last, one):
            period = Period(last.period.start, one.period.end)
            whole[-1] = replace(last, period=period, row=0, operation=draft.operation)
        else:
            whole.append(one)
    return tuple(whole)


def _alike(first: Rectangle, second: Rectangle) -> bool:
    return (first.attributes, first.generation) == (second.attributes, second.generation)
