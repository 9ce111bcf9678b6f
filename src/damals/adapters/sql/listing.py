"""The statements that list: one page of a workspace at a pair. Parameters as in ``queries.py``."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.queries import (
    CURRENT,
    Known,
    Query,
    certain,
    found,
    known,
    possible,
    rank,
)
from damals.adapters.sql.schema import (
    archivings,
    relations,
    verifications,
    version_tags,
    versions,
)


@dataclass(frozen=True, slots=True)
class PageShape:
    """What a page has conditions on.

    Attributes:
        access: shape of the access filter.
        certain: only what surely holds.
        types: of one of ``types``.
        tags: number of tags, ``tag0`` …, that all must be there.
        verified: only what was, or was not, verified; ``None`` for both.
        limited: at most ``limit``.
    """

    access: AccessShape
    certain: bool
    types: bool
    tags: int
    limited: bool
    verified: bool | None = None


@cache
def page(shape: PageShape, when: Known) -> Query:
    """One version an entry at a pair, by entry id, behind ``after``; nothing archived."""
    better = versions.alias()
    beaten = exists(
        select(better.c.id)
        .where(
            better.c.workspace_id == versions.c.workspace_id,
            better.c.entry_id == versions.c.entry_id,
            better.c.id != versions.c.id,
            known(better, when),
            possible(better),
            func.coalesce(_greater(rank(better), rank(versions)), False),
        )
        .correlate(versions)
    )
    conditions: list[ColumnElement[bool]] = [
        versions.c.entry_id > bindparam("after"),
        known(versions, when),
        certain(versions) if shape.certain else possible(versions),
        ~_archived(versions.c.workspace_id, versions.c.entry_id, when),
        or_(certain(versions), ~beaten),  # what surely holds has no rival, see ``points.py``
    ]
    if shape.types:
        conditions.append(versions.c.type.in_(bindparam("types", expanding=True)))
    conditions.extend(_tagged(f"tag{place}") for place in range(shape.tags))
    if shape.verified is not None:
        checked = _verified(when)
        conditions.append(checked if shape.verified else ~checked)
    ordered = found(shape.access).where(*conditions).order_by(versions.c.entry_id)
    if when == "now":
        ordered = ordered.with_hint(versions, CURRENT, "sqlite")
    return ordered.limit(bindparam("limit")) if shape.limited else ordered


def _greater(
    left: tuple[ColumnElement[Any], ...], right: tuple[ColumnElement[Any], ...]
) -> ColumnElement[bool]:
    """Lexicographic comparison, spelled out: row values with expressions are not portable."""
    first, *others = zip(left, right, strict=True)
    greater = first[0] > first[1]
    if not others:
        return greater
    rest = _greater(tuple(a for a, _ in others), tuple(b for _, b in others))
    return or_(greater, and_(first[0] == first[1], rest))


def _tagged(parameter: str) -> ColumnElement[bool]:
    tags = version_tags.alias()
    return exists(
        select(tags.c.version_id)
        .where(tags.c.version_id == versions.c.id, tags.c.tag == bindparam(parameter))
        .correlate(versions)
    )


def _verified(when: Known) -> ColumnElement[bool]:
    """Whether an entry was verified at an instant that both clocks have reached."""
    return exists(
        select(verifications.c.id)
        .where(
            verifications.c.workspace_id == versions.c.workspace_id,
            verifications.c.entry_id == versions.c.entry_id,
            known(verifications, when),
            verifications.c.recorded_from <= bindparam("as_of"),
        )
        .correlate(versions)
    )


@cache
def superseded_page(shape: AccessShape, when: Known) -> Query:
    """Entries behind ``after`` without a version at a pair, since a cut took the instant.

    As in :func:`page`, nothing archived.
    """
    holding = versions.alias()
    holds = exists(
        select(holding.c.id)
        .where(
            holding.c.workspace_id == relations.c.workspace_id,
            holding.c.entry_id == relations.c.dst_id,
            known(holding, when),
            possible(holding),
        )
        .correlate(relations)
    )
    return (
        select(relations.c.dst_id)
        .distinct()
        .where(
            relations.c.workspace_id == bindparam("workspace"),
            relations.c.dst_id > bindparam("after"),
            relations.c.cuts == literal_column("1"),
            known(relations, when),
            possible(relations),
            ~holds,
            ~_archived(relations.c.workspace_id, relations.c.dst_id, when),
            *visible(shape, relations.c.workspace_id, relations.c.dst_id),
        )
        .order_by(relations.c.dst_id)
        .limit(bindparam("limit"))
    )


def _archived(
    workspace: ColumnElement[int], entry: ColumnElement[bytes], when: Known
) -> ColumnElement[bool]:
    """Whether an entry was archived at an instant that both clocks have reached."""
    return exists(
        select(archivings.c.id)
        .where(
            archivings.c.workspace_id == workspace,
            archivings.c.entry_id == entry,
            known(archivings, when),
            archivings.c.recorded_from <= bindparam("as_of"),
        )
        .correlate_except(archivings)
    )
