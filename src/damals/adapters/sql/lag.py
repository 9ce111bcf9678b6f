"""How far an index is behind with what someone may see: nobody else's work shines through."""

from functools import cache
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, func, select

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.outbox import cursor_of
from damals.adapters.sql.queries import Query
from damals.adapters.sql.reader import SqlReader
from damals.adapters.sql.rows import unpacked
from damals.adapters.sql.schema import chunks, operations, transactions, vector_queue
from damals.app.ledger_model import Lag

_TOUCHED: Final = (
    select(operations.c.number, operations.c.touched)
    .select_from(operations.join(transactions))
    .where(
        operations.c.workspace_id == bindparam("workspace"),
        transactions.c.position > bindparam("position"),
    )
)


@cache
def _queued(shape: AccessShape) -> Query:
    return (
        select(func.count())
        .select_from(vector_queue.join(chunks))
        .where(
            vector_queue.c.index_name == bindparam("index"),
            chunks.c.workspace_id == bindparam("workspace"),
            *visible(shape, chunks.c.workspace_id, chunks.c.entry_id),
        )
    )


def lag_seen(connection: Connection, index: str, reader: SqlReader) -> Lag:
    """How far an index is behind with what a reader may see of its workspace."""
    position = cursor_of(connection, index)
    touched: dict[int, set[UUID]] = {}
    for row in reader.run(_TOUCHED, {"position": position}):
        touched.setdefault(row.number, set()).update(unpacked(row.touched))
    seen = reader.seen({entry_id for ids in touched.values() for entry_id in ids})
    behind = sum(not seen.isdisjoint(ids) for ids in touched.values())
    return Lag(behind, reader.run(_queued(reader.shape), {"index": index}).scalar_one())
