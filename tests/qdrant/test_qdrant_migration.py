"""Moving an index to a server: broken off anywhere it goes on, and in the end both answer alike."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.shelf import EdgeShelf
from damals.adapters.embedders.store import VectorStore
from damals.adapters.qdrant.settings import QdrantSettings
from damals.adapters.qdrant.shelf import QdrantShelf
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.text.german import GermanLexicalEncoder
from damals.app import indexing
from damals.app.index_model import IndexFilter, IndexQuery
from damals.app.migrating.index import index_missing, move_index
from damals.app.ports import IndexShelf
from damals.app.search import Search
from damals.bootstrap import init_home, open_home
from damals.domain.errors import Corrupt, DamalsError, Unavailable
from damals.domain.instants import FOREVER
from directions import Directions
from qdrant_server import QdrantServer
from random_index import assert_same

ENTRIES = 60
WORDS = ["Vertrag", "Frist", "Kündigung", "Adresse", "Praxis", "Anna", "Köln", "Bonn", "Umzug"]


class Wordless(Directions):
    """An embedder that loses its model half-way."""

    def passage(self, text: str) -> bytes:
        if "7" in text:
            raise Unavailable("embed.unavailable", reason=text)
        return super().passage(text)


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as server:
        yield server


@pytest.fixture(scope="module")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with some entries, made once."""
    home = tmp_path_factory.mktemp("template") / "home"
    init_home(home, timezone="UTC")
    chance = Random(7)
    with open_home(home, brief=True, embedder="none") as memory:
        kept = []
        for number in range(ENTRIES):
            text = " ".join(chance.choices(WORDS, k=8))
            kept.append(memory.remember(f"Notiz {number}", text, sensitivity=number % 4))
            if number % 5 == 4:
                memory.update(kept[-3].id, f"Notiz {number} neu", text, reason="Neuer Stand")
            if number % 9 == 8:
                memory.relate(kept[-1].id, "based_on", kept[-2].id)
    return home


@pytest.fixture
def home(_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(indexing, "BATCH_ROWS", 12)
    monkeypatch.setattr(indexing, "SLICE_POINTS", 6)
    monkeypatch.setattr(indexing, "EMBED_BATCH", 8)
    return Path(shutil.copytree(_template, tmp_path / "home"))


def searching(home: Path, shelf: IndexShelf, embedder: Directions) -> tuple[Search, SqlLedger]:
    ledger = SqlLedger(home / "ledger.db")
    cache = VectorStore(home / f"{type(embedder).__name__}.db")
    return Search(ledger, shelf, GermanLexicalEncoder(), embedder, cache), ledger


def far(server: QdrantServer) -> QdrantShelf:
    settings = QdrantSettings(server.url, 8, "directions", "1", "home", "made", timeout_s=20)
    return QdrantShelf(settings)


def near(home: Path) -> EdgeShelf:
    settings = EdgeSettings(home / "index", 8, "directions", "1", reserve_bytes=1_000_000)
    return EdgeShelf(settings, "made", worker=False)


def questions() -> list[IndexQuery]:
    chance, embedder, lexical = Random(3), Directions(), GermanLexicalEncoder()
    asked = [" ".join(chance.choices(WORDS, k=3)) for _ in range(40)]
    where = IndexFilter("default", FOREVER - 1, FOREVER - 1)
    return [IndexQuery(where, embedder.query(one), lexical.query(one), 25) for one in asked]


def test_broken_off_again_and_again_it_goes_on_and_ends_with_equal_counts_and_answers(
    home: Path, server: QdrantServer
):
    old, old_ledger = searching(home, near(home), Directions())
    moved_here = move_index(old)
    assert moved_here.points == moved_here.vectors > ENTRIES
    far(server).current().index.close()
    attempts, positions = 0, []
    while True:
        new, ledger = searching(home, far(server), Directions())
        attempts += 1
        server.breaks_after = 20 + 12 * attempts
        try:
            moved = move_index(new)
        except Unavailable as error:
            assert error.key == "qdrant.unreachable"
            server.breaks_after = None
            if (name := far(server).look()) is not None:
                positions.append(ledger.lag(name).transactions)
            assert attempts < 40
        else:
            break
        finally:
            server.breaks_after = None
            new.close()
            ledger.close()
    assert attempts > 2, "it was to be broken off"
    assert positions == sorted(positions, reverse=True)
    assert len(set(positions)) > 1, "and to go on, not to begin again"
    assert (moved.points, moved.vectors) == (moved_here.points, moved_here.vectors)
    assert server.client.count(moved.location).count == moved.points
    left, right = near(home).current, far(server).current
    old.close()
    embedded, remote = left().index, right().index
    for query in questions():
        expected, found = embedded.query(query), remote.query(query)
        assert_same(found.dense, expected.dense)
        assert_same(found.lexical, expected.lexical)
        assert found.lexical
    embedded.close()
    old_ledger.close()


def test_points_that_went_missing_on_the_way_are_told(home: Path, server: QdrantServer):
    new, ledger = searching(home, far(server), Directions())
    move_index(new)
    victim = server.client.scroll("mindnet_chunks_1", limit=1)[0][0].id
    server.client.delete("mindnet_chunks_1", [victim])
    with pytest.raises(Corrupt) as caught:
        move_index(new)
    assert caught.value.key == "migrate.index_differs"
    assert caught.value.values["place"] == "mindnet_chunks_1"
    new.close()
    ledger.close()


def test_vectors_that_are_missing_are_told(home: Path, server: QdrantServer):
    new, ledger = searching(home, far(server), Wordless())
    with pytest.raises(Corrupt) as caught:
        move_index(new)
    assert caught.value.key == "migrate.index_differs"
    new.close()
    ledger.close()


def test_moving_twice_changes_nothing(home: Path, server: QdrantServer):
    new, ledger = searching(home, far(server), Directions())
    assert move_index(new) == move_index(new)
    new.close()
    ledger.close()


def test_what_is_in_the_way_is_told_and_who_does_not_answer_is_an_error(server: QdrantServer):
    assert index_missing(far(server).look) == ()
    assert server.client.get_collections().collections == []
    server.client.create_collection("mindnet_chunks", vectors_config={})
    (text,) = index_missing(far(server).look)
    assert "mindnet_chunks" in text
    server.stop()
    with pytest.raises(DamalsError):
        index_missing(far(server).look)
