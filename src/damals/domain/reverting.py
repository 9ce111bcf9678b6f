"""Reverting: taking back what one transaction changed.

Whatever the transaction opened is closed and whatever it closed is opened again, unless something
later was said where it made a change.
"""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from damals.domain.cuts import held_instead, overlapping
from damals.domain.entries import Relation, Version
from damals.domain.errors import Conflict, NotFound
from damals.domain.operations import Revert
from damals.domain.outcomes import Outcome
from damals.domain.periods import Period
from damals.domain.restoring import done_after, joined, last_said, still_said, uncut, without
from damals.domain.state import Draft, EntryState, Rectangle, TransactionRows, rectangle_of

_LAST_OPERATION = 2**31
"""Behind every operation of a transaction."""


def revert(draft: Draft, op: Revert) -> Outcome:
    """Take back what a stored transaction changed.

    Raises:
        NotFound: ``transaction.unknown``.
        Conflict: ``revert.erased`` for an erasure, which nothing brings back; ``revert.later``
            when something later was said where the transaction made a change;
            ``transaction.changed`` when the workspace's last transaction is not the expected one.
    """
    last = draft.number - 1
    if op.if_transaction is not None and op.if_transaction != last:
        raise Conflict("transaction.changed", expected=op.if_transaction, actual=last)
    rows = draft.states.changed_by(op.transaction)
    if rows is None:
        raise NotFound("transaction.unknown", transaction=op.transaction)
    if rows.erased:
        raise Conflict("revert.erased", transaction=rows.number, id=str(rows.erased[0]))
    changed = _entries_of(rows)
    states = [_state(draft, rows, entry_id) for entry_id in changed]
    held = {state.id: [r.period for r in state.rectangles] for state in states}
    for state in states:
        _undo(draft, rows, state)
    for row in (*rows.relations_opened, *rows.relations_closed):
        if row.cuts:
            _recount(draft, row)
    for entry_id in changed:
        _check(draft, rows, held[entry_id], draft.after[entry_id])
    return Outcome(None, unchanged=not changed, others=changed, reverted=rows.number)


def _entries_of(rows: TransactionRows) -> tuple[UUID, ...]:
    """The entries that a transaction changed, by id."""
    versions = (*rows.versions_opened, *rows.versions_closed)
    relations = (*rows.relations_opened, *rows.relations_closed)
    states = (
        *(*rows.archivings_opened, *rows.archivings_closed),
        *(*rows.verifications_opened, *rows.verifications_closed),
    )
    found = {one.entry_id for one in (*versions, *states)}
    return tuple(sorted(found | {relation.src_id for relation in relations}))


def _state(draft: Draft, rows: TransactionRows, entry_id: UUID) -> EntryState:
    state = draft.by_id(entry_id)
    if state is None or state.erased:
        raise _later(rows, entry_id)
    return state


def _later(rows: TransactionRows, entry_id: UUID) -> Conflict:
    return Conflict("revert.later", transaction=rows.number, id=str(entry_id))


def _undo(draft: Draft, rows: TransactionRows, state: EntryState) -> None:
    """One entry as it was before the transaction."""
    opened = [one for one in rows.versions_opened if one.entry_id == state.id]
    closed = [one for one in rows.versions_closed if one.entry_id == state.id]
    after = state
    if opened or closed:
        rectangles = _rectangles(draft, rows, state, opened, closed)
        after = replace(after, rectangles=joined(draft, rectangles))
    after = _relations(draft, rows, after)
    after = _archiving(draft, rows, after)
    draft.put(_verifications(draft, rows, after))


def _rectangles(
    draft: Draft,
    rows: TransactionRows,
    state: EntryState,
    opened: list[Version],
    closed: list[Version],
) -> list[Rectangle]:
    left = [r for r in state.rectangles if not any(_is_still(one, r) for one in opened)]
    if opened and len(left) == len(state.rectangles) - len(opened):
        back = [_reopened(draft, one) for one in closed]
    else:
        left, back = list(state.rectangles), _given_back(draft, rows, state, opened, closed)
    apart = [*left, *back]
    if any(a.period.overlaps(b.period) for n, a in enumerate(apart) for b in apart[n + 1 :]):
        raise _later(rows, state.id)
    return apart


