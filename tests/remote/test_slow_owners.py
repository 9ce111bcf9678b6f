"""Owners that are slow or always lost: nothing is asked without end, and nothing is done twice."""

import dataclasses
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import afar
from afar import ServedHome, announced
from damals import Damals
from damals.app.ownership import Owner
from damals.attached import AttachedDamals
from damals.attached.owning import MAX_LOST, Ways
from damals.bootstrap import attaching, init_home, own_home, wiring_for
from damals.errors import Unavailable
from damals.remote.client import RemoteDamals
from damals.remote.connection import Manners
from damals.settings import Loaded
from dropping_proxy import DroppingProxy

CHANGE = b"POST /v1/workspaces/default/transactions HTTP/1.1"


@pytest.fixture
def home(tmp_path) -> Path:
    folder = tmp_path / "home"
    init_home(folder, timezone="Europe/Berlin")
    return folder


@contextmanager
def proxied(home: Path) -> Iterator[tuple[ServedHome, DroppingProxy]]:
    with announced(home) as served:
        proxy = DroppingProxy(served.listener.url)
        served.memory.opened.parts.home.lock.announce(Owner(proxy.url, served.listener.token))
        yield served, proxy
        proxy.close()


def impatient(home: Path, answer_s: float) -> AttachedDamals:
    """As ``Damals.open``, but answers may take only so long."""
    settings = Loaded.load(folder=None, home=home).settings
    own = own_home(settings, None, attaching(wiring_for(settings, brief=True), lambda: None))
    manners = Manners(answer_s=answer_s, retries=0, proxies=False)

    def ask(owner: Owner) -> RemoteDamals:
        return RemoteDamals(owner.url, owner.token, here=True, manners=manners)

    return AttachedDamals(Ways(own.memory, ask, lambda: None, 30.0), "default")


def test_an_answer_that_takes_too_long_is_not_asked_for_again(home):
    over = threading.Event()
    with proxied(home) as (served, proxy), impatient(home, answer_s=1.0) as memory:
        proxy.drop = 1
        proxy.dropped = lambda: over.wait(60)
        with pytest.raises(Unavailable) as refused:
            memory.remember("X")
        over.set()
        assert refused.value.key == "remote.slow"
        assert proxy.passed.count(CHANGE) == 1
        assert len(served.memory.log().transactions) == 1


def test_a_request_that_the_owner_gives_up_is_not_sent_again(home, monkeypatch):
    monkeypatch.setattr(afar, "GENEROUS", dataclasses.replace(afar.GENEROUS, request_timeout_s=1))
    with proxied(home) as (served, proxy), Damals.open(home) as memory:
        with served.memory.transaction(), pytest.raises(Unavailable) as refused:
            memory.remember("X")
        assert refused.value.key == "request.timeout"
        assert proxy.passed.count(CHANGE) == 1


def test_an_owner_that_is_lost_again_and_again_is_given_up(home, monkeypatch):
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "600")
    with proxied(home) as (served, proxy), Damals.open(home) as memory:
        proxy.drop = 1_000
        with pytest.raises(Unavailable):
            memory.remember("X")
        assert proxy.passed.count(CHANGE) == MAX_LOST + 1
        assert len(served.memory.log().transactions) == 1
        proxy.drop = 0
        assert memory.remember("Y").transaction == 2


def test_one_holder_is_waited_for_once_however_often_it_says_who_it_is(home, monkeypatch):
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "0.3")
    with proxied(home) as (_, proxy), Damals.open(home) as memory:
        memory.entries()
        proxy.drop = 1_000
        proxy.marks = b"/v1/"
        with pytest.raises(Unavailable) as refused:
            memory.entries()
        assert refused.value.key == "home.held"
