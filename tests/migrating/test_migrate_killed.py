"""A migration that is ended at any instant: the home is as it was, and the next call goes on."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from moving_home import WORDS, everything, filled

from damals import Damals
from damals.adapters.sql.copying_rows import tables
from damals.adapters.sql.postgres import PostgresDatabase
from damals.adapters.sql.sqlite import SqliteDatabase
from damals.app.errors import DamalsError
from damals.app.migrating.run import Wanted
from damals.app.results import Progress
from damals.bootstrap import open_home
from damals.bootstrap.migrating import migrate_home
from postgres_server import PostgresServer

NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"
ENTRIES = 75_000 if NIGHTLY else 600
"""Each third has a second version: so many chunks are 100,000 and 800."""

KILLS = 5
SAMPLE = 200 if NIGHTLY else 10


class Ended(Exception):
    """The migration ends here."""


class EndsAt:
    """Listens, and ends the migration at one of its reports."""

    def __init__(self, number: int) -> None:
        self._left = number
        self.stages: list[str] = []

    def __call__(self, progress: Progress) -> None:
        self.stages.append(progress.stage)
        if len(self.stages) > self._left:
            raise Ended


def refused(act: Callable[[], object]) -> str:
    """Why something is refused."""
    with pytest.raises(DamalsError) as error:
        act()
    return error.value.key


def counts(database: Any) -> dict[str, int]:
    """Rows by table."""
    try:
        with database.reading() as connection:
            return {
                table.name: connection.exec_driver_sql(
                    f"SELECT count(*) FROM {table.name}"  # noqa: S608 -- names of ours
                ).scalar_one()
                for table in tables()
            }
    finally:
        database.engine.dispose()


def test_a_migration_that_ends_at_any_of_its_steps_leaves_the_home_as_it_was_and_goes_on(
    home: Path, blank_postgres_url: str
):
    before = everything(home)
    ended: set[str] = set()
    for number in count():
        at = EndsAt(number)
        try:
            done = migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(2), listen=at)
            break
        except Ended:
            ended.add(at.stages[-1])
            assert not (home / "config.yaml").exists()
            if number % 3 == 0:
                assert everything(home) == before
    assert ended == {"copy", "compare", "build", "audit", "sample"}
    assert done.recalls is not None
    assert done.recalls.equal == 2
    assert everything(home) == before


def test_an_unfinished_target_is_no_ledger_yet(
    home: Path, blank_postgres_url: str, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(Ended):
        migrate_home(home, ledger=blank_postgres_url, listen=EndsAt(3))
    monkeypatch.setenv("DAMALS_LEDGER", blank_postgres_url)
    with Damals.open(home) as memory:
        assert refused(memory.entries) == "ledger.migrating"
        assert refused(lambda: memory.remember("Neu", "Zu früh.")) == "ledger.migrating"


def test_what_is_written_told_and_erased_between_two_attempts_moves_too(
    home: Path, blank_postgres_url: str
):
    for number in (1, 3):
        with pytest.raises(Ended):
            migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(0), listen=EndsAt(number))
        with open_home(home) as memory:
            last = memory.entries(limit=3).entries
            memory.remember(f"Neu {number}", "Zwischen zwei Versuchen.")
            memory.correct(last[0].id, content="Berichtigt.", reason="war falsch")
            memory.archive(last[1].id, reason="erledigt")
            memory.erase("entry", last[2].id, reason="auf Wunsch")
            memory.recall("Zwischen zwei Versuchen")
    before = everything(home)
    migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(10))
    assert everything(home) == before


def test_erased_texts_that_were_copied_already_are_not_left_on_the_server(
    home: Path, blank_postgres_url: str, postgres: PostgresServer
):
    with open_home(home) as memory:
        secret = memory.remember("Geheimes", "Sein Kennwort war Zwetschgenkuchen.").id
    with pytest.raises(Ended):
        migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(2), listen=EndsAt(3))
    with open_home(home) as memory:
        memory.erase("entry", secret, reason="auf Wunsch")
    migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(2))
    found = "SELECT count(*) FROM contents WHERE text LIKE '%Zwetschgen%'"
    assert postgres.run(found, blank_postgres_url) == [(0,)]


def test_a_home_that_was_switched_but_kept_its_file_is_finished_by_the_next_call(
    home: Path, blank_postgres_url: str
):
    done = migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(0))
    assert done.switched is not None
    Path(str(done.switched.old_ledger)).rename(home / "ledger.db")  # as if killed just before
    again = migrate_home(home, ledger=blank_postgres_url)
    assert again.state == "finished"
    assert not (home / "ledger.db").exists()
    assert refused(lambda: migrate_home(home, ledger=blank_postgres_url)) == "migrate.already"


def test_a_target_that_was_whole_before_the_switch_is_compared_and_used(
    home: Path, blank_postgres_url: str
):
    done = migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(0))
    assert done.switched is not None
    # As if killed between the end of the copy and the switch: the file goes on, then moves again.
    Path(str(done.switched.old_ledger)).rename(home / "ledger.db")
    (home / "config.yaml").unlink()
    with open_home(home) as memory:
        memory.remember("Danach", "Noch in der Datei.")
    before = everything(home)
    migrate_home(home, ledger=blank_postgres_url, wanted=Wanted(5))
    assert everything(home) == before


def test_two_migrations_do_not_copy_into_one_target_at_once(home: Path, blank_postgres_url: str):
    def second(progress: Progress) -> None:
        del progress
        assert refused(lambda: migrate_home(home, ledger=blank_postgres_url)) == "migrate.busy"
        raise Ended

    with pytest.raises(Ended):
        migrate_home(home, ledger=blank_postgres_url, listen=second)


def command(home: Path, url: str, *words: str) -> list[str]:
    return [sys.executable, "-m", "damals", "--home", str(home), "migrate", "--ledger", url,
        "--sample", str(SAMPLE), *words]  # fmt: skip


def answers(home: Path) -> list[Any]:
    """What a home answers to questions of its own words, as of different days."""
    chance = random.Random(3)
    told: list[Any] = []
    with open_home(home) as memory:
        for _ in range(SAMPLE):
            words = " ".join(chance.sample(WORDS, 3))
            day = f"2024-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
            asked = memory.recall(words, as_of=day, known_at="2025-01-01", receipt=False)
            told.append([(hit.entry.id, hit.entry.content, hit.score) for hit in asked])
    return told


def test_a_migration_killed_five_times_on_the_way_ends_with_equal_counts_and_equal_answers(
    tmp_path: Path, postgres: PostgresServer
):
    home = filled(tmp_path / "big", ENTRIES)
    with open_home(home) as memory:
        memory.reindex()
    before = answers(home)
    rows = counts(SqliteDatabase(home / "ledger.db"))
    trial, target = postgres.blank(), postgres.blank()
    try:
        copy = Path(shutil.copytree(home, tmp_path / "trial"))
        started = time.monotonic()
        subprocess.run(command(copy, trial), check=True, capture_output=True)
        whole_s = time.monotonic() - started
        chance, killed = random.Random(4), 0
        while killed < KILLS:
            process = subprocess.Popen(command(home, target), stderr=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
            time.sleep(chance.uniform(0.2, 0.8) * whole_s)
            os.killpg(process.pid, signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
            assert (home / "ledger.db").exists() != (home / "config.yaml").exists()
            if (home / "config.yaml").exists():
                break
        if not (home / "config.yaml").exists():
            subprocess.run(command(home, target), check=True, capture_output=True)
        assert killed >= 1
        moved = counts(PostgresDatabase(target))
        assert moved == rows
        assert answers(home) == before
        with open_home(home) as memory:
            assert memory.audit().ok
            assert memory.doctor().ok
    finally:
        postgres.drop(trial)
        postgres.drop(target)
