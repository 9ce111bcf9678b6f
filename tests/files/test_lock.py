"""One owner per home: real processes compete for it, and the dead never block it."""

import json
import os
import pickle
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from damals.adapters.files.home import Home
from damals.adapters.files.lock import HomeLock, holder, listening_owner
from damals.app.errors import InvalidInput, NotFound, Unavailable
from damals.app.ownership import Owned, Owner


def start_holder(home: Path) -> "subprocess.Popen[str]":
    """Another process that holds the lock until its standard input ends."""
    code = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from damals.adapters.files.lock import HomeLock
        with HomeLock(Path(sys.argv[1]), command="damals serve"):
            print("held", flush=True)
            sys.stdin.read()
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(home)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def stop(process: "subprocess.Popen[str]") -> None:
    process.communicate("")


def test_a_free_home_is_taken_at_once_and_the_file_names_the_owner(tmp_path: Path):
    with HomeLock(tmp_path, timeout_s=0, command="damals remember") as lock:
        assert lock.held
        told = json.loads((tmp_path / "damals.lock").read_text(encoding="utf-8"))
        assert told["pid"] == os.getpid()
        assert told["command"] == "damals remember"
        assert told["since"].endswith("Z")
    assert not lock.held


def test_a_held_home_is_refused_after_the_timeout_naming_its_holder(tmp_path: Path):
    process = start_holder(tmp_path)
    try:
        with pytest.raises(Unavailable) as caught:
            HomeLock(tmp_path, timeout_s=0.05).acquire()
    finally:
        stop(process)
    assert caught.value.key == "home.held"
    assert caught.value.values["pid"] == process.pid
    assert caught.value.values["command"] == "damals serve"


def test_the_lock_of_a_killed_process_is_taken_over_at_once(tmp_path: Path):
    process = start_holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with HomeLock(tmp_path, timeout_s=0):
        assert holder(tmp_path)["pid"] == os.getpid()


def test_who_waits_gets_the_home_when_it_is_given_back(tmp_path: Path):
    process = start_holder(tmp_path)
    assert process.stdin is not None
    process.stdin.close()
    with HomeLock(tmp_path, timeout_s=20) as lock:
        assert lock.held
    process.wait()


def test_each_holder_is_waited_for_anew_and_one_that_never_goes_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    now = 0.0
    holders = iter([*(f"holder {number}" for number in range(5)), *["the last"] * 20])

    def sleep(seconds: float) -> None:
        nonlocal now, lock
        del seconds
        now += 8.0
        lock.release()
        lock = HomeLock(tmp_path, timeout_s=0, command=next(holders))
        lock.acquire()

    monkeypatch.setattr("damals.adapters.files.lock.time.monotonic", lambda: now)
    monkeypatch.setattr("damals.adapters.files.lock.time.sleep", sleep)
    lock = HomeLock(tmp_path, command="the first")
    lock.acquire()
    with pytest.raises(Unavailable) as caught:
        HomeLock(tmp_path, timeout_s=10).acquire()
    assert caught.value.values["command"] == "the last"
    assert now >= 5 * 8.0 + 10.0
    lock.release()


def test_a_holder_that_listens_is_not_waited_for_by_those_who_attach(tmp_path: Path):
    owner = Owner("http://127.0.0.1:9", "geheim")
    with HomeLock(tmp_path) as lock:
        assert lock.announce(owner)
        with pytest.raises(Owned) as caught:
            HomeLock(tmp_path, timeout_s=60, attach=True).acquire()
        assert caught.value.owner == owner
        assert "geheim" not in str(caught.value.values)
        assert type(pickle.loads(pickle.dumps(caught.value))) is Unavailable  # noqa: S301 -- our own
        assert lock.announce(None)
        with pytest.raises(Unavailable) as waited:
            HomeLock(tmp_path, timeout_s=0, attach=True).acquire()
        assert type(waited.value) is Unavailable
    assert not lock.announce(owner)
    assert listening_owner(tmp_path) is None


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
def test_a_token_is_written_only_where_nobody_else_reads(tmp_path: Path, monkeypatch):
    with HomeLock(tmp_path) as lock:
        (tmp_path / "damals.lock").chmod(0o666)
        monkeypatch.setattr(os, "fchmod", lambda *_: None)  # a file system without modes
        assert not lock.announce(Owner("http://127.0.0.1:9", "geheim"))
        assert "geheim" not in (tmp_path / "damals.lock").read_text(encoding="utf-8")
        monkeypatch.undo()
        assert lock.announce(Owner("http://127.0.0.1:9", "geheim"))
        assert stat.S_IMODE((tmp_path / "damals.lock").stat().st_mode) == 0o600


def test_two_locks_in_one_process_exclude_each_other_too(tmp_path: Path):
    with (
        HomeLock(tmp_path),
        pytest.raises(Unavailable, match=r"home\.held|in use"),
    ):
        HomeLock(tmp_path, timeout_s=0).acquire()


def test_acquiring_and_releasing_twice_is_harmless(tmp_path: Path):
    lock = HomeLock(tmp_path)
    lock.acquire()
    lock.acquire()
    lock.release()
    lock.release()
    with HomeLock(tmp_path, timeout_s=0):
        pass


def test_a_child_process_does_not_inherit_the_lock(tmp_path: Path):
    lock = HomeLock(tmp_path)
    lock.acquire()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    lock.release()
    try:
        HomeLock(tmp_path, timeout_s=0).acquire()
    finally:
        child.communicate(b"\n")


@pytest.mark.parametrize("text", ["", "not json", "[1]", '{"pid": 3}', "\udcff"])
def test_a_lock_file_that_says_nothing_sensible_is_no_obstacle(tmp_path: Path, text: str):
    (tmp_path / "damals.lock").write_text(text, encoding="utf-8", errors="surrogateescape")
    assert set(holder(tmp_path)) == {"pid", "command", "since"}
    with HomeLock(tmp_path, timeout_s=0):
        assert holder(tmp_path)["pid"] == os.getpid()


def test_a_home_is_made_for_its_owner_only(tmp_path: Path):
    home = Home.at(tmp_path / "a" / "b")
    assert not home.exists()
    assert home.create()
    assert not home.create()
    if os.name == "posix":
        assert stat.S_IMODE(home.path.stat().st_mode) == 0o700


def test_a_home_without_a_ledger_is_missing(tmp_path: Path):
    with pytest.raises(NotFound) as caught:
        Home.at(tmp_path).require()
    assert caught.value.key == "home.missing"


@pytest.mark.parametrize("given", ["", "  ", "a\0b"])
def test_a_path_that_cannot_be_is_refused(given: str):
    with pytest.raises(InvalidInput) as caught:
        Home.at(given)
    assert caught.value.key == "home.not_a_folder"


def test_a_file_in_the_way_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for path in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("x" * 300)):
        with pytest.raises(InvalidInput) as caught:
            Home.at(path).create()
        assert caught.value.key == "home.not_a_folder"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder nobody can write to")
def test_a_home_that_cannot_be_written_is_unavailable_with_the_reason():
    with pytest.raises(Unavailable) as caught:
        Home.at("/proc/damals-home").create()
    assert caught.value.key == "home.unusable"
    assert caught.value.values["reason"]


def test_locking_a_folder_that_is_not_there_is_unavailable(tmp_path: Path):
    with pytest.raises(Unavailable) as caught:
        HomeLock(tmp_path / "gone", timeout_s=0).acquire()
    assert caught.value.key == "home.unusable"


def test_a_home_may_be_given_from_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert Home.at("~/archive").path == tmp_path / "archive"
