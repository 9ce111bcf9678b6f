"""Every kind of erasure stays what it was after a restore: in a file and on a server, in a new
home too, and also where the backup had nothing of what was erased."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from restoring import holding, restored

from damals import Damals
from damals.adapters.backups.journal import FILE
from damals.domain.errors import Conflict, NotFound

SECRET = "Zahnarzttermin von Erika Mustermann"  # noqa: S105 -- what is to be gone
ID = "01a22933-c03b-7d01-a7a1-57687e64d23a"


@pytest.fixture(params=["file", "server"])
def elsewhere(request: pytest.FixtureRequest, monkeypatch) -> Callable[[], None]:
    """Has a ledger of its own for each home to come: to be called before a restore."""
    if request.param == "file":
        return lambda: None
    blank = request.getfixturevalue("blank")
    monkeypatch.setenv("DAMALS_LEDGER", blank())
    return lambda: monkeypatch.setenv("DAMALS_LEDGER", blank())


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "Vault"
    folder.mkdir()
    (folder / "a.md").write_text(f"# Notiz\n\n{SECRET}\n", encoding="utf-8")
    return folder


def event(**told: str) -> dict[str, str]:
    return {"op": "remember", **told}


def titles(memory: Damals) -> list[str]:
    return sorted(one.title for one in memory.entries(limit=None))


@pytest.mark.parametrize("early", [True, False])
def test_an_erased_source_is_refused_again_until_it_is_readmitted(
    home: Path, tmp_path: Path, vault: Path, elsewhere, early: bool
):
    with Damals.open(home) as memory:
        memory.remember("Bleibt", "x")
        backup = memory.backup() if early else None
        memory.import_(vault, name="notizen")
        backup = backup or memory.backup()
        memory.erase("source", "notizen")
    shutil.rmtree(home)
    elsewhere()
    new = tmp_path / "new"
    assert restored(home, backup.id, new).erased_again == (0 if early else 1)
    with Damals.open(new) as memory:
        with pytest.raises(Conflict) as refused:
            memory.import_(vault, name="notizen")
        assert refused.value.key == "source.erased_before"
        memory.import_(vault, name="andere")  # the same file under another name
        assert titles(memory) == ["Bleibt"]
        memory.import_(vault, name="notizen", readmit=True)
        assert titles(memory) == ["Bleibt", "Notiz"]
        assert memory.audit().ok
    with Damals.open(new) as memory:
        memory.import_(vault, name="notizen")


def test_so_it_is_when_only_the_home_that_is_replaced_knows_of_it(home: Path, vault: Path):
    with Damals.open(home) as memory:
        memory.remember("Bleibt", "x")
        backup = memory.backup()
        memory.import_(vault, name="notizen")
        memory.erase("source", "notizen")
    (home.with_name("home.backups") / FILE).unlink()
    restored(home, backup.id)
    with Damals.open(home) as memory, pytest.raises(Conflict):
        memory.import_(vault, name="notizen")


@pytest.mark.parametrize("early", [True, False])
def test_an_erased_entry_is_not_imported_again_under_its_id(
    home: Path, tmp_path: Path, elsewhere, early: bool
):
    said = event(id=ID, title="Termin", content=SECRET)
    with Damals.open(home) as memory:
        memory.remember("Bleibt", "x")
        backup = memory.backup() if early else None
        memory.transact([said])
        backup = backup or memory.backup()
        memory.erase("entry", ID)
    elsewhere()
    new = tmp_path / "new"
    restored(home, backup.id, new)
    with Damals.open(new) as memory:
        with pytest.raises(Conflict) as refused:
            memory.transact([said])
        assert refused.value.key == "entry.erased_before"
        with pytest.raises(NotFound):
            memory.get(ID)
        assert titles(memory) == ["Bleibt"]
        assert memory.audit().ok
    assert holding(new, SECRET) == []
    events = tmp_path / "events.jsonl"
    told = {**said, "recorded_at": datetime.now(UTC).isoformat()}
    events.write_text(f"{json.dumps(told)}\n", encoding="utf-8")
    with Damals.open(new) as memory:
        with pytest.raises(Conflict):
            memory.import_(events)
        memory.import_(events, readmit=True)
        assert titles(memory) == ["Bleibt", "Termin"]
        with pytest.raises(NotFound):
            memory.get(ID)  # its id is nobody's


@pytest.mark.parametrize("early", [True, False])
def test_an_erased_person_stays_erased(home: Path, tmp_path: Path, elsewhere, early: bool):
    said = event(id=ID, title=SECRET, content="Kundin", type="person")
    with Damals.open(home) as memory:
        memory.remember("Bleibt", "x")
        backup = memory.backup() if early else None
        memory.transact([said])
        backup = backup or memory.backup()
        memory.erase("person", ID)
    shutil.rmtree(home)
    elsewhere()
    new = tmp_path / "new"
    assert restored(home, backup.id, new).erased_again == (0 if early else 1)
    with Damals.open(new) as memory:
        assert titles(memory) == ["Bleibt"]
        with pytest.raises(Conflict):
            memory.transact([said])
        assert memory.audit().ok
    assert holding(new, SECRET) == []


def test_an_erased_workspace_stays_erased(home: Path, tmp_path: Path, elsewhere):
    backup = with_an_erased_workspace(home)
    shutil.rmtree(home)
    elsewhere()
    assert restored(home, backup).erased_again == 1
    assert is_gone(home)
    with Damals.open(home) as memory:
        memory.create_workspace("zwei")  # a new one of the name is another one
        again = memory.backup()
    elsewhere()
    assert restored(home, again.id, tmp_path / "newer").erased_again == 0
    with Damals.open(tmp_path / "newer") as memory:
        assert [one.name for one in memory.workspaces()] == ["default", "zwei"]


def test_so_it_does_when_only_the_home_that_is_replaced_knows_of_it(home: Path):
    backup = with_an_erased_workspace(home)
    (home.with_name("home.backups") / FILE).unlink()
    assert restored(home, backup).erased_again == 1
    assert is_gone(home)


def with_an_erased_workspace(home: Path) -> str:
    """The id of the backup that was made before."""
    with Damals.open(home) as memory:
        memory.remember("Bleibt", "x")
        memory.create_workspace("zwei")
    with Damals.open(home, workspace="zwei") as memory:
        memory.remember("Im zweiten", SECRET)
        backup = memory.backup()
        memory.erase("workspace", "zwei")
    return backup.id


def is_gone(home: Path) -> bool:
    with Damals.open(home) as memory:
        assert [one.name for one in memory.workspaces()] == ["default"]
        assert memory.audit().ok
    return holding(home, SECRET) == []
