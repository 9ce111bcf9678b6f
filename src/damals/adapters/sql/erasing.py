"""Erasing entries: what goes, what stays, and the tombstones that say so.

Here an entry goes from every answer. Its rows stay, so that the chain still verifies; what is
computed from them and held for indexes, the chunk rows, is deleted. Its texts are purged once that
is stored (``purging.py``); that they still are to be is noted in the same write.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, delete, select, update

from damals.adapters.sql import erasures
from damals.adapters.sql.accesses import forget_accesses
from damals.adapters.sql.contents import batches
from damals.adapters.sql.erasures import MARK
from damals.adapters.sql.kept import forget
from damals.adapters.sql.receipts import forget_receipts
from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.schema import chunks, entries, vector_queue
from damals.adapters.sql.sources import forget_results
from damals.app.ledger_model import NewTransaction, Tombstone
from damals.domain.instants import FOREVER

Values = dict[str, Any]

ENTRY: Final = "entry"
"""Kind of a tombstone."""

_ERASE: Final = (
    update(entries)
    .where(
        entries.c.workspace_id == bindparam("workspace"), entries.c.entry_id == bindparam("entry")
    )
    .values(erased_at=bindparam("at"), erased_by=bindparam("by"))
)
_THEIR_CHUNKS: Final = (
    chunks.c.workspace_id == bindparam("workspace"),
    chunks.c.entry_id == bindparam("entry"),
)
_UNQUEUE: Final = delete(vector_queue).where(
    vector_queue.c.chunk.in_(select(chunks.c.id).where(*_THEIR_CHUNKS))
)
_DELETE_CHUNKS: Final = delete(chunks).where(*_THEIR_CHUNKS)
_DIGESTS: Final = select(entries.c.entry_id, entries.c.digest).where(
    entries.c.workspace_id == bindparam("workspace"),
    entries.c.entry_id.in_(bindparam("entries", expanding=True)),
)
_TOMBSTONES: Final = select(tombstones).where(
    tombstones.c.workspace_id == bindparam("workspace"), tombstones.c.kind == ENTRY
)
_OF_NUMBERS: Final = (
    select(tombstones.c.number, tombstones.c.target)
    .where(
        tombstones.c.workspace_id == bindparam("workspace"),
        tombstones.c.kind == ENTRY,
        tombstones.c.number.between(bindparam("first"), bindparam("last")),
    )
    .order_by(tombstones.c.number, tombstones.c.target)
)


MARKED: Final = (
    select(tombstones.c.id)
    .where(tombstones.c.workspace_id == bindparam("workspace"), tombstones.c.kind == MARK)
    .limit(1)
)
"""Whether an erasure has left any mark."""
THESE_MARKS: Final = select(tombstones.c.target).where(
    tombstones.c.workspace_id == bindparam("workspace"),
    tombstones.c.kind == MARK,
    tombstones.c.target.in_(bindparam("targets", expanding=True)),
    tombstones.c.readmitted_at == FOREVER,
)
"""Those of some marks that stand."""


def tombstone_columns(transaction: NewTransaction, target: bytes, kind: str = ENTRY) -> Values:
    """Columns of the tombstone of an entry or of a mark, without its number and workspace."""
    return {
        "kind": kind,
        "target": target,
        "salt": None,
        "erased_at": transaction.recorded_at,
        "number": transaction.number,
        "actor": transaction.actor,
        "readmitted_at": FOREVER,
    }


def erased_columns(tombstone: Mapping[str, Any]) -> Values:
    """What a tombstone makes of the row of its entry."""
    return {"erased_at": tombstone["erased_at"], "erased_by": tombstone["number"]}


def erase_entries(connection: Connection, new: Sequence[Values]) -> None:
    """Write tombstones, mark their entries, delete their chunk rows, forget answers and results."""
    erasures.begin(connection, new)
    for tombstone in (one for one in new if one["kind"] == ENTRY):
        named = {"workspace": tombstone["workspace_id"], "entry": tombstone["target"]}
        at = {"at": tombstone["erased_at"], "by": tombstone["number"]}
        connection.execute(_ERASE, named | at)
        connection.execute(_UNQUEUE, named)
        connection.execute(_DELETE_CHUNKS, named)
    if new:
        connection.execute(tombstones.insert(), list(new))
    for workspace in {tombstone["workspace_id"] for tombstone in new}:
        forget(connection, workspace)
        forget_results(connection, workspace)
        targets = [one["target"] for one in new if one["workspace_id"] == workspace]
        forget_receipts(connection, workspace, targets)
        forget_accesses(connection, workspace, targets)


def entry_digests(connection: Connection, erased: Sequence[Values]) -> dict[bytes, bytes]:
    """The digests of the stored entries that tombstones are of."""
    found: dict[bytes, bytes] = {}
    for batch in batches([one for one in erased if one["kind"] == ENTRY]):
        given = {
            "workspace": batch[0]["workspace_id"],
            "entries": [one["target"] for one in batch],
        }
        found.update({row.entry_id: row.digest for row in connection.execute(_DIGESTS, given)})
    return found


def read_tombstones(connection: Connection, workspace: int) -> dict[UUID, Tombstone]:
    """What is left of all erased entries of a workspace."""
    rows = connection.execute(_TOMBSTONES, {"workspace": workspace})
    found = (
        Tombstone(UUID(bytes=row.target), row.erased_at, row.number, row.actor) for row in rows
    )
    return {one.entry_id: one for one in found}


def erased_between(
    connection: Connection, workspace: int, first: int, last: int
) -> dict[int, tuple[UUID, ...]]:
    """By number of transaction, the entries that it erased."""
    given = {"workspace": workspace, "first": first, "last": last}
    found: dict[int, list[UUID]] = {}
    for row in connection.execute(_OF_NUMBERS, given):
        found.setdefault(row.number, []).append(UUID(bytes=row.target))
    return {number: tuple(ids) for number, ids in found.items()}
