"""The registry of every ledger passes the same contract."""

import threading
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest
from kinds_of_ledger import InMemory, OnPostgres, OnSqlite
from ledger_driver import Driver, instant, remember
from registry_contract import (
    ERASE_A,
    NOW,
    RegistryContract,
    answer,
    denial,
    job,
    key,
    named,
    wait_until,
)
from sqlalchemy.exc import IntegrityError

from damals.adapters.sql import denials
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.app.access_model import Registry
from damals.app.ledger_port import Ledger
from damals.domain.errors import Unavailable


class TestMemoryRegistry(InMemory, RegistryContract):
    def shorten(self, registry: Registry, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
        monkeypatch.setattr(registry, "_denials", deque(maxlen=most))


class SqlContract(RegistryContract):
    def shorten(
        self,
        registry: Registry,  # noqa: ARG002 - the contract's signature
        monkeypatch: pytest.MonkeyPatch,
        most: int,
    ) -> None:
        monkeypatch.setattr(denials, "MAX_DENIALS", most)

    def test_jobs_and_answers_are_told_while_others_write_and_stored_afterwards(
        self, driver: Driver, registry: Registry
    ):
        registry.put_job("w", job(1))
        ended = job(1, state="done", result={"added": 9}, finished_at=NOW + 8)
        with driver.ledger.write("w"):
            for state in (job(2), job(2, done=3), ended):
                registry.put_job("w", state)
            registry.put_job("other", job(3))
            for n in (1, 2):
                registry.keep_answer("w", b"k" * 32, answer(f"answer {n}"))
            self.check_told(registry)
        wait_until(lambda: not waits(registry))
        self.check_told(registry)

    def check_told(self, registry: Registry) -> None:
        ended = job(1, state="done", result={"added": 9}, finished_at=NOW + 8)
        assert registry.job("w", job(1).id) == ended
        assert registry.jobs("w", 9) == [job(2, done=3), ended]
        assert registry.jobs("w", 1) == [job(2, done=3)]
        assert registry.job("w", job(3).id) is None
        assert registry.answer("w", b"k" * 32) == answer("answer 1")
        assert registry.answer("other", b"k" * 32) is None

    def test_what_waits_is_stored_when_the_ledger_is_closed(
        self, driver: Driver, registry: Registry
    ):
        with driver.ledger.write("w"):
            registry.put_job("w", job(1))
        registry.close()
        assert not waits(registry)
        assert registry.jobs("w", 5) == [job(1)]
        with pytest.raises(Unavailable):
            registry.put_job("w", job(2))


def waits(registry: Registry) -> bool:
    return bool(registry._backlog._queue)  # noqa: SLF001 - what waits is told as if it did not


class TestSqliteRegistry(OnSqlite, SqlContract):
    def test_what_waits_while_something_is_erased_keeps_no_text(self, driver: Driver):
        registry = driver.ledger.registry
        driver.do("2024-01-01", remember("a"))
        registry.put_job("w", job(1))
        with driver.ledger.write("w") as writer:
            driver.into(writer, instant("2024-01-02"), [ERASE_A])
            registry.put_job("w", job(1, state="done", result={"failed": ["Anna.md"]}))
            registry.put_job("w", job(2))
            registry.keep_answer("w", b"k" * 32, answer(since=0))
        for _ in range(2):  # while they wait, perhaps, and when they are stored
            assert registry.job("w", job(1).id) == job(1, state="done", request={})
            assert registry.job("w", job(2).id) == job(2, request={})
            assert registry.answer("w", b"k" * 32) == replace(answer(), body=None)
            wait_until(lambda: not waits(registry))

    def test_a_new_key_waits_for_a_long_write_only_so_long(self, impatient: Ledger):
        impatient.create_workspace("w", "UTC", NOW)
        with impatient.write("w"), pytest.raises(Unavailable) as refused:
            impatient.registry.add_key(key("bot"))
        assert refused.value.key == "ledger.busy"
        impatient.registry.add_key(key("bot"))

    def test_a_key_that_is_just_ending_gives_its_name_away(self, driver: Driver):
        registry = driver.ledger.registry
        registry.add_key(key("bot"))
        with driver.ledger.write("w"):
            ending = threading.Thread(target=registry.revoke_key, args=("bot", NOW + 9))
            ending.start()
            wait_until(lambda: named(registry.all_keys()) == [("bot", False)])
            making = threading.Thread(target=registry.add_key, args=(key("bot", 2),))
            making.start()
        ending.join()
        making.join()
        assert named(registry.all_keys()) == [("bot", False), ("bot", True)]

    def test_a_revocation_that_could_not_be_stored_holds_and_can_be_asked_for_again(
        self, driver: Driver
    ):
        registry = driver.ledger.registry
        registry.add_key(key("bot"))
        with driver.ledger._database.engine.begin() as connection:  # noqa: SLF001 - to break it
            connection.exec_driver_sql(
                "CREATE TRIGGER full_disk BEFORE UPDATE ON principals "
                "BEGIN SELECT RAISE(ABORT, 'no room'); END"
            )
        with pytest.raises(IntegrityError):
            registry.revoke_key("bot", NOW + 9)
        assert named(registry.all_keys()) == [("bot", False)]
        with driver.ledger._database.engine.begin() as connection:  # noqa: SLF001 - and to mend it
            connection.exec_driver_sql("DROP TRIGGER full_disk")
        registry.revoke_key("bot", NOW + 10)
        (stored,) = registry.all_keys()
        assert stored.revoked_at == NOW + 10

    def test_everything_is_there_when_the_ledger_is_opened_again(
        self, ledger: Ledger, tmp_path: Path
    ):
        ledger.create_workspace("w", "UTC", NOW)
        ledger.registry.put_job("w", job(1))
        with ledger.write("w"):
            ledger.registry.deny(denial(1))
        ledger.close()
        again = SqlLedger(tmp_path / "ledger.db")
        assert again.registry.denials(5) == [denial(1)]
        assert again.registry.jobs("w", 5) == [job(1)]
        again.close()

    def test_what_an_erasure_forgets_is_in_the_file_no_more(self, ledger: Ledger, tmp_path: Path):
        driver = Driver(ledger)
        ledger.create_workspace("w", "UTC", NOW)
        driver.do("2024-01-01", remember("a"))
        long = "Needle " * 5_000  # more than a page
        for n, text in enumerate(("Needle", long)):
            ledger.registry.keep_answer("w", bytes([n]), answer(text))
            ledger.registry.put_job("w", job(n, result={"failed": [text]}))
        driver.do("2024-01-02", ERASE_A)
        ledger.close()
        held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"Needle" not in held
        assert b"/n/Anna" not in held

    def test_denials_that_cannot_be_written_for_long_are_dropped_oldest_first(
        self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(denials, "MAX_WAITING", 3)
        monkeypatch.setattr(denials, "PATIENCE_MS", 1)
        ledger.create_workspace("w", "UTC", NOW)
        with ledger.write("w"):
            for n in range(5):
                ledger.registry.deny(denial(n))
        ledger.registry.deny(denial(5))
        assert [one.denied_at - NOW for one in ledger.registry.denials(9)] == [5, 4, 3]

    def test_who_waits_but_a_moment_leaves_the_next_writer_its_patience(self, tmp_path: Path):
        path = tmp_path / "ledger.db"
        ledger, other = SqlLedger(path), SqlLedger(path)
        ledger.create_workspace("w", "UTC", NOW)
        with other.write("w"):
            ledger.registry.deny(denial(1))
        with ledger.write("w") as writer:
            connection = writer._connection  # noqa: SLF001 - settings have no other window
            patience = connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one()
        assert patience == 10_000
        ledger.close()
        other.close()


class TestPostgresRegistry(OnPostgres, SqlContract):
    def test_nothing_waits_for_a_writer_of_knowledge(self, ledger: Ledger):
        ledger.create_workspace("w", "UTC", NOW)
        with ledger.write("w") as writer:
            Driver(ledger).into(writer, NOW, [remember("a")])
            ledger.registry.add_key(key("bot"))
            ledger.registry.revoke_key("bot", NOW + 9)
            ledger.registry.add_key(key("bot", 2))
            ledger.registry.put_job("w", job(1))
            ledger.registry.keep_answer("w", b"k" * 32, answer())
            ledger.registry.deny(denial(1))
            assert not waits(ledger.registry)
            assert not ledger.registry._denials._waiting  # noqa: SLF001 - told as if it did not
        assert named(ledger.registry.all_keys()) == [("bot", False), ("bot", True)]

    def test_what_is_being_kept_while_something_is_erased_is_forgotten_with_it(
        self, ledger: Ledger
    ):
        ledger.create_workspace("w", "UTC", NOW)
        driver = Driver(ledger)
        driver.do("2024-01-01", remember("a"))
        with ledger.write("w") as writer:
            driver.into(writer, instant("2024-01-02"), [ERASE_A])
            ledger.registry.put_job("w", job(1))  # before the erasure takes its turn
            list(writer.log())
            late = threading.Thread(
                target=ledger.registry.keep_answer, args=("w", b"k" * 32, answer(since=0))
            )
            late.start()  # waits for the erasure's end
        late.join()
        assert ledger.registry.job("w", job(1).id) == job(1, request={})
        wait_until(lambda: not waits(ledger.registry))
        assert ledger.registry.answer("w", b"k" * 32) == replace(answer(), body=None)

    def test_a_new_owner_loses_no_jobs_of_other_homes(self, ledger: Ledger, postgres_url: str):
        ledger.create_workspace("w", "UTC", NOW)
        ledger.registry.put_job("w", job(1))
        other = SqlLedger(PostgresDatabase(postgres_url), index_owner="another-home")
        assert other.registry.lose_jobs(NOW) == 0
        assert other.registry.jobs("w", 5) == [job(1, elsewhere=True)]
        assert ledger.registry.lose_jobs(NOW) == 1
        other.close()
