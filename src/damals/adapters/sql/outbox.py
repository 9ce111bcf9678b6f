"""The outbox: what indexes still have to do.

It has no table of its own. Every transaction has a *position*, ascending over all workspaces, and
the chunk rows say which transaction opened and closed them; an index is a cursor over positions.
So nothing ever has to be cleaned up, and a rebuild is a cursor put back to 0.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    Connection,
    Row,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    update,
)

from damals.adapters.sql.access import access_changes, access_of
from damals.adapters.sql.contents import batches
from damals.adapters.sql.erasing import erased_between
from damals.adapters.sql.prepared import first_row, rows_of
from damals.adapters.sql.queries import ARCHIVED_AT, Query
from damals.adapters.sql.reader import chunk_rows
from damals.adapters.sql.schema import (
    archivings,
    chunks,
    entries,
    index_cursors,
    transactions,
    vector_queue,
    workspaces,
)
from damals.app.ledger_model import ChunkRow, Lag, OutboxItem
from damals.domain.instants import FOREVER

_PAGE: Final = 2_000

AnyRow = Row[*tuple[Any, ...]]

PageReader = Callable[[int], list[tuple[int, UUID]]]
"""Reads a page of :func:`points_page` behind a row."""

_ITEMS: Final = (
    select(
        transactions.c.position,
        transactions.c.workspace_id,
        transactions.c.number,
        workspaces.c.name,
    )
    .join_from(transactions, workspaces)
    .where(transactions.c.position > bindparam("position"))
    .order_by(transactions.c.position)
    .limit(bindparam("limit"))
)
_OPENED: Final = (
    select(chunks)
    .where(
        chunks.c.workspace_id == bindparam("workspace"),
        chunks.c.opened_by.between(bindparam("first"), bindparam("last")),
    )
    .order_by(chunks.c.id)
)
_COUNTS: Final = (
    select(chunks.c.opened_by, func.count())
    .where(
        chunks.c.workspace_id == bindparam("workspace"),
        chunks.c.opened_by.between(bindparam("first"), bindparam("last")),
    )
    .group_by(chunks.c.opened_by)
)
_CLOSED: Final = select(chunks.c.point_id, chunks.c.recorded_to, chunks.c.closed_by).where(
    chunks.c.workspace_id == bindparam("workspace"),
    chunks.c.closed_by.between(bindparam("first"), bindparam("last")),
)
_ARCHIVED: Final = tuple(
    select(by.label("number"), archivings.c.entry_id).where(
        archivings.c.workspace_id == bindparam("workspace"),
        by.between(bindparam("first"), bindparam("last")),
    )
    for by in (archivings.c.opened_by, archivings.c.closed_by)
)
_SINCE: Final = select(entries.c.entry_id, ARCHIVED_AT.label("archived_at")).where(
    entries.c.workspace_id == bindparam("workspace"),
    entries.c.entry_id.in_(bindparam("entries", expanding=True)),
)
_QUEUE: Final = (
    select(chunks, workspaces.c.name)
    .join_from(vector_queue, chunks)
    .join(workspaces, workspaces.c.id == chunks.c.workspace_id)
    .where(vector_queue.c.index_name == bindparam("index"))
    .order_by(vector_queue.c.chunk.desc())
    .limit(bindparam("limit"))
)
_POSITION: Final = select(index_cursors.c.position).where(
    index_cursors.c.index_name == bindparam("index")
)
_CURSOR: Final = func.coalesce(_POSITION.scalar_subquery(), 0)
_POINTS: Final = (
    select(chunks.c.id, chunks.c.point_id)
    .where(chunks.c.id > bindparam("after"))
    .order_by(chunks.c.id)
    .limit(_PAGE)
)


def cursor_of(connection: Connection, index: str) -> int:
    """The position up to which an index has everything; 0 at the beginning."""
    row = first_row(connection, _POSITION, {"index": index})
    return 0 if row is None else row.position


def items(connection: Connection, position: int, limit: int) -> list[OutboxItem]:
    """The oldest work behind a position: one transaction, or several with few rows."""
    rows = connection.execute(_ITEMS, {"position": position, "limit": limit}).all()
    rows = _within(connection, rows, limit)
    found: dict[int, OutboxItem] = {}
    for workspace in {row.workspace_id for row in rows}:
        numbers = {row.number: row.position for row in rows if row.workspace_id == workspace}
        name = next(row.name for row in rows if row.workspace_id == workspace)
        found |= _of_workspace(connection, workspace, name, numbers)
    return [found[row.position] for row in rows]


def _within(connection: Connection, rows: Sequence[AnyRow], limit: int) -> Sequence[AnyRow]:
    """The first of some transactions, as long as they open no more than ``limit`` chunk rows."""
    opened: dict[tuple[int, int], int] = {}
    for workspace in {row.workspace_id for row in rows}:
        numbers = [row.number for row in rows if row.workspace_id == workspace]
        span = {"workspace": workspace, "first": min(numbers), "last": max(numbers)}
        for number, count in connection.execute(_COUNTS, span):
            opened[workspace, number] = count
    total = 0
    for taken, row in enumerate(rows):
        total += opened.get((row.workspace_id, row.number), 0)
        if total > limit and taken > 0:
            return rows[:taken]
    return rows


def _of_workspace(
    connection: Connection, workspace: int, name: str, positions: dict[int, int]
) -> dict[int, OutboxItem]:
    """The items of one workspace: its transactions between two numbers, none left out."""
    span = {"workspace": workspace, "first": min(positions), "last": max(positions)}
    opened: dict[int, list[ChunkRow]] = {}
    for chunk in chunk_rows(connection, list(rows_of(connection, _OPENED, span))):
        opened.setdefault(chunk.opened_by, []).append(chunk)
    closed: dict[int, dict[UUID, int]] = {}
    for row in connection.execute(_CLOSED, span):
        closed.setdefault(row.closed_by, {})[UUID(bytes=row.point_id)] = row.recorded_to
    changed = access_changes(connection, span)
    erased = erased_between(connection, workspace, span["first"], span["last"])
    concerned = {chunk.entry_id for rows in opened.values() for chunk in rows}
    archived = _archived(connection, span, opened)
    access = access_of(connection, workspace, concerned.union(*changed.values()))
    return {
        position: OutboxItem(
            position,
            name,
            tuple(opened.get(number, ())),
            closed.get(number, {}),
            {chunk.entry_id: access[chunk.entry_id] for chunk in opened.get(number, ())},
            {entry_id: access[entry_id] for entry_id in changed.get(number, ())},
            archived.get(number, {}),
            erased.get(number, ()),
            number,
        )
        for number, position in positions.items()
    }


def _archived(
    connection: Connection, span: dict[str, int], opened: dict[int, list[ChunkRow]]
) -> dict[int, dict[UUID, int]]:
    """By number, since when entries are archived by now: those whose archiving changed there.

    And those whose chunk rows were opened while they are archived, which new points must know.
    """
    wanted: dict[int, set[UUID]] = {}
    for query in _ARCHIVED:
        for row in connection.execute(query, span):
            wanted.setdefault(row.number, set()).add(UUID(bytes=row.entry_id))
    cut = {number: {chunk.entry_id for chunk in rows} for number, rows in opened.items()}
    concerned = {one for ids in (*wanted.values(), *cut.values()) for one in ids}
    since: dict[UUID, int] = {}
    for batch in batches(sorted(one.bytes for one in concerned)):
        given = {"workspace": span["workspace"], "entries": batch}
        for row in connection.execute(_SINCE, given):
            if row.archived_at is not None:
                since[UUID(bytes=row.entry_id)] = row.archived_at
    found: dict[int, dict[UUID, int]] = {}
    for number in wanted.keys() | cut.keys():
        told = wanted.get(number, set()) | (cut.get(number, set()) & since.keys())
        found[number] = {one: since.get(one, FOREVER) for one in sorted(told)}
    return found


def advance(connection: Connection, index: str, position: int, unembedded: Sequence[UUID]) -> None:
    """Move a cursor forward and queue points that lack their vector."""
    _move(connection, index, max(position, cursor_of(connection, index)))
    queued = exists().where(
        vector_queue.c.index_name == bindparam("index"), vector_queue.c.chunk == chunks.c.id
    )
    missing = select(literal(index), chunks.c.id).where(
        chunks.c.point_id.in_(bindparam("points", expanding=True)), ~queued
    )
    statement = insert(vector_queue).from_select(["index_name", "chunk"], missing)
    for batch in batches([point.bytes for point in unembedded]):
        connection.execute(statement, {"index": index, "points": batch})


def untouched(connection: Connection, index: str) -> bool:
    """Whether a cursor is at the beginning and its queue empty, as :func:`restart` leaves them."""
    queued = select(vector_queue.c.chunk).where(vector_queue.c.index_name == index).limit(1)
    return not cursor_of(connection, index) and connection.execute(queued).first() is None


def restart(connection: Connection, index: str) -> None:
    """Put a cursor back to the beginning and empty its queue."""
    _move(connection, index, 0)
    connection.execute(delete(vector_queue).where(vector_queue.c.index_name == index))


def _move(connection: Connection, index: str, position: int) -> None:
    named = index_cursors.c.index_name == index
    moved = connection.execute(update(index_cursors).where(named).values(position=position))
    if moved.rowcount == 0:
        values = {"index_name": index, "position": position}
        connection.execute(insert(index_cursors), values)


def queue(connection: Connection, index: str, limit: int) -> list[tuple[str, ChunkRow]]:
    """Points that lack a vector, newest first."""
    rows = connection.execute(_QUEUE, {"index": index, "limit": limit}).all()
    names = [row.name for row in rows]
    return list(zip(names, chunk_rows(connection, rows), strict=True))


def dequeue(connection: Connection, index: str, point_ids: Sequence[UUID]) -> None:
    """These points have their vectors."""
    theirs = select(chunks.c.id).where(chunks.c.point_id.in_(bindparam("points", expanding=True)))
    statement = delete(vector_queue).where(
        vector_queue.c.index_name == bindparam("index"), vector_queue.c.chunk.in_(theirs)
    )
    for batch in batches([point.bytes for point in point_ids]):
        connection.execute(statement, {"index": index, "points": batch})


def indexed(connection: Connection, index: str) -> int:
    """How many points an index holds when it is whole up to its cursor."""
    total = connection.execute(select(func.count()).select_from(chunks)).scalar_one()
    behind = transactions.c.position > cursor_of(connection, index)
    of_transaction = and_(
        chunks.c.workspace_id == transactions.c.workspace_id,
        chunks.c.opened_by == transactions.c.number,
    )
    missing = select(func.count()).select_from(transactions.join(chunks, of_transaction))
    return total - connection.execute(missing.where(behind)).scalar_one()


def lag(connection: Connection, index: str, workspace: str | None) -> Lag:
    """How far an index is behind, in one workspace or in all."""
    query = _lag(one=workspace is not None)
    row = first_row(connection, query, {"index": index, "workspace": workspace})
    return Lag(0, 0) if row is None else Lag(row.waiting, row.queued)


@cache
def _lag(*, one: bool) -> Query:
    """How many transactions and vectors an index lacks: of one workspace, or of all."""
    waiting = select(func.count()).select_from(transactions)
    waiting = waiting.where(transactions.c.position > _CURSOR)
    queued = select(func.count()).select_from(vector_queue)
    queued = queued.where(vector_queue.c.index_name == bindparam("index"))
    if one:
        named = workspaces.c.name == bindparam("workspace")
        waiting = waiting.join(workspaces).where(named)
        queued = queued.join(chunks)
        queued = queued.join(workspaces, workspaces.c.id == chunks.c.workspace_id).where(named)
    return select(
        waiting.scalar_subquery().label("waiting"), queued.scalar_subquery().label("queued")
    )


def points_page(connection: Connection, after: int) -> list[tuple[int, UUID]]:
    """Row and id of some points behind a row; empty at the end."""
    rows = connection.execute(_POINTS, {"after": after})
    return [(row.id, UUID(bytes=row.point_id)) for row in rows]


def all_points(pages: PageReader) -> Iterator[UUID]:
    """The ids of all points, page by page."""
    after = 0
    while page := pages(after):
        yield from (point for _, point in page)
        after = page[-1][0]
