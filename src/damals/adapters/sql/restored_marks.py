"""Marks of erasures that a restored ledger is told of, which it may never have recorded itself."""

from typing import Any, Final

from sqlalchemy import Connection, func, select

from damals.adapters.sql.contents import batches
from damals.adapters.sql.erasing import MARK
from damals.adapters.sql.reserved import tombstones
from damals.app.erasures_journal import ErasureRecord
from damals.domain.instants import FOREVER

Values = dict[str, Any]

_STONE: Final = select(func.coalesce(func.max(tombstones.c.id), 0) + 1)


def keep_marks(connection: Connection, workspace: int, record: ErasureRecord) -> None:
    """Add the marks of an erasure that are not there, of no transaction of this ledger."""
    for batch in batches(record.marks):
        theirs = select(tombstones.c.target).where(
            tombstones.c.workspace_id == workspace,
            tombstones.c.kind == MARK,
            tombstones.c.target.in_(batch),
        )
        known = set(connection.execute(theirs).scalars())
        for target in (one for one in batch if one not in known):
            stone: Values = {
                "id": connection.execute(_STONE).scalar_one(),
                "workspace_id": workspace,
                "kind": MARK,
                "target": target,
                "salt": None,
                "erased_at": record.erased_at,
                "number": None,
                "actor": record.actor,
                "readmitted_at": FOREVER,
            }
            connection.execute(tombstones.insert(), stone)
