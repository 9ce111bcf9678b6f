"""Long work and keys that an owner was asked for: done once, whatever becomes of the owner."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from afar import ServedHome, announced
from damals import Damals
from damals.app.access_model import Job, Registry
from damals.app.door import digest_of
from damals.app.ownership import Owner
from damals.bootstrap import init_home
from damals.errors import Conflict
from dropping_proxy import DroppingProxy

PROBLEM = json.dumps(
    {"code": "unavailable", "key": "request.busy", "values": {"seconds": 1}}
).encode()
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(PROBLEM), PROBLEM)
)
ORDERS = b"POST /v1/"
LOOKS = b"GET /v1/workspaces/default/jobs/"


@pytest.fixture
def home(tmp_path) -> Path:
    folder = tmp_path / "home"
    init_home(folder, timezone="Europe/Berlin")
    return folder


@pytest.fixture
def owned(home) -> Iterator[tuple[ServedHome, DroppingProxy]]:
    """A home whose owner is asked through a proxy that can lose answers."""
    with announced(home) as served:
        proxy = DroppingProxy(served.listener.url)
        served.memory.opened.parts.home.lock.announce(Owner(proxy.url, served.listener.token))
        yield served, proxy
        proxy.close()


@pytest.fixture
def events(tmp_path) -> Path:
    """A file of events, which cannot be imported twice."""
    path = tmp_path / "history.jsonl"
    lines = [
        {"op": "remember", "title": f"E{n}", "recorded_at": f"2020-01-0{n}"} for n in range(1, 4)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def registry_of(memory: Damals) -> Registry:
    return memory.opened.ledger("default").registry


def jobs_of(served: ServedHome) -> list[Job]:
    return list(registry_of(served.memory).jobs("default", 100))


@pytest.mark.parametrize("instead", [b"", BUSY], ids=["nothing", "busy"])
@pytest.mark.parametrize("lost", [ORDERS, LOOKS], ids=["the order", "the look"])
@pytest.mark.parametrize("work", ["import", "reindex"])
def test_work_is_ordered_once_while_its_owner_answers(owned, home, events, instead, lost, work):
    served, proxy = owned
    proxy.instead, proxy.marks = instead, lost
    with Damals.open(home) as memory:
        proxy.drop = 2
        if work == "import":
            assert memory.import_(events).added == 3
        else:
            served.memory.remember("X")
            assert memory.reindex().points == 1
        assert proxy.drop == 0
    assert [job.state for job in jobs_of(served)] == ["done"]


@pytest.mark.parametrize("heard", ["the order", "nothing"])
@pytest.mark.parametrize("successor", ["the one who asks", "another owner"])
def test_an_import_that_was_done_before_its_owner_went_is_told_and_not_repeated(
    owned, home, events, heard, successor
):
    served, proxy = owned
    proxy.marks = LOOKS if heard == "the order" else ORDERS

    with contextlib.ExitStack() as stack:

        def go() -> None:
            while not any(job.state == "done" for job in jobs_of(served)):
                time.sleep(0.01)
            served.close()
            if successor == "another owner":
                stack.enter_context(announced(home))

        proxy.dropped = go
        memory = stack.enter_context(Damals.open(home))
        proxy.drop = 1
        assert memory.import_(events).added == 3
        assert len(memory.log().transactions) == 3


def test_an_import_that_its_owner_lost_is_ordered_anew_from_the_next(owned, home, tmp_path):
    served, proxy = owned
    vault = tmp_path / "Vault"
    vault.mkdir()
    (vault / "Notiz.md").write_text("# Notiz\n", encoding="utf-8")
    proxy.marks = LOOKS
    with contextlib.ExitStack() as stack:

        def go() -> None:
            [job] = jobs_of(served)
            served.close()
            after = stack.enter_context(announced(home))
            # As a kill would leave it.
            left = Job(**{name: getattr(job, name) for name in Job.__slots__} | {"state": "lost"})
            registry_of(after.memory).put_job("default", left)
            successors.append(after)

        successors: list[ServedHome] = []
        proxy.dropped = go
        memory = stack.enter_context(Damals.open(home))
        proxy.drop = 1
        report = memory.import_(vault)
        assert report.added + report.unchanged == 1
        assert sorted(job.state for job in jobs_of(successors[0])) == ["done", "lost"]


# --- keys


@pytest.mark.parametrize("owner", ["stays", "goes"])
@pytest.mark.parametrize("lost", [1, 2, 3, 4])
def test_a_key_whose_secret_was_lost_is_replaced_by_one_that_opens(owned, home, owner, lost):
    served, proxy = owned
    if owner == "goes":
        proxy.dropped = served.close
        lost = 1
    proxy.marks = b"/v1/keys"
    with Damals.open(home) as memory:
        proxy.drop = lost
        made = memory.create_key("kim", roles=["writer"])
        assert proxy.drop == 0
        assert made.key.roles == ("writer",)
        valid = [key for key in memory.keys() if not key.revoked_at]  # noqa: SIM118 -- no mapping
        assert valid == [made.key]
    with announced(home) if owner == "goes" else contextlib.nullcontext(served) as asked:
        stored = registry_of(asked.memory).all_keys()
        assert stored[-1].digest == digest_of(made.secret)
        with Damals.connect(asked.listener.url, made.secret) as theirs:
            assert theirs.remember("X").transaction == 1


@pytest.mark.parametrize("owner", ["stays", "goes"])
def test_a_key_of_that_name_that_was_there_before_stays(owned, home, owner):
    served, proxy = owned
    before = served.memory.create_key("kim").key
    if owner == "goes":
        proxy.dropped = served.close
    proxy.marks = b"/v1/keys"
    with Damals.open(home) as memory:
        proxy.drop = 1
        with pytest.raises(Conflict) as refused:
            memory.create_key("kim")
        assert refused.value.key == "key.exists"
        assert list(memory.keys()) == [before]
