"""``damals watch`` as a process: what it imports, who may ask meanwhile, and how it ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damals import Damals
from damals.bootstrap import init_home, open_home

WAIT_S = 120
SAVES = 200

HOLDER = """
import sys
from pathlib import Path
from damals.adapters.files.lock import HomeLock

with HomeLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_LANG", "en")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    init_home(tmp_path / "home", timezone="Europe/Berlin")
    return tmp_path / "home"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "Vault"
    (folder / "Projekte").mkdir(parents=True)
    write(folder / "Anfang.md", "Der erste Satz.")
    write(folder / "Projekte" / "Haus.md", "Dach und Keller.")
    return folder


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Watching:
    """A process that watches a vault, and what it says."""

    def __init__(self, home: Path, vault: Path, *options: str, **environment: str) -> None:
        command = ["-m", "damals", "--home", str(home), "--json", "watch", str(vault)]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--settle", "0.2", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            env={**os.environ, **environment},
        )  # fmt: skip
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.lines.extend(iter(self.process.stderr.readline, ""))

    def said(self, text: str, times: int = 1) -> bool:
        return sum(text in line for line in list(self.lines)) >= times

    def ready(self) -> "Watching":
        until(lambda: self.said("Watching") or self.process.poll() is not None)
        assert self.process.poll() is None, self.lines
        return self

    def end(self, number: int = signal.SIGTERM) -> dict:
        """Send a signal; the document that it leaves."""
        self.process.send_signal(number)
        assert self.process.stdout is not None
        shown = self.process.stdout.read()
        assert self.process.wait(WAIT_S) == 0, self.lines
        return json.loads(shown)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT_S)
        self._thread.join(WAIT_S)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture
def watch(home: Path, vault: Path) -> Iterator[Callable[..., Watching]]:
    begun: list[Watching] = []

    def begin(*options: str, folder: Path = vault, **environment: str) -> Watching:
        begun.append(Watching(home, folder, *options, **environment))
        return begun[-1]

    yield begin
    for one in begun:
        one.kill()


def found(memory: Damals, words: str) -> list[str]:
    return [hit.entry.id for hit in memory.recall(words)]


def test_a_new_note_is_found_by_others_while_it_is_watched(home, vault, watch):
    watching = watch().ready()
    with Damals.open(home) as memory:
        assert found(memory, "Keller")
        write(vault / "Zebra.md", "Zebras haben Streifen.")
        until(lambda: bool(found(memory, "Zebras")))
        (vault / "Zebra.md").unlink()
        write(vault / "Anfang.md", "Der zweite Absatz.")
        until(lambda: bool(found(memory, "Absatz")))
        assert found(memory, "Zebras")  # without --prune it is only counted
        until(lambda: watching.said("1 changed"))
    told = watching.end()
    counts = [told[name] for name in ("added", "changed", "removed")]
    assert (told["source"], counts) == ("Vault", [3, 1, 1])
    assert told["runs"] >= 3


def test_many_saves_at_once_are_few_transactions(home, vault, watch):
    watch().ready()
    for number in range(SAVES):
        write(vault / f"{number % 20}.md", f"Fassung {number}")
    with Damals.open(home) as memory:
        until(lambda: len(found(memory, f"Fassung {SAVES - 1}")) > 0)
        until(lambda: len(memory.entries(limit=None).entries) == 22)
        assert memory.log().transactions[-1].number < SAVES / 8


def test_an_atomic_save_changes_one_note_and_makes_no_other(home, vault, watch):
    watch("--prune").ready()
    with Damals.open(home) as memory:
        [before] = found(memory, "Satz")
        write(vault / ".Anfang.md.swp", "x")
        write(vault / "Anfang.md.tmp", "Atomar gespeichert.")
        (vault / "Anfang.md.tmp").replace(vault / "Anfang.md")
        until(lambda: bool(found(memory, "atomar")))
        assert found(memory, "atomar") == [before]
        assert len(memory.entries().entries) == 2


def test_the_notes_of_a_folder_that_is_renamed_keep_their_ids(home, vault, watch):
    watching = watch("--prune").ready()
    with Damals.open(home) as memory:
        [before] = found(memory, "Keller")
        (vault / "Projekte").rename(vault / "Vorhaben")

        def moved() -> bool:
            return memory.get(before).source.path == "Vorhaben/Haus.md"

        until(moved)
        until(lambda: watching.said("1 moved"))
        assert found(memory, "Keller") == [before]
        write(vault / "Vorhaben" / "Garten.md", "Apfelbaum am Zaun.")
        until(lambda: bool(found(memory, "Apfelbaum")))
    told = watching.end()
    assert (told["moved"], told["removed"]) == (1, 0)


