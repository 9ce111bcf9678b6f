"""Statements run by the driver itself, for what is asked so often that the way there counts.

A point read takes SQLite some 30 µs; SQLAlchemy spends twice that on finding the compiled
statement, its parameters and its result. Here a statement is compiled once for each dialect, and
its rows come back as the driver gives them: right for values that every driver takes and gives as
they are, which all columns of the ledger are. A statement with lists among its parameters is made
for a few lengths of them; a list is filled up with its last value, which ``IN`` does not mind.
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import Connection, Dialect, Select
from sqlalchemy.types import TupleType

from damals.adapters.sql.engine import meant

_KEPT: Final = 256
_AT_ONCE: Final = 500
_LENGTHS: Final = (0, 1, 4, 16, 64, 256, 500)
"""What lists are filled up to; a longer one has a statement of its own."""

Statement = Select[*tuple[Any, ...]]
Values = Mapping[str, Any]
Pick = Callable[[Values], Sequence[Any]]


class _Sized(NamedTuple):
    """A statement for lists of certain lengths.

    Attributes:
        lists: of each list, the names of its values.
        pick: gives the values in their order, where the driver wants them without names.
    """

    sql: str
    lists: Mapping[str, Sequence[str]]
    pick: Pick | None


class _Prepared:
    """A statement in the words of one dialect."""

    def __init__(self, statement: Statement, dialect: Dialect) -> None:
        self._compiled = compiled = statement.compile(dialect=dialect)
        self._constants = dict(compiled.params)
        lists = compiled.post_compile_params
        self.fixed = all(one.expanding and not isinstance(one.type, TupleType) for one in lists)
        self._lists = sorted(compiled.bind_names[one] for one in lists)
        self._sized: dict[tuple[int, ...], _Sized] = {}
        names = list(statement.selected_columns.keys())
        # The columns are only known here, so there is no class that could be written down.
        make = cast("Callable[[str, Sequence[str]], Any]", namedtuple)  # noqa: PYI024 -- as above
        self.row = cast("Callable[[Sequence[Any]], Any]", make("Row", names)._make)

    def call(self, values: Values) -> tuple[str, Sequence[Any] | Values]:
        """The SQL for these values, and the values as the driver wants them."""
        given = {**self._constants, **values}
        for name in self._lists:
            given[name] = _filled(given[name])
        lengths = tuple([len(given[name]) for name in self._lists])
        sized = self._sized.get(lengths)
        if sized is None:
            sized = self._sized[lengths] = self._for(given)
        for name, places in sized.lists.items():
            given.update(zip(places, given[name], strict=True))
        return sized.sql, given if sized.pick is None else sized.pick(given)

    def _for(self, given: Values) -> _Sized:
        state = self._compiled.construct_expanded_state({**given})
        places = state.positiontup
        pick = None if places is None else _picker(places)
        return _Sized(state.statement, state.parameter_expansion, pick)


def _filled(items: Sequence[Any]) -> Sequence[Any]:
    """A list of one of the lengths that there are statements for."""
    own = len(items)
    length = next((one for one in _LENGTHS if own <= one), own)
    return items if length == own else [*items, *[items[-1]] * (length - own)]


def _picker(names: Sequence[str]) -> Pick:
    """Takes the values of some names in their order, as often as each is there."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: [values[name] for name in names]


_prepared: Final = lru_cache(maxsize=_KEPT)(_Prepared)


def first_row(connection: Connection, statement: Statement, values: Values) -> Any | None:  # noqa: ANN401 - a row is read by the names of its columns, as SQLAlchemy's
    """The first row of a statement, or ``None``; its columns are attributes.

    Statements with lists of tuples among their parameters are SQLAlchemy's to run.
    """
    prepared = _prepared(statement, connection.dialect)
    if not prepared.fixed:
        return connection.execute(statement, values).first()
    sql, given = prepared.call(values)
    cursor = connection.connection.cursor()
    try:
        cursor.execute(sql, given)
        found = cursor.fetchone()
    except connection.dialect.loaded_dbapi.Error as error:
        raise meant(connection, error) from error
    finally:
        cursor.close()
    return None if found is None else prepared.row(found)


def rows_of(connection: Connection, statement: Statement, values: Values) -> Iterator[Any]:
    """As :func:`first_row`, all of them as they are asked for."""
    prepared = _prepared(statement, connection.dialect)
    if not prepared.fixed:
        yield from connection.execute(statement, values)
        return
    sql, given = prepared.call(values)
    cursor = connection.connection.cursor()
    try:
        cursor.execute(sql, given)
        while rows := cursor.fetchmany(_AT_ONCE):
            yield from map(prepared.row, rows)
    except connection.dialect.loaded_dbapi.Error as error:
        raise meant(connection, error) from error
    finally:
        cursor.close()
