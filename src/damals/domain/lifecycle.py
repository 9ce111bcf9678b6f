"""Operations on the state of an entry rather than on what it says: verify, pin, archive, erase."""

from dataclasses import replace

from damals.domain.entries import Archiving, Verification
from damals.domain.operations import Archive, Erase, Pin, Verify
from damals.domain.outcomes import Outcome
from damals.domain.state import Draft
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
    made = tuple(
        replace(
            r,
            attributes=replace(r.attributes, pinned=op.pinned),
            row=0,
            operation=draft.operation,
        )
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
