"""The ledgers that there are, for contracts that all of them pass."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.app.ledger_port import Ledger


class InMemory:
    """Lost with the process; ``impatient`` soon gives up waiting for another writer."""

    @pytest.fixture
    def ledger(self) -> Ledger:
        return MemoryLedger()

    @pytest.fixture
    def impatient(self) -> Ledger:
        return MemoryLedger(busy_timeout_ms=20)


class OnSqlite:
    """In a file."""

    @pytest.fixture
    def ledger(self, tmp_path: Path) -> Iterator[Ledger]:
        ledger = SqlLedger(tmp_path / "ledger.db")
        yield ledger
        ledger.close()

    @pytest.fixture
    def impatient(self, tmp_path: Path) -> Iterator[Ledger]:
        ledger = SqlLedger(tmp_path / "ledger.db", busy_timeout_ms=20)
        yield ledger
        ledger.close()


class OnPostgres:
    """On a server, for one of the homes that share it."""

    @pytest.fixture
    def ledger(self, postgres_url: str) -> Iterator[Ledger]:
        ledger = SqlLedger(PostgresDatabase(postgres_url), index_owner="home")
        yield ledger
        ledger.close()

    @pytest.fixture
    def impatient(self, postgres_url: str) -> Iterator[Ledger]:
        ledger = SqlLedger(PostgresDatabase(postgres_url, busy_timeout_ms=20))
        yield ledger
        ledger.close()
