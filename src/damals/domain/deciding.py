"""Deciding on what an assistant filed: the operations that name an entry, and judge it.

An entry that waits for a decision (``acquired``) is decided on by whoever corrects, updates, ends
or relates it, or says or resolves a contradiction with it; a verification decides by being there
(:mod:`damals.domain.ageing`), and what is retracted or archived has another status anyway. What
holds does not change by that, so the generation stays.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from damals.domain.ids import parse_uuid
from damals.domain.operations import (
    Accept,
    Archive,
    Contradict,
    Correct,
    Derive,
    End,
    Erase,
    Operation,
    Pin,
    Relate,
    Remember,
    Resolve,
    Retract,
    Revert,
    Unrelate,
    Update,
    Verify,
)
from damals.domain.outcomes import Outcome
from damals.domain.state import Draft, EntryState, Rectangle


def decided(draft: Draft, operation: Operation, outcome: Outcome) -> Outcome:
    """What an operation did, with what was decided by it.

    Args:
        draft: after the operation.
        operation: it.
        outcome: what else it did.
    """
    waiting = [state for state in _named(draft, operation) if _waits(state)]
    for state in waiting:
        draft.put(replace(state, rectangles=tuple(_settled(draft, state))))
    if not waiting:
        return outcome
    ids = (state.id for state in waiting if state.id not in outcome.touched)
    return replace(outcome, unchanged=False, others=(*outcome.others, *ids))


def _waits(state: EntryState) -> bool:
    return any(one.attributes.acquired for one in state.rectangles)


def _settled(draft: Draft, state: EntryState) -> Iterator[Rectangle]:
    for one in state.rectangles:
        if one.attributes.acquired:
            has = replace(one.attributes, acquired=False)
            yield replace(one, attributes=has, row=0, operation=draft.operation)
        else:
            yield one


def _named(draft: Draft, operation: Operation) -> Iterator[EntryState]:
    """The entries that an operation judges."""
    for name in _names(operation):
        state = draft.find(name, parse_uuid(name))
        if state is not None and not state.erased:
            yield state


def _names(operation: Operation) -> tuple[str, ...]:
    match operation:
        case Correct() if "acquired" in operation.fields:
            return ()  # it says itself whether a decision is left
        case Correct() | Update() | End():
            return (operation.target,)
        case Relate():
            return (operation.src, operation.said.dst)
        case Contradict() | Resolve():
            return (operation.a, operation.b)
        case (
            Remember()
            | Retract()
            | Revert()
            | Unrelate()
            | Derive()
            | Verify()
            | Pin()
            | Accept()
            | Archive()
            | Erase()
        ):
            return ()
        case _:
            assert_never(operation)
