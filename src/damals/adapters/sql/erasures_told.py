"""What a ledger can tell of erasures that are done, or on their way."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, select

from damals.adapters.sql.erasure_homes import told
from damals.adapters.sql.reserved import erasures, tombstones
from damals.adapters.sql.schema import workspaces
from damals.app.erasing.model import ENTRY, WORKSPACE, StoredErasure
from damals.domain.instants import FOREVER

_ALL: Final = (
    select(erasures, workspaces.c.name.label("name"), tombstones.c.actor.label("actor"))
    .outerjoin(workspaces, workspaces.c.id == erasures.c.workspace_id)
    .outerjoin(
        tombstones,
        (tombstones.c.workspace_id == erasures.c.workspace_id)
        & (tombstones.c.kind == erasures.c.kind)
        & (tombstones.c.target == erasures.c.target),
    )
    .order_by(erasures.c.id.desc(), tombstones.c.id)
)
_ENTRIES: Final = (
    select(tombstones.c.target)
    .where(
        tombstones.c.workspace_id == bindparam("workspace"),
        tombstones.c.kind == ENTRY,
        tombstones.c.number == bindparam("number"),
    )
    .order_by(tombstones.c.id)
)


def stored(connection: Connection) -> Sequence[StoredErasure]:
    """All erasures, newest first."""
    rows = {row.id: row for row in connection.execute(_ALL)}
    return [_stored(row) for row in rows.values()]


def erased_entries(connection: Connection, erasure: UUID) -> Sequence[UUID]:
    """The entries that an erasure was of; of a workspace none is told."""
    wanted = select(erasures).where(erasures.c.erasure_id == erasure.bytes)
    row = connection.execute(wanted).first()
    return [] if row is None or row.kind == WORKSPACE else list(_entries(connection, row))


def _entries(connection: Connection, row: Row[Any]) -> Iterator[UUID]:
    given = {"workspace": row.workspace_id, "number": _number(row)}
    for target in connection.execute(_ENTRIES, given).scalars():
        yield UUID(bytes=target)


def _number(row: Row[Any]) -> int:
    said: Mapping[str, Any] = json.loads(row.certificate or row.pending)
    return int(said["number"])


def _stored(row: Row[Any]) -> StoredErasure:
    done = row.certificate is not None
    return StoredErasure(
        id=UUID(bytes=row.erasure_id),
        workspace=row.name,
        kind=row.kind,
        number=_number(row),
        begun_at=row.started_at,
        actor=row.actor,
        finished_at=row.finished_at if done and row.finished_at != FOREVER else None,
        certificate=told(row) if done else None,
    )
