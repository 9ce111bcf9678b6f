"""Naming the row because of which a transaction's hash does not fit.

A hash says that something is wrong, not what. Most often it is one row: tried are all hashes with
one row less, with one row more that may have been closed or moved away, and with two rows in each
other's place. Where none fits, gaps tell what is missing: in the places of operations, in the
numbers of rows, among the entries that the transaction touched.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from sqlalchemy import Row, Table, bindparam, func, select

from damals.adapters.sql.chain import HasKey
from damals.adapters.sql.findings import Scope, by_name
from damals.adapters.sql.queries import Query
from damals.adapters.sql.schema import (
    archivings,
    entries,
    operations,
    relations,
    touches,
    verifications,
    versions,
)

_MOST: Final = 300
"""Rows of a transaction up to which all of these are tried."""

_MOST_SWAPS: Final = 60

Digests = dict[str, list[bytes]]
Hashed = Callable[[Digests], bytes]

_RECORDED: Final = {table.name: table for table in (versions, relations, archivings, verifications)}
_NUMBERED: Final = {"operations": operations.c.number, "created": entries.c.created_by} | {
    f"{name}_{what}": table.c[f"{what}_by"]
    for name, table in _RECORDED.items()
    for what in ("opened", "closed")
}
_MADE_BY: Final = {
    **dict.fromkeys(("remember", "update", "correct", "pin", "unpin", "accept"), "versions"),
    **dict.fromkeys(("relate", "derive", "contradict", "resolve"), "relations"),
    "verify": "verifications",
    "archive": "archivings",
}
"""Per kind of an operation, the table of a row that it makes, unless nothing is left of it."""

_ORDERS: Final = {"operations": operations.c.seq, "created": entries.c.entry_id}


_TABLES: Final = {"operations": operations, "created": entries, "erased": entries}


def _table(name: str) -> Table:
    return _TABLES[name] if name in _TABLES else _RECORDED[name.rpartition("_")[0]]


def _rows(name: str) -> Query:
    """The rows of a list of the transaction ``number``, in the order in which they are hashed."""
    table = _table(name)
    if name == "erased":
        by, order = entries.c.erased_by, entries.c.entry_id
    else:
        by, order = _NUMBERED[name], _ORDERS.get(name, table.c.get("id"))
    return (
        select(table)
        .where(table.c.workspace_id == bindparam("workspace"), by == bindparam("number"))
        .order_by(order)
    )


def _elsewhere(table: Table, by: str) -> Query:
    """Rows of other workspaces that name the transaction ``number``."""
    return (
        select(table)
        .where(table.c.workspace_id != bindparam("workspace"), table.c[by] == bindparam("number"))
        .limit(_MOST)
    )


def _touched_rows(table: Table) -> Query:
    """Rows, not closed by the transaction ``number``, of entries that it touched."""
    owner = table.c.src_id if table is relations else table.c.entry_id
    theirs = select(touches.c.entry_id).where(
        touches.c.workspace_id == bindparam("workspace"), touches.c.number == bindparam("number")
    )
    return (
        select(table)
        .where(
            table.c.workspace_id == bindparam("workspace"),
            owner.in_(theirs),
            table.c.opened_by < bindparam("number"),
            func.coalesce(table.c.closed_by, 0) != bindparam("number"),
        )
        .limit(_MOST)
    )


class Suspects:
    """Looks for the one row that explains a hash.

    Args:
        scope: the workspace.
        transaction: whose hash does not fit.
        digests: of its rows, by list.
        hashed: the hash that a transaction with other rows would have.
    """

    def __init__(self, scope: Scope, transaction: HasKey, digests: Digests, hashed: Hashed) -> None:
        self._scope = scope
        self._transaction = transaction
        self._number: int = transaction["number"]
        self._digests = digests
        self._hashed = hashed
        self._few = sum(len(one) for one in digests.values()) <= _MOST

    def name(self) -> None:
        """Add what is found; the transaction itself where nothing is."""
        found = next(iter(self._explained()), None) if self._few else None
        if found is not None:
            self._scope.found(found[0], self._number, found[1], found[2])
            return
        for table, row in self._gaps():
            self._scope.found("audit.missing", self._number, table, row)
        self._scope.found("audit.hash", self._number, "transactions", self._transaction)

    def _fits(self, name: str, digests: list[bytes]) -> bool:
        return self._hashed({**self._digests, name: digests}) == self._transaction["hash"]

    def _explained(self) -> Iterator[tuple[str, str, HasKey]]:
        yield from self._one_less()
        yield from self._one_more()
        yield from self._swapped()

    def _one_less(self) -> Iterator[tuple[str, str, HasKey]]:
        for name, digests in self._digests.items():
            for place in range(len(digests)):
                if self._fits(name, digests[:place] + digests[place + 1 :]):
                    key = "audit.closed" if name.endswith("_closed") else "audit.inserted"
                    key = "audit.erased" if name == "erased" else key
                    yield key, _table(name).name, self._row(name, place)

    def _one_more(self) -> Iterator[tuple[str, str, HasKey]]:
        for name in _RECORDED:
            for row in self._candidates(_touched_rows(_RECORDED[name])):
                if self._fits_with(f"{name}_closed", row):
                    yield "audit.closed", name, by_name(row)
        for row in self._candidates(_ERASABLE):
            if self._fits_with("erased", row):
                yield "audit.erased", "entries", by_name(row)
        for name, column in _NUMBERED.items():
            for row in self._candidates(_elsewhere(_table(name), column.name)):
                if self._fits_with(name, row):
                    yield "audit.missing", _table(name).name, by_name(row)

    def _candidates(self, query: Query) -> list[Row[Any]]:
        return list(self._scope.rows_of(query, number=self._number))

    def _fits_with(self, name: str, row: Row[Any]) -> bool:
        """Whether the hash fits with one row more, at its place or, where rows moved, at any."""
        digests = self._digests.get(name, [])
        return any(
            self._fits(name, [*digests[:place], row.digest, *digests[place:]])
            for place in range(len(digests) + 1)
        )

    def _swapped(self) -> Iterator[tuple[str, str, HasKey]]:
        for name, digests in self._digests.items():
            if len(digests) > _MOST_SWAPS:
                continue
            for first in range(len(digests)):
                for second in range(first + 1, len(digests)):
                    swapped = digests.copy()
                    swapped[first], swapped[second] = swapped[second], swapped[first]
                    if self._fits(name, swapped):
                        yield "audit.reordered", _table(name).name, self._row(name, first)

    def _row(self, name: str, place: int) -> HasKey:
        rows = self._candidates(_rows(name))
        return by_name(rows[place])

    def _gaps(self) -> Iterator[tuple[str, HasKey]]:
        said = {row.seq: row for row in self._candidates(_rows("operations"))}
        opened = {name: self._candidates(_rows(f"{name}_opened")) for name in _RECORDED}
        named = {row.operation for rows in opened.values() for row in rows}
        for seq in sorted({*range(max(said, default=0)), *named, 0} - said.keys()):
            yield "operations", {"number": self._number, "seq": seq}
        for row in self._candidates(_MISSING_ENTRIES):
            yield "entries", {"entry_id": row.entry_id}
        numbers = {name: self._numbers(table) for name, table in _RECORDED.items()}
        yield from ((name, {"id": row}) for name, rows in numbers.items() for row in rows)
        if not any(numbers.values()):  # rows at the end leave no gap behind
            for seq, row in said.items():
                table = _MADE_BY.get(row.kind)
                if table is not None and seq not in {one.operation for one in opened[table]}:
                    yield table, {"opened_by": self._number, "operation": seq}

    def _numbers(self, table: Table) -> list[int]:
        """Numbers of rows that are missing between those of the transactions around."""
        (span,) = self._candidates(_around(table))
        low, high = span.low or 0, span.high or span.highest or 0
        if high - low > _MOST:
            return []
        query = select(table.c.id).where(table.c.id.between(low, high))
        there = set(self._scope.connection.execute(query).scalars())
        return [row for row in range(low + 1, high) if row not in there]


_ERASABLE: Final = (
    select(entries)
    .where(
        entries.c.workspace_id == bindparam("workspace"),
        entries.c.entry_id.in_(
            select(touches.c.entry_id).where(
                touches.c.workspace_id == bindparam("workspace"),
                touches.c.number == bindparam("number"),
            )
        ),
    )
    .limit(_MOST)
)
_MISSING_ENTRIES: Final = (
    select(touches.c.entry_id)
    .outerjoin(
        entries,
        (entries.c.workspace_id == touches.c.workspace_id)
        & (entries.c.entry_id == touches.c.entry_id),
    )
    .where(
        touches.c.workspace_id == bindparam("workspace"),
        touches.c.number == bindparam("number"),
        entries.c.entry_id.is_(None),
    )
    .limit(_MOST)
)


def _around(table: Table) -> Query:
    """The highest row before and the lowest one behind those that ``number`` opened."""
    own = table.c.workspace_id == bindparam("workspace")
    before = select(func.max(table.c.id)).where(own, table.c.opened_by < bindparam("number"))
    behind = select(func.min(table.c.id)).where(own, table.c.opened_by > bindparam("number"))
    return select(
        before.scalar_subquery().label("low"),
        behind.scalar_subquery().label("high"),
        select(func.max(table.c.id)).scalar_subquery().label("highest"),
    )
