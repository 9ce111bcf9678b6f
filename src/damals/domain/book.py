"""The effect of each operation on the current state.

Every function here is pure: it reads a draft, checks, and puts new states into the draft. When it
raises, the caller throws the draft away, so nothing is half done.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import assert_never, cast
from uuid import UUID

from damals.domain.cuts import (
    cut,
    cut_overlapping,
    held_instead,
    refuse_overlap,
    relation_row,
)
from damals.domain.deciding import decided
from damals.domain.derived import derive
from damals.domain.entries import Attributes
from damals.domain.errors import Conflict, InvalidInput
from damals.domain.ids import parse_uuid
from damals.domain.lifecycle import accept, archive, erase, pin, verify
from damals.domain.operations import (
    ABSENT,
    Accept,
    Archive,
    Contradict,
    Correct,
    Derive,
    End,
    Erase,
    OnOverlap,
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
from damals.domain.periods import OPEN_END, Bound, BoundKind, Period
from damals.domain.relating import contradict, declare, relate, resolve, unrelate
from damals.domain.restoring import retract, until
from damals.domain.reverting import revert
from damals.domain.state import (
    Done,
    Draft,
    EntryState,
    Rectangle,
    check_transaction,
    statement,
)
from damals.domain.targets import (
    any_target,
    current_target,
    end_bound,
    latest_attributes,
    new_rectangle,
    now_bound,
    start_bound,
)


def apply(draft: Draft, operation: Operation) -> Outcome:
    """Apply one operation to a draft.

    Raises:
        InvalidInput: a value that cannot mean what it should.
        NotFound: its target does not exist.
        Conflict: it contradicts what holds.
    """
    outcome = decided(draft, operation, _applied(draft, operation))
    draft.done.append(_done(draft, operation, outcome))
    return outcome


def _applied(draft: Draft, operation: Operation) -> Outcome:  # noqa: C901, PLR0911, PLR0912 -- one arm an operation, and the checker sees that none is missing
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
            return retract(draft, operation)
        case Revert():
            return revert(draft, operation)
        case Relate():
            return relate(draft, operation)
        case Unrelate():
            return unrelate(draft, operation)
        case Derive():
            return derive(draft, operation)
        case Contradict():
            return contradict(draft, operation)
        case Resolve():
            return resolve(draft, operation)
        case Verify():
            return verify(draft, operation)
        case Pin():
            return pin(draft, operation)
        case Accept():
            return accept(draft, operation)
        case Archive():
            return archive(draft, operation)
        case Erase():
            return erase(draft, operation)
        case _:
            assert_never(operation)


def _done(draft: Draft, operation: Operation, outcome: Outcome) -> Done:
    """What later operations of this draft need to know of this one."""
    return Done(
        number=draft.number,
        operation=draft.operation,
        kind=type(operation).__name__.lower(),
        entry_id=outcome.entry_id,
        end=outcome.end,
        bounded=isinstance(operation, Correct) and _bounded(operation),
        reverted=outcome.reverted,
    )


def _remember(draft: Draft, op: Remember) -> Outcome:
    attributes = _said(op.fields)
    period = Period(start_bound(draft, op.valid_from), end_bound(draft, op.valid_to, OPEN_END))
    known = _known(draft, op, attributes, period)
    if known is not None:
        return Outcome(known.id, unchanged=True)
    if attributes.key is not None:
        if op.on_overlap is OnOverlap.REFUSE:
            refuse_overlap(draft, op.entry_id, attributes.key, period)
        elif op.on_overlap is OnOverlap.FILL:
            period = _free_part(draft, op.entry_id, attributes.key, period)
    state = _new(draft, op, new_rectangle(draft, period, attributes, 1))
    replaced: tuple[UUID, ...] = ()
    if attributes.key is not None and op.on_overlap is OnOverlap.REPLACE:
        state, replaced = cut_overlapping(draft, state, attributes.key, period)
    draft.put(state)
    cut_too = declare(draft, state.id, op.relations)
    return Outcome(state.id, replaced=(*replaced, *cut_too))


def _known(draft: Draft, op: Remember, attributes: Attributes, period: Period) -> EntryState | None:
    """The entry that already says this, or ``None`` when it is new."""
    named = _named(draft, op)
    if op.if_transaction is not None:
        check_transaction(named or EntryState(op.entry_id), op.if_transaction)
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


def _named(draft: Draft, op: Remember | Update) -> EntryState | None:
    """The entry that already has the name or the id of a new one.

    Raises:
        Conflict: ``entry.erased_before`` when only its tombstone is left.
    """
    if op.external_id is None and not op.identified:
        return None
    name = op.external_id or str(op.entry_id)
    state = draft.find(name, op.entry_id if op.identified else None)
    if state is not None and state.erased:
        raise Conflict("entry.erased_before", id=name)
    return state


def _new(draft: Draft, op: Remember | Update, held: Rectangle) -> EntryState:
    """The state that a new entry begins with.

    Raises:
        InvalidInput: ``entry.named_like_an_id`` for an external id that reads as an id: it would
            hide behind the entry of that id. Where an id is given as well, as in history from
            elsewhere, that names the entry for sure.
    """
    if not op.identified:
        if op.external_id is not None and parse_uuid(op.external_id) is not None:
            raise InvalidInput("entry.named_like_an_id", external_id=op.external_id)
        draft.begin(op.entry_id)
    return EntryState(op.entry_id, op.external_id, (held,))


def _free_part(draft: Draft, entry_id: UUID, key: str, period: Period) -> Period:
    """The part of ``period`` from its start to the next known start of ``key``.

    Raises:
        Conflict: ``key.taken`` when the start itself is taken; ``cut.imprecise`` when dates are so
            imprecise that the part would still overlap with what is there.
    """
    free = period
    held = [
        (state, rectangle.period)
        for state in draft.holding_key(key, period, but=entry_id)
        for rectangle in state.rectangles
        if rectangle.attributes.key == key and rectangle.period.overlaps(period)
    ]
    for state, taken in held:
        before = taken.start.earliest < period.start.latest or taken.start.same_as(period.start)
        left = None if before else free.until(taken.start)
        if left is None:
            start = period.start.text or "–"
            raise Conflict("key.taken", key=key, id=str(state.id), start=start)
        free = left
    for _, taken in held:
        if taken.overlaps(free):
            raise Conflict("cut.imprecise", whole=describe(period), portion=describe(taken))
    return free


def _update(draft: Draft, op: Update) -> Outcome:
    asked = None if op.valid_from is ABSENT else start_bound(draft, op.valid_from)
    end = None if op.valid_to is ABSENT else end_bound(draft, op.valid_to, OPEN_END)
    if asked is not None and end is not None:
        Period(asked, end)  # a period without an instant is wrong whatever holds
    target = current_target(draft, op.target, op.if_transaction)
    if _named(draft, op) is not None:
        raise Conflict("entry.exists", id=op.external_id or str(op.entry_id))
    old, start = _containing(draft, target, asked)
    portion = Period(start, end or old.period.end)
    if not old.period.admits(portion):
        raise _outside(target, portion)
    attributes = _said({**_inherited(old.attributes), **op.fields})
    state = _new(draft, op, new_rectangle(draft, portion, attributes, old.generation + 1))
    row = relation_row(draft, state.id, target.id, op.relation)
    state = cut(draft, state, portion, row)
    if attributes.key is not None:
        refuse_overlap(draft, state.id, attributes.key, portion)
    draft.put(state)
    cut_too = declare(draft, state.id, op.relations)
    return Outcome(state.id, replaced=(target.id, *cut_too))


def _containing(draft: Draft, target: EntryState, start: Bound | None) -> tuple[Rectangle, Bound]:
    """The rectangle that a portion from ``start`` falls into, and where the portion starts.

    Without a start it is now or, for an entry that begins later, the entry's own start.
    """
    first = start or now_bound(draft)
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


def _inherited(old: Attributes) -> dict[str, object]:
    return {name: getattr(old, name) for name in INHERITED}


def _said(fields: Mapping[str, object]) -> Attributes:
    """The attributes of a new entry, ``title`` among the fields."""
    make = cast("Callable[..., Attributes]", Attributes)
    return make(**fields)


def _correct(draft: Draft, op: Correct) -> Outcome:
    target = any_target(draft, op.target, op.if_transaction)
    bounded = _bounded(op)
    if not target.rectangles and not bounded:
        raise Conflict("entry.nothing_current", id=op.target)
    old = latest_attributes(draft, target)
    attributes = _corrected(old, op.fields)
    periods = [r.period for r in target.rectangles]
    if bounded:
        periods = [_corrected_period(draft, op, target)]
    if attributes.key is not None and (bounded or attributes.key != old.key):
        for period in periods:
            refuse_overlap(draft, target.id, attributes.key, period)
    if bounded:
        _refuse_taken(draft, target, periods)
    draft.put(target)
    if not _says(target, attributes, periods):
        generation = target.generation + 1
        made = tuple(new_rectangle(draft, period, attributes, generation) for period in periods)
        draft.put(replace(target, rectangles=made))
    others: tuple[UUID, ...] = ()
    if op.relations is not None:
        others = declare(draft, target.id, op.relations)
    unchanged = draft.after[target.id] == target
    return Outcome(target.id, unchanged=unchanged, others=others)


def _bounded(op: Correct) -> bool:
    return op.valid_from is not ABSENT or op.valid_to is not ABSENT


def _corrected_period(draft: Draft, op: Correct, target: EntryState) -> Period:
    """The one period that replaces all; a bound not given keeps the outermost known one."""
    last = [target.last.period] if target.last else []
    spans = [r.period for r in target.rectangles] or last
    start = min((p.start for p in spans), key=lambda b: (b.earliest, b.latest))
    end = max((p.end for p in spans), key=lambda b: (b.latest, b.earliest))
    if op.valid_from is not ABSENT:
        start = _kept_if_unknown(start, start_bound(draft, op.valid_from))
    if op.valid_to is not ABSENT:
        end = _kept_if_unknown(end, end_bound(draft, op.valid_to, OPEN_END))
    return Period(start, end)


def _kept_if_unknown(old: Bound, new: Bound) -> Bound:
    """An unknown bound that stays unknown keeps the instant at which it was first recorded."""
    both_unknown = old.kind is new.kind is BoundKind.UNKNOWN
    return old if both_unknown else new


def _says(state: EntryState, attributes: Attributes, periods: Sequence[Period]) -> bool:
    """Whether the entry already states these attributes over exactly these periods."""
    return len(state.rectangles) == len(periods) and all(
        r.attributes == attributes and r.period.same_as(period) and r.period.marks == period.marks
        for r, period in zip(state.rectangles, periods, strict=True)
    )


def _refuse_taken(draft: Draft, target: EntryState, periods: Iterable[Period]) -> None:
    """Refuse a correction that grows into what superseded the entry."""
    for period in periods:
        for other_id in target.cut_by:
            if any(held.overlaps(period) for held in held_instead(draft, target, other_id)):
                raise Conflict("correct.superseded", id=str(target.id), by=str(other_id))


def _end(draft: Draft, op: End) -> Outcome:
    target = current_target(draft, op.target, op.if_transaction)
    at = end_bound(draft, op.at, OPEN_END)
    if at.kind is BoundKind.OPEN:
        raise InvalidInput("end.open", id=op.target)
    start = target.rectangles[0].period.start
    end = target.rectangles[-1].period.end
    if at.latest <= start.earliest and not at.same_as(start):
        raise InvalidInput("end.before_start", id=op.target, at=at.text, start=start.text)
    if at.same_as(end) or at.kind is end.kind is BoundKind.UNKNOWN:
        return Outcome(target.id, unchanged=True, end=at)
    if at.latest > end.latest:
        raise Conflict("end.behind_end", id=op.target, at=at.text, end=end.text)
    left = tuple(r for r in (_ended(draft, r, at) for r in target.rectangles) if r is not None)
    if left == target.rectangles:  # it may have ended before, and surely had by then
        return Outcome(target.id, unchanged=True, end=at)
    draft.put(replace(target, rectangles=left))
    return Outcome(target.id, end=at)


def _ended(draft: Draft, held: Rectangle, at: Bound) -> Rectangle | None:
    left = until(held.period, at)
    if left is None or left is held.period:
        return held if left else None
    return new_rectangle(draft, left, held.attributes, held.generation)


def _corrected(old: Attributes, fields: Mapping[str, object]) -> Attributes:
    """The same with some fields; who accepted stale research did not accept that of another day."""
    make = cast("Callable[..., Attributes]", replace)
    new = make(old, **fields)
    return new if new.retrieved_at == old.retrieved_at else replace(new, accepted=None)
