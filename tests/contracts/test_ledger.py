"""Every ledger passes the same contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_contract import LedgerContract

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.app.ledger_port import Ledger


class TestMemoryLedger(LedgerContract):
    @pytest.fixture
    def ledger(self) -> Ledger:
        return MemoryLedger()

    @pytest.fixture
    def impatient(self) -> Ledger:
        return MemoryLedger(busy_timeout_ms=20)


class TestSqliteLedger(LedgerContract):
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


class TestPostgresLedger(LedgerContract):
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
