"""Backups of a ledger on PostgreSQL, by the server's own programs."""

import os
import stat
from pathlib import Path

import pytest
from program import Program
from restoring import NO_KEYS, nothing, restored

from damals import Damals
from damals.adapters.backups import postgres_dump
from damals.bootstrap.backups import verify_backups
from damals.domain.errors import Conflict, Corrupt, InvalidInput, Unavailable
from postgres_server import PASSWORD


@pytest.fixture
def served(home: Path, blank, monkeypatch) -> Path:
    monkeypatch.setenv("DAMALS_LEDGER", blank())
    return home


def test_a_ledger_on_a_server_is_dumped_checked_and_restored_to_an_empty_database(
    served: Path, blank, tmp_path: Path, monkeypatch
):
    with Damals.open(served) as memory:
        gone = memory.remember("Weg", "Geheimnis").id
        memory.remember("Bleibt", "Die Miete beträgt 900 Euro.")
        backup = memory.backup()
        memory.remember("Danach", "x")
        memory.erase("entry", gone)
    assert (backup.ledger, backup.transactions) == ("postgresql", {"default": 2})
    assert PASSWORD.encode() not in Path(backup.path).read_bytes()
    [checked] = verify_backups(served, (), NO_KEYS, nothing)
    # No chain was recomputed, so it is not said to be verified.
    assert (checked.verified, checked.checked, checked.problem) == (None, "dump", None)
    assert checked.verified_at is not None
    with pytest.raises(Conflict) as refused:
        restored(served, backup.id, tmp_path / "new")
    assert refused.value.key == "backup.database_taken"
    assert PASSWORD not in str(refused.value)
    monkeypatch.setenv("DAMALS_LEDGER", blank())
    done = restored(served, backup.id, tmp_path / "new")
    assert (done.transactions, done.erased_again) == ({"default": 2}, 1)
    with Damals.open(tmp_path / "new") as memory:
        assert [entry.title for entry in memory.entries(limit=None)] == ["Bleibt"]
        assert memory.audit().ok
        memory.remember("Weiter", "y")
        assert [hit.entry.title for hit in memory.recall("Miete", limit=1)] == ["Bleibt"]
    assert not (tmp_path / "new" / "ledger.pgdump").exists()


def test_missing_programs_are_told(served: Path, tmp_path: Path, monkeypatch, program: Program):
    with Damals.open(served) as memory:
        memory.remember("Da", "x")
        backup = memory.backup()
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(Unavailable) as refused:
            memory.backup()
        assert (refused.value.key, refused.value.values["program"]) == (
            "backup.no_program",
            "pg_dump",
        )
    told = program.json("backup", "verify", backup.id, code=5)["error"]["message"]
    assert "pg_restore is not installed" in told


def test_a_program_that_fails_is_told_in_its_words_and_leaves_no_backup(
    served: Path, tmp_path: Path, monkeypatch
):
    folder = tmp_path / "bin"
    folder.mkdir()
    fake = folder / "pg_dump"
    fake.write_text(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'pg_dump (PostgreSQL) 9.1' && exit 0\n"
        "echo half; echo 'aborting because of server version mismatch' >&2; exit 1\n"
    )
    fake.chmod(stat.S_IRWXU)
    with Damals.open(served) as memory:
        memory.remember("Da", "x")
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        with pytest.raises(Unavailable) as refused:
            memory.backup()
        assert refused.value.key == "backup.program_failed"
        assert "version mismatch" in str(refused.value.values["problem"])
        assert memory.backups() == ()


def test_a_dump_that_cannot_be_read_is_damaged(tmp_path: Path):
    (tmp_path / "ledger.pgdump").write_bytes(b"PGDMP no dump")
    with pytest.raises(Corrupt):
        postgres_dump.check_dump(tmp_path / "ledger.pgdump")


def test_it_is_not_restored_without_a_server(served: Path, tmp_path: Path, monkeypatch):
    with Damals.open(served) as memory:
        memory.remember("Da", "x")
        backup = memory.backup()
    monkeypatch.delenv("DAMALS_LEDGER")
    with pytest.raises(InvalidInput) as refused:
        restored(served, backup.id, tmp_path / "new")
    assert refused.value.key == "backup.no_server"
    assert not (tmp_path / "new").exists()


def test_a_dump_is_of_what_was_acknowledged_before(served: Path):
    with Damals.open(served) as memory:
        for number in range(5):
            memory.remember(f"Titel {number}", "x" * 2000)
        backup = memory.backup()
        memory.remember("Danach", "y")
    assert backup.transactions == {"default": 5}
