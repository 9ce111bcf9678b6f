"""Owners that go, answers that get lost: nothing is done twice, and nothing is lost."""

import contextlib
import json
import os
import stat
import threading
from pathlib import Path

import pytest

from afar import ServedHome, announced
from damals import Damals
from damals.adapters.files.lock import HomeLock, listening_owner
from damals.app.ownership import Owner
from damals.bootstrap import init_home, open_home
from damals.errors import Conflict, DamalsError, NotFound, Unavailable
from damals.opening import Stay, open_damals
from dropping_proxy import DroppingProxy

NOBODY = "http://127.0.0.1:9"
"""Where nobody listens."""


@pytest.fixture
def home(tmp_path) -> Path:
    folder = tmp_path / "home"
    init_home(folder, timezone="Europe/Berlin")
    return folder


@pytest.fixture
def owned(home):
    """A home whose owner is asked through a proxy that can lose answers."""
    with announced(home) as served:
        proxy = DroppingProxy(served.listener.url)
        lock = served.memory.opened.parts.home.lock
        lock.announce(Owner(proxy.url, served.listener.token))
        yield served, proxy
        proxy.close()


def lock_of(served: ServedHome) -> HomeLock:
    return served.memory.opened.parts.home.lock


CHANGES = {
    "remember": lambda memory: memory.remember("Neu", "x"),
    "update": lambda memory: memory.update("Alt", "Neu", "x", reason="r"),
    "verify": lambda memory: memory.verify("Alt", score=0.5),
    "contradict": lambda memory: memory.contradict("Alt", "Anders", reason="r"),
    "revert": lambda memory: memory.revert(1, reason="r"),
    "erase": lambda memory: memory.erase("entry", "Alt", reason="r"),
    "transact": lambda memory: memory.transact(
        [{"op": "remember", "title": "Neu"}, {"op": "verify", "target": "Alt"}], reason="r"
    ),
}


def fill(memory: Damals) -> int:
    memory.remember("Alt", external_id="Alt", valid_from="2020-01-01")
    memory.remember("Anders", external_id="Anders", valid_from="2020-01-01")
    return len(memory.log().transactions)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("owner", ["stays", "goes"])
def test_a_change_whose_answer_is_lost_is_done_once_and_answered(owned, home, change, owner):
    served, proxy = owned
    before = fill(served.memory)
    if owner == "goes":
        proxy.dropped = served.close
    with Damals.open(home) as memory:
        proxy.drop = 1
        told = CHANGES[change](memory)
        assert proxy.drop == 0
        log = memory.log().transactions
        assert len(log) == before + 1
        assert told.transaction == before + 1
        if change in {"remember", "update"}:
            assert memory.get(told.id) == memory.get(told.id)
            assert [entry.title for entry in memory.entries(limit=None)].count("Neu") == 1
        assert memory.audit().ok


def test_a_change_that_never_arrived_is_done_by_who_takes_over(home):
    with contextlib.ExitStack() as stack:
        served = stack.enter_context(announced(home))
        memory = stack.enter_context(Damals.open(home))
        memory.remember("Eins")
        served.close()
        memory.remember("Zwei")
        assert [entry.title for entry in memory.entries(limit=None)] == ["Eins", "Zwei"]


def test_a_change_that_was_refused_before_its_answer_was_lost_is_refused_again(owned, home):
    served, proxy = owned
    before = fill(served.memory)
    with Damals.open(home) as memory:
        proxy.drop = 1
        with pytest.raises(Conflict) as refused:
            memory.remember("Anderes", external_id="Alt")
        assert refused.value.key == "entry.exists"
        assert len(memory.log().transactions) == before


def test_a_workspace_whose_answer_was_lost_is_there_and_told(owned, home):
    served, proxy = owned
    proxy.dropped = served.close
    with Damals.open(home) as memory:
        proxy.drop = 1
        made = memory.create_workspace("zwei", timezone="UTC")
        assert (made.name, made.timezone) == ("zwei", "UTC")
        memory.create_key("kim")
        assert memory.revoke_key("kim").revoked_at


def test_a_question_is_asked_again(owned, home):
    served, proxy = owned
    fill(served.memory)
    proxy.marks = b"GET /v1/workspaces"
    with Damals.open(home) as memory:
        proxy.drop = 2
        assert len(memory.entries(limit=None)) == 2
        assert proxy.drop == 0


