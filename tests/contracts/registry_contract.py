"""What the registry of every ledger must do. Subclasses say which ledger is meant."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

import pytest
from ledger_driver import CREATED, Driver, instant, remember

from damals.app.access_model import (
    MAX_DENIALS,
    MOST_ENDED_JOBS,
    Denial,
    Job,
    KeptAnswer,
    Key,
    Registry,
)
from damals.app.ledger_port import Ledger
from damals.domain.access import Principal
from damals.domain.errors import Conflict, NotFound

SECOND = 1_000_000
DAY = 86_400 * SECOND
NOW = CREATED + 10 * DAY
ERASE_A = {"op": "erase", "target": "a", "reason": "asked to"}


def key(name: str, n: int = 1, **has: object) -> Key:
    return Key(Principal(name, **{"roles": ("reader",), **has}), bytes([n]) * 32, NOW + n)


def denial(n: int, workspace: str | None = None, principal: str | None = "bot") -> Denial:
    return Denial(NOW + n, principal, workspace, "rest", f"GET /v1/{n}", "access.right")


def answer(text: str = "Anna", n: int = 0, since: int | None = None) -> KeptAnswer:
    return KeptAnswer(b"r" * 32, 201, {"entry": {"title": text, "tags": [1, None]}}, NOW + n, since)


def job(n: int, **fields: object) -> Job:
    made = Job(str(UUID(int=n)), "import", "bot", "running", {"path": "/n/Anna"}, NOW + n, NOW + n)
    return replace(made, **fields)


def named(keys: Sequence[Key]) -> list[tuple[str, bool]]:
    return [(one.principal.name, one.revoked_at is None) for one in keys]


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    for _ in range(2_000):
        if true():
            return
        time.sleep(0.005)
    pytest.fail("it did not happen")


class RegistryContract:
    """The contract of the port ``Registry``, and of kept answers in a write."""

    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        raise NotImplementedError

    @pytest.fixture
    def driver(self, ledger: Ledger) -> Driver:
        for name in ("w", "other"):
            ledger.create_workspace(name, "UTC", CREATED)
        return Driver(ledger)

    @pytest.fixture
    def registry(self, driver: Driver) -> Registry:
        return driver.ledger.registry

    # Keys

    def test_keys_come_back_as_they_were_stored_in_the_order_they_were_made(
        self, registry: Registry
    ):
        made = [
            key("zoë", 1),
            key("bot", 2, roles=("writer", "büro"), workspaces=("w",), sensitivity=3),
            key("none", 3, roles=(), workspaces=(), visibility="restricted"),
        ]
        for one in made:
            registry.add_key(one)
        assert list(registry.all_keys()) == made

    def test_a_valid_key_keeps_its_name_from_others(self, registry: Registry):
        registry.add_key(key("bot", 1))
        with pytest.raises(Conflict, match=r"key\.exists"):
            registry.add_key(key("bot", 2))
        assert len(registry.all_keys()) == 1

    def test_a_revoked_key_stays_in_the_list_and_gives_its_name_away(self, registry: Registry):
        registry.add_key(key("bot", 1))
        revoked = registry.revoke_key("bot", NOW + 9)
        assert revoked == replace(key("bot", 1), revoked_at=NOW + 9)
        registry.add_key(key("bot", 2))
        assert named(registry.all_keys()) == [("bot", False), ("bot", True)]

    def test_only_a_valid_key_can_be_revoked(self, registry: Registry):
        registry.add_key(key("bot"))
        registry.revoke_key("bot", NOW)
        for name in ("bot", "nobody"):
            with pytest.raises(NotFound, match=r"key\.missing"):
                registry.revoke_key(name, NOW)

    def test_of_many_who_take_a_name_at_once_one_gets_it(self, registry: Registry):
        taken: list[int] = []

        def take(n: int) -> None:
            try:
                registry.add_key(key("bot", n))
            except Conflict:
                return
            taken.append(n)

        threads = [threading.Thread(target=take, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(taken) == len(registry.all_keys()) == 1

    def test_the_names_that_any_acl_names_are_found(self, driver: Driver, registry: Registry):
        driver.do("2024-01-01", remember("a", acl=["bob", "büro"]))
        Driver(driver.ledger, "other").do("2024-01-01", remember("b", acl=["carol"]))
        driver.do("2024-01-02", {"op": "correct", "target": "a", "acl": [], "reason": "r"})
        found = registry.in_acls({"bob", "carol", "dan"})
        assert set(found) == {"bob", "carol"}
        assert set(registry.in_acls(set())) == set()

    # Denied calls

    def test_denied_calls_are_told_newest_first(self, registry: Registry):
        for n in range(5):
            registry.deny(denial(n, "w"))
        assert registry.denials(2) == [denial(4, "w"), denial(3, "w")]
        assert len(registry.denials(100)) == 5

    def test_a_denied_call_names_no_workspace_that_there_is_not(self, registry: Registry):
        registry.deny(denial(1, "Anna's secret", None))
        assert registry.denials(1) == [denial(1, None, None)]

    def test_a_denied_call_is_logged_whatever_a_stranger_sent(self, registry: Registry):
        registry.deny(replace(denial(1), call="GET /\ud800\0" + "x" * 500))
        registry.deny(denial(2))
        second, first = registry.denials(2)
        assert second == denial(2)
        assert first.call == "GET /?" + "x" * (Denial.MAX_CALL - 6)

    def test_of_very_many_denied_calls_the_oldest_are_forgotten(
        self, registry: Registry, monkeypatch: pytest.MonkeyPatch
    ):
        self.shorten(registry, monkeypatch, 3)
        for n in range(10):
            registry.deny(denial(n))
        assert [one.denied_at - NOW for one in registry.denials(MAX_DENIALS)] == [9, 8, 7]

    def shorten(self, registry: Registry, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
        """Let the log of denied calls hold fewer of them."""
        raise NotImplementedError

    def test_who_is_denied_during_a_long_write_waits_a_moment_and_is_logged(
        self, driver: Driver, registry: Registry
    ):
        with driver.ledger.write("w"):
            registry.deny(denial(1, "w"))
            assert registry.denials(5) == [denial(1, "w")]
        registry.deny(denial(2, "w"))
        assert registry.denials(5) == [denial(2, "w"), denial(1, "w")]

    def test_many_are_denied_at_once_and_each_is_logged_once(self, registry: Registry):
        def deny(first: int) -> None:
            for n in range(10):
                registry.deny(denial(first + n))

        threads = [threading.Thread(target=deny, args=(100 * n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = [one.denied_at for one in registry.denials(100)]
        assert len(found) == len(set(found)) == 40

    # Kept answers

    @pytest.mark.parametrize("workspace", ["w", None])
    def test_an_answer_is_kept_under_its_key(self, registry: Registry, workspace: str | None):
        assert registry.answer(workspace, b"k" * 32) is None
        registry.keep_answer(workspace, b"k" * 32, answer("Müller \ud800"))
        assert registry.answer(workspace, b"k" * 32) == answer("Müller \ud800")
        assert registry.answer(workspace, b"l" * 32) is None

    def test_an_answer_belongs_to_its_workspace(self, registry: Registry):
        registry.keep_answer("w", b"k" * 32, answer())
        assert registry.answer("other", b"k" * 32) is None
        assert registry.answer(None, b"k" * 32) is None
        assert registry.answer("nowhere", b"k" * 32) is None
        with pytest.raises(NotFound, match=r"workspace\.unknown"):
            registry.keep_answer("nowhere", b"k" * 32, answer())

    def test_the_first_answer_under_a_key_stays(self, registry: Registry):
        registry.keep_answer("w", b"k" * 32, answer("first"))
        registry.keep_answer("w", b"k" * 32, answer("second", 5))
        assert registry.answer("w", b"k" * 32) == answer("first")

    def test_an_answer_is_dropped_when_one_is_kept_a_day_later(self, registry: Registry):
        registry.keep_answer("w", b"a" * 32, answer("old"))
        registry.keep_answer("w", b"b" * 32, answer("a day", DAY))
        assert registry.answer("w", b"a" * 32) == answer("old")
        registry.keep_answer("w", b"c" * 32, answer("more", DAY + 1))
        assert registry.answer("w", b"a" * 32) is None
        assert registry.answer("w", b"b" * 32) == answer("a day", DAY)

    def test_an_answer_is_kept_in_the_write_that_it_is_about(
        self, driver: Driver, registry: Registry
    ):
        with driver.ledger.write("w") as writer:
            assert writer.kept_answer(b"k" * 32) is None
            driver.into(writer, NOW, [remember("a")])
            writer.keep_answer(b"k" * 32, answer())
            assert writer.kept_answer(b"k" * 32) == answer()
            assert registry.answer("w", b"k" * 32) is None
        assert registry.answer("w", b"k" * 32) == answer()
        with driver.ledger.write("other") as writer:
            assert writer.kept_answer(b"k" * 32) is None

    def test_a_write_that_fails_keeps_no_answer(self, driver: Driver, registry: Registry):
        with pytest.raises(ZeroDivisionError), driver.ledger.write("w") as writer:
            driver.into(writer, NOW, [remember("a")])
            writer.keep_answer(b"k" * 32, answer())
            raise ZeroDivisionError
        assert registry.answer("w", b"k" * 32) is None
        assert driver.titles("2024-06-01") == []

    # What an erasure forgets

    def test_an_erasure_forgets_what_the_answers_of_its_workspace_say(
        self, driver: Driver, registry: Registry
    ):
        driver.do("2024-01-01", remember("a"), remember("b"))
        for workspace in ("w", "other", None):
            registry.keep_answer(workspace, (workspace or "none").encode(), answer())
        driver.do("2024-01-02", ERASE_A)
        assert registry.answer("w", b"w") == replace(answer(), body=None)
        assert registry.answer("other", b"other") == registry.answer(None, b"none") == answer()

    def test_the_answer_to_an_erasure_itself_is_kept(self, driver: Driver, registry: Registry):
        driver.do("2024-01-01", remember("a"))
        with driver.ledger.write("w") as writer:
            driver.into(writer, instant("2024-01-02"), [ERASE_A])
            writer.keep_answer(b"k" * 32, answer("erased"))
        assert registry.answer("w", b"k" * 32) == answer("erased")

    def test_an_erasure_that_is_rolled_back_forgets_nothing(
        self, driver: Driver, registry: Registry
    ):
        driver.do("2024-01-01", remember("a"))
        registry.keep_answer("w", b"k" * 32, answer())
        registry.put_job("w", job(1))
        with pytest.raises(ZeroDivisionError), driver.ledger.write("w") as writer:
            driver.into(writer, instant("2024-01-02"), [ERASE_A])
            list(writer.log())
            raise ZeroDivisionError
        assert registry.answer("w", b"k" * 32) == answer()
        assert registry.job("w", job(1).id) == job(1)

    def test_an_answer_that_was_read_before_an_erasure_is_not_kept_after_it(
        self, driver: Driver, registry: Registry
    ):
        driver.do("2024-01-01", remember("a"), remember("b"))
        assert registry.erasures("w") == registry.erasures("nowhere") == 0
        before = registry.erasures("w")
        driver.do("2024-01-02", ERASE_A)
        after = registry.erasures("w")
        assert (after, registry.erasures("other")) == (2, 0)
        registry.keep_answer("w", b"before", answer(since=before))
        registry.keep_answer("w", b"after", answer(since=after))
        registry.keep_answer("other", b"other", answer(since=before))
        assert registry.answer("w", b"before") == replace(answer(), body=None)
        assert registry.answer("w", b"after") == registry.answer("other", b"other") == answer()

    def test_an_erasure_forgets_what_was_asked_of_jobs_and_what_came_of_them(
        self, driver: Driver, registry: Registry
    ):
        driver.do("2024-01-01", remember("a"))
        ended = job(1, state="done", result={"failed": ["Anna.md"]}, finished_at=NOW + 5)
        registry.put_job("w", ended)
        registry.put_job("w", job(2))
        registry.put_job("other", job(3))
        driver.do("2024-01-02", ERASE_A)
        assert registry.job("w", job(1).id) == replace(ended, request={}, result=None)
        assert registry.job("other", job(3).id) == job(3)
        registry.put_job("w", job(2, state="done", result={"failed": ["Anna.md"]}))
        assert registry.job("w", job(2).id) == job(2, state="done", request={})
        registry.put_job("w", job(4, result={"new": 1}))
        assert registry.job("w", job(4).id) == job(4, result={"new": 1})

    # Jobs

    def test_a_job_is_stored_and_followed(self, registry: Registry):
        registry.put_job("w", job(1))
        assert registry.job("w", job(1).id) == job(1)
        further = job(1, done=3, total=9, updated_at=NOW + 7)
        ended = replace(further, state="done", result={"added": 9}, finished_at=NOW + 8)
        for state in (further, ended):
            registry.put_job("w", state)
            assert registry.job("w", job(1).id) == state

    def test_jobs_are_told_newest_first_and_by_workspace(self, registry: Registry):
        for n in (1, 2, 3):
            registry.put_job("w", job(n))
        registry.put_job("other", job(4))
        registry.put_job("w", job(1, done=1))
        assert registry.jobs("w", 2) == [job(3), job(2)]
        assert registry.jobs("w", 9)[-1] == job(1, done=1)
        assert registry.jobs("nowhere", 9) == []

    def test_a_job_that_there_is_not_is_none(self, registry: Registry):
        registry.put_job("w", job(1))
        assert registry.job("other", job(1).id) is None
        assert registry.job("w", job(2).id) is None
        assert registry.job("w", "no-id") is None
        assert registry.job("nowhere", job(1).id) is None
        with pytest.raises(NotFound, match=r"workspace\.unknown"):
            registry.put_job("nowhere", job(1))

    def test_jobs_of_an_owner_that_is_gone_are_lost(self, registry: Registry):
        ended = job(2, state="failed", result={"key": "x"}, finished_at=NOW)
        registry.put_job("w", job(1))
        registry.put_job("w", ended)
        registry.put_job("other", job(3))
        assert registry.lose_jobs(NOW + 50) == 2
        lost = {"state": "lost", "updated_at": NOW + 50, "finished_at": NOW + 50}
        assert registry.job("w", job(1).id) == job(1, **lost)
        assert registry.job("other", job(3).id) == job(3, **lost)
        assert registry.job("w", ended.id) == ended
        assert registry.lose_jobs(NOW + 60) == 0

    def test_the_oldest_of_many_ended_jobs_go_and_running_ones_stay(self, registry: Registry):
        registry.put_job("w", job(1))
        registry.put_job("other", job(2, state="done", finished_at=NOW))
        for n in range(3, MOST_ENDED_JOBS + 6):
            registry.put_job("w", job(n, state="done", finished_at=NOW + n))
        kept = registry.jobs("w", 2 * MOST_ENDED_JOBS)
        assert len(kept) == MOST_ENDED_JOBS + 1
        assert kept[-1] == job(1)
        assert kept[-2] == job(6, state="done", finished_at=NOW + 6)
        assert len(registry.jobs("other", 5)) == 1

    # Waiting

    def test_reading_waits_for_nobody(self, impatient: Ledger):
        impatient.create_workspace("w", "UTC", CREATED)
        registry = impatient.registry
        registry.add_key(key("bot"))
        with impatient.write("w"):
            assert named(registry.all_keys()) == [("bot", True)]
            assert registry.answer("w", b"k") is None
            assert registry.jobs("w", 5) == []
            assert registry.denials(5) == []
            assert registry.lose_jobs(NOW) == 0

    def test_a_key_ends_at_once_however_long_others_write(self, driver: Driver, registry: Registry):
        registry.add_key(key("bot"))
        revoked: list[Key] = []

        def revoke() -> None:
            revoked.append(registry.revoke_key("bot", NOW + 9))

        with driver.ledger.write("w") as writer:
            thread = threading.Thread(target=revoke)
            thread.start()
            wait_until(lambda: named(registry.all_keys()) == [("bot", False)])
            driver.into(writer, NOW, [remember("a")])
        thread.join()
        assert revoked == list(registry.all_keys()) == [replace(key("bot"), revoked_at=NOW + 9)]
        with pytest.raises(NotFound):
            registry.revoke_key("bot", NOW + 10)
        registry.add_key(key("bot", 2))
        assert named(registry.all_keys()) == [("bot", False), ("bot", True)]

    @pytest.fixture
    def impatient(self) -> Iterator[Ledger]:
        raise NotImplementedError

    def test_a_write_of_the_registry_waits_for_a_long_one(self, driver: Driver, registry: Registry):
        with driver.ledger.write("w") as writer:
            waiting = threading.Thread(target=registry.put_job, args=("w", job(1)))
            waiting.start()
            driver.into(writer, NOW, [remember("a")])
        waiting.join()
        assert registry.job("w", job(1).id) == job(1)
        assert driver.titles("2024-06-01") == ["A"]
