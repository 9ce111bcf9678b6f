"""Copying a ledger from a SQLite file into a PostgreSQL schema, row for row (``LedgerMove``).

First everything that grows is copied in blocks, each read in a snapshot of its own, while others go
on writing to the source. Then, with nobody writing, both sides are summed up table by table;
tables that differ are merged by key until they do not. What was closed, erased or told meanwhile
needs no rule of its own: it is a row that differs. At last the server checks all rows by its
constraints.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Table, inspect, select

from damals.adapters.sql.copying_rows import (
    Difference,
    Rows,
    Sum,
    count,
    differences,
    owned,
    prefixed,
    read_block,
    stream,
    tables,
)
from damals.adapters.sql.copying_survey import home_of, refuse_ahead, refuse_others, survey
from damals.adapters.sql.copying_target import FilledSchema, is_filling
from damals.adapters.sql.engine import Database
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.migrate import MIGRATING
from damals.adapters.sql.reserved import erasures, jobs
from damals.adapters.sql.schema import index_cursors, meta, vector_queue
from damals.app.migrating.model import ChainSum, Listener, Survey, TableSum
from damals.app.results import Progress
from damals.domain.errors import Conflict, Corrupt
from damals.domain.instants import FOREVER

LATE: Final = frozenset({meta.name, index_cursors.name, vector_queue.name, jobs.name})
"""Tables that are rewritten, or name the home: they are copied when nobody writes any more."""

MENDED_AT_ONCE: Final = 500
REPORTED_EVERY: Final = 5_000


class SqlMove:
    """A ``LedgerMove`` from a file to a server.

    Args:
        path: of the file.
        source, target: the databases.
    """

    def __init__(self, path: Path, source: Database, target: Database) -> None:
        self._path = path
        self._source = source
        self._target = target
        self._filled = FilledSchema(target)

    def survey(self) -> Survey:
        """Look at both sides; nothing is changed."""
        return survey(self._path, self._source, self._target)

    def alone(self) -> AbstractContextManager[None]:
        """Be the only one who copies into the target."""
        return self._filled.alone()

    def copy(self, listen: Listener) -> None:
        """Copy what grows, from where an earlier attempt was ended.

        Raises:
            Conflict: ``migrate.target_ahead``.
        """
        with self._source.reading() as connection:
            home = home_of(connection)
            total = _rows(connection)
            if self._is_whole(home):
                with self._target.reading() as there:
                    refuse_ahead(connection, there, self._target.location)
                return
        self._filled.begin(home)
        told = _Told(listen, "copy", total)
        for table in tables():
            if table.name not in LATE:
                self._copy_table(Rows(table), told)

    def _is_whole(self, home: str) -> bool:
        """Whether the target is a ledger already: all was copied, but the home not switched."""
        with self._target.reading() as connection:
            there = inspect(connection).get_table_names()
            return meta.name in there and MIGRATING not in there and home_of(connection) == home

    def _copy_table(self, rows: Rows, told: "_Told") -> None:
        after, copied, whole = self._filled.cursor(rows.name)
        told.add(copied)
        while not whole:
            with self._source.reading() as connection:
                block = read_block(connection, rows, after)
            whole = len(block) < rows.block
            if block:
                after = rows.key(block[-1])
            copied += len(block)
            self._filled.append(rows.table, block, after or (), (copied, whole))
            told.add(len(block))

    def finish(self, owner: str, listen: Listener) -> Sequence[TableSum]:
        """Make both sides equal and the target whole; nobody writes to the source meanwhile.

        Raises:
            Corrupt: ``migrate.differs``.
            Conflict: ``migrate.erasure_unfinished``, ``migrate.target_used``.
        """
        with self._source.reading() as source:
            everything = [_named(table, owner, _indexes(source)) for table in tables()]
            _refuse_unfinished_erasures(source)
            with self._target.reading() as target:
                if not is_filling(target):  # else nobody can have used it
                    refuse_others(target, owner, self._target.location)
            told = _Told(listen, "compare", 2 * _rows(source))
            sums = {rows.name: self._sum(source, rows, told) for rows in everything}
            differing = [rows for rows in everything if self._there(rows, told) != sums[rows.name]]
            if differing:
                self._filled.open_up()
                for rows in differing:
                    self._merge(source, rows)
                for rows in differing:
                    if self._there(rows, told) != sums[rows.name]:
                        raise Corrupt("migrate.differs", table=rows.name)
        listen(Progress("build", 0, None, "rows"))
        self._filled.build()
        return list(sums.values())

    def _sum(self, source: Connection, rows: Rows, told: "_Told") -> TableSum:
        return _summed(rows, stream(source, rows, source=True), told)

    def _there(self, rows: Rows, told: "_Told") -> TableSum:
        with self._target.reading() as target:
            return _summed(rows, stream(target, rows), told)

    def _merge(self, source: Connection, rows: Rows) -> None:
        """Make a table of the target equal to that of the source."""
        found: list[Difference] = []
        with self._target.reading() as target:
            ours, theirs = stream(source, rows, source=True), stream(target, rows)
            for one in differences(rows, ours, theirs):
                if one is not None:
                    found.append(one)
                if len(found) >= MENDED_AT_ONCE:
                    self._filled.mend(rows.table, found)
                    found.clear()
        if found:
            self._filled.mend(rows.table, found)

    def chains(self, listen: Listener) -> Sequence[ChainSum]:
        """Audit every workspace of the target.

        Raises:
            Corrupt: ``migrate.audit``, naming the first break.
        """
        found: list[ChainSum] = []
        ledger = SqlLedger(self._target, unfinished=True)
        names = [one.name for one in ledger.workspaces()]
        for name in names:
            listen(Progress("audit", len(found), len(names), "workspaces"))
            audit = ledger.audit(name)
            if audit.breaks:
                first = audit.breaks[0]
                raise Corrupt("migrate.audit", workspace=name, table=first.table, row=first.row)
            found.append(ChainSum(name, audit.transactions, audit.head))
        return found

    def release(self) -> None:
        """From now on the target is a ledger like any other; both sides are let go of."""
        self._filled.release()
        self.close()

    def close(self) -> None:
        """Let go of both sides."""
        self._source.engine.dispose()
        self._target.engine.dispose()


class _Told:
    """Tells how many rows are done, now and then."""

    def __init__(self, listen: Listener, stage: str, total: int) -> None:
        self._listen = listen
        self._stage = stage
        self._total = total
        self._next = 0
        self._done = 0

    def add(self, rows: int) -> None:
        self._done += rows
        if self._done >= self._next:
            self._next = self._done + REPORTED_EVERY
            total = max(self._total, self._done)
            self._listen(Progress(self._stage, self._done, total, "rows"))


def _summed(rows: Rows, all_of_them: Iterator[tuple[object, ...]], told: _Told) -> TableSum:
    found = Sum()
    for row in all_of_them:
        found.add(row)
        told.add(1)
    return TableSum(rows.name, found.rows, found.digest)


def _named(table: Table, owner: str, indexes: frozenset[str]) -> Rows:
    """A table, with the home's name where a ledger on a server has it.

    An index that is only on the target is just being filled there, by this migration: that stays.
    """
    if table.name in {index_cursors.name, vector_queue.name}:
        known = frozenset(f"{owner}/{name}" for name in indexes)
        return Rows(table, prefixed(owner), lambda row: row[0] in known)
    return Rows(table, owned(table, "home", owner) if table.name == jobs.name else None)


def _indexes(source: Connection) -> frozenset[str]:
    """The names of the indexes of the source."""
    return frozenset(source.execute(select(index_cursors.c.index_name)).scalars())


def _rows(connection: Connection) -> int:
    """How many rows there are in all."""
    return sum(count(connection, table) for table in tables())


def _refuse_unfinished_erasures(source: Connection) -> None:
    begun = select(erasures.c.id).where(erasures.c.finished_at == FOREVER).limit(1)
    if source.execute(begun).first() is not None:
        raise Conflict("migrate.erasure_unfinished")
