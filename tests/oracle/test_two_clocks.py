"""Both clocks against the oracle, in memory and in databases."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test
from oracle_machine import TwoClocks
from oracle_profile import examples, fastest

from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.app.ledger_port import Ledger


class TwoClocksInDatabase(TwoClocks):
    """The same in a database that is closed and opened again; each history has a workspace."""

    ASKED = 2
    numbers: ClassVar[Iterator[int]] = count(1)
    opened: ClassVar[Ledger | None] = None

    def open(self) -> None:
        kind = type(self)
        if kind.opened is None:
            kind.opened = kind.connect()
        self.ledger = kind.opened
        self.workspace = f"w{next(kind.numbers)}"

    @classmethod
    def connect(cls) -> Ledger:
        raise NotImplementedError

    @rule(really=st.sampled_from([True, False, False, False, False]))
    def reopen(self, *, really: bool) -> None:
        if not really:  # it costs as much as ten transactions
            return
        self.ledger.close()
        type(self).opened = self.ledger = self.connect()
        self.check_latest()

    def close(self) -> None:
        """The next history goes on in the same database."""


class TwoClocksOnSqlite(TwoClocksInDatabase):
    folder: ClassVar[Path]

    @classmethod
    def connect(cls) -> Ledger:
        return SqlLedger(cls.folder / "ledger.db")


class TwoClocksOnPostgres(TwoClocksInDatabase):
    ASKED = 1
    url: ClassVar[str]

    @classmethod
    def connect(cls) -> Ledger:
        return SqlLedger(PostgresDatabase(cls.url), index_owner="home")


def test_a_ledger_in_memory_says_what_the_oracle_says():
    run_state_machine_as_test(TwoClocks, settings=examples(200))


def test_a_ledger_in_a_file_says_what_the_oracle_says():
    with TemporaryDirectory(prefix="damals-oracle-", dir=fastest()) as folder:
        TwoClocksOnSqlite.folder = Path(folder)
        with let_go(TwoClocksOnSqlite):
            run_state_machine_as_test(TwoClocksOnSqlite, settings=examples(200))


def test_a_ledger_on_a_server_says_what_the_oracle_says(postgres):
    TwoClocksOnPostgres.url = postgres.blank()
    with let_go(TwoClocksOnPostgres):
        run_state_machine_as_test(TwoClocksOnPostgres, settings=examples(200))
    postgres.drop(TwoClocksOnPostgres.url)


@contextmanager
def let_go(kind: type[TwoClocksInDatabase]) -> Iterator[None]:
    yield
    if kind.opened is not None:
        kind.opened.close()
        kind.opened = None
