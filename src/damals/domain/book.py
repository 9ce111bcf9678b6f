"""The effect of each operation on the current state.

Every function here is pure: it reads a draft, checks, and puts new states into the draft. When it
raises, the caller throws the draft away, so nothing is half done.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never, cast
from uuid import UUID

from damals.domain.cuts import cut, cut_overlapping, declare, refuse_overlap
from damals.domain.entries import Attributes
from damals.domain.errors import Conflict, InvalidInput
from damals.domain.ids import parse_uuid
from damals.domain.instants import format_instant
from damals.domain.operations import (
    ABSENT,
    Correct,
    End,
    OnOverlap,
    Operation,
    Remember,
    Retract,
    Update,
)
from damals.domain.parsing import parse_end, parse_start
from damals.domain.periods import OPEN_END, Bound, BoundKind, Period, exact
from damals.domain.state import Draft, EntryState, Rectangle, check_transaction, statement
from damals.domain.zones import load_zone


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operation did.

    Attributes:
        entry_id: the entry it was about.
        unchanged: it said nothing new.
        replaced: ids of the entries that lost a part of their validity to it.
    """

    entry_id: UUID
    unchanged: bool = False
    replaced: tuple[UUID, ...] = ()


def apply(draft: Draft, operation: Operation) -> Outcome:
    """Apply one operation to a draft.

    Raises:
        InvalidInput: a value that cannot mean what it should.
        NotFound: its target does not exist.
        Conflict: it contradicts what holds.
    """
    match operation:
        case Remember():
            return _remember(draft, operation)
        case Update():
            return _update(draft, operation)
        case Correct():
            return _correct(draft, operation)
        case End():
            return _end(draft, operation)
        case Retract():
            return _retract(draft, operation)
        case _:
            assert_never(operation)


def _remember(draft: Draft, op: Remember) -> Outcome:
    attributes = _attributes(Attributes(title=""), op.fields)
    period = Period(_start(draft, op.valid_from), _end_bound(draft, op.valid_to, OPEN_END))
    known = _known(draft, op, attributes, period)
    if known is not None:
        return Outcome(known.id, unchanged=True)
    state = EntryState(op.entry_id, op.external_id)
    replaced: tuple[UUID, ...] = ()
    if attributes.key is not None:
        match op.on_overlap:
            case OnOverlap.REFUSE:
                refuse_overlap(draft, state.id, attributes.key, period)
            case OnOverlap.FILL:
                period = _free_part(draft, state.id, attributes.key, period)
            case OnOverlap.REPLACE:
                state, replaced = cut_overlapping(draft, state, attributes.key, period)
            case _:
                assert_never(op.on_overlap)
    state = replace(state, rectangles=(_rectangle(draft, period, attributes, 1),))
    draft.put(state)
    declare(draft, state, op.relations)
    return Outcome(state.id, replaced=replaced)


def _known(draft: Draft, op: Remember, attributes: Attributes, period: Period) -> EntryState | None:
    """The entry that already says this, or ``None`` when it is new."""
    named = _named(draft, op.external_id, op.entry_id)
    if named is None and (op.external_id is not None or op.identified):
        return None
    candidates = draft.stating(attributes) if named is None else [named]
    for state in candidates:
        said = [r for r in state.rectangles if statement(r.attributes) == statement(attributes)]
        if any(r.period.covers(period) for r in said):
            return state
    if named is not None:
        raise Conflict("entry.exists", id=op.external_id or str(op.entry_id))
    return None


def _named(draft: Draft, external_id: str | None, entry_id: UUID) -> EntryState | None:
    """The entry that already has this name or id.

    Raises:
        Conflict: ``entry.erased_before`` when only its tombstone is left.
    """
    state = draft.find(external_id or str(entry_id), entry_id)
    if state is not None and state.erased:
        raise Conflict("entry.erased_before", id=external_id or str(entry_id))
    return state


def _free_part(draft: Draft, entry_id: UUID, key: str, period: Period) -> Period:
    """The part of ``period`` from its start to the next known start of ``key``.

    Raises:
        Conflict: ``key.taken`` when the start itself is taken.
    """
    end = period.end
    for state in draft.holding_key(key, but=entry_id):
        for rectangle in state.rectangles:
            if rectangle.attributes.key != key or not rectangle.period.overlaps(period):
                continue
            if rectangle.period.start.earliest < period.start.latest or (
                rectangle.period.start.same_as(period.start)
            ):
                raise Conflict("key.taken", key=key, id=str(state.id), start=period.start.text)
            if rectangle.period.start.earliest < end.earliest:
                end = rectangle.period.start
    return Period(period.start, end)


