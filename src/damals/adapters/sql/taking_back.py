"""What stored transactions changed and did, as operations that take something back need it."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Table, bindparam, select

from damals.adapters.sql import marks, queries, relation_queries
from damals.adapters.sql.contents import TextOwner, find
from damals.adapters.sql.erasing import erased_between
from damals.adapters.sql.queries import FOREVER_LITERAL, Query
from damals.adapters.sql.rows import relation_of, version_of
from damals.adapters.sql.schema import (
    archivings,
    entries,
    relations,
    transactions,
    verifications,
    versions,
    workspaces,
)
from damals.domain.ids import parse_uuid
from damals.domain.instants import instant_of
from damals.domain.operations import TransactionName
from damals.domain.state import TransactionRows

_Item = TypeVar("_Item")

_BY_NUMBER: Final = select(transactions.c.number).where(
    transactions.c.workspace_id == bindparam("workspace"),
    transactions.c.number == bindparam("number"),
)
_BY_INSTANT: Final = select(transactions.c.number).where(
    transactions.c.workspace_id == bindparam("workspace"),
    transactions.c.recorded_at == bindparam("instant"),
)
_OTHERS: Final = select(workspaces.c.id, workspaces.c.key).where(
    workspaces.c.id != bindparam("workspace")
)
_ELSEWHERE: Final = (
    select(entries.c.entry_id)
    .where(entries.c.workspace_id == bindparam("workspace"), entries.c.erased_at == FOREVER_LITERAL)
    .limit(1)
)
_HAS_ID: Final = _ELSEWHERE.where(entries.c.entry_id == bindparam("entry"))
_HAS_NAME: Final = _ELSEWHERE.where(entries.c.external_id == bindparam("name"))


def _of_number(query: Query, table: Table) -> tuple[Query, Query]:
    """The rows that the transaction ``number`` opened, and those that it closed."""
    ordered = query.order_by(None).order_by(table.c.id)
    number: ColumnElement[int] = bindparam("number")
    return ordered.where(table.c.opened_by == number), ordered.where(table.c.closed_by == number)


_VERSIONS: Final = _of_number(queries.WORKSPACE_VERSIONS, versions)
_RELATIONS: Final = _of_number(relation_queries.RELATIONS, relations)
_ARCHIVINGS: Final = _of_number(marks.ARCHIVINGS, archivings)
_VERIFICATIONS: Final = _of_number(marks.VERIFICATIONS, verifications)


def changed_by(
    connection: Connection, workspace: int, transaction: TransactionName
) -> TransactionRows | None:
    """What a transaction changed; ``None`` when there is none of this number or instant."""
    number = _number(connection, workspace, transaction)
    if number is None:
        return None
    values = {"workspace": workspace, "number": number}

    def rows(query: Query, of: Callable[[Row[Any]], _Item]) -> tuple[_Item, ...]:
        return tuple(of(row) for row in connection.execute(query, values))

    return TransactionRows(
        number=number,
        versions_opened=rows(_VERSIONS[0], version_of),
        versions_closed=rows(_VERSIONS[1], version_of),
        relations_opened=rows(_RELATIONS[0], relation_of),
        relations_closed=rows(_RELATIONS[1], relation_of),
        archivings_opened=rows(_ARCHIVINGS[0], marks.archiving_of),
        archivings_closed=rows(_ARCHIVINGS[1], marks.archiving_of),
        verifications_opened=rows(_VERIFICATIONS[0], marks.verification_of),
        verifications_closed=rows(_VERIFICATIONS[1], marks.verification_of),
        erased=erased_between(connection, workspace, number, number).get(number, ()),
    )


def _number(connection: Connection, workspace: int, transaction: TransactionName) -> int | None:
    if not isinstance(transaction, str):
        values = {"workspace": workspace, "number": transaction}
        return connection.execute(_BY_NUMBER, values).scalar()
    try:
        instant = instant_of(transaction)
    except ValueError:
        return None
    return recorded_at(connection, workspace, instant)


def recorded_at(connection: Connection, workspace: int, instant: int) -> int | None:
    """The number of the transaction that was recorded at an instant."""
    values = {"workspace": workspace, "instant": instant}
    return connection.execute(_BY_INSTANT, values).scalar()


def elsewhere(connection: Connection, workspace: int, target: str) -> bool:
    """Whether this id or external id names an entry of another workspace."""
    entry_id = parse_uuid(target)
    for other in connection.execute(_OTHERS, {"workspace": workspace}).all():
        given: dict[str, Any] = {"workspace": other.id}
        if entry_id is not None and _any(connection, _HAS_ID, given | {"entry": entry_id.bytes}):
            return True
        # Each workspace finds its texts with a key of its own.
        name = find(connection, TextOwner(other.id, other.key), target)
        if name is not None and _any(connection, _HAS_NAME, given | {"name": name}):
            return True
    return False


def _any(connection: Connection, query: Query, values: dict[str, Any]) -> bool:
    return connection.execute(query, values).first() is not None
