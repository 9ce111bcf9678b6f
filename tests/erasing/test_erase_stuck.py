"""An erasure that cannot end keeps nobody from working, and says what it could not look at."""

import logging
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from forgotten import SAID, SECRETS, refused

from damals import Damals
from damals.app.erasing.finishing import PAUSE
from damals.domain.errors import DamalsError
from raw_bytes import found, rows

TARGET = "geheimrat-wilhelmine-1"
NOW = 1_900_000_000_000_000


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        self.now += 1
        return self.now


def certified(home: Path) -> bool:
    return rows(home / "ledger.db", "SELECT count(certificate) FROM erasures") == [(1,)]


def in_the_way(home: Path) -> Path:
    """Something where the backups, and the journal of erasures, were to be."""
    place = home.with_name(f"{home.name}.backups")
    if place.exists():
        place.rename(home.with_name("unmounted"))
    place.write_text("kein Ordner")
    return place


def test_what_cannot_end_keeps_nobody_from_changing(
    killed_at: Callable[[int], Path], caplog: pytest.LogCaptureFixture
):
    home = killed_at(1)
    place = in_the_way(home)
    with Damals.open(home) as memory:
        memory.remember("Danach", "wird gespeichert", external_id="danach")
        assert memory.get("danach").title == "Danach"
        assert str(place) in caplog.text
        [named] = [one for one in memory.doctor(repair=True).checks if one.name == "erasures"]
        assert not named.ok
    assert not certified(home)


def test_it_is_tried_again_after_a_pause_and_not_at_each_change(
    killed_at: Callable[[int], Path], caplog: pytest.LogCaptureFixture
):
    home = killed_at(1)
    place, clock = in_the_way(home), Clock()
    with Damals.open(home, clock=clock) as memory:
        for n in range(3):
            memory.remember(f"Danach {n}", "wird gespeichert")
        assert caplog.text.count("not gone from every file") == 1
        place.unlink()
        clock.now += PAUSE + 100
        caplog.clear()
        caplog.set_level(logging.WARNING)
        memory.remember("Viel später", "geht es weiter")
        assert "is finished; files with a residue: 0" in caplog.text
    assert certified(home)
    assert found(home, [*SECRETS, SAID]) == []


def test_another_process_waits_as_well_and_doctor_does_not(killed_at: Callable[[int], Path]):
    home = killed_at(1)
    place = in_the_way(home)
    with Damals.open(home) as memory:
        memory.remember("Danach", "wird gespeichert")
    place.unlink()
    with Damals.open(home) as memory:
        memory.remember("Gleich darauf", "wird gespeichert")
        assert not certified(home)
        assert memory.doctor(repair=True).ok
    assert certified(home)


def test_one_that_cannot_end_keeps_no_other_from_its_certificate(killed_at: Callable[[int], Path]):
    home = killed_at(1)
    with closing(sqlite3.connect(home / "ledger.db")) as file:
        file.execute(
            "UPDATE erasures SET pending = json_set(pending, '$.vectors', json('[\"00\"]'))"
        )
        file.commit()
    with Damals.open(home) as memory:
        told = memory.erase("entry", "nachbar")
        assert told.certificate.residue == []


def test_whoever_erases_is_told_what_could_not_be_done_and_can_go_on(home: Path):
    in_the_way(home)
    with Damals.open(home) as memory:
        with refused("erase.unfinished"):
            memory.erase("entry", TARGET)
        with pytest.raises(DamalsError):
            memory.get(TARGET)
        memory.remember("Danach", "wird gespeichert")


def test_a_defect_while_it_goes_on_loses_no_change(killed_at: Callable[[int], Path]):
    home = killed_at(2)
    with closing(sqlite3.connect(home / "ledger.db")) as file:
        file.execute("UPDATE erasures SET pending = json_remove(pending, '$.number')")
        file.commit()
    with Damals.open(home) as memory:
        memory.remember("Danach", "wird gespeichert", external_id="danach")
        assert memory.get("danach").title == "Danach"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_named(home: Path):
    (home / "fremd.txt").write_text(SAID)
    (home / "fremd.txt").chmod(0)
    with Damals.open(home) as memory:
        told = memory.erase("entry", TARGET).certificate
    assert told.unsearched["unreadable"] == [{"file": "fremd.txt", "reason": "Permission denied"}]
    assert "fremd.txt" not in told.searched


def test_links_are_named_and_not_said_to_be_searched(home: Path, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "own.txt").write_text(SAID)
    (home / "folder").symlink_to(elsewhere)
    (home / "own.txt").symlink_to(elsewhere / "own.txt")
    with Damals.open(home) as memory:
        told = memory.erase("entry", TARGET).certificate
    assert sorted(told.unsearched["links"]) == ["folder", "own.txt"]
    assert not {"folder", "own.txt"} & set(told.searched)


def test_homes_that_a_restore_put_aside_are_named(home: Path):
    """They hold what they held, and no erasure reaches them."""
    before = home.with_name(f"{home.name}.before-20260101T000000Z")
    before.mkdir()
    with Damals.open(home) as memory:
        told = memory.erase("entry", TARGET).certificate
        assert told.unsearched["former"] == [str(before)]
        [copies] = [one for one in memory.doctor().checks if one.name == "copies"]
        assert before.name in copies.message
