"""A restore on a disk that is full or cannot be written: a clear error, and the home as it was."""

import os
import subprocess
from pathlib import Path

import pytest

from damals import Damals
from damals.bootstrap.backups import Keys
from damals.bootstrap.restoring import place_of, restore_backup
from damals.domain.errors import Unavailable

MEGABYTE = 1 << 20
SECRET = "Zahnarzttermin von Erika Mustermann"  # noqa: S105 -- what is to be gone

FULL = {"backup.unwritable", "ledger.disk_full", "ledger.unreadable", "home.unusable"}
"""What a step of it says; of an erasure that cannot end, ``erase.unfinished`` says it."""


@pytest.fixture
def disk(small_disk, tmp_path: Path, monkeypatch) -> Path:
    """A small disk with a home, one of whose entries was erased after a backup, kept elsewhere."""
    monkeypatch.setenv("DAMALS_BACKUPS", str(tmp_path / "backups"))
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    folder = small_disk(64)
    with Damals.open(folder / "home") as memory:
        gone = memory.remember("Weg", SECRET).id
        for number in range(20):
            memory.remember(f"Bleibt {number}", os.urandom(30_000).hex())
        memory.backup()
        memory.erase("entry", gone)
        memory.remember("Danach", "x")
    return folder


def restore(home: Path) -> int:
    with Damals.open(home) as memory:
        [backup] = memory.backups()
    keys = Keys(None, lambda: None)
    done = restore_backup(place_of(home, None), (home, backup.id), keys, lambda _: None)
    return done.erased_again


def leave(disk: Path, megabytes: float) -> None:
    """Fill a disk so that so much is left."""
    ballast = disk / "ballast"
    ballast.unlink(missing_ok=True)
    told = os.statvfs(disk)
    size = told.f_bavail * told.f_frsize - int(megabytes * MEGABYTE)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(size, 1))


def titles(home: Path) -> set[str]:
    with Damals.open(home) as memory:
        assert memory.audit().ok
        return {one.title for one in memory.entries(limit=None)}


def test_wherever_it_breaks_off_the_home_is_as_it_was_and_nothing_is_left(disk: Path):
    home, before, told = disk / "home", titles(disk / "home"), set[str]()
    for quarters in range(1, 64):
        leave(disk, quarters / 4)
        try:
            again = restore(home)
        except Unavailable as error:
            told.add(error.key)
            assert error.key in FULL | {"erase.unfinished"}, error
            assert [one.name for one in disk.iterdir() if one.name.startswith("home.")] == []
            (disk / "ballast").unlink()
            assert titles(home) == before
        else:
            break
    assert again == 1
    assert titles(home) == before - {"Danach"}
    assert "backup.unwritable" in told
    assert "erase.unfinished" in told
    assert all(SECRET.encode() not in one.read_bytes() for one in home.rglob("*") if one.is_file())


def test_on_a_disk_that_cannot_be_written_it_says_so(disk: Path):
    before = titles(disk / "home")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        with pytest.raises(Unavailable) as refused:
            restore(disk / "home")
        assert refused.value.key in {"backup.unwritable", "home.unusable"}
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert titles(disk / "home") == before
