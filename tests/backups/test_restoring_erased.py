"""What was erased does not come back with a backup that is older than its erasure."""

import shutil
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from restoring import holding, restored

from damals import Damals
from damals.adapters.backups.journal import FILE, JournalFile
from damals.app.erasures_journal import ErasureRecord
from damals.domain.errors import Corrupt, NotFound
from damals.domain.instants import instant_of

SECRET = "Zahnarzttermin von Erika Mustermann"  # noqa: S105 -- what is to be gone


@pytest.fixture
def backed_up(home: Path):
    """A home with a backup, one of whose entries was erased since: backup, and the erased id."""
    with Damals.open(home) as memory:
        gone = memory.remember("Termin", SECRET, external_id="termin").id
        memory.remember("Bleibt", "Inhalt, der bleibt")
        backup = memory.backup()
        memory.erase("entry", gone)
    return backup, gone


def is_gone(home: Path, id: str) -> bool:
    with Damals.open(home) as memory:
        assert [entry.title for entry in memory.entries(limit=None)] == ["Bleibt"]
        assert memory.audit().ok
        with pytest.raises(NotFound):
            memory.get(id)
        return True


def test_a_restored_home_is_without_what_was_erased_since(home: Path, backed_up):
    backup, gone = backed_up
    done = restored(home, backup.id)
    assert done.erased_again == 1
    assert is_gone(home, gone)
    assert holding(home, SECRET) == []


def test_so_is_a_new_home(home: Path, tmp_path: Path, backed_up):
    backup, gone = backed_up
    assert restored(home, backup.id, tmp_path / "new").erased_again == 1
    assert is_gone(tmp_path / "new", gone)
    assert holding(tmp_path / "new", SECRET) == []


def test_a_lost_home_comes_back_without_it(home: Path, backed_up):
    backup, gone = backed_up
    shutil.rmtree(home)
    assert restored(home, backup.id).erased_again == 1
    assert is_gone(home, gone)


def test_the_journal_beside_a_backup_counts_wherever_that_lies(
    home: Path, tmp_path: Path, backed_up, monkeypatch
):
    backup, gone = backed_up
    shutil.copytree(Path(backup.path).parent, tmp_path / "usb")
    shutil.rmtree(home)
    shutil.rmtree(Path(backup.path).parent)
    monkeypatch.setenv("DAMALS_HOME", str(tmp_path / "other"))
    moved = tmp_path / "usb" / Path(backup.path).name
    done = restored(tmp_path / "other", str(moved))
    assert done.erased_again == 1
    assert is_gone(tmp_path / "other", gone)
    # From now on the new home knows it by itself.
    [record, *_] = JournalFile(tmp_path / "other.backups").records()
    assert UUID(gone) in record.entries


def test_what_the_replaced_home_knows_counts_when_the_journal_is_lost(home: Path, backed_up):
    backup, gone = backed_up
    (home.with_name("home.backups") / FILE).unlink(missing_ok=True)
    assert restored(home, backup.id).erased_again == 1
    assert is_gone(home, gone)


def test_a_journal_that_cannot_be_trusted_stops_the_restore(home: Path, backed_up):
    backup, _ = backed_up
    journal = home.with_name("home.backups") / FILE
    journal.write_bytes(b'{"format": 1}\n')
    before = (home / "ledger.db").read_bytes()
    with pytest.raises(Corrupt) as refused:
        restored(home, backup.id)
    assert refused.value.key == "backup.journal"
    assert (home / "ledger.db").read_bytes() == before


def a_record(home: Path, gone: str) -> ErasureRecord:
    """What the journal of another, later state of this home says."""
    with Damals.open(home) as memory:
        [workspace] = memory.workspaces()
        [told] = memory.backups()
    return ErasureRecord(
        erasure_id=uuid4(),
        home=str(told.home),
        workspace="default",
        workspace_made=instant_of(workspace.created_at),
        kind="entry",
        entries=(UUID(gone),),
        marks=(),
        number=1000,
        erased_at=instant_of("2100-01-01T00:00:00Z"),
        actor="owner",
    )


def test_erasures_of_other_ledgers_and_of_other_workspaces_change_nothing(home: Path):
    with Damals.open(home) as memory:
        stays = memory.remember("Bleibt", "x").id
        backup = memory.backup()
    journal = JournalFile(home.with_name("home.backups"))
    record = a_record(home, stays)
    journal.append(replace(record, erasure_id=uuid4(), home="another"))
    journal.append(replace(record, erasure_id=uuid4(), workspace="anders"))
    journal.append(replace(record, erasure_id=uuid4(), entries=(uuid4(),)))
    journal.append(replace(record, erasure_id=uuid4(), workspace_made=1))
    assert restored(home, backup.id).erased_again == 0
    with Damals.open(home) as memory:
        assert memory.get(stays).title == "Bleibt"


def test_restoring_twice_erases_once_more_each_time_and_nothing_else(home: Path, backed_up):
    backup, gone = backed_up
    for _ in range(2):
        assert restored(home, backup.id).erased_again == 1
        assert is_gone(home, gone)
    with Damals.open(home) as memory:
        again = memory.backup()
    assert restored(home, again.id).erased_again == 0
    assert is_gone(home, gone)


def test_an_erased_source_and_an_erased_workspace_stay_erased(home: Path, tmp_path: Path):
    vault = tmp_path / "Vault"
    vault.mkdir()
    (vault / "a.md").write_text(f"# Notiz\n\n{SECRET}\n", encoding="utf-8")
    (vault / "b.md").write_text("# Andere\n\nNoch etwas\n", encoding="utf-8")
    with Damals.open(home) as memory:
        memory.import_(vault, name="notizen")
        memory.remember("Bleibt", "x")
        memory.create_workspace("zwei")
    with Damals.open(home, workspace="zwei") as memory:
        memory.remember("Im zweiten", SECRET)
        backup = memory.backup()
        memory.erase("workspace", "zwei")
    with Damals.open(home) as memory:
        memory.erase("source", "notizen")
    assert restored(home, backup.id).erased_again == 2
    assert holding(home, SECRET) == []
    with Damals.open(home) as memory:
        assert [entry.title for entry in memory.entries(limit=None)] == ["Bleibt"]
        assert [one.name for one in memory.workspaces()] == ["default"]
        assert memory.audit().ok


def test_a_backup_older_than_what_was_erased_does_not_let_it_be_imported_again(
    home: Path, tmp_path: Path
):
    vault = tmp_path / "Vault"
    vault.mkdir()
    (vault / "a.md").write_text(f"# Notiz\n\n{SECRET}\n", encoding="utf-8")
    (vault / "b.md").write_text("# Andere\n\nNoch etwas\n", encoding="utf-8")
    with Damals.open(home) as memory:
        memory.remember("Bleibt", "x")
        backup = memory.backup()
        memory.import_(vault, name="notizen")
        [gone] = [entry.id for entry in memory.entries() if entry.title == "Notiz"]
        memory.erase("entry", gone)
    assert restored(home, backup.id).erased_again == 0
    with Damals.open(home) as memory:
        memory.import_(vault, name="notizen")
        titles = sorted(entry.title for entry in memory.entries(limit=None))
        assert titles == ["Andere", "Bleibt"]
        assert memory.audit().ok
