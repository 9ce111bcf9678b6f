"""The statements that read archivings and verifications at a pair; parameters as in ``queries.py``.

Both hold from the instant they were recorded on, so the asked pair must have reached it on both
clocks.
"""

from functools import cache

from sqlalchemy import bindparam, exists, select

from damals.adapters.sql import marks
from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.queries import FOREVER_LITERAL, Known, Query, known
from damals.adapters.sql.schema import archivings, entries, verifications


@cache
def archived(when: Known) -> Query:
    """Which of ``entries`` are archived at a pair, and since when."""
    return select(archivings.c.entry_id, archivings.c.recorded_from).where(
        archivings.c.workspace_id == bindparam("workspace"),
        archivings.c.entry_id.in_(bindparam("entries", expanding=True)),
        known(archivings, when),
        archivings.c.recorded_from <= bindparam("as_of"),
    )


@cache
def verified(when: Known) -> Query:
    """The verifications of ``entries`` at a pair, in the order they were recorded."""
    return marks.VERIFICATIONS.where(
        verifications.c.entry_id.in_(bindparam("entries", expanding=True)),
        known(verifications, when),
        verifications.c.recorded_from <= bindparam("as_of"),
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