def test_an_import_whose_owner_goes_is_finished_by_the_next(owned, home, tmp_path):
    served, proxy = owned
    vault = tmp_path / "Vault"
    vault.mkdir()
    for number in range(3):
        (vault / f"{number}.md").write_text(f"# Notiz {number}\n", encoding="utf-8")
    proxy.dropped = served.close
    with Damals.open(home) as memory:
        proxy.drop = 1
        report = memory.import_(vault)
        assert report.added + report.unchanged == 3
        assert len(memory.entries(limit=None)) == 3


def test_a_transaction_survives_its_owner(owned, home):
    served, proxy = owned
    before = fill(served.memory)
    proxy.dropped = served.close
    with Damals.open(home) as memory:
        with memory.transaction("zusammen") as together:
            entry = together.remember("Neu")
            together.pin(entry.id)
            proxy.drop = 1
            together.verify("Alt")
        assert memory.get(entry.id).pinned
        [last] = memory.log().transactions[before:]
        assert [op["op"] for op in last.ops] == ["remember", "pin", "verify"]


def test_a_transaction_whose_last_answer_is_lost_is_stored_once(owned, home):
    served, proxy = owned
    before = fill(served.memory)
    proxy.dropped = served.close
    with Damals.open(home) as memory:
        with memory.transaction() as together:
            together.remember("Neu")
            proxy.drop = 1
        assert len(memory.log().transactions) == before + 1


def test_the_next_owner_is_asked_with_its_own_token(home):
    with Damals.open(home) as memory:
        for number in range(3):
            with announced(home):
                memory.remember(f"Eintrag {number}")
        with announced(home) as last:
            assert len(memory.entries(limit=None)) == 3
            # The same address, and a token that it does not know.
            lock_of(last).announce(Owner(last.listener.url, "veraltet"))
            with Damals.open(home) as other:
                threading.Timer(
                    0.2,
                    lock_of(last).announce,
                    [Owner(last.listener.url, last.listener.token)],
                ).start()
                assert len(other.entries(limit=None)) == 3


def test_threads_go_on_while_owners_come_and_go(home):
    told: list[str] = []
    failed: list[BaseException] = []

    def work(memory: Damals, name: str) -> None:
        try:
            for number in range(6):
                told.append(memory.remember(f"{name}-{number}").id)
                memory.entries(limit=1)
        except BaseException as error:  # noqa: BLE001 -- told to the test, which fails with it
            failed.append(error)

    with Damals.open(home) as memory, Damals.open(home) as other:
        threads = [
            threading.Thread(target=work, args=(asked, f"{place}{number}"))
            for place, asked in enumerate((memory, other))
            for number in range(3)
        ]
        with announced(home):
            for thread in threads:
                thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        titles = [entry.title for entry in memory.entries(limit=None)]
        assert len(titles) == len(set(titles)) == len(told) == 36
        assert memory.audit().ok


# --- the lock file


@pytest.mark.parametrize(
    "text",
    [
        "", "no json", "[]", '{"url": 3, "token": "x"}', "\x00" * 5000, '{"url": "http://127.0',
        json.dumps({"url": NOBODY, "token": "t", "pid": 1}),
        json.dumps({"url": "file:///etc/passwd", "token": "t"}),
    ],
)  # fmt: skip
def test_what_a_dead_owner_left_in_the_lock_file_is_no_obstacle(home, text):
    (home / "damals.lock").write_text(text, encoding="utf-8")
    with Damals.open(home) as memory:
        assert memory.remember("X").transaction == 1


@pytest.mark.parametrize("text", ["", "no json", json.dumps({"url": NOBODY, "token": "t"})])
def test_a_holder_that_does_not_answer_is_waited_for_and_then_named(home, monkeypatch, text):
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "0.3")
    with open_home(home) as holder:
        holder.remember("X")
        (home / "damals.lock").write_text(text, encoding="utf-8")
        with Damals.open(home) as memory, pytest.raises(Unavailable) as refused:
            memory.get("X")
        assert refused.value.key == "home.held"
        assert set(refused.value.values) == {"path", "pid", "command", "since"}


