"""Noticing changes, told by the system and by looking."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damals.adapters.watching.folder import WatchedFolder

WAIT_S = 60


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = (tmp_path / "Vault").resolve()
    folder.mkdir()
    (folder / "a.md").write_text("a", encoding="utf-8")
    return folder


class Heard:
    """Listens to a folder in a thread."""

    def __init__(self, folder: WatchedFolder) -> None:
        self.stop = threading.Event()
        self.changed = 0
        self.looked = 0
        self.ended = threading.Event()
        self._folder = folder
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        for changed in self._folder.changes(self.stop):
            self.looked += 1
            self.changed += changed
        self.ended.set()

    def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_S
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def after(self, change: Callable[[], object]) -> None:
        """Do something, and wait until it is noticed."""
        self.until(lambda: self.looked > 0)
        before = self.changed
        change()
        self.until(lambda: self.changed > before)

    def quiet(self, looks: int = 5) -> None:
        seen = self.looked
        self.until(lambda: self.looked >= seen + looks)

    def close(self) -> None:
        self.stop.set()
        assert self.ended.wait(WAIT_S)
        self._thread.join()


@pytest.fixture(params=[False, True], ids=["told", "looking"])
def heard(request: pytest.FixtureRequest, vault: Path) -> Iterator[Heard]:
    folder = WatchedFolder(vault, (".md",), settle_s=0.05, poll_s=0.1 if request.param else 0)
    listening = Heard(folder)
    yield listening
    listening.close()


def test_a_note_that_comes_changes_or_goes_is_noticed(heard: Heard, vault: Path):
    note = vault / "neu.md"
    heard.after(lambda: note.write_text("eins", encoding="utf-8"))
    heard.after(lambda: note.write_text("zwei, länger", encoding="utf-8"))
    heard.after(note.unlink)


def test_an_atomic_save_is_noticed(heard: Heard, vault: Path):
    beside = vault / ".a.md.tmp"

    def save() -> None:
        beside.write_text("neu und länger", encoding="utf-8")
        os.replace(beside, vault / "a.md")  # noqa: PTH105 -- as editors do

    heard.after(save)


def test_a_new_folder_and_what_comes_into_it_later_are_noticed(heard: Heard, vault: Path):
    heard.after((vault / "Neu").mkdir)
    heard.after(lambda: (vault / "Neu" / "b.md").write_text("b", encoding="utf-8"))
    heard.after(lambda: (vault / "Neu").rename(vault / "Anders"))
    heard.after(lambda: (vault / "Anders" / "c.md").write_text("c", encoding="utf-8"))


def test_swap_files_are_not_noticed(heard: Heard, vault: Path):
    heard.until(lambda: heard.looked > 0)
    for name in (".a.md.swp", "a.md~", "4913", ".#a.md", "a.md.tmp"):
        (vault / name).write_text("x", encoding="utf-8")
        (vault / name).unlink()
    heard.quiet()
    assert heard.changed == 0


def test_it_ends_when_the_folder_is_gone(heard: Heard, vault: Path):
    heard.until(lambda: heard.looked > 0)
    vault.rename(vault.with_name("fort"))
    assert heard.ended.wait(WAIT_S)


def test_it_ends_when_another_folder_stands_there(heard: Heard, vault: Path):
    heard.until(lambda: heard.looked > 0)
    (vault.parent / "anders").mkdir()
    vault.rename(vault.with_name("fort"))
    (vault.parent / "anders").rename(vault)
    assert heard.ended.wait(WAIT_S)


def test_a_folder_that_is_not_there_gives_nothing(tmp_path: Path):
    folder = WatchedFolder(tmp_path / "fehlt", (".md",), settle_s=0.05)
    assert not folder.is_there()
    assert list(folder.changes(threading.Event())) == []


def test_what_changes_while_nobody_asks_is_told_when_somebody_does(vault: Path):
    stop = threading.Event()
    changes = WatchedFolder(vault, (".md",), settle_s=0.05).changes(stop)
    next(changes)
    (vault / "b.md").write_text("b", encoding="utf-8")
    deadline = time.monotonic() + WAIT_S
    assert next(changed for changed in changes if changed or time.monotonic() > deadline)