def _update(draft: Draft, op: Update) -> Outcome:
    asked = None if op.valid_from is ABSENT else _start(draft, op.valid_from)
    end = None if op.valid_to is ABSENT else _end_bound(draft, op.valid_to, OPEN_END)
    if asked is not None and end is not None:
        Period(asked, end)  # a period without an instant is wrong whatever holds
    target = _open_target(draft, op.target, op.if_transaction)
    if _named(draft, op.external_id, op.entry_id) is not None:
        raise Conflict("entry.exists", id=op.external_id or str(op.entry_id))
    old, start = _containing(draft, target, asked)
    portion = Period(start, end or old.period.end)
    if not old.period.admits(portion):
        raise _outside(target, portion)
    attributes = _attributes(_inherited(old.attributes), op.fields)
    state = EntryState(op.entry_id, op.external_id)
    state = cut(draft, state, target, portion, op.relation)
    if attributes.key is not None:
        refuse_overlap(draft, state.id, attributes.key, portion)
    made = _rectangle(draft, portion, attributes, old.generation + 1)
    draft.put(replace(state, rectangles=(made,)))
    declare(draft, draft.after[state.id], op.relations)
    return Outcome(state.id, replaced=(target.id,))


def _containing(draft: Draft, target: EntryState, start: Bound | None) -> tuple[Rectangle, Bound]:
    """The rectangle that a portion from ``start`` falls into, and where the portion starts.

    Without a start it is now or, for an entry that begins later, the entry's own start.
    """
    first = start or _now(draft)
    for rectangle in target.rectangles:
        span = rectangle.period
        if span.start.earliest <= first.earliest and first.latest < span.end.latest:
            return rectangle, first
        if start is None and span.start.earliest > draft.now:
            return rectangle, span.start
    raise _outside(target, Period(first, OPEN_END))


def _outside(target: EntryState, portion: Period) -> Conflict:
    holds = ", ".join(describe(r.period) for r in target.rectangles)
    return Conflict("update.outside", id=str(target.id), portion=describe(portion), holds=holds)


def describe(period: Period) -> str:
    """``[2024-09-01, open)``: a period for people, in the notation it was given in."""
    start = period.start.text or "unknown"
    end = period.end.text or "open"
    return f"[{start}, {end})"


INHERITED = (
    "type", "tags", "key", "domain", "importance", "pinned", "visibility", "sensitivity", "acl",
    "lang",
)  # fmt: skip


def _inherited(old: Attributes) -> Attributes:
    kept = {name: getattr(old, name) for name in INHERITED}
    return Attributes(title=old.title, content=old.content, **kept)


def _correct(draft: Draft, op: Correct) -> Outcome:
    target = _target(draft, op.target, op.if_transaction)
    bounded = op.valid_from is not ABSENT or op.valid_to is not ABSENT
    if not target.rectangles and not bounded:
        raise Conflict("entry.nothing_current", id=op.target)
    old = _latest_attributes(target)
    attributes = _attributes(old, op.fields)
    periods = [r.period for r in target.rectangles]
    if bounded:
        periods = [_corrected_period(draft, op, target)]
    if bounded or attributes.key != old.key:
        _refuse_taken(draft, target, attributes.key, periods)
    draft.put(target)
    if not _says(target, attributes, periods):
        generation = target.generation + 1
        made = tuple(_rectangle(draft, period, attributes, generation) for period in periods)
        draft.put(replace(target, rectangles=made))
    if op.relations is not None:
        declare(draft, draft.after[target.id], op.relations)
    return Outcome(target.id, unchanged=draft.after[target.id] == target)


def _latest_attributes(state: EntryState) -> Attributes:
    if state.rectangles:
        return state.rectangles[-1].attributes
    if state.last is None:
        raise Conflict("entry.no_version", id=str(state.id))
    return state.last.attributes


def _corrected_period(draft: Draft, op: Correct, target: EntryState) -> Period:
    """The one period that replaces all; a bound not given keeps the outermost known one."""
    last = [target.last.period] if target.last else []
    spans = [r.period for r in target.rectangles] or last
    start = min((p.start for p in spans), key=lambda b: (b.earliest, b.latest))
    end = max((p.end for p in spans), key=lambda b: (b.latest, b.earliest))
    if op.valid_from is not ABSENT:
        start = _kept_if_unknown(start, _start(draft, op.valid_from))
    if op.valid_to is not ABSENT:
        end = _kept_if_unknown(end, _end_bound(draft, op.valid_to, OPEN_END))
    return Period(start, end)


