"""An erasure that is killed at any stage is brought to its end by the next change."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from forgotten import SAID, SECRETS
from killed_erasure import STAGES

from damals import Damals
from raw_bytes import found, rows


@pytest.mark.parametrize("at", range(1, STAGES + 1))
def test_killed_at_a_stage_it_is_finished_by_the_next_change(
    killed_at: Callable[[int], Path], at: int
):
    home = killed_at(at)
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


def test_doctor_names_it_and_finishes_it_on_request(killed_at: Callable[[int], Path]):
    home = killed_at(2)
    with Damals.open(home) as memory:
        [named] = [one for one in memory.doctor().checks if one.name == "erasures"]
        assert (named.ok, named.repair) == (False, "damals doctor --repair")
        assert memory.doctor(repair=True).ok
    assert found(home, [*SECRETS, SAID]) == []


def test_looking_does_not_go_on_with_it(killed_at: Callable[[int], Path]):
    home = killed_at(1)
    with Damals.open(home) as memory:
        assert memory.get("amt").title == "Meldeamt"
    assert rows(home / "ledger.db", "SELECT certificate FROM erasures") == [(None,)]


def test_what_was_erased_before_texts_were_purged_is_purged_after_an_upgrade(
    killed_at: Callable[[int], Path],
):
    """As after an upgrade from a format whose erasures left texts where they were."""
    home = killed_at(1)

    with sqlite3.connect(home / "ledger.db") as file:
        file.execute("DELETE FROM erasures")
        file.execute("INSERT INTO meta VALUES ('unpurged', '1')")
    file.close()
    with Damals.open(home) as memory:
        memory.remember("Danach", "geht es weiter")
        assert memory.audit().ok
    assert found(home, [*SECRETS, SAID]) == []
    assert rows(home / "ledger.db", "SELECT * FROM meta WHERE name = 'unpurged'") == []
