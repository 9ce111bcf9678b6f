"""The receipts of every ledger pass the same contract."""

from pathlib import Path

import pytest
from kinds_of_ledger import InMemory, OnPostgres, OnSqlite
from ledger_driver import CREATED, Driver, remember
from receipts_contract import ERASE_A, ReceiptsContract, receipt

from damals.adapters.sql.ledger import SqlLedger
from damals.app.erasing.fingerprints import fingerprints
from damals.app.erasing.model import Rewriting
from damals.app.erasing.shapes import shape_of
from damals.app.ledger_port import Ledger


class TestMemoryReceipts(InMemory, ReceiptsContract):
    pass


class TestSqliteReceipts(OnSqlite, ReceiptsContract):
    @pytest.fixture
    def impatient(self, ledger: Ledger) -> Ledger:
        return ledger  # receipts have a patience of their own

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
        [erasure] = ledger.erasures.unfinished()
        by_their_texts = Rewriting(lambda texts: fingerprints(texts).written(), shape_of)
        ledger.erasures.purge(erasure.id, by_their_texts)
        ledger.close()
        held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"Needle" not in held


class TestPostgresReceipts(OnPostgres, ReceiptsContract):
    @pytest.fixture
    def impatient(self, ledger: Ledger) -> Ledger:
        return ledger  # receipts have a patience of their own
