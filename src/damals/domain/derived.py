"""Derived edges as they are recorded: what a rule gives between two entries, and nothing else.

The operation names all that a rule gives of a type from one entry to another. Parts that it gave
before keep their rows, those that it gives no longer end, so saying it twice changes nothing. What
somebody said is never touched.
"""

from dataclasses import replace
from typing import Final

from damals.domain.cuts import relation_row
from damals.domain.derived_parts import Part
from damals.domain.entries import Relation
from damals.domain.errors import InvalidInput, NotFound
from damals.domain.operations import Derive
from damals.domain.outcomes import Outcome
from damals.domain.state import Draft, EntryState
from damals.domain.targets import any_target
from damals.domain.types import TEMPORAL

_ANCHOR: Final = "\x1fderived\x1f"
"""Anchors of links are what was written, in which this cannot stand."""


def derive(draft: Draft, op: Derive) -> Outcome:
    """Record what a rule gives from one entry to another.

    Raises:
        NotFound: ``entry.unknown``, ``entry.erased``.
        InvalidInput: ``relation.to_itself``, ``derive.temporal`` for a relation with an effect on
            what holds.
    """
    if op.relation in TEMPORAL:
        raise InvalidInput("derive.temporal", relation=op.relation)
    src, dst = _end(draft, op.src, op.if_transaction), _end(draft, op.dst)
    if src.id == dst.id:
        raise InvalidInput("relation.to_itself", id=op.src)
    before = [row for row in draft.leading_from(src, dst.id) if _is(row, op)]
    # A relation that has become symmetric, or is so no longer, says something else.
    standing = {_part(row).said: row for row in before if row.symmetric is op.symmetric}
    wanted = {part.said: part for part in op.parts}
    staying = {id(row) for said, row in standing.items() if said in wanted}
    gone = [row for row in before if id(row) not in staying]
    new = [part for said, part in wanted.items() if said not in standing]
    if not gone and not new:
        rows = tuple(standing.values())
        return Outcome(src.id, unchanged=True, others=(dst.id,), relation=rows)
    model = replace(
        relation_row(draft, src.id, dst.id, op.relation, _ANCHOR + op.rule),
        derived=True,
        rule=op.rule,
        symmetric=op.symmetric,
    )
    made = [_row(model, part) for part in new]
    leaving = {id(row) for row in gone}
    kept = tuple(row for row in src.relations if id(row) not in leaving) if gone else src.relations
    draft.put(replace(src, relations=(*kept, *made)))
    followed = {row.premises for row in gone}
    ended = (*sorted(one for one in followed if one is not None), *({None} & followed))
    return Outcome(src.id, others=(dst.id,), relation=tuple(made or gone), ended=ended)


def _end(draft: Draft, name: str, expected: int | None = None) -> EntryState:
    state = any_target(draft, name, expected)
    if state.last is None and not state.rectangles:
        raise NotFound("entry.unknown", id=name)
    return state


def _is(row: Relation, op: Derive) -> bool:
    """Whether a row between the ends is one of those that the operation speaks of."""
    return row.derived and row.rule == op.rule and row.relation == op.relation


def _part(row: Relation) -> Part:
    return Part(row.period, row.confidence, row.evidence, row.premises)


def _row(model: Relation, part: Part) -> Relation:
    return replace(
        model,
        period=part.period,
        confidence=part.confidence,
        evidence=part.evidence,
        premises=part.premises,
    )
