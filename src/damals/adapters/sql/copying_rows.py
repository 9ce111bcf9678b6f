"""Reading whole tables in the order of their keys, and telling two of them apart.

A row is a tuple of its values in the order of the columns. Both databases order numbers, bytes and
texts alike (texts byte by byte), and so does Python: two tables can be merged by key.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Table, bindparam, func, select, tuple_

from damals.adapters.sql import reserved, schema
from damals.adapters.sql.columns import metadata
from damals.adapters.sql.prepared import Statement, rows_of

MODULES: Final = (schema, reserved)
"""Modules whose import fills the metadata."""

BLOCK_ROWS: Final = 2_000
LONG_ROWS: Final = 400
"""Of tables whose rows may hold a whole document."""

_LONG: Final = frozenset({"contents", "idempotency", "jobs", "erasures"})
_SEPARATOR: Final = b"\x1e"

AnyRow = tuple[Any, ...]
Key = tuple[Any, ...]
Change = Callable[[AnyRow], AnyRow]


@dataclass(frozen=True)
class Rows:
    """A table, as it is read.

    Attributes:
        change: what a row of the source is on the target, where that differs. It keeps the order
            of the keys.
        ours: whether a row of the target is to be as one of the source, or stays as it is; by
            default all are.
    """

    table: Table
    change: Change | None = None
    ours: Callable[[AnyRow], bool] | None = None

    @property
    def name(self) -> str:
        """Of the table."""
        return self.table.name

    @property
    def block(self) -> int:
        """How many rows are read at once."""
        return LONG_ROWS if self.table.name in _LONG else BLOCK_ROWS

    def key(self, row: AnyRow) -> Key:
        """The key of a row."""
        return tuple([row[place] for place in _places(self.table)])


def tables() -> list[Table]:
    """All tables of a ledger, each behind those that it refers to."""
    return metadata.sorted_tables


def count(connection: Connection, table: Table) -> int:
    """How many rows a table has."""
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def read_block(connection: Connection, rows: Rows, after: Key | None) -> list[AnyRow]:
    """The next rows behind a key, in the order of keys."""
    first, further = _statements(rows.table, rows.block)
    if after is None:
        return [tuple(row) for row in rows_of(connection, first, {})]
    values = {f"after_{place}": value for place, value in enumerate(after)}
    return [tuple(row) for row in rows_of(connection, further, values)]


def stream(connection: Connection, rows: Rows, *, source: bool = False) -> Iterator[AnyRow]:
    """All rows of a table in the order of keys, some at a time.

    Args:
        connection: a snapshot.
        rows: of which table.
        source: give each as it is on the target.
    """
    change = rows.change if source else None
    ours = None if source else rows.ours
    after: Key | None = None
    while block := read_block(connection, rows, after):
        after = rows.key(block[-1])
        kept = block if ours is None else filter(ours, block)
        yield from kept if change is None else map(change, kept)
        if len(block) < rows.block:
            return


@dataclass
class Sum:
    """How many rows there were, and a digest over all of them."""

    rows: int = 0

    def __post_init__(self) -> None:
        self._hash = sha256()

    def add(self, row: AnyRow) -> None:
        """Take a row in. ``repr`` tells all types and values of a ledger apart."""
        self.rows += 1
        self._hash.update(repr(row).encode("utf-8", "surrogatepass"))
        self._hash.update(_SEPARATOR)

    @property
    def digest(self) -> str:
        """Of all rows, in hex."""
        return self._hash.hexdigest()


@dataclass(frozen=True, slots=True)
class Difference:
    """What the target lacks or has otherwise, at one key.

    Attributes:
        ours: the row as it has to be; ``None`` when there is to be none.
        gone: a row of the target has to go first.
    """

    key: Key
    ours: AnyRow | None
    gone: bool


def differences(
    rows: Rows, source: Iterator[AnyRow], target: Iterator[AnyRow]
) -> Iterator[Difference | None]:
    """Compare two streams; gives ``None`` for each row that is equal."""
    ours, theirs = next(source, None), next(target, None)
    while ours is not None or theirs is not None:
        our_key = None if ours is None else rows.key(ours)
        their_key = None if theirs is None else rows.key(theirs)
        if our_key is not None and our_key == their_key:
            yield None if ours == theirs else Difference(our_key, ours, gone=True)
            ours, theirs = next(source, None), next(target, None)
        elif their_key is None or (our_key is not None and our_key < their_key):
            yield Difference(our_key or (), ours, gone=False)
            ours = next(source, None)
        else:
            yield Difference(their_key, None, gone=True)
            theirs = next(target, None)


def key_columns(table: Table) -> Sequence[str]:
    """The names of the columns of a table's key."""
    return [column.name for column in table.primary_key.columns]


@cache
def _places(table: Table) -> tuple[int, ...]:
    names = [column.name for column in table.columns]
    return tuple(names.index(name) for name in key_columns(table))


@cache
def _statements(table: Table, limit: int) -> tuple[Statement, Statement]:
    keys = [table.c[name] for name in key_columns(table)]
    first = select(table).order_by(*keys).limit(limit)
    bounds = [bindparam(f"after_{place}", type_=key.type) for place, key in enumerate(keys)]
    behind = tuple_(*keys) > tuple_(*bounds) if len(keys) > 1 else keys[0] > bounds[0]
    return first, first.where(behind)


def by_name(table: Table, rows: Sequence[AnyRow]) -> list[dict[str, Any]]:
    """Rows as they are inserted."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in rows]


def prefixed(owner: str) -> Change:
    """Names an index, first in its row, after the home that it is of."""
    return lambda row: (f"{owner}/{row[0]}", *row[1:])


def owned(table: Table, column: str, owner: str) -> Change:
    """Puts a home's name into a column."""
    place = [one.name for one in table.columns].index(column)
    return lambda row: (*row[:place], owner, *row[place + 1 :])
