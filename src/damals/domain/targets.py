"""What operations have in common: their targets, their bounds, and the rectangles they make."""

from damals.domain.entries import Attributes
from damals.domain.errors import Conflict
from damals.domain.ids import parse_uuid
from damals.domain.instants import format_instant
from damals.domain.operations import ABSENT
from damals.domain.parsing import parse_end, parse_start
from damals.domain.periods import Bound, Period, exact
from damals.domain.state import Draft, EntryState, Rectangle, check_transaction
from damals.domain.zones import load_zone


def any_target(draft: Draft, target: str, expected: int | None = None) -> EntryState:
    """The entry that an operation names.

    Raises:
        NotFound: ``entry.unknown`` or ``entry.erased``.
        Conflict: ``entry.changed`` when its last transaction is not ``expected``.
    """
    state = draft.require(target, parse_uuid(target))
    check_transaction(state, expected)
    return state


def unarchived_target(draft: Draft, target: str, expected: int | None = None) -> EntryState:
    """The target of an operation that is not done to what is out of use.

    Raises:
        Conflict: ``entry.archived``, beside those of :func:`any_target`.
    """
    state = any_target(draft, target, expected)
    if state.archiving is not None:
        raise Conflict("entry.archived", id=target)
    return state


def current_target(draft: Draft, target: str, expected: int | None = None) -> EntryState:
    """The target of an operation that needs something current and not archived.

    Raises:
        Conflict: ``entry.nothing_current``, beside those of :func:`unarchived_target`.
    """
    state = unarchived_target(draft, target, expected)
    if not state.rectangles:
        raise Conflict("entry.nothing_current", id=target)
    return state


def latest_attributes(draft: Draft, state: EntryState) -> Attributes:
    """What an entry says, or said last; also when that was in this transaction.

    Raises:
        Conflict: ``entry.no_version`` when it never said anything.
    """
    if state.rectangles:
        return state.rectangles[-1].attributes
    if state.last is None:
        raise Conflict("entry.no_version", id=str(state.id))
    held = draft.last_held.get(state.id)
    return state.last.attributes if held is None else held.attributes


def new_rectangle(
    draft: Draft, period: Period, attributes: Attributes, generation: int
) -> Rectangle:
    """A rectangle that the operation being applied makes."""
    return Rectangle(period, attributes, generation, draft.zone, operation=draft.operation)


def now_bound(draft: Draft) -> Bound:
    """The transaction's instant as a bound."""
    return exact(draft.now, format_instant(draft.now))


def start_bound(draft: Draft, given: object) -> Bound:
    """The start that was given; now, when none was."""
    if given is ABSENT:
        return now_bound(draft)
    return parse_start(given, zone=load_zone(draft.zone), now=draft.now)


def end_bound(draft: Draft, given: object, default: Bound) -> Bound:
    """The end that was given; ``default``, when none was."""
    if given is ABSENT:
        return default
    return parse_end(given, zone=load_zone(draft.zone), now=draft.now)
