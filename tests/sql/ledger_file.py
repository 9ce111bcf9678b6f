"""A ledger's file from outside: its rows, and how its statements are run."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event

from damals.adapters.sql.ledger import SqlLedger


def rows(path: Path, sql: str, *values: object) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql, values)]


def change(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql, values)


@dataclass
class Plans:
    """How SQLite would run every statement that is sent while it listens."""

    ledger: SqlLedger

    def __post_init__(self) -> None:
        self.lines: list[str] = []
        self.statements: list[str] = []
        event.listen(self.ledger._engine, "before_cursor_execute", self._explain)  # noqa: SLF001 - no other window

    def _explain(
        self, connection: Connection, _cursor: object, sql: str, values: object, *_: object
    ) -> None:
        self.statements.append(sql)
        if sql.startswith(("SELECT", "UPDATE")) and not isinstance(values, list):
            driver: Any = connection.connection.driver_connection
            plan = driver.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            self.lines.extend(line[3] for line in plan)

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
