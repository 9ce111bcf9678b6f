"""A ledger's file from outside: its rows, and how its statements are run."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event

from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.reader import SqlReader


def rows(path: Path, sql: str, *values: object) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql, values)]


def change(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql, values)


@dataclass
class Plans:
    """How SQLite would run every statement that reaches it while it listens, values filled in."""

    ledger: SqlLedger

    def __post_init__(self) -> None:
        self.statements: list[str] = []
        event.listen(self.ledger._engine, "begin", self._watch)  # noqa: SLF001 - no other window

    def listen(self, reader: SqlReader) -> None:
        """Also on a snapshot that is open already."""
        self._watch(reader._connection)  # noqa: SLF001 - no other window

    def _watch(self, connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        driver.set_trace_callback(self._note)

    def _note(self, sql: str) -> None:
        if not sql.startswith(("BEGIN", "COMMIT", "ROLLBACK")):
            self.statements.append(sql)

    @property
    def lines(self) -> list[str]:
        asked = [sql for sql in self.statements if sql.startswith(("SELECT", "UPDATE", "WITH"))]
        with closing(sqlite3.connect(str(self.ledger._engine.url.database))) as file:  # noqa: SLF001 - as above
            plans = [file.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall() for sql in asked]
        return [line[3] for plan in plans for line in plan]

    def scans(self) -> list[str]:
        whole = {"versions", "relations", "chunks", "entries", "contents", "operations", "touches"}
        whole |= {"archivings", "transactions", "version", "former"}
        return [
            line
            for line in self.lines
            if line.startswith("SCAN") and line.split()[1].rstrip("_0123456789") in whole
        ]


@dataclass
class Steps:
    """How many steps of SQLite's machine are taken while it counts, on every connection."""

    ledger: SqlLedger

    def __post_init__(self) -> None:
        self.count = 0
        event.listen(self.ledger._engine, "begin", self._watch)  # noqa: SLF001 - no other window

    def _watch(self, connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        driver.set_progress_handler(self._step, 1)

    def _step(self) -> int:
        self.count += 1
        return 0
