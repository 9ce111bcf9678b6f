"""One home takes the place of another: in one step, and nobody works in the wrong one."""

import os
import threading
from pathlib import Path

import pytest

from damals.adapters.backups import staging
from damals.adapters.files.lock import HomeLock
from damals.domain.errors import Conflict


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


def test_a_home_is_told_from_what_was_left_on_the_way(home: Path):
    """A kill between the exchange and the naming of the old home, and one between two renames."""
    waiting = home.with_name("home.restoring-aaaa")
    for folder in (home, waiting):
        folder.mkdir()
    (home / "ledger.db").write_text("new")
    (waiting / "ledger.db").write_text("old")
    staging.sweep(home)
    [before] = home.parent.glob("home.before-*")
    assert (before / "ledger.db").read_text() == "old"
    home.rename(waiting)
    (waiting / staging.MARKER).write_text("")
    staging.settle(home)
    assert (home / "ledger.db").read_text() == "new"
    assert not (home / staging.MARKER).exists()
