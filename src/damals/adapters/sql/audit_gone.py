"""Auditing texts that are gone: whether it is erased entries alone that said them."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Row, Table, bindparam, or_, select

from damals.adapters.sql.contents import batches
from damals.adapters.sql.findings import Scope
from damals.adapters.sql.queries import Query
from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.rows import unpacked
from damals.adapters.sql.schema import (
    CONTENT_COLUMNS,
    archivings,
    chunks,
    entries,
    operations,
    relations,
    touches,
    transactions,
    verifications,
    versions,
)

_OWNERS: Final = {
    "versions": "entry_id",
    "relations": "src_id",
    "archivings": "entry_id",
    "verifications": "entry_id",
    "chunks": "entry_id",
    "entries": "entry_id",
    "operations": "touched",
    "transactions": "number",
}
"""Per table, the column that says whom, or which transaction, a text belongs to."""

_ERASED: Final = select(tombstones.c.target).where(
    tombstones.c.workspace_id == bindparam("workspace"), tombstones.c.kind == "entry"
)
_TOUCHED: Final = select(touches.c.number).where(
    touches.c.workspace_id == bindparam("workspace"),
    touches.c.entry_id.in_(bindparam("entries", expanding=True)),
)


def _naming(table: Table) -> Query:
    """The rows that name one of ``ids``."""
    named = [table.c[name] for name in CONTENT_COLUMNS[table.name]]
    return select(*named, table.c[_OWNERS[table.name]].label("owner")).where(
        table.c.workspace_id == bindparam("workspace"),
        or_(*(one.in_(bindparam("ids", expanding=True)) for one in named)),
    )


_NAMING: Final = {
    table: _naming(table)
    for table in (
        *(versions, relations, archivings, verifications),
        *(chunks, entries, operations, transactions),
    )
}


def still_needed(scope: Scope, gone: Sequence[int]) -> set[int]:
    """Those of some contents that somebody said who was not erased."""
    erased = {row.target for row in scope.rows_of(_ERASED)}
    numbers = {
        row.number
        for batch in batches(sorted(erased))
        for row in scope.rows_of(_TOUCHED, entries=batch)
    }
    needed: set[int] = set()
    for table, query in _NAMING.items():
        for batch in batches(gone):
            for row in scope.rows_of(query, ids=batch):
                if not _belongs_to_erased(table, row, erased, numbers):
                    needed.update(_named(table, row))
    return needed.intersection(gone)


def _belongs_to_erased(table: Table, row: Row[Any], erased: set[bytes], numbers: set[int]) -> bool:
    """Whether erasing had a reason to take a text out of a row."""
    if table is transactions:
        return row.owner in numbers
    if table is operations:
        return any(one.bytes in erased for one in unpacked(row.owner))
    return row.owner in erased


def _named(table: Table, row: Row[Any]) -> Iterator[int]:
    values = (getattr(row, name) for name in CONTENT_COLUMNS[table.name])
    return (value for value in values if value is not None)
