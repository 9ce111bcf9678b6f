"""Operations on the state of an entry rather than on what it says: verify, pin, archive, erase."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from damals.domain.entries import Archiving, Attributes, Verification
from damals.domain.instants import BEGINNING
from damals.domain.operations import Accept, Archive, Erase, Pin, Verify
from damals.domain.outcomes import Outcome
from damals.domain.state import Draft, EntryState
from damals.domain.targets import any_target, current_target


def verify(draft: Draft, op: Verify) -> Outcome:
    """Record that the target was checked. Each time counts: none is ever ``unchanged``."""
    target = current_target(draft, op.target, op.if_transaction)
    made = Verification(
        row=0,
        entry_id=target.id,
        score=op.score,
        evidence=op.evidence,
        recorded_from=draft.now,
        opened_by=draft.number,
        operation=draft.operation,
    )
    # Of several inside one transaction only the last was ever the state.
    stored = tuple(one for one in target.verifications if one.row)
    draft.put(replace(target, verifications=(*stored, made)))
    return Outcome(target.id)


def pin(draft: Draft, op: Pin) -> Outcome:
    """Set ``pinned`` on all current rectangles, which keep their generation."""
    target = current_target(draft, op.target, op.if_transaction)
    if all(r.attributes.pinned == op.pinned for r in target.rectangles):
        return Outcome(target.id, unchanged=True)
    return _noted(draft, target, pinned=op.pinned)


def accept(draft: Draft, op: Accept) -> Outcome:
    """Note on all current rectangles that somebody builds on stale research.

    What stands accepted stays so, and is ``unchanged``; a verification since then has lifted it.
    """
    target = current_target(draft, op.target, op.if_transaction)
    checked = max((one.recorded_from for one in target.verifications), default=BEGINNING)
    if all((r.attributes.accepted or BEGINNING) > checked for r in target.rectangles):
        return Outcome(target.id, unchanged=True)
    return _noted(draft, target, accepted=draft.now)


def _noted(draft: Draft, target: EntryState, **noted: object) -> Outcome:
    """Change what the current rectangles have beside what they say; they keep their generation."""
    change = cast("Callable[..., Attributes]", replace)
    made = tuple(
        replace(r, attributes=change(r.attributes, **noted), row=0, operation=draft.operation)
        for r in target.rectangles
    )
    draft.put(replace(target, rectangles=made))
    return Outcome(target.id)


def archive(draft: Draft, op: Archive) -> Outcome:
    """Take the target out of use; it may have nothing current."""
    target = any_target(draft, op.target, op.if_transaction)
    if target.archiving is not None:
        return Outcome(target.id, unchanged=True)
    made = Archiving(
        row=0,
        entry_id=target.id,
        reason=op.reason,
        recorded_from=draft.now,
        opened_by=draft.number,
        operation=draft.operation,
    )
    draft.put(replace(target, archiving=made))
    return Outcome(target.id)


def erase(draft: Draft, op: Erase) -> Outcome:
    """Leave only a tombstone.

    What the target had cut from others stays cut: its relations stay recorded and are hidden.
    """
    target = any_target(draft, op.target, op.if_transaction)
    draft.put(replace(target, rectangles=(), erased=True))
    return Outcome(target.id)
