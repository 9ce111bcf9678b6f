"""What a restored ledger is told of erasures that it may never have recorded itself.

Rows beside the tombstones of its own: they stand for what is refused, and no chain knows them.
"""

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, select

from damals.adapters.sql.contents import batches
from damals.adapters.sql.erasing import MARK
from damals.adapters.sql.queries import Query
from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.schema import entries
from damals.app.erasing.model import PERSON, SOURCE
from damals.app.erasures_journal import ErasureRecord
from damals.domain.instants import FOREVER

Values = dict[str, Any]

BARRED: Final = "barred"
"""Kind of a row with the id of an entry that was erased and is not in this ledger at all."""

_STONE: Final = select(func.coalesce(func.max(tombstones.c.id), 0) + 1)
_KNOWN: Final = select(tombstones.c.target).where(
    tombstones.c.workspace_id == bindparam("workspace"),
    tombstones.c.kind == bindparam("what"),
    tombstones.c.target.in_(bindparam("targets", expanding=True)),
)
_THERE: Final = select(entries.c.entry_id).where(
    entries.c.workspace_id == bindparam("workspace"),
    entries.c.entry_id.in_(bindparam("targets", expanding=True)),
)
_BARRED: Final[Query] = select(tombstones.c.target).where(
    tombstones.c.workspace_id == bindparam("workspace"), tombstones.c.kind == BARRED
)
ONE_BARRED: Final[Query] = _BARRED.where(tombstones.c.target == bindparam("entry")).limit(1)


def keep_marks(
    connection: Connection, workspace: int, record: ErasureRecord, number: int | None
) -> None:
    """Add what is not there of an erasure: marks, ids of entries, the name of its source."""
    for batch in batches(record.marks):
        _add(connection, workspace, MARK, batch, record)
    for batch in batches([one.bytes for one in record.entries]):
        there = _found(connection, workspace, batch)
        _add(connection, workspace, BARRED, (one for one in batch if one not in there), record)
    if record.kind in {SOURCE, PERSON} and record.target is not None:
        its = {"salt": record.salt, "number": number}
        _add(connection, workspace, record.kind, [record.target], record, **its)


def _found(connection: Connection, workspace: int, targets: Iterable[bytes]) -> set[bytes]:
    given = {"workspace": workspace, "targets": list(targets)}
    return set(connection.execute(_THERE, given).scalars())


def _add(
    connection: Connection,
    workspace: int,
    kind: str,
    targets: Iterable[bytes],
    record: ErasureRecord,
    **its: Any,  # noqa: ANN401 -- columns
) -> None:
    wanted = list(dict.fromkeys(targets))
    given = {"workspace": workspace, "what": kind, "targets": wanted}
    known = set(connection.execute(_KNOWN, given).scalars())
    for target in (one for one in wanted if one not in known):
        stone: Values = {
            "id": connection.execute(_STONE).scalar_one(),
            "workspace_id": workspace,
            "kind": kind,
            "target": target,
            "salt": None,
            "erased_at": record.erased_at,
            "number": None,
            "actor": record.actor,
            "readmitted_at": FOREVER,
        }
        connection.execute(tombstones.insert(), stone | its)


def barred(connection: Connection, workspace: int) -> set[bytes]:
    """The ids of entries that were erased and are not in this ledger."""
    return set(connection.execute(_BARRED, {"workspace": workspace}).scalars())
