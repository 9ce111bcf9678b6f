"""An erasure that is killed at any stage is brought to its end by the next change."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from forgotten import SAID, SECRETS
from raw_bytes import found, rows

from damals import Damals

SOURCES = Path(__file__).parents[2] / "src"
ERASE = """
import os, signal, sys
from sqlalchemy import Engine, event
from damals import Damals
seen = 0
@event.listens_for(Engine, "before_cursor_execute")
def die(connection, cursor, statement, *others):
    global seen
    seen += statement.startswith("UPDATE erasures")
    if seen == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
with Damals.open(sys.argv[1]) as memory:
    memory.erase("entry", "geheimrat-wilhelmine-1", reason="Sie rief deswegen gestern an")
"""
STAGES = 6
"""So many times an erasure notes how far it is, and then its certificate."""


def killed(home: Path, at: int) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-c", ERASE, str(home), str(at)]
    done = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.mark.parametrize("at", range(1, STAGES + 1))
def test_killed_at_a_stage_it_is_finished_by_the_next_change(home: Path, at: int):
    killed(home, at)
    with Damals.open(home) as memory:
        memory.remember("Danach", "geht es weiter", external_id="danach")
        assert memory.audit().ok
        assert memory.get("danach").title == "Danach"
    assert found(home, [*SECRETS, SAID]) == []
    [(stage, pending, told)] = rows(
        home / "ledger.db", "SELECT stage, pending, certificate FROM erasures"
    )
    assert (stage, pending) == ("certified", "{}")
    certificate = json.loads(str(told))
    assert certificate["residue"] == []
    assert certificate["pieces"] > 0


def test_doctor_names_it_and_finishes_it_on_request(home: Path):
    killed(home, 2)
    with Damals.open(home) as memory:
        [named] = [one for one in memory.doctor().checks if one.name == "erasures"]
        assert (named.ok, named.repair) == (False, "damals doctor --repair")
        assert memory.doctor(repair=True).ok
    assert found(home, [*SECRETS, SAID]) == []


def test_looking_does_not_go_on_with_it(home: Path):
    killed(home, 1)
    with Damals.open(home) as memory:
        assert memory.get("amt").title == "Meldeamt"
    assert rows(home / "ledger.db", "SELECT certificate FROM erasures") == [(None,)]


def test_what_was_erased_before_texts_were_purged_is_purged_after_an_upgrade(home: Path):
    """As after an upgrade from a format whose erasures left texts where they were."""
    killed(home, 1)

    with sqlite3.connect(home / "ledger.db") as file:
        file.execute("DELETE FROM erasures")
        file.execute("INSERT INTO meta VALUES ('unpurged', '1')")
    file.close()
    with Damals.open(home) as memory:
        memory.remember("Danach", "geht es weiter")
        assert memory.audit().ok
    assert found(home, [*SECRETS, SAID]) == []
    assert rows(home / "ledger.db", "SELECT * FROM meta WHERE name = 'unpurged'") == []
