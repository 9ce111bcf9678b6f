"""SIGKILL while a backup is made or restored: it is whole or not there, and so is the home."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from killing import KILLS, Said, Scenario, Seen, look, outlive

from damals import Damals
from damals.bootstrap.backups import Keys, list_backups, verify_backups
from damals.bootstrap.restoring import place_of, restore_backup

NO_KEYS = Keys(None, lambda: None)

BACKUP = """
from damals import Damals

with Damals.open(home) as memory:
    for number in range(100_000):
        entry = memory.remember(f"Notiz {attempt}-{number}", "Vertrag und Frist. " * 300)
        made = memory.backup(compression="none" if number % 2 else "gzip")
        ack([made.id, made.transactions["default"]])
"""

RESTORE = """
from damals.bootstrap.backups import Keys, list_backups
from damals.bootstrap.restoring import place_of, restore_backup

found = list_backups(home)
place = place_of(home, None)
keys = Keys(None, lambda: None)
done = restore_backup(place, (home, found[0].id), keys, lambda _: None, discard=attempt % 3 == 0)
ack(done.transactions["default"])
"""


@pytest.fixture(autouse=True)
def _words_only(monkeypatch):
    """Vectors are not what these tests are about, and a model in every process is slow."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")


def beside(home: Path) -> list[str]:
    """What lies beside a home that belongs to it."""
    return [one.name for one in home.parent.iterdir() if one.name.startswith(f"{home.name}.")]


def sound(home: Path, ids: Sequence[str]) -> bool:
    return all(one.verified for one in verify_backups(home, ids, NO_KEYS, lambda _: None))


def test_a_backup_killed_at_any_instant_is_whole_or_not_there(tmp_path: Path):
    home = tmp_path / "home"
    checked: set[str] = set()

    def holds(_: Seen, said: Sequence[Said]) -> None:
        there = {one.id: one for one in list_backups(home)}
        for one in said:
            name, number = one.value
            assert there[name].transactions == {"default": number}
        new = [name for name in there if name not in checked][-2:]
        assert not new or sound(home, new)
        checked.update(there)

    scenario = Scenario(home, BACKUP, holds=holds, work_s=0.5, kills_of_a_home=10)
    outlive(scenario, kills=KILLS, seed=5)
    with Damals.open(home) as memory:
        last = memory.backup()
    assert sound(home, [last.id])
    assert list(home.with_name("home.backups").glob("*.part")) == []
    assert list((home / "cache").glob("backup-*")) == []


def test_a_restore_killed_at_any_instant_leaves_the_old_or_the_new_home(tmp_path: Path):
    home = tmp_path / "home"
    with Damals.open(home) as memory:
        gone = memory.remember("Weg", "Vertraulich").id
        memory.remember("Alt", "Vertrag und Frist. " * 2000)
        memory.backup()
        memory.erase("entry", gone)

    def write(attempt: int) -> None:
        with Damals.open(home) as memory:
            memory.remember(f"Danach {attempt}", "x")

    def holds(seen: Seen, said: Sequence[Said]) -> None:
        titles = {one["title"] for one in seen.entries().values()}
        last = max((one.attempt for one in said), default=0)
        assert "Alt" in titles
        assert "Weg" not in titles
        if last == attempts[-1]:
            assert titles == {"Alt"}
        else:
            assert titles in ({"Alt"}, {"Alt", f"Danach {attempts[-1]}"} | before[-1])

    attempts: list[int] = []
    before: list[set[str]] = []

    def prepare(attempt: int) -> None:
        with Damals.open(home) as memory:
            before.append({entry.title for entry in memory.entries(limit=None)})
        attempts.append(attempt)
        write(attempt)

    scenario = Scenario(home, RESTORE, prepare=prepare, holds=holds)
    outlive(scenario, kills=KILLS, seed=6)
    with Damals.open(home) as memory:
        memory.backup()
        assert memory.audit().ok
    left = [one for one in beside(home) if ".looking-" in one or ".restoring-" in one]
    assert left == []


def test_a_restore_of_a_lost_home_killed_at_any_instant_leaves_a_whole_one_or_none(tmp_path: Path):
    """An older home that was put aside lies beside, which is no reason to take half of one."""
    home = tmp_path / "home"
    with Damals.open(home) as memory:
        gone = memory.remember("Weg", "Vertraulich").id
        memory.remember("Alt", "Vertrag und Frist. " * 2000)
        memory.backup()
        memory.erase("entry", gone)
    shutil.copytree(home, tmp_path / "home.before-20200101T000000Z")

    def lose(_: int) -> None:
        shutil.rmtree(home, ignore_errors=True)

    def holds(_: Seen, said: Sequence[Said]) -> None:
        place_of(home, None)  # as whoever comes next does, it ends a swap that had begun
        assert home.exists() or not said or said[-1].attempt != attempts[-1]
        if home.exists():
            seen = look(home)
            assert {one["title"] for one in seen.entries().values()} == {"Alt"}

    attempts: list[int] = []

    def prepare(attempt: int) -> None:
        attempts.append(attempt)
        lose(attempt)

    scenario = Scenario(home, RESTORE, prepare=prepare, holds=holds, look=False)
    outlive(scenario, kills=KILLS, seed=7)
    lose(0)
    [backup] = list_backups(home)
    restore_backup(place_of(home, None), (home, backup.id), NO_KEYS, lambda _: None)
    left = [one for one in beside(home) if "program" not in one]
    assert sorted(left) == ["home.backups", "home.before-20200101T000000Z"]
