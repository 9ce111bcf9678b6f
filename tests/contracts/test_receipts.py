"""The receipts of every ledger pass the same contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_driver import CREATED, Driver, remember
from receipts_contract import ERASE_A, ReceiptsContract, receipt

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.app.ledger_port import Ledger


class TestMemoryReceipts(ReceiptsContract):
    @pytest.fixture
    def ledger(self) -> Ledger:
        return MemoryLedger()

    @pytest.fixture
    def impatient(self) -> Ledger:
        return MemoryLedger(busy_timeout_ms=20)


class TestSqliteReceipts(ReceiptsContract):
    @pytest.fixture
    def ledger(self, tmp_path: Path) -> Iterator[Ledger]:
        ledger = SqlLedger(tmp_path / "ledger.db")
        yield ledger
        ledger.close()

    @pytest.fixture
    def impatient(self, ledger: Ledger) -> Ledger:
        return ledger

    def test_a_receipt_that_was_kept_survives_the_end_of_the_program(
        self, ledger: Ledger, tmp_path: Path
    ):
        ledger.create_workspace("w", "UTC", CREATED)
        ledger.receipts.put("w", receipt())
        ledger.close()
        again = SqlLedger(tmp_path / "ledger.db")
        assert again.receipts.get("w", receipt().id) == receipt()
        again.close()

    def test_what_an_erasure_takes_is_in_the_file_no_more(self, ledger: Ledger, tmp_path: Path):
        ledger.create_workspace("w", "UTC", CREATED)
        driver = Driver(ledger)
        driver.do("2024-01-01", remember("a"))
        long = "Needle " * 5_000  # more than a page
        for number, text in enumerate(("Needle?", long)):
            ledger.receipts.put("w", receipt(number, "a", document={"question": text}))
        driver.do("2024-01-02", ERASE_A)
        ledger.close()
        held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"Needle" not in held


class TestPostgresReceipts(ReceiptsContract):
    @pytest.fixture
    def ledger(self, postgres_url: str) -> Iterator[Ledger]:
        ledger = SqlLedger(PostgresDatabase(postgres_url))
        yield ledger
        ledger.close()

    @pytest.fixture
    def impatient(self, ledger: Ledger) -> Ledger:
        return ledger
