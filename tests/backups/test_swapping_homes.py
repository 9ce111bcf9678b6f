"""One home takes the place of another: in one step, and nobody works in the wrong one."""

import os
import threading
from pathlib import Path

import pytest

from damals import Damals
from damals.adapters.backups import staging
from damals.adapters.files.lock import HomeLock
from damals.domain.errors import Conflict, Unavailable

BOTH = (staging.MARKER, staging.WHOLE)


def test_who_waits_for_a_home_gets_the_one_that_took_its_place(home: Path):
    home.mkdir()
    old = HomeLock(home)
    old.acquire()
    waiting = HomeLock(home, timeout_s=20)
    thread = threading.Thread(target=waiting.acquire)
    thread.start()
    with staging.restoring(home) as folder:
        (folder / "damals.lock").write_text("")
        staging.swap(folder, home, 0)
    old.release()
    thread.join()
    assert os.path.samestat((home / "damals.lock").stat(), os.fstat(waiting._handle))  # noqa: SLF001 -- which file is meant
    waiting.release()


def test_a_name_that_is_taken_meanwhile_is_not_replaced(home: Path):
    with staging.restoring(home) as folder:
        (folder / "ledger.db").write_text("new")
        home.mkdir()
        (home / "ledger.db").write_text("somebody's")
        with pytest.raises(Conflict):
            staging.swap(folder, home, None)
    assert (home / "ledger.db").read_text() == "somebody's"


def left(home: Path, name: str, ledger: str, *markers: str, before: str = "") -> Path:
    """A folder that a killed restore left beside a home."""
    folder = home.with_name(f"{home.name}{name}")
    folder.mkdir()
    (folder / "ledger.db").write_text(ledger)
    for marker in markers:
        (folder / marker).write_text(before if marker == staging.WHOLE else "")
    return folder


def test_a_home_is_told_from_what_was_left_on_the_way(home: Path):
    """A kill between the exchange and the naming of the old home."""
    left(home, "", "new", *BOTH, before="home.before-1")
    left(home, ".restoring-aaaa", "old")
    staging.sweep(home)
    [before] = home.parent.glob("home.before-*")
    assert (before / "ledger.db").read_text() == "old"
    assert [one.name for one in home.iterdir()] == ["ledger.db"]


def test_a_swap_in_two_steps_is_brought_to_its_end(home: Path):
    """A kill between two renames, where the system has no exchange."""
    left(home, ".before-1", "old")
    left(home, ".restoring-aaaa", "half", staging.MARKER)
    left(home, ".restoring-bbbb", "new", *BOTH, before="home.before-1")
    assert staging.settle(home)
    assert [(one.name, one.read_text()) for one in home.iterdir()] == [("ledger.db", "new")]
    staging.sweep(home)
    assert sorted(one.name for one in home.parent.iterdir()) == ["home", "home.before-1"]


def test_a_half_made_folder_never_becomes_a_home_whatever_lies_beside_it(home: Path):
    left(home, ".before-1", "older")
    left(home, ".restoring-aaaa", "half", staging.MARKER)
    left(home, ".restoring-bbbb", "half as well", staging.MARKER)
    assert not staging.settle(home)
    assert not home.exists()
    staging.sweep(home)
    assert [one.name for one in home.parent.iterdir()] == ["home.before-1"]


def test_a_whole_folder_whose_swap_had_not_begun_is_no_home(home: Path):
    """The old home was in its place when the restore was killed; it was removed by others."""
    left(home, ".before-1", "older")
    left(home, ".restoring-aaaa", "new", *BOTH, before="home.before-2")
    staging.sweep(home)
    assert [one.name for one in home.parent.iterdir()] == ["home.before-1"]


def test_what_was_only_begun_is_no_home_that_was_put_aside(home: Path):
    home.mkdir()
    home.with_name("home.restoring-aaaa").mkdir()
    staging.sweep(home)
    assert [one.name for one in home.parent.iterdir()] == ["home"]


def test_whoever_opens_a_home_ends_the_swap_that_was_killed(home: Path):
    with Damals.open(home) as memory:
        memory.remember("Da", "x")
    home.rename(home.with_name("home.restoring-aaaa"))
    for marker in BOTH:
        (home.with_name("home.restoring-aaaa") / marker).write_text("")
    with Damals.open(home) as memory, pytest.raises(Unavailable) as told:
        memory.entries()
    assert told.value.key == "backup.just_restored"
    with Damals.open(home) as memory:
        assert [one.title for one in memory.entries()] == ["Da"]


def test_who_sweeps_beside_a_folder_in_the_making_leaves_its_marker(home: Path):
    """An erasure that is made again in it does so: a kill would leave what looks like a home."""
    with staging.restoring(home) as folder:
        (folder / "ledger.db").write_text("half")
        staging.sweep(folder)
        assert (folder / staging.MARKER).exists()
    assert list(home.parent.iterdir()) == []


def test_a_folder_in_the_making_is_nobodys_leftover_at_any_instant(home: Path):
    """Others sweep while folders are made: none is removed under its maker."""
    home.mkdir()
    ended = threading.Event()

    def sweep() -> None:
        while not ended.is_set():
            staging.sweep(home)

    thread = threading.Thread(target=sweep)
    thread.start()
    try:
        for number in range(100):
            with staging.restoring(home) as folder:
                (folder / "ledger.db").write_text(str(number))
                assert (folder / "ledger.db").read_text() == str(number)
    finally:
        ended.set()
        thread.join()
    assert [one.name for one in home.parent.iterdir()] == ["home"]
