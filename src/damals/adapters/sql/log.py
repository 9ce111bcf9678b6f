"""Reading the log: transactions with all their operations."""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, and_, bindparam, func, literal_column, select

from damals.adapters.sql.access import UNRESTRICTED, AccessShape, visible
from damals.adapters.sql.contents import batches
from damals.adapters.sql.places import AT_PLACES, batches_of_places
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
_LOGGED: Final = (
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
    .where(operations.c.workspace_id == bindparam("workspace"))
    .order_by(operations.c.number, operations.c.seq)
)
_OPERATIONS: Final = _LOGGED.where(operations.c.number.in_(bindparam("numbers", expanding=True)))
_PLACED: Final = _LOGGED.where(AT_PLACES)
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

_OF_ENTRY: Final = _TOUCHES.where(touches.c.entry_id == bindparam("entry"))


@cache
def _of_key(shape: AccessShape) -> Query:
    """The transactions that touched a visible entry that ever held ``key``."""
    identified = and_(
        entries.c.workspace_id == versions.c.workspace_id,
        entries.c.entry_id == versions.c.entry_id,
    )
    holders = select(versions.c.entry_id).join_from(versions, entries, identified)
    holders = holders.where(
        versions.c.workspace_id == bindparam("workspace"),
        versions.c.key_id == bindparam("key"),
        entries.c.erased_at == literal_column(str(FOREVER)),
        *visible(shape, versions.c.workspace_id, versions.c.entry_id),
    )
    query = _TOUCHES.group_by(touches.c.recorded_at, touches.c.number)
    return query.where(touches.c.entry_id.in_(holders))


class Part(NamedTuple):
    """A transaction with some of its operations.

    Attributes:
        places: where each of them stands among all, ascending.
    """

    transaction: StoredTransaction
    places: tuple[int, ...]


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
            found[row.number] = _transaction_of(row, logged.get(row.number, ()))
    return found


def read_parts(
    connection: Connection, workspace_id: int, places: Collection[tuple[int, int]]
) -> dict[int, Part]:
    """Of some transactions the operations at these places: pairs of number and place.

    How many others a transaction has does not matter.
    """
    logged: dict[int, dict[int, LoggedOperation]] = {}
    for named in batches_of_places(places):
        for row in connection.execute(_PLACED, {"workspace": workspace_id, **named}):
            logged.setdefault(row.number, {})[row.seq] = operation_of(row)
    found: dict[int, Part] = {}
    for batch in batches(sorted({number for number, _ in places})):
        values = {"workspace": workspace_id, "numbers": batch}
        for row in connection.execute(_TRANSACTIONS, values):
            done = sorted(logged.get(row.number, {}).items())
            those = [operation for _, operation in done]
            found[row.number] = Part(_transaction_of(row, those), tuple(at for at, _ in done))
    return found


def _transaction_of(row: Row[Any], operations_: Sequence[LoggedOperation]) -> StoredTransaction:
    return StoredTransaction(
        number=row.number,
        recorded_at=row.recorded_at,
        logged_at=row.logged_at,
        actor=row.actor or "",
        reason=row.reason,
        zone=row.zone,
        operations=tuple(operations_),
    )


def walk(
    connection: Connection,
    workspace_id: int,
    values: dict[str, Any],
    after: int,
    shape: AccessShape = UNRESTRICTED,
) -> Iterator[list[StoredTransaction]]:
    """The transactions behind a number, in order, a page at a time, as they are stored.

    Args:
        connection: the snapshot.
        workspace_id: the workspace.
        values: ``entry`` (16 bytes) or ``key`` (id of its text) to narrow the log, or nothing;
            and those of the access filter.
        after: number of the transaction behind which the log begins.
        shape: of the access filter; it decides who held a key.
    """
    query = _narrowed(values, shape)
    while True:
        given = values | {"workspace": workspace_id, "after": after}
        numbers = connection.execute(query, given).scalars().all()
        yield list(read_transactions(connection, workspace_id, numbers).values())
        if len(numbers) < _PAGE:
            return
        after = numbers[-1]


def _narrowed(values: dict[str, Any], shape: AccessShape) -> Query:
    if "entry" in values:
        return _OF_ENTRY
    return _of_key(shape) if "key" in values else _ALL
