"""The end of a home that other threads are just opening: nothing stays open or locked."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from damals.adapters.files.lock import HomeLock
from damals.app.errors import DamalsError
from damals.bootstrap import own_home, wiring_for
from damals.local import OpenedHome
from damals.local.home import HeldHome, Parts
from damals.settings import Loaded


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parts:
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_TIMEZONE", "Europe/Berlin")
    settings = Loaded.load(folder=None, home=tmp_path / "home").settings
    return own_home(settings, None, wiring_for(settings, brief=True)).home.parts


class Pause:
    """A place where a thread waits until another has done something."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.over = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self.over.wait(30)


@dataclass
class PausingHome:
    """A home that pauses before or after it is locked."""

    held: HeldHome
    before: Callable[[], None]
    after: Callable[[], None]

    @property
    def path(self) -> Path:
        return self.held.path

    def exists(self) -> bool:
        return self.held.exists()

    def hold(self, *, create: bool) -> None:
        self.before()
        self.held.hold(create=create)
        self.after()

    def release(self) -> None:
        self.held.release()


def pausing(parts: Parts, place: str, pause: Pause) -> Parts:
    """The parts, with a pause in one place."""

    def nothing() -> None:
        return

    def open_ledger():
        if place == "before the ledger":
            pause()
        ledger = parts.open_ledger()
        if place == "after the ledger":
            pause()
        return ledger

    before = pause if place == "before the lock" else nothing
    after = pause if place == "after the lock" else nothing
    return replace(parts, home=PausingHome(parts.home, before, after), open_ledger=open_ledger)


def assert_given_back(folder: Path) -> None:
    with HomeLock(folder, timeout_s=0):
        pass


@pytest.mark.parametrize(
    "place", ["before the lock", "after the lock", "before the ledger", "after the ledger"]
)
def test_a_thread_that_is_opening_a_home_gives_it_back_when_the_end_comes_first(parts, place):
    pause = Pause()
    home = OpenedHome(pausing(parts, place, pause))
    failed: list[DamalsError] = []

    def work() -> None:
        try:
            home.ledger("default", create=True)
        except DamalsError as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert pause.reached.wait(30)
    home.close()
    pause.over.set()
    thread.join(30)
    assert [error.key for error in failed] == ["home.closed"]
    assert_given_back(parts.home.path)


def test_a_ledger_that_cannot_be_opened_leaves_no_lock_behind_the_end(parts):
    pause = Pause()

    def open_ledger():
        pause()
        raise OSError

    home = OpenedHome(replace(parts, open_ledger=open_ledger))
    failed: list[OSError] = []

    def work() -> None:
        try:
            home.ledger("default", create=True)
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert pause.reached.wait(30)
    home.close()
    pause.over.set()
    thread.join(30)
    assert len(failed) == 1
    assert_given_back(parts.home.path)


def test_the_end_waits_for_an_index_that_is_being_opened_and_closes_it(parts):
    pause = Pause()
    told: list[str] = []

    def open_search(ledger):
        pause()
        assert ledger.workspaces()  # it is still open
        search = parts.open_search(ledger)
        told.append("opened")
        return search

    def release() -> None:
        told.append("given back")
        parts.home.release()

    held = PausingHome(parts.home, lambda: None, lambda: None)
    held.release = release
    home = OpenedHome(replace(parts, open_search=open_search, home=held))
    home.ledger("default", create=True)
    opening = threading.Thread(target=lambda: home.search("default"))
    opening.start()
    assert pause.reached.wait(30)
    closing = threading.Thread(target=home.close)
    closing.start()
    pause.over.set()
    for thread in (opening, closing):
        thread.join(30)
    assert told == ["opened", "given back"]
    assert_given_back(parts.home.path)


def test_what_is_closed_opens_no_more(parts):
    home = OpenedHome(parts)
    home.ledger("default", create=True)
    home.close()
    for act in (home.ledger, home.search):
        with pytest.raises(DamalsError) as refused:
            act("default")
        assert refused.value.key == "home.closed"
    home.close()
    assert_given_back(parts.home.path)
