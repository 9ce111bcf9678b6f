"""The statements that read relations; parameters as in ``queries.py``."""

from functools import cache
from typing import Final, Literal

from sqlalchemy import ColumnElement, and_, bindparam, exists, literal_column, or_, select

from damals.adapters.sql.access import UNRESTRICTED, AccessShape, visible
from damals.adapters.sql.queries import (
    CURRENT,
    FOREVER_LITERAL,
    Known,
    Query,
    known,
    possible,
)
from damals.adapters.sql.schema import contents, entries, relation_premises, relations, versions

End = Literal["src_id", "dst_id"]

_target = contents.alias("target")

RELATIONS: Final = (
    select(relations, _target.c.text.label("target"))
    .select_from(relations.outerjoin(_target, _target.c.id == relations.c.target_id))
    .where(relations.c.workspace_id == bindparam("workspace"))
)

OPEN_OF: Final = RELATIONS.where(
    relations.c.src_id == bindparam("entry"), known(relations, "now")
).order_by(relations.c.id)
"""The open relations that begin at ``entry``."""

CUT_BY: Final = (
    select(relations.c.src_id)
    .where(
        relations.c.workspace_id == bindparam("workspace"),
        relations.c.dst_id == bindparam("entry"),
        relations.c.cuts == literal_column("1"),
        known(relations, "now"),
    )
    .order_by(relations.c.id)
)
"""What took a part of ``entry``, in the order it happened."""


@cache
def superseded(when: Known) -> Query:
    """Which of ``entries`` a cut took the asked instant from."""
    return (
        select(relations.c.dst_id)
        .distinct()
        .where(
            relations.c.workspace_id == bindparam("workspace"),
            relations.c.dst_id.in_(bindparam("entries", expanding=True)),
            relations.c.cuts == literal_column("1"),
            known(relations, when),
            possible(relations),
        )
    )


@cache
def at_pair(shape: AccessShape, when: Known, near: End) -> Query:
    """Relations of ``entries`` at a pair, none of whose ends is erased or hidden."""
    far: End = "dst_id" if near == "src_id" else "src_id"
    return RELATIONS.where(
        relations.c[near].in_(bindparam("entries", expanding=True)),
        known(relations, when),
        possible(relations),
        ~_erased("src_id"),
        ~_erased("dst_id"),
        *shown(shape, near, far),
    ).order_by(relations.c.relation, relations.c.relation_id, relations.c.id)


def shown(shape: AccessShape, near: End, far: End) -> list[ColumnElement[bool]]:
    """Conditions that a relation may be seen: both of its ends, its type, and its premises.

    A link to nothing yet is text of its source. What was derived is shown to those who may see
    all that it follows from; where nobody knows that any more, to the owner alone.
    """
    placeholder = relations.c.unresolved == literal_column("1")
    conditions = visible(shape, relations.c.workspace_id, relations.c[near])
    for seen in visible(shape, relations.c.workspace_id, relations.c[far]):
        conditions.append(or_(placeholder, seen))
    if shape.relations:
        hidden: ColumnElement[str] = bindparam("hidden_relations", expanding=True)
        conditions.append(relations.c.relation.not_in(hidden))
    return [*conditions, or_(relations.c.derived == literal_column("0"), _follows(shape))]


def _follows(shape: AccessShape) -> ColumnElement[bool]:
    """Whether all may be seen that a derived relation follows from, and nothing of it is erased."""
    premise = relation_premises.alias()
    there = exists(
        select(entries.c.entry_id)
        .where(
            entries.c.workspace_id == relations.c.workspace_id,
            entries.c.entry_id == premise.c.premise_id,
            entries.c.erased_at == FOREVER_LITERAL,
            *visible(shape, relations.c.workspace_id, premise.c.premise_id),
        )
        .correlate(relations, premise)
    )
    missing = exists(
        select(premise.c.premise_id)
        .where(premise.c.relation_row == relations.c.id, ~there)
        .correlate(relations)
    )
    return ~missing if shape == UNRESTRICTED else and_(relations.c.premises.is_not(None), ~missing)


def not_erased(end: End) -> ColumnElement[bool]:
    """Whether more than a tombstone is left of one end."""
    return ~_erased(end)


def _erased(end: End) -> ColumnElement[bool]:
    return exists(
        select(entries.c.entry_id)
        .where(
            entries.c.workspace_id == relations.c.workspace_id,
            entries.c.entry_id == relations.c[end],
            entries.c.erased_at != FOREVER_LITERAL,
        )
        .correlate(relations)
    )


_LINKS: Final = (
    RELATIONS.where(
        relations.c.declared == literal_column("1"),
        relations.c.target_id.is_not(None),
        known(relations, "now"),
        exists(
            select(versions.c.id)
            .where(
                and_(
                    versions.c.workspace_id == relations.c.workspace_id,
                    versions.c.entry_id == relations.c.src_id,
                ),
                known(versions, "now"),
                versions.c.source_name_id == bindparam("source"),
                versions.c.path_id.is_not(None),
            )
            .with_hint(versions, CURRENT, "sqlite")
            .correlate(relations)
        ),
    )
    .with_hint(relations, "INDEXED BY relations_links", "sqlite")
    .order_by(relations.c.src_id, relations.c.id)
)


@cache
def links(shape: AccessShape) -> Query:
    """The declared links of the current notes of ``source``."""
    if shape == UNRESTRICTED:
        return _LINKS
    return _LINKS.where(~_erased("src_id"), ~_erased("dst_id"), *shown(shape, "src_id", "dst_id"))
