"""Archivings and erasures in the database: one at a time, gone from what indexes are given."""

import sqlite3
from pathlib import Path

import pytest
from ledger_driver import Driver, at, id_of, instant, remember
from ledger_file import Plans, change, rows


def test_an_entry_is_archived_once_at_a_time(driver: Driver, path: Path):
    driver.do("2024-01-10", remember("a"))
    driver.do("2024-02-01", {"op": "archive", "target": "a"})
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        change(
            path,
            "INSERT INTO archivings SELECT 2, workspace_id, entry_id, NULL, recorded_from, 2,"
            " recorded_to, NULL, 0, digest FROM archivings",
        )


def test_an_erasure_deletes_what_is_held_for_indexes_and_keeps_what_is_chained(
    driver: Driver, path: Path
):
    driver.do("2024-01-10", remember("a"), remember("b"))
    for item in driver.ledger.outbox("i", 10):
        driver.ledger.advance("i", item.position, [chunk.point_id for chunk in item.opened])
    driver.do("2024-02-01", {"op": "erase", "target": "a"})
    ids = [id_of("b").bytes]
    assert [row["entry_id"] for row in rows(path, "SELECT entry_id FROM chunks")] == ids
    assert len(rows(path, "SELECT * FROM vector_queue")) == 1
    assert len(rows(path, "SELECT * FROM versions")) == 2
    (erased,) = rows(path, "SELECT * FROM entries WHERE erased_by IS NOT NULL")
    assert (erased["entry_id"], erased["erased_at"]) == (id_of("a").bytes, instant("2024-02-01"))
    (stone,) = rows(path, "SELECT * FROM tombstones")
    assert (stone["kind"], stone["target"], stone["actor"]) == ("entry", id_of("a").bytes, "anna")
    assert driver.ledger.audit("w").breaks == ()


def test_an_entry_that_is_made_and_erased_in_one_write_leaves_no_chunk_row(
    driver: Driver, path: Path
):
    with driver.ledger.write("w") as writer:
        driver.into(writer, instant("2024-01-10"), [remember("a")])
        driver.into(writer, instant("2024-01-11"), [{"op": "erase", "target": "a"}])
        again = remember("a") | {"id": str(id_of("another a"))}
        driver.into(writer, instant("2024-01-12"), [again])
        assert writer.by_external_id("a").id == id_of("another a")
    assert driver.titles("2024-02-01") == ["A"]
    (kept,) = rows(path, "SELECT entry_id FROM chunks")
    assert kept["entry_id"] == id_of("another a").bytes
    assert driver.ledger.audit("w").breaks == ()


def test_what_is_taken_back_is_found_by_index(driver: Driver):
    driver.do("2024-01-10", remember("a", key="k"))
    driver.do("2024-01-11", {"op": "verify", "target": "a"}, {"op": "archive", "target": "a"})
    plans = Plans(driver.ledger)
    with driver.ledger.write("w") as writer:
        assert writer.changed_by(2) is not None
        assert writer.changed_by("2024-01-11T00:00:00.000000Z") is not None
        assert [one.kind for one in writer.done_since(id_of("a"), 2)] == ["verify", "archive"]
        assert not writer.elsewhere("a")
        ids = [id_of("a")]
        assert writer.by_id(ids[0]).archiving is not None
        writer.archived_at(ids, at("2024-02-01"))
        writer.verifications_at(ids, at("2024-02-01"))
    driver.ledger.outbox("i", 10)
    assert plans.scans() == []
