"""Doctor: each part is looked at by itself, faults name repairs, knowledge is never touched."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from faulty_homes import answers, check, doctor, opened

from damals.domain.instants import DAY

PARTS = {
    "home", "config", "access", "ledger", "chain", "clock", "jobs", "erasures", "index", "vectors",
    "model", "cache", "leftovers", "space", "backups",
}  # fmt: skip


def command(home: Path, *words: str) -> tuple[int, dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "damals", "--home", str(home), "--json", *words],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "DAMALS_EMBEDDER": "none"},
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout)


def test_a_home_that_is_well_has_every_part_looked_at(home):
    found = doctor(home)
    assert found.ok, found
    assert {one.name for one in found.checks} == PARTS
    assert all(one.repair is None and one.message for one in found.checks)


def test_a_missing_home_is_not_found(tmp_path):
    assert command(tmp_path / "none", "doctor")[0] == 3


def test_a_ledger_that_does_not_open_keeps_no_other_part_from_being_looked_at(home):
    (home / "ledger.db").write_bytes(b"no database at all" * 1000)
    found = doctor(home)
    assert not found.ok
    assert not check(found, "ledger").ok
    assert check(found, "ledger").repair == "damals backup list"
    assert check(found, "space").ok
    assert {one.name for one in found.checks} >= PARTS - {"vectors"}
    assert command(home, "doctor")[0] == 7
    assert (home / "ledger.db").read_bytes().startswith(b"no database"), "it is not touched"


def test_a_repair_never_touches_what_is_damaged_and_cannot_be_computed_again(home):
    damaged = b"no database at all" * 1000
    (home / "ledger.db").write_bytes(damaged)
    doctor(home, repair=True)
    assert (home / "ledger.db").read_bytes() == damaged


def test_a_changed_row_is_told_by_the_chain(home):
    with sqlite3.connect(home / "ledger.db") as db:
        db.execute("UPDATE contents SET text = 'anderes' WHERE text LIKE 'Mietvertrag 0%'")
    db.close()
    found = check(doctor(home), "chain")
    assert (found.ok, found.repair) == (False, "damals audit verify")
    assert "default" in found.message


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_a_home_that_others_can_read_is_closed_off_on_request(home):
    home.chmod(0o755)
    (home / "config.yaml").write_text("lang: en\n", encoding="utf-8")
    (home / "config.yaml").chmod(0o644)
    found = check(doctor(home), "access")
    assert not found.ok
    assert "config.yaml" in found.message
    assert check(doctor(home, repair=True), "access").ok
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "config.yaml").stat().st_mode) == 0o600


def test_what_broken_off_work_has_left_is_cleared_on_request(home):
    copy = home / "ledger.db.format-1.backup"
    copy.write_bytes(b"knowledge")
    (home / "ledger.db.format-1.backup.part").write_bytes(b"half")
    (home / "cache" / "vectors.db.damaged").write_bytes(b"x")
    (home / "index" / "current.new").write_text("edge-9", encoding="utf-8")
    found = doctor(home)
    assert not check(found, "leftovers").ok
    assert check(found, "copies").ok, "a copy is told, and it is nobody's fault"
    assert check(doctor(home, repair=True), "leftovers").ok
    assert copy.exists(), "a copy of knowledge is never removed"
    assert not (home / "cache" / "vectors.db.damaged").exists()


def test_vectors_of_workspaces_that_are_no_more_are_removed_on_request(home):
    with sqlite3.connect(home / "cache" / "vectors.db") as db:
        db.execute("INSERT INTO vector VALUES ('gone', x'00', 'm', '1', x'00', 0)")
    db.close()
    assert not check(doctor(home), "cache").ok
    assert check(doctor(home, repair=True), "cache").ok
    assert doctor(home).ok


def test_a_torn_cache_of_vectors_is_made_anew_on_request(home):
    before = answers(home)
    path = home / "cache" / "vectors.db"
    content = bytearray(path.read_bytes())
    content[4096 : 4096 + 2048] = os.urandom(2048)
    path.write_bytes(content)
    assert answers(home) == before
    assert doctor(home, repair=True).ok
    assert doctor(home).ok
    assert answers(home) == before


def test_a_clock_behind_the_ledger_is_told(home):
    def yesterday() -> int:
        import time  # noqa: PLC0415 -- the real clock, moved

        return time.time_ns() // 1000 - 2 * DAY

    with opened(home, clock=yesterday) as memory:
        assert not check(memory.doctor(), "clock").ok


def test_settings_that_make_no_sense_are_a_finding_and_no_crash(home):
    (home / "config.yaml").write_text("no_such_setting: 1\n", encoding="utf-8")
    code, found = command(home, "doctor")
    assert code == 7
    assert [one["name"] for one in found["checks"]] == ["config"]
    assert "no_such_setting" in found["checks"][0]["message"]


def test_an_owner_that_runs_is_asked(home):
    from damals import Damals  # noqa: PLC0415 -- the one that listens

    with Damals.open(home) as memory:
        memory.workspaces()
        code, found = command(home, "doctor")
    assert code == 0, found
    assert {one["name"] for one in found["checks"]} >= PARTS - {"vectors"}
