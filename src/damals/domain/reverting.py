"""Reverting: taking back what one transaction changed.

Whatever the transaction opened is closed and whatever it closed is opened again, unless something
later was said where it made a change.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields, replace
from typing import cast
from uuid import UUID

from damals.domain.cuts import held_instead
from damals.domain.entries import Relation, Version
from damals.domain.errors import Conflict, NotFound
from damals.domain.operations import Revert
from damals.domain.outcomes import Outcome
from damals.domain.periods import Period, any_overlap
from damals.domain.restoring import (
    cut_by_it,
    done_after,
    joined,
    last_said,
    still_said,
    uncut,
    without,
)
from damals.domain.state import Draft, EntryState, Rectangle, TransactionRows, rectangle_of

_LAST_OPERATION = 2**31
"""Behind every operation of a transaction."""

_CHANGES = tuple(
    one.name for one in fields(TransactionRows) if one.name.endswith(("_opened", "_closed"))
)
"""The kinds of rows that a transaction opens and closes."""


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
    parts = _by_entry(rows)
    changed = tuple(parts)
    states = [_state(draft, rows, entry_id) for entry_id in changed]
    held = {state.id: {r.period.identity for r in state.rectangles} for state in states}
    for state in states:
        _undo(draft, parts[state.id], state)
    _recount(draft, (*rows.relations_opened, *rows.relations_closed))
    for entry_id in changed:
        _check(draft, rows, held[entry_id], draft.after[entry_id])
    return Outcome(None, unchanged=not changed, others=changed, reverted=rows.number)


def _by_entry(rows: TransactionRows) -> dict[UUID, TransactionRows]:
    """What a transaction changed of each entry, by id."""
    found: dict[UUID, dict[str, list[object]]] = {}
    for name in _CHANGES:
        for row in getattr(rows, name):
            entry_id = row.src_id if isinstance(row, Relation) else row.entry_id
            found.setdefault(entry_id, {}).setdefault(name, []).append(row)
    return {i: _part(rows.number, found[i]) for i in sorted(found)}


def _part(number: int, changes: Mapping[str, Iterable[object]]) -> TransactionRows:
    make = cast("Callable[..., TransactionRows]", TransactionRows)
    return make(number, **{name: tuple(rows) for name, rows in changes.items()})


def _state(draft: Draft, rows: TransactionRows, entry_id: UUID) -> EntryState:
    state = draft.by_id(entry_id)
    if state is None or state.erased:
        raise _later(rows, entry_id)
    return state


def _later(rows: TransactionRows, entry_id: UUID) -> Conflict:
    return Conflict("revert.later", transaction=rows.number, id=str(entry_id))


def _undo(draft: Draft, rows: TransactionRows, state: EntryState) -> None:
    """One entry as it was before the transaction.

    Args:
        draft: where it is put.
        rows: those of this entry.
        state: the entry.
    """
    after = state
    if rows.versions_opened or rows.versions_closed:
        after = replace(after, rectangles=joined(draft, _rectangles(draft, rows, state)))
    after = _relations(draft, rows, after)
    after = _archiving(draft, rows, after)
    draft.put(_verifications(draft, rows, after))


def _rectangles(draft: Draft, rows: TransactionRows, state: EntryState) -> list[Rectangle]:
    opened = rows.versions_opened
    is_still = _among(opened)
    left = [rectangle for rectangle in state.rectangles if not is_still(rectangle)]
    if opened and len(left) == len(state.rectangles) - len(opened):
        back = [_reopened(draft, one) for one in rows.versions_closed]
    else:
        left, back = list(state.rectangles), _given_back(draft, rows, state)
    apart = [*left, *back]
    if any_overlap(rectangle.period for rectangle in apart):
        raise _later(rows, state.id)
    return apart


def _among(versions: Iterable[Version]) -> Callable[[Rectangle], bool]:
    """Tells whether a rectangle is one of some versions, or was given back just as it was."""
    numbers = {one.row for one in versions}
    said = {(one.period, one.generation): one.attributes for one in versions}

    def among(rectangle: Rectangle) -> bool:
        attributes = said.get((rectangle.period, rectangle.generation))
        return rectangle.row in numbers or attributes == rectangle.attributes

    return among


def _reopened(draft: Draft, version: Version) -> Rectangle:
    return replace(rectangle_of(version), row=0, operation=draft.operation)


def _given_back(draft: Draft, rows: TransactionRows, state: EntryState) -> list[Rectangle]:
    """What the transaction took from an entry that was changed again since, elsewhere in time."""
    opened, closed = rows.versions_opened, rows.versions_closed
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
    opened = {row.row for row in rows.relations_opened}
    closed = rows.relations_closed
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
        if state.archiving is None or state.archiving.row != one.row:
            raise _later(rows, state.id)
        state = replace(state, archiving=None)
    for one in rows.archivings_closed:
        if state.archiving is not None:
            raise _later(rows, state.id)
        state = replace(state, archiving=draft.again(one))
    return state


def _verifications(draft: Draft, rows: TransactionRows, state: EntryState) -> EntryState:
    opened = {one.row for one in rows.verifications_opened}
    kept = [one for one in state.verifications if one.row not in opened]
    if len(kept) != len(state.verifications) - len(opened):
        raise _later(rows, state.id)
    back = [draft.again(one) for one in rows.verifications_closed]
    return replace(state, verifications=(*kept, *back))


def _recount(draft: Draft, rows: Iterable[Relation]) -> None:
    """Whether the other ends of some cuts are still, or again, cut by them."""
    cutting: dict[UUID, set[UUID]] = {}
    for winner_id, loser_id in dict.fromkeys((r.src_id, r.dst_id) for r in rows if r.cuts):
        winner, loser = draft.by_id(winner_id), draft.by_id(loser_id)
        if winner is None or loser is None:
            continue
        if winner_id not in cutting:
            cutting[winner_id] = cut_by_it(winner)
        if loser_id in cutting[winner_id]:
            cut_by = tuple(dict.fromkeys((*loser.cut_by, winner_id)))
            draft.put(replace(loser, cut_by=cut_by))
        else:
            draft.put(uncut(loser, winner_id))


def _check(
    draft: Draft, rows: TransactionRows, before: Collection[object], state: EntryState
) -> None:
    """Refuse what would hold where another entry of its key, or one that superseded it, does."""
    for rectangle in state.rectangles:
        key = rectangle.attributes.key
        if key is not None and (rivals := draft.holding_key(key, rectangle.period, but=state.id)):
            raise _later(rows, rivals[0].id)
        if rectangle.period.identity in before:
            continue  # it held there all the time
        for cutter in state.cut_by:
            if any(held.overlaps(rectangle.period) for held in held_instead(draft, state, cutter)):
                raise Conflict("revert.later", transaction=rows.number, id=str(cutter))
