"""A home with its index on a server is restored: what the old one has put there is not current."""

from pathlib import Path
from typing import Any

import pytest

from damals import Damals
from damals.bootstrap.backups import Keys
from damals.bootstrap.restoring import place_of, restore_backup
from damals.domain.errors import Unavailable
from qdrant_server import QdrantServer


@pytest.fixture
def home(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    return tmp_path / "home"


@pytest.fixture
def server(monkeypatch):
    with QdrantServer() as one:
        monkeypatch.setenv("DAMALS_QDRANT", one.url)
        yield one


def restored(home: Path, named: str, to: Path | None = None) -> Any:
    place = place_of(home, None if to is None else str(to))
    return restore_backup(place, (home, named), Keys(None, lambda: None), lambda _: None)


def found(home: Path, words: str) -> set[str]:
    with Damals.open(home) as memory:
        answer = memory.recall(words)
        assert answer.index_lag == 0
        return {hit.entry.title for hit in answer}


def held(server: QdrantServer, words: str) -> bool:
    names = [one.name for one in server.client.get_collections().collections]
    told = (str(server.client.scroll(name, limit=10_000)) for name in names)
    return words.casefold() in "".join(told).casefold()


@pytest.mark.parametrize("vectors", [False, True])
def test_numbers_that_are_given_again_never_pass_for_known(
    home: Path, server: QdrantServer, vectors: bool
):
    """As many transactions and points as before, which say something else."""
    with Damals.open(home) as memory:
        memory.remember("Vertrag", "Der Vertrag läuft bis Mai.")
        memory.recall("Vertrag")
        backup = memory.backup(with_index=vectors)
        memory.remember("Kündigung", "Die Kündigung kam im Juni.")
        memory.recall("Kündigung")
    assert held(server, "Juni")
    restored(home, backup.id)
    with Damals.open(home) as memory:
        memory.remember("Verlängerung", "Die Verlängerung kam im Juli.")
    assert found(home, "Verlängerung Juli") >= {"Verlängerung"}
    assert "Kündigung" not in found(home, "Kündigung Juni")
    assert not held(server, "Juni")
    with Damals.open(home) as memory:
        assert memory.doctor().ok


def test_what_was_erased_again_is_not_on_the_server_either(home: Path, server: QdrantServer):
    with Damals.open(home) as memory:
        gone = memory.remember("Geheimes", "Zwetschgenkuchen mit Sahne").id
        memory.remember("Vertrag", "Der Vertrag läuft bis Mai.")
        memory.recall("Vertrag")
        backup = memory.backup()
        memory.erase("entry", gone)
    assert restored(home, backup.id).erased_again == 1
    assert found(home, "Vertrag") == {"Vertrag"}
    assert not held(server, "Zwetschgenkuchen")


@pytest.mark.usefixtures("server")
def test_a_restore_beside_leaves_the_collections_of_the_home_alone(home: Path, tmp_path: Path):
    with Damals.open(home) as memory:
        memory.remember("Vertrag", "Der Vertrag läuft bis Mai.")
        memory.recall("Vertrag")
        backup = memory.backup()
        memory.remember("Kündigung", "Die Kündigung kam im Juni.")
    before = found(home, "Kündigung Juni")
    restored(home, backup.id, tmp_path / "new")
    with Damals.open(tmp_path / "new") as memory:
        assert [one.title for one in memory.entries()] == ["Vertrag"]
        with pytest.raises(Unavailable) as refused:
            memory.recall("Vertrag")
        assert refused.value.key == "qdrant.foreign"
    assert found(home, "Kündigung Juni") == before


def test_so_it_is_with_a_ledger_on_a_server(
    home: Path, server: QdrantServer, postgres, monkeypatch
):
    urls = [postgres.blank(), postgres.blank()]
    try:
        monkeypatch.setenv("DAMALS_LEDGER", urls[0])
        with Damals.open(home) as memory:
            memory.remember("Vertrag", "Der Vertrag läuft bis Mai.")
            memory.recall("Vertrag")
            backup = memory.backup()
            memory.remember("Kündigung", "Die Kündigung kam im Juni.")
            memory.recall("Kündigung")
        monkeypatch.setenv("DAMALS_LEDGER", urls[1])
        restored(home, backup.id)
        with Damals.open(home) as memory:
            memory.remember("Verlängerung", "Die Verlängerung kam im Juli.")
        assert found(home, "Verlängerung Juli") >= {"Verlängerung"}
        assert not held(server, "Juni")
    finally:
        for url in urls:
            postgres.drop(url)
