"""SIGKILL at any instant: nothing acknowledged is lost, the next start works, both stores agree."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

KILLS = 50 if os.environ.get("DAMALS_TEST_PROFILE") == "nightly" else 10
NOTES = 60

REMEMBER = """
import sys
from damals import Damals

with Damals.open(sys.argv[1]) as memory:
    for number in range(10_000):
        content = f"Inhalt der Notiz {number}, von {sys.argv[2]}."
        changed = memory.remember(f"Notiz {number}", content)
        print(changed.id, flush=True)
        if number % 7 == 3:
            memory.recall(f"Notiz {number}", limit=1)
"""


@pytest.fixture(autouse=True)
def _words_only(monkeypatch):
    """Vectors are not what these tests are about, and a model in every process is slow."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")


@pytest.fixture
def vault(tmp_path) -> Path:
    folder = tmp_path / "Vault"
    folder.mkdir()
    for number in range(NOTES):
        text = f"# Notiz {number}\n\nSiehe [[Notiz {number + 1}]].\n\n## Inhalt\n\n" + (
            f"Absatz {number} über Verträge und Fristen. " * 40
        )
        (folder / f"Notiz {number}.md").write_text(text, encoding="utf-8")
    return folder


def damals(home: Path, *arguments: str, expect: int = 0) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "damals", "--home", str(home), "--json", *arguments],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == expect, done.stdout + done.stderr
    return json.loads(done.stdout)


def killed(command: list[str], after_s: float, *, at_work: bool = False) -> str:
    """What a process said on standard output before it was killed.

    Args:
        command: of the process.
        after_s: how long it lives.
        at_work: it lives so long after it has said something, however long its start takes.
    """
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        first = os.read(process.stdout.fileno(), 1) if at_work else b""
        time.sleep(after_s)
    finally:
        process.send_signal(signal.SIGKILL)
    said, _ = process.communicate(timeout=30)
    return (first + said).decode("utf-8")


def assert_sound(home: Path) -> None:
    """Every part is well, ledger and index agree."""
    health = damals(home, "doctor")
    assert health["ok"], health
    assert {check["name"]: check["ok"] for check in health["checks"]}["index"]


def test_an_import_killed_at_any_instant_is_finished_by_the_next(vault, tmp_path):
    home = tmp_path / "home"
    command = [sys.executable, "-m", "damals", "--home", str(home), "import", str(vault)]
    started = time.monotonic()
    subprocess.run([*command[:-1], str(vault)], check=True, capture_output=True)
    whole_s = time.monotonic() - started
    chance = random.Random(1)
    for attempt in range(KILLS):
        # The source changes between the attempts, so that there is always something to do.
        note = vault / f"Notiz {attempt % NOTES}.md"
        note.write_text(note.read_text("utf-8") + f"\n\n## Versuch {attempt}\n\nNeu.\n", "utf-8")
        (vault / f"Neu {attempt}.md").write_text(f"# Neu {attempt}\n\nText.\n", encoding="utf-8")
        killed(command, chance.uniform(0.0, whole_s))
        assert_sound(home)
    report = damals(home, "import", str(vault))
    assert report["failed"] == []
    entries = damals(home, "list", "--limit", "all")["entries"]
    assert len(entries) == NOTES + KILLS
    by_path = {entry["source"]["path"]: entry for entry in entries}
    for file in vault.iterdir():
        assert by_path[file.name]["content"] == file.read_text(encoding="utf-8")
    assert damals(home, "import", str(vault))["unchanged"] == NOTES + KILLS


def test_a_fact_acknowledged_before_a_kill_is_there_after_it(tmp_path):
    home = tmp_path / "home"
    damals(home, "init", "--timezone", "Europe/Berlin")
    script = tmp_path / "remember.py"
    script.write_text(REMEMBER, encoding="utf-8")
    chance = random.Random(2)
    acknowledged: list[str] = []
    for attempt in range(KILLS):
        command = [sys.executable, str(script), str(home), str(attempt)]
        # Some are killed while they start, others at work: how fast a machine is decides nothing.
        lives_s, at_work = chance.uniform(0.4, 1.6), attempt % 3 > 0
        acknowledged += killed(command, lives_s, at_work=at_work).split()
        assert_sound(home)
    assert len(acknowledged) > KILLS, "the kills came before anything was stored"
    stored = {entry["id"] for entry in damals(home, "list", "--limit", "all")["entries"]}
    assert set(acknowledged) <= stored
    numbers = [one["number"] for one in damals(home, "log")["transactions"]]
    assert numbers == list(range(1, len(numbers) + 1))