def _kept_if_unknown(old: Bound, new: Bound) -> Bound:
    """An unknown bound that stays unknown keeps the instant at which it was first recorded."""
    both_unknown = old.kind is new.kind is BoundKind.UNKNOWN
    return old if both_unknown else new


def _says(state: EntryState, attributes: Attributes, periods: Sequence[Period]) -> bool:
    """Whether the entry already states these attributes over exactly these periods."""
    return len(state.rectangles) == len(periods) and all(
        r.attributes == attributes
        and r.period.same_as(period)
        and r.period.uncertain == period.uncertain
        for r, period in zip(state.rectangles, periods, strict=True)
    )


def _refuse_taken(
    draft: Draft, target: EntryState, key: str | None, periods: Iterable[Period]
) -> None:
    """Refuse a correction that grows into what its key or its successors hold."""
    for period in periods:
        if key is not None:
            refuse_overlap(draft, target.id, key, period)
        for other_id in target.cut_by:
            other = draft.find(str(other_id), other_id)
            for rectangle in other.rectangles if other else ():
                if rectangle.period.overlaps(period):
                    raise Conflict("correct.superseded", id=str(target.id), by=str(other_id))


def _end(draft: Draft, op: End) -> Outcome:
    target = _open_target(draft, op.target, op.if_transaction)
    at = _end_bound(draft, op.at, OPEN_END)
    if at.kind is BoundKind.OPEN:
        raise InvalidInput("end.open", id=op.target)
    start = target.rectangles[0].period.start
    end = target.rectangles[-1].period.end
    if at.latest <= start.earliest and not at.same_as(start):
        raise InvalidInput("end.before_start", id=op.target, at=at.text, start=start.text)
    if at.same_as(end) or at.kind is end.kind is BoundKind.UNKNOWN:
        return Outcome(target.id, unchanged=True)
    if at.latest > end.latest:
        raise Conflict("end.behind_end", id=op.target, at=at.text, end=end.text)
    left = tuple(r for r in (_ended(draft, r, at) for r in target.rectangles) if r is not None)
    draft.put(replace(target, rectangles=left))
    return Outcome(target.id)


def _ended(draft: Draft, rectangle: Rectangle, at: Bound) -> Rectangle | None:
    if rectangle.period.end.latest <= at.earliest or rectangle.period.end.same_as(at):
        return rectangle
    left = rectangle.period.until(at)
    if left is None:
        return None
    return _rectangle(draft, left, rectangle.attributes, rectangle.generation)


def _retract(draft: Draft, op: Retract) -> Outcome:
    target = _target(draft, op.target, op.if_transaction)
    if target.archived_at is not None:
        raise Conflict("entry.archived", id=op.target)
    if not target.rectangles:
        return Outcome(target.id, unchanged=True)
    draft.put(replace(target, rectangles=()))
    return Outcome(target.id)


def _target(draft: Draft, target: str, expected: int | None) -> EntryState:
    state = draft.require(target, parse_uuid(target))
    check_transaction(state, expected)
    return state


def _open_target(draft: Draft, target: str, expected: int | None) -> EntryState:
    """The target of an operation that needs something current and not archived."""
    state = _target(draft, target, expected)
    if state.archived_at is not None:
        raise Conflict("entry.archived", id=target)
    if not state.rectangles:
        raise Conflict("entry.nothing_current", id=target)
    return state


def _rectangle(draft: Draft, period: Period, attributes: Attributes, generation: int) -> Rectangle:
    return Rectangle(period, attributes, generation, draft.zone, operation=draft.operation)


def _attributes(base: Attributes, fields: Mapping[str, object]) -> Attributes:
    make = cast("Callable[..., Attributes]", replace)
    return make(base, **fields)


def _now(draft: Draft) -> Bound:
    return exact(draft.now, format_instant(draft.now))


def _start(draft: Draft, given: object) -> Bound:
    """The start that was given; now, when none was."""
    if given is ABSENT:
        return _now(draft)
    return parse_start(given, zone=load_zone(draft.zone), now=draft.now)


def _end_bound(draft: Draft, given: object, default: Bound) -> Bound:
    if given is ABSENT:
        return default
    return parse_end(given, zone=load_zone(draft.zone), now=draft.now)
