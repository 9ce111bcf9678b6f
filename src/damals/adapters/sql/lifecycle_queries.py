"""The statements that read archivings, verifications and accesses at a pair.

All hold from the instant they were recorded on, so the asked pair must have reached it on both
clocks. Each is asked of ``entries`` or, where a shape of access is given, of all that may be seen.
Other parameters as in ``queries.py``.
"""

from collections.abc import Sequence
from functools import cache

from sqlalchemy import ColumnElement, Table, bindparam, exists, func, select

from damals.adapters.sql import marks
from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.queries import FOREVER_LITERAL, Known, Query, known
from damals.adapters.sql.reserved import accesses
from damals.adapters.sql.schema import archivings, entries, verifications


def _asked(table: Table, shape: AccessShape | None) -> Sequence[ColumnElement[bool]]:
    if shape is None:
        return (table.c.entry_id.in_(bindparam("entries", expanding=True)),)
    return visible(shape, table.c.workspace_id, table.c.entry_id)


def _recorded(table: Table, when: Known) -> Sequence[ColumnElement[bool]]:
    """Recorded by both clocks of the pair, and still known there."""
    return known(table, when), table.c.recorded_from <= bindparam("as_of")


@cache
def archived(when: Known, shape: AccessShape | None = None) -> Query:
    """What is archived at a pair, and since when."""
    return select(archivings.c.entry_id, archivings.c.recorded_from).where(
        archivings.c.workspace_id == bindparam("workspace"),
        *_recorded(archivings, when),
        *_asked(archivings, shape),
    )


@cache
def verified(when: Known) -> Query:
    """The verifications of ``entries`` at a pair, in the order they were recorded."""
    return marks.VERIFICATIONS.where(*_recorded(verifications, when), *_asked(verifications, None))


@cache
def checked(shape: AccessShape, when: Known) -> Query:
    """Instants and scores of all verifications at a pair, in the order they were recorded."""
    return (
        select(
            verifications.c.entry_id,
            verifications.c.recorded_from,
            verifications.c.grounding_score,
        )
        .where(
            verifications.c.workspace_id == bindparam("workspace"),
            *_recorded(verifications, when),
            *_asked(verifications, shape),
        )
        .order_by(verifications.c.recorded_from, verifications.c.id)
    )


@cache
def accessed(shape: AccessShape | None = None) -> Query:
    """When each entry was last returned to someone by ``until``."""
    return (
        select(accesses.c.entry_id, func.max(accesses.c.accessed_at).label("accessed_at"))
        .where(
            accesses.c.workspace_id == bindparam("workspace"),
            accesses.c.accessed_at <= bindparam("until"),
            *_asked(accesses, shape),
        )
        .group_by(accesses.c.entry_id)
    )


@cache
def archived_page(shape: AccessShape, when: Known) -> Query:
    """Entries behind ``after`` that are archived at a pair and not erased."""
    there = exists(
        select(entries.c.entry_id)
        .where(
            entries.c.workspace_id == archivings.c.workspace_id,
            entries.c.entry_id == archivings.c.entry_id,
            entries.c.erased_at == FOREVER_LITERAL,
        )
        .correlate(archivings)
    )
    return (
        select(archivings.c.entry_id)
        .where(
            archivings.c.workspace_id == bindparam("workspace"),
            archivings.c.entry_id > bindparam("after"),
            known(archivings, when),
            archivings.c.recorded_from <= bindparam("as_of"),
            there,
            *visible(shape, archivings.c.workspace_id, archivings.c.entry_id),
        )
        .order_by(archivings.c.entry_id)
        .limit(bindparam("limit"))
    )
