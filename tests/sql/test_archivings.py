"""Archiving is a recorded row: answered at any pair of instants, and revertible."""

import sqlite3
from pathlib import Path

import pytest
from ledger_driver import Driver, id_of, instant, remember, update
from ledger_file import change

from damals.domain.instants import FOREVER


@pytest.fixture
def driver(driver: Driver) -> Driver:
    """Three entries; transactions 2 and 3 are there to archive and revert."""
    driver.do("2024-01-10", remember("a"), remember("b"), remember("c", "2024-01-01"))
    driver.do("2024-02-01", update("d", "c", valid_from="2024-01-15"))
    driver.do("2024-03-01", remember("e"))
    return driver


def archive(path: Path, ref: str, *, reverted: bool = False) -> None:
    change(
        path,
        "INSERT INTO archivings SELECT coalesce(max(id), 0) + 1, 1, ?, NULL, ?, 2, ?, ?, 0,"
        " zeroblob(32) FROM archivings",
        id_of(ref).bytes,
        instant("2024-02-01"),
        instant("2024-03-01") if reverted else FOREVER,
        3 if reverted else None,
    )


def test_an_archived_entry_is_out_of_current_answers_and_in_historical_ones(
    driver: Driver, path: Path
):
    archive(path, "a")
    assert driver.titles("2024-04-01") == ["B", "D", "E"]
    assert driver.titles("2024-04-01", limit=2) != ["A", "B"]
    assert driver.titles("2024-04-01", certain=True) == ["B", "D", "E"]
    assert driver.titles("2024-04-01", "2024-01-31") == ["A", "B", "C"]
    assert driver.titles("2024-01-31") == ["A", "B", "D", "E"]
    assert driver.titles("2024-02-01") == ["B", "D", "E"]
    assert driver.version("a", "2024-04-01") is not None


def test_what_is_archived_is_no_longer_listed_as_superseded(driver: Driver, path: Path):
    assert driver.titles("2024-04-01", superseded=True) == ["C"]
    archive(path, "c")
    assert driver.titles("2024-04-01", superseded=True) == []
    assert driver.titles("2024-01-20", superseded=True) == ["C"]


def test_a_reverted_archiving_is_still_known_at_the_instants_between(driver: Driver, path: Path):
    archive(path, "a", reverted=True)
    assert driver.titles("2024-04-01") == ["A", "B", "D", "E"]
    assert driver.titles("2024-04-01", "2024-02-15") == ["B", "D"]


def test_a_draft_knows_since_when_an_entry_is_archived(driver: Driver, path: Path):
    archive(path, "a")
    archive(path, "b", reverted=True)
    with driver.ledger.write("w") as writer:
        found = {ref: writer.by_external_id(ref).archived_at for ref in "abc"}
    assert found == {"a": instant("2024-02-01"), "b": None, "c": None}


def test_an_entry_is_archived_once_at_a_time(driver: Driver, path: Path):
    archive(path, "a", reverted=True)
    archive(path, "a")
    with pytest.raises(sqlite3.IntegrityError):
        archive(path, "a")
    assert driver.titles("2024-04-01") == ["B", "D", "E"]