def _is_still(version: Version, rectangle: Rectangle) -> bool:
    """Whether a version is current, or was given back just as it was."""
    if version.row == rectangle.row:
        return True
    said = (version.period, version.generation, version.attributes)
    return said == (rectangle.period, rectangle.generation, rectangle.attributes)


def _reopened(draft: Draft, version: Version) -> Rectangle:
    return replace(rectangle_of(version), row=0, operation=draft.operation)


def _given_back(
    draft: Draft,
    rows: TransactionRows,
    state: EntryState,
    opened: list[Version],
    closed: list[Version],
) -> list[Rectangle]:
    """What the transaction took from an entry that was changed again since, elsewhere in time."""
    versions = [*opened, *closed]
    otherwise = any(one.attributes != versions[0].attributes for one in versions)
    gained = _difference(opened, closed)
    lost = _difference(closed, opened)
    since = done_after(draft, state.id, rows.number, _LAST_OPERATION)
    # What was gained, or said otherwise, was changed again; what was lost may have been spoken of.
    if otherwise or gained or still_said(lost, since) != lost:
        raise _later(rows, state.id)
    now = last_said(draft, state)
    model = _reopened(draft, closed[-1]) if now is None else now
    return [replace(model, period=part, row=0, operation=draft.operation) for part in lost]


def _difference(whole: Iterable[Version], taken: Iterable[Version]) -> list[Period]:
    parts = [one.period for one in whole]
    for one in taken:
        parts = without(parts, one.period)
    return parts


def _relations(draft: Draft, rows: TransactionRows, state: EntryState) -> EntryState:
    opened = {row.row for row in rows.relations_opened if row.src_id == state.id}
    closed = [row for row in rows.relations_closed if row.src_id == state.id]
    if not opened and not closed:
        return state
    kept = [row for row in state.relations if row.row not in opened]
    if len(kept) != len(state.relations) - len(opened):
        raise _later(rows, state.id)
    back = [draft.again(row) for row in closed]
    said = {(row.id, row.period) for row in kept}
    if any((row.id, row.period) in said for row in back):
        raise _later(rows, state.id)
    return replace(state, relations=(*kept, *back))


def _archiving(draft: Draft, rows: TransactionRows, state: EntryState) -> EntryState:
    for one in rows.archivings_opened:
        if one.entry_id == state.id:
            if state.archiving is None or state.archiving.row != one.row:
                raise _later(rows, state.id)
            state = replace(state, archiving=None)
    for one in rows.archivings_closed:
        if one.entry_id == state.id:
            if state.archiving is not None:
                raise _later(rows, state.id)
            state = replace(state, archiving=draft.again(one))
    return state


def _verifications(draft: Draft, rows: TransactionRows, state: EntryState) -> EntryState:
    opened = {one.row for one in rows.verifications_opened if one.entry_id == state.id}
    kept = [one for one in state.verifications if one.row not in opened]
    if len(kept) != len(state.verifications) - len(opened):
        raise _later(rows, state.id)
    back = [draft.again(one) for one in rows.verifications_closed if one.entry_id == state.id]
    return replace(state, verifications=(*kept, *back))


def _recount(draft: Draft, row: Relation) -> None:
    """Whether the other end of a cut is still, or again, cut by it."""
    loser = draft.by_id(row.dst_id)
    winner = draft.by_id(row.src_id)
    if loser is None or winner is None:
        return
    if any(r.cuts and r.dst_id == loser.id for r in winner.relations):
        cut_by = tuple(dict.fromkeys((*loser.cut_by, winner.id)))
        draft.put(replace(loser, cut_by=cut_by))
    else:
        draft.put(uncut(draft, loser, winner.id))


def _check(
    draft: Draft, rows: TransactionRows, before: Iterable[Period], state: EntryState
) -> None:
    """Refuse what would hold where another entry of its key, or one that superseded it, does."""
    for rectangle in state.rectangles:
        key = rectangle.attributes.key
        for rival in draft.holding_key(key, but=state.id) if key is not None else ():
            if overlapping(rival, rectangle.period):
                raise Conflict("revert.later", transaction=rows.number, id=str(rival.id))
        if any(period.same_as(rectangle.period) for period in before):
            continue  # it held there all the time
        for cutter in state.cut_by:
            if any(held.overlaps(rectangle.period) for held in held_instead(draft, state, cutter)):
                raise Conflict("revert.later", transaction=rows.number, id=str(cutter))
