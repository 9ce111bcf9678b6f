"""SIGKILL at any instant of a migration: the home is as it was or switched, and knows the same."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from killing import Said, Scenario, Seen, outlive

from damals import Damals
from postgres_server import PostgresServer

FACTS = 30

MIGRATE = """
from damals.app.migrating.run import Wanted
from damals.bootstrap.migrating import migrate_home

target = (home.parent / "target").read_text(encoding="utf-8")
done = migrate_home(home, ledger=target, wanted=Wanted(4))
ack(done.state)
"""


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are not what these tests are about, and a model in every process is slow."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")


def test_a_migration_killed_at_any_instant_goes_on_or_is_done(
    tmp_path: Path, postgres: PostgresServer
):
    home, target = tmp_path / "home", tmp_path / "target"
    made: list[str] = []
    known: set[str] = set()
    attempts: list[int] = []

    def remember(*numbers: int) -> None:
        with Damals.open(home) as memory:
            for number in numbers:
                known.add(memory.remember(f"Fakt {number}", "Vertrag und Frist. " * number).id)

    def begin(attempt: int) -> None:
        """After a switch, a home in a file and an empty target; else what was left, and a fact."""
        attempts.append(attempt)
        if not made or (home / "config.yaml").exists():
            (home / "config.yaml").unlink(missing_ok=True)
            for old in home.glob("ledger.db.migrated-*"):
                old.replace(home / "ledger.db")
            made.append(postgres.blank())
            target.write_text(made[-1], encoding="utf-8")
            known.intersection_update(said_in_file(home))
        remember(FACTS + attempt)

    def holds(seen: Seen, said: Sequence[Said]) -> None:
        assert set(seen.entries()) == known
        switched = (home / "config.yaml").exists()
        assert switched or (home / "ledger.db").exists()
        if said and said[-1] == (attempts[-1], "done") and switched:
            assert not (home / "ledger.db").exists()

    remember(*range(FACTS))
    try:
        outcome = outlive(Scenario(home, MIGRATE, prepare=begin, holds=holds), seed=5)
    finally:
        for url in made:
            postgres.drop(url)
    assert outcome.kills
    assert outcome.said


def said_in_file(home: Path) -> set[str]:
    """The ids of what the file knows."""
    with Damals.open(home) as memory:
        return {one.id for one in memory.entries(limit=None).entries}