def test_a_wrong_token_opens_nothing(home, monkeypatch):
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "0.3")
    with announced(home) as served:
        lock_of(served).announce(Owner(served.listener.url, "falsch"))
        with Damals.open(home) as memory, pytest.raises(Unavailable) as refused:
            memory.entries()
    assert refused.value.key == "home.held"
    assert "falsch" not in str(refused.value.values)


def test_a_short_holder_is_waited_for(home):
    holder = open_home(home)
    holder.remember("X")
    threading.Timer(0.2, holder.close).start()
    with Damals.open(home) as memory:
        assert memory.remember("Y").transaction == 2


def test_a_holder_that_begins_to_listen_is_asked(home):
    with announced(home) as served, Damals.open(home) as memory:
        lock_of(served).announce(None)
        owner = Owner(served.listener.url, served.listener.token)
        threading.Timer(0.2, lock_of(served).announce, [owner]).start()
        assert memory.remember("X").transaction == 1
        assert served.memory.get(memory.entries().entries[0].id).title == "X"


def test_an_owner_listens_and_only_its_user_can_read_how(home):
    lock = home / "damals.lock"
    lock.chmod(0o644)
    with open_damals(home, stay=Stay.PROCESS) as memory:
        memory.remember("X")
        with Damals.open(home) as other:
            assert other.entries().entries[0].title == "X"
        owner = listening_owner(home)
        assert owner is not None
        assert owner.url.startswith("http://127.0.0.1:")
        assert len(owner.token) >= 32
        assert owner.token not in repr(owner)
        if os.name == "posix":
            assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    assert lock.read_text(encoding="utf-8") == ""
    with HomeLock(home, timeout_s=0):
        pass


def test_a_program_that_is_soon_done_never_listens(home):
    with Damals.open(home) as memory:
        memory.remember("X")
        assert listening_owner(home) is None
    names = [thread.name for thread in threading.enumerate() if thread.is_alive()]
    assert names.count("damals-listener") <= 1  # it may not have noticed yet that it is over


def test_opening_a_home_twice_in_one_program_works(home):
    with Damals.open(home) as one, Damals.open(home) as two:
        assert one.remember("X").transaction == 1
        assert two.remember("Y").transaction == 2
        assert one.entries(limit=None) == two.entries(limit=None)


def test_requests_that_run_are_finished_before_the_home_is_given_back(home):
    memory = open_damals(home, stay=Stay.PROCESS)
    memory.remember("X")
    done: list[int] = []
    with Damals.open(home) as other:
        other.entries()
        inside = threading.Event()

        def hold() -> None:
            with memory.transaction():
                inside.set()
                threading.Event().wait(0.3)

        threads = [
            threading.Thread(target=hold),
            threading.Thread(target=lambda: done.append(other.remember("Y").transaction)),
        ]
        threads[0].start()
        inside.wait()
        threads[1].start()
        threading.Event().wait(0.1)
        memory.close()
        for thread in threads:
            thread.join()
        assert done == [2]
        assert len(other.log().transactions) == 2


def test_a_missing_home_is_made_by_the_first_write_and_by_no_question(tmp_path):
    home = tmp_path / "new"
    with Damals.open(home) as memory:
        with pytest.raises(NotFound) as refused:
            memory.entries()
        assert refused.value.key == "home.missing"
        assert not home.exists()
        assert memory.remember("X").transaction == 1


def test_two_who_make_a_home_at_once_make_one(tmp_path):
    home = tmp_path / "new"
    failed: list[DamalsError] = []

    def make(number: int) -> None:
        try:
            with open_damals(home, stay=Stay.PROCESS) as memory:
                memory.remember(f"Eintrag {number}")
        except DamalsError as error:
            failed.append(error)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with Damals.open(home) as memory:
        assert len(memory.entries(limit=None)) == 4
        assert [one.name for one in memory.workspaces()] == ["default"]


def test_an_export_that_breaks_off_leaves_no_file(owned, home, tmp_path, monkeypatch):
    served, proxy = owned
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "0.3")
    fill(served.memory)
    (tmp_path / "x.jsonl").write_text("vorher", encoding="utf-8")
    proxy.marks = b"GET /v1/workspaces/default/export"
    with Damals.open(home) as memory:
        memory.entries()
        proxy.drop = 1_000
        with pytest.raises(Unavailable):
            memory.export(tmp_path / "x.jsonl")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["x.jsonl"]
    assert (tmp_path / "x.jsonl").read_text(encoding="utf-8") == "vorher"