def test_a_folder_that_goes_and_comes_back_loses_nothing(home, vault, watch):
    watching = watch("--prune").ready()
    away = vault.with_name("fort")
    vault.rename(away)
    until(lambda: watching.said("is gone"))
    vault.mkdir()  # where a drive is mounted
    vault.rmdir()
    away.rename(vault)
    until(lambda: watching.said("is back"))
    write(vault / "Danach.md", "Aufgetaucht ist der Apfelbaum.")
    with Damals.open(home) as memory:
        until(lambda: bool(found(memory, "Apfelbaum")))
        assert len(memory.entries().entries) == 3
    assert watching.end()["removed"] == 0


def test_a_deleted_file_is_told_once_and_its_note_kept(home, vault, watch):
    watching = watch().ready()
    (vault / "Anfang.md").unlink()
    until(lambda: watching.said("1 files gone, their notes kept"))
    write(vault / "Neu.md", "Ein neuer Satz.")
    until(lambda: watching.said("1 added"))
    assert watching.end()["removed"] == 1
    assert sum("files gone" in line for line in watching.lines) == 1
    with Damals.open(home) as memory:
        assert {one.source.path for one in memory.entries()} >= {"Anfang.md", "Neu.md"}


def test_notes_that_all_vanish_from_their_folder_are_not_taken_for_removed(home, vault, watch):
    watching = watch("--prune").ready()
    shutil.copytree(vault, vault.with_name("Kopie"))
    for path in list(vault.rglob("*.md")):
        path.unlink()
    until(lambda: watching.said("holds no notes"))
    with Damals.open(home) as memory:
        kept = len(memory.entries().entries)
        assert kept >= 1  # what vanished one by one before the last of them
    shutil.copytree(vault.with_name("Kopie"), vault, dirs_exist_ok=True)
    until(lambda: watching.said("is back"))
    with Damals.open(home) as memory:
        until(lambda: len(memory.entries().entries) == 2)


def test_a_watch_that_begins_before_its_drive_is_mounted_removes_nothing(home, vault, watch):
    with open_home(home, embedder="none") as memory:
        memory.import_(vault)
    away = vault.with_name("fort")
    vault.rename(away)
    vault.mkdir()
    watching = watch("--prune")
    until(lambda: watching.said("holds no notes"))
    vault.rmdir()
    away.rename(vault)
    watching.ready()
    assert watching.end()["removed"] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_well_when_it_is_told_to_and_leaves_no_lock(home, watch, number):
    told = watch().ready().end(number)
    assert (told["runs"], told["added"], told["failed"]) == (1, 2, [])
    with open_home(home, lock_timeout_s=0.0) as memory:
        assert len(memory.entries().entries) == 2
        assert memory.audit().ok


def test_an_end_in_the_middle_of_a_first_import_leaves_a_whole_home(home, vault, watch):
    for number in range(800):
        write(vault / f"{number}.md", f"Notiz Nummer {number}.\n" * 20)
    watching = watch()
    until(lambda: (home / "index").exists() or (home / "ledger.db-wal").exists())
    told = watching.end()
    assert told["runs"] <= 1
    again = watch().ready()
    with Damals.open(home) as memory:
        until(lambda: len(memory.entries(limit=None).entries) == 802)
    again.end()
    with open_home(home, lock_timeout_s=0.0) as memory:
        assert memory.audit().ok


def test_a_second_watch_goes_on_when_the_first_is_killed(home, watch, tmp_path):
    other = tmp_path / "Zweiter"
    other.mkdir()
    write(other / "Eins.md", "Aus dem zweiten Vault.")
    first = watch().ready()
    second = watch(folder=other).ready()
    first.kill()
    write(other / "Zwei.md", "Nach dem Ende des ersten.")
    with Damals.open(home) as memory:
        until(lambda: bool(found(memory, "Ende des ersten")))
        until(lambda: second.said("Zweiter: 1 added", times=2))
        assert {one.name for one in memory.sources()} == {"Vault", "Zweiter"}
    assert second.end()["added"] == 2


def test_a_home_that_another_holds_is_waited_for(home, watch):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        watching = watch(DAMALS_LOCK_TIMEOUT_S="0.1")
        until(lambda: watching.said("Trying again"))
        holder.communicate(b"")
    told = watching.ready().end()
    assert told["retries"] >= 1
    assert told["added"] == 2


@pytest.mark.parametrize(
    ("path", "code"), [("fehlt", 3), ("Anfang.md", 2), (".", 0)], ids=["gone", "file", "other"]
)
def test_what_is_no_vault_is_refused_at_once(vault, watch, path, code):
    if code == 0:
        watch(folder=vault).ready()
        double = vault.with_name("anders") / vault.name
        double.mkdir(parents=True)
        watching, code = watch(folder=double), 4  # another folder of the same name
    else:
        watching = watch(folder=vault / path)
    assert watching.process.wait(WAIT_S) == code
    assert watching.process.stdout is not None
    assert json.loads(watching.process.stdout.read())["error"]["code"]
