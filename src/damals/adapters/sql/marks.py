"""Marks: what is recorded of an entry beside its versions, archivings and verifications."""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, bindparam, select

from damals.adapters.sql.queries import Query, known
from damals.adapters.sql.rows import Values, recorded_columns
from damals.adapters.sql.schema import archivings, contents, verifications
from damals.domain.entries import Archiving, Verification
from damals.domain.instants import FOREVER

_reason = contents.alias("reason")
_evidence = contents.alias("evidence")

ARCHIVINGS: Final[Query] = (
    select(archivings, _reason.c.text.label("reason"))
    .select_from(archivings.outerjoin(_reason, _reason.c.id == archivings.c.reason_id))
    .where(archivings.c.workspace_id == bindparam("workspace"))
    .order_by(archivings.c.id)
)
VERIFICATIONS: Final[Query] = (
    select(verifications, _evidence.c.text.label("evidence"))
    .select_from(verifications.outerjoin(_evidence, _evidence.c.id == verifications.c.evidence_id))
    .where(verifications.c.workspace_id == bindparam("workspace"))
    .order_by(verifications.c.id)
)

OPEN_ARCHIVING: Final = ARCHIVINGS.where(
    archivings.c.entry_id == bindparam("entry"), known(archivings, "now")
)
"""The archiving of ``entry`` that stands; at most one row."""

OPEN_VERIFICATIONS: Final = VERIFICATIONS.where(
    verifications.c.entry_id == bindparam("entry"), known(verifications, "now")
)
"""The verifications of ``entry`` that stand, in the order they were recorded."""


def archiving_columns(archiving: Archiving) -> Values:
    """Columns of an archiving; the reason stands where its content's id will."""
    return {
        "entry_id": archiving.entry_id.bytes,
        "reason_id": archiving.reason,
        **recorded_columns(archiving),
        "operation": archiving.operation,
    }


def archiving_of(row: Row[Any]) -> Archiving:
    """The archiving in a row whose reason was joined."""
    return Archiving(
        row=row.id,
        entry_id=UUID(bytes=row.entry_id),
        reason=row.reason,
        recorded_from=row.recorded_from,
        opened_by=row.opened_by,
        operation=row.operation,
        recorded_to=row.recorded_to,
        closed_by=row.closed_by,
    )


def verification_columns(verification: Verification) -> Values:
    """Columns of a verification; the evidence stands where its content's id will."""
    return {
        "entry_id": verification.entry_id.bytes,
        "grounding_score": float(verification.score),
        "evidence_id": verification.evidence,
        **recorded_columns(verification),
        "operation": verification.operation,
    }


def verification_of(row: Row[Any], known_at: int = FOREVER) -> Verification:
    """The verification in a row whose evidence was joined, as known at an instant."""
    open_ = row.recorded_to > known_at
    return Verification(
        row=row.id,
        entry_id=UUID(bytes=row.entry_id),
        score=row.grounding_score,
        evidence=row.evidence,
        recorded_from=row.recorded_from,
        opened_by=row.opened_by,
        operation=row.operation,
        recorded_to=FOREVER if open_ else row.recorded_to,
        closed_by=None if open_ else row.closed_by,
    )
