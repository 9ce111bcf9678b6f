"""A home whose index lies on a server: what is stored, found, told and removed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from damals import Damals
from damals.bootstrap import init_home, open_home
from damals.domain.errors import Unavailable
from qdrant_server import QdrantServer


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="UTC")
    return tmp_path / "home"


def opened(home: Path, server: QdrantServer) -> Damals:
    return open_home(home, brief=True, qdrant=server.url, qdrant_timeout_s=20)


def found(memory: Damals, query: str, **options: Any) -> list[str]:
    return [hit.entry.title for hit in memory.recall(query, **options)]


def points(server: QdrantServer, kind: str) -> list[dict[str, Any]]:
    name = next(
        one.collection_name
        for one in server.client.get_aliases().aliases
        if one.alias_name == f"mindnet_{kind}"
    )
    return [one.payload for one in server.client.scroll(name, limit=1_000)[0]]


def test_a_home_on_a_server_answers_as_an_embedded_one(
    home: Path, server: QdrantServer, tmp_path: Path
):
    init_home(tmp_path / "embedded", timezone="UTC")
    answers = []
    with opened(home, server) as far, open_home(tmp_path / "embedded", brief=True) as near:
        for memory in (far, near):
            first = memory.remember("Adresse", "Hauptstraße 1 in Bonn.", valid_from="2024")
            memory.remember("Frist", "Die Frist beträgt vier Wochen.", sensitivity=2)
            memory.update(
                first.id, "Adresse", "Nebenstraße 2 in Köln.", reason="Umzug", valid_from="2025"
            )
            answers.append(
                [
                    (hit.entry.title, round(hit.score, 5), hit.entry.content)
                    for query in ("Adresse", "Frist", "vier Wochen")
                    for as_of in ("2024-06", None)
                    for hit in memory.recall(query, as_of=as_of)
                ]
            )
    assert answers[0] == answers[1]
    assert len(answers[0]) > 3


def test_knowledge_is_stored_while_the_server_is_dead_and_found_when_it_is_back(
    home: Path, server: QdrantServer
):
    with opened(home, server) as memory:
        memory.remember("Vertrag", "Der Vertrag läuft.")
        assert found(memory, "Vertrag") == ["Vertrag"]
        server.stop()
        memory.remember("Kündigung", "Die Kündigung des Vertrags.")
        assert {one.title for one in memory.entries()} == {"Vertrag", "Kündigung"}
        with pytest.raises(Unavailable) as caught:
            memory.recall("Vertrag")
        assert caught.value.key == "qdrant.unreachable"
        server.start()
        assert set(found(memory, "Vertrag")) == {"Vertrag", "Kündigung"}


def test_a_home_can_be_opened_and_written_while_the_server_is_dead(
    home: Path, server: QdrantServer
):
    server.stop()
    with opened(home, server) as memory:
        memory.remember("Vertrag", "Der Vertrag läuft.")
        health = memory.doctor()
        assert not health.ok
        assert "index" in [check.name for check in health.checks if not check.ok]
    server.start()
    with opened(home, server) as memory:
        assert found(memory, "Vertrag") == ["Vertrag"]
        assert memory.doctor().ok


def test_a_server_that_lost_everything_is_filled_again(home: Path, server: QdrantServer):
    with opened(home, server) as memory:
        memory.remember("Vertrag", "Der Vertrag läuft.")
        assert found(memory, "Vertrag") == ["Vertrag"]
    server.empty()
    with opened(home, server) as memory:
        assert found(memory, "Vertrag") == ["Vertrag"]
        server.empty()
        assert found(memory, "Vertrag") == ["Vertrag"], "also while it is open"


def test_points_that_somebody_removed_are_noticed(home: Path, server: QdrantServer):
    with opened(home, server) as memory:
        memory.remember("Vertrag", "Der Vertrag läuft.")
        memory.remember("Frist", "Vier Wochen.")
        memory.recall("Vertrag")
    ids = [one.id for one in server.client.scroll("mindnet_chunks_1")[0]]
    server.client.delete("mindnet_chunks_1", ids[:1])
    with opened(home, server) as memory:
        assert set(found(memory, "Vertrag Wochen")) == {"Vertrag", "Frist"}
    assert len(points(server, "chunks")) == 2


def test_a_rebuild_replaces_all_collections(home: Path, server: QdrantServer):
    with opened(home, server) as memory:
        memory.remember("Vertrag", "Der Vertrag läuft.")
        memory.recall("Vertrag")
        assert memory.reindex().points == 1
        assert found(memory, "Vertrag") == ["Vertrag"]
    names = {one.name for one in server.client.get_collections().collections}
    assert names == {f"mindnet_{kind}_2" for kind in ("chunks", "notes", "edges", "people")}
    assert len(points(server, "notes")) == 1


def test_the_index_that_lay_in_the_home_goes_with_the_first_rebuild(
    home: Path, server: QdrantServer
):
    with open_home(home, brief=True) as memory:
        memory.remember("Vertrag", "Der Vertrag läuft.")
        assert found(memory, "Vertrag") == ["Vertrag"]
    assert list((home / "index").iterdir())
    with opened(home, server) as memory:
        assert found(memory, "Vertrag") == ["Vertrag"]
        memory.reindex()
        assert found(memory, "Vertrag") == ["Vertrag"]
    assert list((home / "index").iterdir()) == []
    with open_home(home, brief=True) as memory:
        assert found(memory, "Vertrag") == ["Vertrag"], "and back again"


def test_notes_edges_and_persons_are_there_for_other_programs(home: Path, server: QdrantServer):
    with opened(home, server) as memory:
        anna = memory.remember(
            "Anna", "Anna ist Ärztin.", type="person", properties={"relation_to_owner": "other"}
        )
        note = memory.remember(
            "Praxis", "Die Praxis.", tags=["Arbeit/Ort"], sensitivity=2, acl=["team"]
        )
        memory.relate(note.id, "based_on", anna.id, confidence=0.5)
        memory.recall("Praxis")
        notes = {one["title"]: one for one in points(server, "notes")}
        assert notes.keys() == {"Anna", "Praxis"}
        praxis = notes["Praxis"]
        assert (praxis["entry_id"], praxis["type"], praxis["lang"]) == (note.id, "fact", "de")
        assert praxis["tags"] == ["arbeit", "arbeit/ort"]
        assert (praxis["visibility"], praxis["sensitivity"]) == ("internal", 2)
        assert praxis["recorded_to"].startswith("9999")
        (person,) = points(server, "people")
        assert (person["title"], person["relation_to_owner"]) == ("Anna", "other")
        (edge,) = points(server, "edges")
        assert (edge["src_id"], edge["dst_id"]) == (note.id, anna.id)
        assert (edge["relation"], edge["direction"]) == ("based_on", "out")
        assert edge["confidence"] == 0.5
        assert (edge["sensitivity"], edge["acl"], edge["lang"]) == (2, ["team"], "de")


def test_what_changes_of_a_note_is_a_row_more_and_access_changes_on_all_rows(
    home: Path, server: QdrantServer
):
    with opened(home, server) as memory:
        note = memory.remember("Praxis", "Die Praxis.", valid_from="2024")
        memory.recall("Praxis")
        memory.correct(note.id, title="Die Praxis", reason="Name")
        memory.correct(note.id, visibility="restricted", reason="Vertraulich")
        memory.recall("Praxis")
    rows = points(server, "notes")
    assert {one["title"] for one in rows} == {"Praxis", "Die Praxis"}
    assert {one["visibility"] for one in rows} == {"restricted"}
    current = [one for one in rows if one["recorded_to"].startswith("9999")]
    assert [one["title"] for one in current] == ["Die Praxis"]
    assert all(one["updated_at"] == one["recorded_to"] for one in rows if one not in current)


def test_an_edge_is_for_those_who_may_see_both_ends(home: Path, server: QdrantServer):
    with opened(home, server) as memory:
        one = memory.remember("A", "A", acl=["team"], visibility="public")
        two = memory.remember("B", "B", acl=["chefs"], visibility="restricted")
        memory.relate(one.id, "based_on", two.id)
        memory.recall("A")
    (edge,) = points(server, "edges")
    assert (edge["visibility"], edge["acl"]) == ("restricted", [""])


def test_what_is_erased_is_in_no_collection(home: Path, server: QdrantServer):
    with opened(home, server) as memory:
        anna = memory.remember("Anna Geheim", "Anna Geheim.", type="person")
        note = memory.remember("Praxis", "Die Praxis.")
        memory.relate(note.id, "based_on", anna.id)
        memory.recall("Praxis")
        memory.erase("entry", anna.id)
        assert found(memory, "Geheim") == []
    kinds = ("chunks", "notes", "edges", "people")
    left = json.dumps([points(server, kind) for kind in kinds], ensure_ascii=False)
    assert "Geheim" not in left
    assert anna.id not in left
    assert [len(points(server, kind)) for kind in kinds] == [1, 1, 0, 0]


def damals(home: Path, server: QdrantServer, *words: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {
        "DAMALS_QDRANT": server.url,
        "DAMALS_HOME": str(home),
        "DAMALS_EMBEDDER": "none",
        "DAMALS_LANG": "en",
        "DAMALS_QDRANT_KEY": "a-secret",
    }
    command = [sys.executable, "-m", "damals", *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_the_command_line_uses_the_server_and_says_what_is_wrong_with_it(
    home: Path, server: QdrantServer
):
    server.key = "a-secret"
    done = damals(home, server, "remember", "--title", "Vertrag", "--content", "Er läuft.")
    assert done.returncode == 0, done.stderr
    shown = damals(home, server, "recall", "Vertrag", "--json")
    assert json.loads(shown.stdout)["results"][0]["entry"]["title"] == "Vertrag"
    assert len(points(server, "chunks")) == 1
    settings = damals(home, server, "config", "show").stdout
    assert "a-secret" not in settings
    server.version = "1.18.0"
    refused = damals(home, server, "recall", "Vertrag")
    assert refused.returncode == 5
    assert "version 1.18.0; at least 1.19" in refused.stderr
    assert "a-secret" not in refused.stderr
