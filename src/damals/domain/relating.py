"""Relations: what entries are to each other, and the four types that change what holds.

``supersedes`` and ``revises`` cut the other entry back where the one that says so holds, whoever
declares them; when the declaration goes, the cut is given back. ``extends`` and every other type
only stand beside their entries. A contradiction stands until it is resolved.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from damals.domain.cuts import ALWAYS, RESOLVED, cut, relation_row
from damals.domain.entries import Relation, Resolution
from damals.domain.errors import Conflict, InvalidInput, NotFound
from damals.domain.ids import parse_uuid
from damals.domain.operations import (
    ABSENT,
    CONTRADICTS,
    CUTTING_RELATIONS,
    Contradict,
    DeclaredRelation,
    Keep,
    Relate,
    Resolve,
    Unrelate,
)
from damals.domain.outcomes import Outcome
from damals.domain.periods import OPEN_END, BoundKind, Period, period_or_none
from damals.domain.restoring import give_back
from damals.domain.state import Draft, EntryState
from damals.domain.targets import any_target, end_bound, now_bound, start_bound, unarchived_target


def declare(draft: Draft, entry_id: UUID, said: Iterable[DeclaredRelation]) -> tuple[UUID, ...]:
    """Make ``said`` the declared relations of an entry; what it no longer says is taken back.

    Returns:
        The other entries whose validity this changed.

    Raises:
        InvalidInput: ``relation.to_itself``, ``relation.elsewhere``.
        NotFound: ``entry.unknown`` for the other end.
        Conflict: ``relation.cycle``.
    """
    state = draft.after[entry_id]
    wanted = {_said(row): row for row in [_declared_row(draft, state, one) for one in said]}
    if not (wanted or state.relations):  # of most entries
        return ()
    stored: dict[tuple[object, ...], list[Relation]] = {}
    for row in state.relations:
        if row.declared:
            stored.setdefault(_said(row), []).append(row)
    changed: list[UUID] = []
    unsaid = [row for key, rows in stored.items() if key not in wanted for row in rows]
    changed.extend(_take_back(draft, entry_id, unsaid))
    plain: list[Relation] = []
    for key, row in wanted.items():
        if key in stored:
            continue
        if _cuts(row):  # what was said before it has its place before it
            _add(draft, entry_id, plain)
            plain.clear()
            changed.extend(_record(draft, entry_id, row))
        else:
            plain.append(row)
    _add(draft, entry_id, plain)
    return tuple(dict.fromkeys(changed))


def _said(row: Relation) -> tuple[object, ...]:
    return (row.id, row.dst_id, row.confidence, row.evidence, row.unresolved, row.flags)


def _declared_row(draft: Draft, state: EntryState, said: DeclaredRelation) -> Relation:
    entry_id = parse_uuid(said.dst)
    dst = entry_id if said.target is not None else _other_end(draft, said.dst).id
    if dst is None:
        raise InvalidInput("relation.no_id", dst=said.dst)
    if dst == state.id and (said.target is None or said.relation in CUTTING_RELATIONS):
        raise InvalidInput("relation.to_itself", id=str(dst))
    made = _row(draft, state.id, dst, said)
    return replace(made, declared=True, target=said.target, unresolved=said.unresolved)


def _row(draft: Draft, src: UUID, dst: UUID, said: DeclaredRelation) -> Relation:
    contradicts = said.relation == CONTRADICTS
    return replace(
        relation_row(draft, src, dst, said.relation, said.target or ""),
        confidence=said.confidence,
        evidence=said.evidence,
        symmetric=said.symmetric or contradicts,
        flags=said.flags,
        resolution="required" if contradicts else None,
    )


def _other_end(draft: Draft, name: str) -> EntryState:
    """The entry at the other end of a relation.

    Raises:
        InvalidInput: ``relation.elsewhere`` when it is in another workspace.
    """
    if draft.find(name, parse_uuid(name)) is None and draft.states.elsewhere(name):
        raise InvalidInput("relation.elsewhere", id=name)
    return _end(draft, name)


def _end(draft: Draft, name: str, expected: int | None = None) -> EntryState:
    """One end of a relation: an entry that holds something, or that was known to.

    Raises:
        NotFound: ``entry.unknown``, also for one that was gone in the transaction that made it.
    """
    state = any_target(draft, name, expected)
    if state.last is None and not state.rectangles:
        raise NotFound("entry.unknown", id=name)
    return state


def _cuts(row: Relation) -> bool:
    """Whether a relation takes over from its other end."""
    return row.relation in CUTTING_RELATIONS and not row.unresolved


def _add(draft: Draft, src_id: UUID, rows: Sequence[Relation]) -> None:
    """Record relations that only stand beside their entries."""
    src = draft.by_id(src_id)
    if src is not None and rows:
        draft.put(replace(src, relations=(*src.relations, *rows)))


def _record(draft: Draft, src_id: UUID, row: Relation) -> tuple[UUID, ...]:
    """Record a relation, with the effect of its type. Returns the entries it cut."""
    if not _cuts(row):
        _add(draft, src_id, [row])
        return ()
    src = draft.by_id(src_id)
    if src is None:
        return ()
    refuse_cycle(draft, row)
    before = src.relations
    for rectangle in src.rectangles:
        portion = _claimed(draft, rectangle.period)
        if portion is not None:
            src = cut(draft, src, portion, row)
    if src.relations == before:  # nothing was left to take: it is said all the same
        draft.put(replace(src, relations=(*before, row)))
        return ()
    draft.put(src)
    return (row.dst_id,)


def _claimed(draft: Draft, period: Period) -> Period | None:
    """Where an entry takes over: where it holds, from now on when its start is unknown."""
    if period.start.kind is not BoundKind.UNKNOWN:
        return period
    return period_or_none(now_bound(draft), period.end)


def refuse_cycle(draft: Draft, row: Relation) -> None:
    """Refuse a cutting relation that would make an entry supersede itself.

    Raises:
        Conflict: ``relation.cycle``.
    """
    seen: set[UUID] = set()
    waiting = [row.dst_id]
    while waiting:
        entry_id = waiting.pop()
        if entry_id == row.src_id:
            ends = {"src": row.src_id, "dst": row.dst_id}
            named = {f"{end}_name": _called(draft.by_id(one), one) for end, one in ends.items()}
            told = {end: str(one) for end, one in ends.items()}
            raise Conflict("relation.cycle", relation=row.relation, **told, **named)
        if entry_id in seen:
            continue
        seen.add(entry_id)
        state = draft.by_id(entry_id)
        waiting.extend(_superseded_by(state) if state else ())


def _called(state: EntryState | None, entry_id: UUID) -> str:
    """What people call an entry: its title, and its file where that has another name."""
    if state is None:
        return str(entry_id)
    last = state.rectangles[-1:] or ([state.last] if state.last else [])
    if not last:
        return state.external_id or str(entry_id)
    title, path = last[0].attributes.title, last[0].attributes.source.path
    return title if not path else f"{title} ({path})"


def _superseded_by(state: EntryState) -> Iterable[UUID]:
    """The entries that an entry supersedes or revises."""
    return (row.dst_id for row in state.relations if _cuts(row))


def _take_back(draft: Draft, src_id: UUID, rows: Sequence[Relation]) -> tuple[UUID, ...]:
    """Close relations, and give back what they cut. Returns the entries that were cut."""
    src = draft.by_id(src_id)
    plain = {row for row in rows if not row.cuts}
    if src is not None and plain:
        kept = tuple(row for row in src.relations if row not in plain)
        draft.put(replace(src, relations=kept))
    return give_back(draft, [row for row in rows if row.cuts])


def relate(draft: Draft, op: Relate) -> Outcome:
    """Record a relation between two entries, once."""
    src = _end(draft, op.src, op.if_transaction)
    dst = _other_end(draft, op.said.dst)
    if src.id == dst.id:
        raise InvalidInput("relation.to_itself", id=op.src)
    if op.said.relation == CONTRADICTS:
        return _contradict(draft, src, dst, op.said)
    made = replace(_row(draft, src.id, dst.id, op.said), period=_period(draft, op))
    standing = _standing(src, op.said.relation, dst.id)
    if any(_same(row, made) for row in standing):
        return Outcome(src.id, unchanged=True, relation=tuple(standing))
    draft.put(src)
    changed = _take_back(draft, src.id, standing)
    replaced = _record(draft, src.id, made)
    rows = tuple(_standing(draft.after[src.id], made.relation, dst.id))
    return Outcome(src.id, replaced=replaced, others=(*changed, dst.id), relation=rows)


def _standing(src: EntryState, relation: str, dst_id: UUID) -> list[Relation]:
    return [
        row
        for row in src.relations
        if row.relation == relation
        and row.dst_id == dst_id
        and row.target is None
        and not row.derived
    ]


def _same(row: Relation, made: Relation) -> bool:
    """Whether nothing new is said; where a cut holds was decided when it was made."""
    said = (row.confidence, row.evidence) == (made.confidence, made.evidence)
    return said and (row.cuts or row.period.same_as(made.period))


def _period(draft: Draft, op: Relate) -> Period:
    if op.valid_from is ABSENT and op.valid_to is ABSENT:
        return ALWAYS
    if op.said.relation in CUTTING_RELATIONS:
        raise InvalidInput("relation.bounds", relation=op.said.relation)
    start = ALWAYS.start if op.valid_from is ABSENT else start_bound(draft, op.valid_from)
    return Period(start, end_bound(draft, op.valid_to, OPEN_END))


def unrelate(draft: Draft, op: Unrelate) -> Outcome:
    """Close a relation between two entries, unless a file says it.

    Raises:
        NotFound: ``relation.unknown``.
        Conflict: ``relation.declared`` when a file says it, whose next import would say it again,
            ``relation.derived`` when a rule gives it.
    """
    named = src = any_target(draft, op.src, op.if_transaction)
    dst = _other_end(draft, op.dst)
    rows = _standing(src, op.relation, dst.id)
    if not rows and op.relation == CONTRADICTS:
        src, dst = dst, src
        rows = _standing(src, op.relation, dst.id)
    if not rows:
        known = [r for r in src.relations if r.relation == op.relation and r.dst_id == dst.id]
        if known:
            key = "relation.derived" if all(r.derived for r in known) else "relation.declared"
            raise Conflict(key, src=op.src, relation=op.relation, dst=op.dst)
        raise NotFound("relation.unknown", src=op.src, relation=op.relation, dst=op.dst)
    draft.put(src)
    changed = _take_back(draft, src.id, rows)
    return Outcome(named.id, others=(*changed, src.id, dst.id), relation=tuple(rows))


def contradict(draft: Draft, op: Contradict) -> Outcome:
    """Record that two entries cannot both be right; both stay as they are."""
    a = _end(draft, op.a, op.if_transaction)
    b = _other_end(draft, op.b)
    if a.id == b.id:
        raise InvalidInput("relation.to_itself", id=op.a)
    return _contradict(draft, a, b, DeclaredRelation(CONTRADICTS, str(b.id)))


def _contradict(draft: Draft, a: EntryState, b: EntryState, said: DeclaredRelation) -> Outcome:
    standing = next((row for row in _contradictions(a, b) if row.contradicts), None)
    if standing is not None:
        return Outcome(a.id, unchanged=True, others=(b.id,), relation=(standing,))
    made = _row(draft, a.id, b.id, said)
    draft.put(replace(a, relations=(*a.relations, made)))
    return Outcome(a.id, others=(b.id,), relation=(made,))


def _contradictions(a: EntryState, b: EntryState) -> list[Relation]:
    """The contradictions between two entries, whichever of both recorded them."""
    rows = (*_between(a, b), *_between(b, a))
    return [row for row in rows if row.relation == CONTRADICTS]


def _between(src: EntryState, dst: EntryState) -> Iterable[Relation]:
    return (row for row in src.relations if row.dst_id == dst.id)


def resolve(draft: Draft, op: Resolve) -> Outcome:
    """Decide a contradiction.

    The entry that is not kept ends now, and the kept one supersedes it from there on.

    Raises:
        NotFound: ``contradiction.unknown`` when none was recorded between both.
        Conflict: ``contradiction.resolved`` when it was decided otherwise.
    """
    a = _end(draft, op.a, op.if_transaction)
    b = _end(draft, op.b)
    rows = _contradictions(a, b)
    if not rows:
        raise NotFound("contradiction.unknown", a=op.a, b=op.b)
    open_ = [row for row in rows if row.contradicts]
    if not open_:
        return _decided(op, a, b, rows)
    for row in open_:
        _settle(draft, row, _kept(row, a, op.keep))
    replaced: tuple[UUID, ...] = ()
    if op.keep != "both":
        winner, loser = (a, b) if op.keep == "a" else (b, a)
        replaced = _end_now(draft, winner, loser)
    return Outcome(a.id, replaced=replaced, others=(b.id,))


def _kept(row: Relation, a: EntryState, keep: Keep) -> Resolution:
    """Whom a decision keeps, as seen from a row."""
    if keep == "both":
        return "both"
    return "src" if (row.src_id == a.id) == (keep == "a") else "dst"


def _decided(op: Resolve, a: EntryState, b: EntryState, rows: Iterable[Relation]) -> Outcome:
    if any(row.resolution == _kept(row, a, op.keep) for row in rows):
        return Outcome(a.id, unchanged=True, others=(b.id,))
    raise Conflict("contradiction.resolved", a=op.a, b=op.b)


def _settle(draft: Draft, row: Relation, resolution: Resolution) -> None:
    """Close a contradiction and record how it was decided."""
    src = draft.by_id(row.src_id)
    if src is None:
        return
    settled = replace(draft.again(row), resolution=resolution)
    relations = tuple(settled if one == row else one for one in src.relations)
    draft.put(replace(src, relations=relations))


def _end_now(draft: Draft, winner: EntryState, loser: EntryState) -> tuple[UUID, ...]:
    unarchived_target(draft, str(loser.id))
    row = replace(relation_row(draft, winner.id, loser.id, "supersedes"), rule=RESOLVED)
    refuse_cycle(draft, row)
    src = draft.by_id(winner.id) or winner
    after = cut(draft, src, Period(now_bound(draft), OPEN_END), row)
    if after.relations == src.relations:  # the loser had ended already
        after = replace(src, relations=(*src.relations, row))
    draft.put(after)
    return (loser.id,)
