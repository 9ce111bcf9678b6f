"""Statements run by the driver itself, for what is asked so often that the way there counts.

A point read takes SQLite some 30 µs; SQLAlchemy spends twice that on finding the compiled
statement, its parameters and its result. Here a statement is compiled once for each dialect, and
its rows come back as the driver gives them: right for values that every driver takes and gives as
they are, which all columns of the ledger are.
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, cast

from sqlalchemy import Connection, Dialect, Select

from damals.adapters.sql.engine import meant

_KEPT: Final = 256
_AT_ONCE: Final = 500

Statement = Select[*tuple[Any, ...]]
Values = Mapping[str, Any]


class _Prepared:
    """A statement in the words of one dialect."""

    def __init__(self, statement: Statement, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        self._constants = dict(compiled.params)
        places = compiled.positiontup
        self._pick = None if places is None else _picker(places)
        names = list(statement.selected_columns.keys())
        # The columns are only known here, so there is no class that could be written down.
        make = cast("Callable[[str, Sequence[str]], Any]", namedtuple)  # noqa: PYI024 -- as above
        self.row = cast("Callable[[Sequence[Any]], Any]", make("Row", names)._make)
        self.fixed = not compiled.post_compile_params

    def parameters(self, values: Values) -> Sequence[Any] | Values:
        """The values as the driver wants them."""
        given = {**self._constants, **values}
        return given if self._pick is None else self._pick(given)


def _picker(names: Sequence[str]) -> Callable[[Values], Sequence[Any]]:
    """Takes the values of some names in their order, as often as each is there."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: [values[name] for name in names]


_prepared: Final = lru_cache(maxsize=_KEPT)(_Prepared)


def first_row(connection: Connection, statement: Statement, values: Values) -> Any | None:  # noqa: ANN401 - a row is read by the names of its columns, as SQLAlchemy's
    """The first row of a statement, or ``None``; its columns are attributes.

    Statements with lists among their parameters are SQLAlchemy's to run.
    """
    prepared = _prepared(statement, connection.dialect)
    if not prepared.fixed:
        return connection.execute(statement, values).first()
    cursor = connection.connection.cursor()
    try:
        cursor.execute(prepared.sql, prepared.parameters(values))
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
    cursor = connection.connection.cursor()
    try:
        cursor.execute(prepared.sql, prepared.parameters(values))
        while rows := cursor.fetchmany(_AT_ONCE):
            yield from map(prepared.row, rows)
    except connection.dialect.loaded_dbapi.Error as error:
        raise meant(connection, error) from error
    finally:
        cursor.close()
