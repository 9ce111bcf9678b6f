"""Versions of the collections on a server: whose they are, which is in use, what goes."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from qdrant_client import models

from damals.adapters.qdrant import index as adapter
from damals.adapters.qdrant.settings import QdrantSettings
from damals.adapters.qdrant.shelf import QdrantShelf
from damals.app.index_schema import PAYLOAD_INDEXES
from damals.domain.errors import Unavailable
from qdrant_server import QdrantServer
from random_index import DIMENSION, a_point

KINDS = ("chunks", "edges", "notes", "people")


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as server:
        yield server


@pytest.fixture
def settings(server: QdrantServer) -> QdrantSettings:
    return QdrantSettings(server.url, DIMENSION, "m", "1", owner="home", made_with="m1")


def there(server: QdrantServer) -> set[str]:
    return {one.name for one in server.client.get_collections().collections}


def aliases(server: QdrantServer) -> dict[str, str]:
    return {one.alias_name: one.collection_name for one in server.client.get_aliases().aliases}


def version(number: int) -> dict[str, str]:
    return {f"mindnet_{kind}": f"mindnet_{kind}_{number}" for kind in KINDS}


def test_an_empty_server_gets_a_first_version_of_all_four_collections(
    server: QdrantServer, settings: QdrantSettings
):
    named = QdrantShelf(settings).current()
    assert (named.name, named.fresh, named.index.count()) == ("mindnet_chunks_1", True, 0)
    assert aliases(server) == version(1)
    assert there(server) == set(version(1).values())


def test_what_is_there_is_used_again(settings: QdrantSettings):
    QdrantShelf(settings).current().index.upsert([a_point("a")])
    named = QdrantShelf(settings).current()
    assert (named.name, named.fresh, named.index.count()) == ("mindnet_chunks_1", False, 1)


def test_collections_are_laid_out_as_the_one_definition_and_the_settings_say(
    server: QdrantServer, settings: QdrantSettings
):
    QdrantShelf(replace(settings, shards=3, replicas=2)).current()
    made = server.layouts["mindnet_chunks_1"]
    assert (made.shard_number, made.replication_factor, made.write_consistency_factor) == (3, 2, 2)
    assert made.vectors == {"content": models.VectorParams(size=4, distance=models.Distance.COSINE)}
    assert made.sparse_vectors["lexical"].modifier == models.Modifier.IDF
    assert made.hnsw_config.m == 0, "no graph: exact search answers the same after a rebuild"
    indexed = server.indexes["mindnet_chunks_1"]
    assert indexed.keys() == PAYLOAD_INDEXES.keys()
    assert indexed["workspace"].is_tenant
    assert indexed["body"].phrase_matching
    assert server.layouts["mindnet_edges_1"].vectors in ({}, None)
    assert {"src_id", "dst_id", "relation", "workspace"} <= server.indexes["mindnet_edges_1"].keys()


def test_fewer_copies_may_be_enough_for_a_write(server: QdrantServer, settings: QdrantSettings):
    QdrantShelf(replace(settings, replicas=3, write_consistency=2)).current()
    assert server.layouts["mindnet_chunks_1"].write_consistency_factor == 2


def test_a_new_version_stands_beside_and_is_switched_to_in_one_step(
    server: QdrantServer, settings: QdrantSettings
):
    shelf = QdrantShelf(settings)
    shelf.current().index.upsert([a_point("a")])
    new = shelf.fresh()
    assert (new.name, new.fresh, new.index.count()) == ("mindnet_chunks_2", True, 0)
    assert aliases(server) == version(1)
    new.index.upsert([a_point("b"), a_point("c")])
    new.index.close()
    before = len(server.requests)
    shelf.adopt(new.name)
    assert server.requests[before:].count(("POST", "/collections/aliases")) == 1
    assert aliases(server) == version(2)
    assert there(server) == set(version(2).values()), "the text of the old ones goes with them"
    assert shelf.current().index.count() == 2


def test_what_an_unfinished_rebuild_left_is_removed(server: QdrantServer, settings: QdrantSettings):
    shelf = QdrantShelf(settings)
    shelf.current()
    shelf.fresh()
    server.breaks_after = 9
    with pytest.raises(Unavailable):
        shelf.fresh()
    server.breaks_after = None
    assert "mindnet_chunks_3" in there(server)
    assert QdrantShelf(settings).current().name == "mindnet_chunks_1"
    assert there(server) == set(version(1).values())


@pytest.mark.parametrize("requests", range(0, 80, 7))
def test_broken_off_anywhere_the_first_opening_goes_through_the_second_time(
    server: QdrantServer, settings: QdrantSettings, requests: int
):
    server.breaks_after = requests
    with pytest.raises(Unavailable):
        QdrantShelf(settings).current()
    server.breaks_after = None
    named = QdrantShelf(settings).current()
    assert named.fresh
    assert aliases(server) == {k: v.replace("_1", named.name[-2:]) for k, v in version(1).items()}
    assert there(server) == set(aliases(server).values())


def test_what_is_thrown_away_is_made_anew_and_empty(server: QdrantServer, settings: QdrantSettings):
    shelf = QdrantShelf(settings)
    shelf.current().index.upsert([a_point("a")])
    shelf.discard()
    assert there(server) == set()
    named = shelf.current()
    assert (named.fresh, named.index.count()) == (True, 0)
    assert set(aliases(server)) == set(version(1))


@pytest.mark.parametrize("change", [{"made_with": "m2"}, {"dimension": 8}])
def test_what_was_filled_with_another_model_or_vectors_is_not_used(
    server: QdrantServer, settings: QdrantSettings, change: dict[str, object]
):
    QdrantShelf(settings).current().index.upsert([a_point("a")])
    named = QdrantShelf(replace(settings, **change)).current()
    assert (named.name, named.fresh, named.index.count()) == ("mindnet_chunks_2", True, 0)
    assert there(server) == set(version(2).values())


def test_a_version_of_which_a_collection_is_gone_is_not_used(
    server: QdrantServer, settings: QdrantSettings
):
    QdrantShelf(settings).current()
    server.client.delete_collection("mindnet_edges_1")
    named = QdrantShelf(settings).current()
    assert (named.name, named.fresh) == ("mindnet_chunks_2", True)
    assert aliases(server) == version(2)


def test_another_home_is_never_touched(server: QdrantServer, settings: QdrantSettings):
    theirs = QdrantShelf(replace(settings, owner="another"))
    theirs.current().index.upsert([a_point("a")])
    mine = QdrantShelf(settings)
    with pytest.raises(Unavailable) as caught:
        mine.current()
    assert caught.value.key == "qdrant.foreign"
    with pytest.raises(Unavailable):
        mine.discard()
    assert theirs.current().index.count() == 1
    beside = QdrantShelf(replace(settings, prefix="mine"))
    assert beside.current().index.count() == 0
    assert theirs.current().index.count() == 1
    assert len(there(server)) == 8


def test_a_collection_that_has_the_name_of_an_alias_is_left_alone(
    server: QdrantServer, settings: QdrantSettings
):
    server.client.create_collection("mindnet_notes", vectors_config={})
    with pytest.raises(Unavailable) as caught:
        QdrantShelf(settings).current()
    assert (caught.value.key, caught.value.values["name"]) == ("qdrant.occupied", "mindnet_notes")
    assert there(server) == {"mindnet_notes"}


def test_an_alias_on_something_else_is_left_alone(server: QdrantServer, settings: QdrantSettings):
    server.client.create_collection("old", vectors_config={})
    server.client.update_collection_aliases(
        [
            models.CreateAliasOperation(
                create_alias=models.CreateAlias(collection_name="old", alias_name="mindnet_chunks")
            )
        ]
    )
    with pytest.raises(Unavailable) as caught:
        QdrantShelf(settings).current()
    assert caught.value.key == "qdrant.foreign"
    assert aliases(server) == {"mindnet_chunks": "old"}


def test_looking_changes_nothing(server: QdrantServer, settings: QdrantSettings):
    shelf = QdrantShelf(settings)
    assert shelf.look() is None
    assert there(server) == set()
    shelf.current()
    assert shelf.look() == "mindnet_chunks_1"


def test_a_graph_is_built_from_so_many_points_on_and_known_later(
    server: QdrantServer, settings: QdrantSettings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(adapter, "GRAPH_FROM_POINTS", 3)
    index = QdrantShelf(settings).current().index
    index.upsert([a_point("a"), a_point("b")])
    index.optimize()
    assert ("PATCH", "/collections/mindnet_chunks_1") not in server.requests
    index.upsert([a_point("c")])
    index.optimize()
    index.optimize()
    assert server.requests.count(("PATCH", "/collections/mindnet_chunks_1")) == 1
    told = server.client.get_collection("mindnet_chunks_1").config.metadata
    assert told["graph"] is True
    assert told["damals_home"] == "home"
    again = QdrantShelf(settings).current().index
    again.optimize()
    assert server.requests.count(("PATCH", "/collections/mindnet_chunks_1")) == 1
