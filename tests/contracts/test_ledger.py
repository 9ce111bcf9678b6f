"""Every ledger passes the same contract."""

from kinds_of_ledger import InMemory, OnPostgres, OnSqlite
from ledger_contract import LedgerContract


class TestMemoryLedger(InMemory, LedgerContract):
    pass


class TestSqliteLedger(OnSqlite, LedgerContract):
    pass


class TestPostgresLedger(OnPostgres, LedgerContract):
    pass
