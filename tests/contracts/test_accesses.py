"""The accesses of every ledger pass the same contract."""

import pytest
from accesses_contract import AccessesContract
from kinds_of_ledger import InMemory, OnPostgres, OnSqlite

from damals.app.ledger_port import Ledger


class TestMemoryAccesses(InMemory, AccessesContract):
    pass


class TestSqliteAccesses(OnSqlite, AccessesContract):
    @pytest.fixture
    def impatient(self, ledger: Ledger) -> Ledger:
        return ledger  # accesses have a patience of their own


class TestPostgresAccesses(OnPostgres, AccessesContract):
    @pytest.fixture
    def impatient(self, ledger: Ledger) -> Ledger:
        return ledger  # accesses have a patience of their own
