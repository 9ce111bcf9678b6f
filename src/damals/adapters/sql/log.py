"""Reading the log: transactions with all their operations."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, func, literal_column, select

from damals.adapters.sql.contents import batches
from damals.adapters.sql.queries import Query
from damals.adapters.sql.rows import operation_of
from damals.adapters.sql.schema import (
    contents,
    entries,
    operations,
    touches,
    transactions,
    versions,
)
from damals.app.ledger_model import LoggedOperation, StoredTransaction
from damals.domain.instants import BEGINNING, FOREVER

_PAGE: Final = 200

_actor = contents.alias("actor")
_reason = contents.alias("reason")
_params = contents.alias("params")
_title = contents.alias("title")
_content = contents.alias("content")

_TRANSACTIONS: Final = (
    select(transactions, _actor.c.text.label("actor"), _reason.c.text.label("reason"))
    .select_from(
        transactions.join(_actor, _actor.c.id == transactions.c.actor_id).outerjoin(
            _reason, _reason.c.id == transactions.c.reason_id
        )
    )
    .where(
        transactions.c.workspace_id == bindparam("workspace"),
        transactions.c.number.in_(bindparam("numbers", expanding=True)),
    )
    .order_by(transactions.c.number)
)
_OPERATIONS: Final = (
    select(
        operations,
        _params.c.text.label("params"),
        _title.c.text.label("title"),
        _content.c.text.label("content"),
        _reason.c.text.label("reason"),
    )
    .select_from(
        operations.join(_params, _params.c.id == operations.c.params_id)
        .outerjoin(_title, _title.c.id == operations.c.title_id)
        .outerjoin(_content, _content.c.id == operations.c.content_id)
        .outerjoin(_reason, _reason.c.id == operations.c.reason_id)
    )
    .where(
        operations.c.workspace_id == bindparam("workspace"),
        operations.c.number.in_(bindparam("numbers", expanding=True)),
    )
    .order_by(operations.c.number, operations.c.seq)
)
_ALL: Final = (
    select(transactions.c.number)
    .where(
        transactions.c.workspace_id == bindparam("workspace"),
        transactions.c.number > bindparam("after"),
    )
    .order_by(transactions.c.number)
    .limit(_PAGE)
)
_AFTER: Final = (
    select(transactions.c.recorded_at)
    .where(
        transactions.c.workspace_id == bindparam("workspace"),
        transactions.c.number <= bindparam("after"),
    )
    .order_by(transactions.c.number.desc())
    .limit(1)
    .scalar_subquery()
)
_TOUCHES: Final = (
    select(touches.c.number)
    .where(
        touches.c.workspace_id == bindparam("workspace"),
        touches.c.recorded_at > func.coalesce(_AFTER, literal_column(str(BEGINNING))),
    )
    .order_by(touches.c.recorded_at)
    .limit(_PAGE)
)
"""Numbers ascend with their instants, in whose order touches are stored."""

OF_ENTRY: Final = _TOUCHES.where(touches.c.entry_id == bindparam("entry"))
OF_KEY: Final = _TOUCHES.group_by(touches.c.recorded_at, touches.c.number).where(
    touches.c.entry_id.in_(
        select(versions.c.entry_id)
        .join_from(
            versions,
            entries,
            and_(
                entries.c.workspace_id == versions.c.workspace_id,
                entries.c.entry_id == versions.c.entry_id,
            ),
        )
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            versions.c.key_id == bindparam("key"),
            entries.c.erased_at == literal_column(str(FOREVER)),
        )
    )
)


def read_transactions(
    connection: Connection, workspace_id: int, numbers: Sequence[int]
) -> dict[int, StoredTransaction]:
    """The transactions of these numbers; unknown ones are left out."""
    found: dict[int, StoredTransaction] = {}
    for batch in batches(numbers):
        values = {"workspace": workspace_id, "numbers": batch}
        logged: dict[int, list[LoggedOperation]] = {}
        for row in connection.execute(_OPERATIONS, values):
            logged.setdefault(row.number, []).append(operation_of(row))
        for row in connection.execute(_TRANSACTIONS, values):
            found[row.number] = StoredTransaction(
                number=row.number,
                recorded_at=row.recorded_at,
                logged_at=row.logged_at,
                actor=row.actor or "",
                reason=row.reason,
                zone=row.zone,
                operations=tuple(logged.get(row.number, ())),
            )
    return found


def walk(
    connection: Connection, workspace_id: int, values: dict[str, Any], after: int
) -> Iterator[StoredTransaction]:
    """The transactions behind a number, in order, a page at a time.

    Args:
        connection: the snapshot.
        workspace_id: the workspace.
        values: ``entry`` (16 bytes) or ``key`` (id of its text) to narrow the log, or nothing.
        after: number of the transaction behind which the log begins.
    """
    query = _narrowed(values)
    while True:
        given = values | {"workspace": workspace_id, "after": after}
        numbers = connection.execute(query, given).scalars().all()
        yield from read_transactions(connection, workspace_id, numbers).values()
        if len(numbers) < _PAGE:
            return
        after = numbers[-1]


def _narrowed(values: dict[str, Any]) -> Query:
    if "entry" in values:
        return OF_ENTRY
    return OF_KEY if "key" in values else _ALL
