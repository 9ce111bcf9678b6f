"""SIGKILL at any instant: nothing acknowledged is lost, the next start works, both stores agree."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from killing import KILLS, SCENARIOS, Said, Scenario, Seen, outlive

from damals import Damals

NOTES = 14

IMPORT = """
from damals import Damals

with Damals.open(home) as memory:
    report = memory.import_(home.parent / "Vault")
    ack(report.added)
"""

WRITE = """
from damals import Damals

with Damals.open(home) as memory:
    kept = []
    for number in range(100_000):
        title = f"Notiz {attempt}-{number}"
        entry = memory.remember(title, "Vertrag, Frist und Kündigung. " * 20)
        ack(["remembered", entry.id, title])
        kept.append(entry.id)
        if number % 3 == 1:
            old = kept.pop(0)
            new = memory.update(old, title + " neu", "Jetzt gilt es so.", reason="Neuer Stand")
            ack(["updated", old, new.id, title + " neu"])
        if number % 5 == 2:
            with memory.transaction("zusammen") as together:
                first = together.remember(title + " a", "Erster Teil.")
                second = together.remember(title + " b", "Zweiter Teil.")
            ack(["together", first.id, second.id, title])
        if number % 7 == 3:
            memory.recall(title, limit=1)
"""

INDEX = """
from damals import Damals

with Damals.open(home) as memory:
    for number in range(100_000):
        entry = memory.remember(f"Notiz {attempt}-{number}", "Vertrag und Frist. " * 30)
        ack(entry.id)
        memory.recall("Vertrag", limit=1)
        memory.reindex()
        ack(entry.id)
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


def test_every_scenario_has_its_share_of_the_kills():
    files = Path(__file__).parent.glob("test_kill*.py")
    called = sum(one.read_text("utf-8").count(f"{outlive.__name__}(") for one in files)
    assert called == SCENARIOS


def test_an_import_killed_at_any_instant_is_finished_by_the_next(vault, tmp_path):
    home = tmp_path / "home"

    def change(attempt: int) -> None:
        """The source changes between the attempts, so that there is always something to do."""
        for number in range(attempt % 7, NOTES, 7):
            note = vault / f"Notiz {number}.md"
            text = note.read_text("utf-8") + f"\n\n## Versuch {attempt}\n\nNeu.\n"
            note.write_text(text, encoding="utf-8")
        (vault / f"Neu {attempt}.md").write_text(f"# Neu {attempt}\n\nText.\n", encoding="utf-8")

    outcome = outlive(Scenario(home, IMPORT, prepare=change), seed=1)
    with Damals.open(home) as memory:
        assert memory.import_(vault).failed == ()
        entries = memory.entries(limit=None)
        by_path = {entry.source.path: entry for entry in entries}
        assert len(by_path) == len(list(entries)) == NOTES + outcome.attempts
        for file in vault.iterdir():
            assert by_path[file.name].content == file.read_text(encoding="utf-8")
        assert memory.import_(vault).unchanged == NOTES + outcome.attempts


def test_a_change_acknowledged_before_a_kill_is_there_after_it(tmp_path):
    home = tmp_path / "home"

    def all_there(seen: Seen, said: Sequence[Said]) -> None:
        entries, log = seen.entries(), seen.log()
        titles = [one["title"] for one in entries.values()]
        for _, (what, *about) in said:
            assert about[0] in log
            if what == "updated":
                assert entries[about[1]]["title"] == about[2]
            elif what == "together":
                assert set(about[:2]) <= set(entries)
        # A transaction is there whole or not at all, acknowledged or not.
        assert sum(t.endswith(" a") for t in titles) == sum(t.endswith(" b") for t in titles)

    outcome = outlive(Scenario(home, WRITE, holds=all_there, work_s=0.4, kills_of_a_home=5), seed=2)
    assert outcome.acknowledged > KILLS, "the kills came before anything was stored"


def test_an_index_killed_while_it_is_filled_or_rebuilt_is_whole_for_the_next(tmp_path):
    home = tmp_path / "home"

    def found(seen: Seen, said: Sequence[Said]) -> None:
        assert {one.value for one in said} <= set(seen.entries())
        shards = [one.name for one in (home / "index").glob("edge-*") if one.is_dir()]
        assert len(shards) <= 1, "what an unfinished rebuild left is swept away"

    outcome = outlive(Scenario(home, INDEX, holds=found, work_s=1.0, kills_of_a_home=10), seed=3)
    assert outcome.acknowledged > KILLS, "the kills came before anything was stored"
