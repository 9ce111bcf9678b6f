"""Both vector adapters answer the same random questions alike: embedded and on a server."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st
from qdrant_client import QdrantClient

from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.memory.index import MemoryChunkIndex
from damals.adapters.qdrant.settings import QdrantSettings
from damals.adapters.qdrant.shelf import QdrantShelf
from damals.app.index_model import ChunkPoint, IndexQuery
from damals.app.ports import ChunkIndex
from random_index import (
    CHANGES,
    DIMENSION,
    POINTS,
    QUERIES,
    VECTORS,
    WIDE,
    Change,
    assert_alike,
    change,
    sparse_vectors,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


@pytest.fixture(scope="module")
def edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChunkIndex]:
    folder = tmp_path_factory.mktemp("edge")
    index = EdgeChunkIndex(EdgeSettings(folder, DIMENSION, "m", "1", reserve_bytes=1_000_000))
    yield index
    index.close()


def on_a_server() -> ChunkIndex:
    settings = QdrantSettings("http://in-memory", DIMENSION, "m", "1")
    return QdrantShelf(settings, QdrantClient(":memory:")).current().index


@profile(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=CHANGES, queries=st.lists(QUERIES, min_size=1, max_size=8))
def test_the_two_vector_adapters_and_the_reference_agree(
    edge: ChunkIndex, changes: Change, queries: list[IndexQuery]
):
    server, reference = on_a_server(), MemoryChunkIndex()
    for index in (edge, server, reference):
        change(index, changes)
    assert_alike(server, edge, queries)
    assert_alike(server, reference, queries)


@profile(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    points=st.lists(POINTS, min_size=10, max_size=30),
    query=st.builds(IndexQuery, WIDE, VECTORS, sparse_vectors(), st.just(100)),
    limit=st.integers(1, 8),
)
def test_a_limit_cuts_the_same_list(points: list[ChunkPoint], query: IndexQuery, limit: int):
    server = on_a_server()
    server.upsert(points)
    whole = server.query(query)
    cut = server.query(IndexQuery(query.where, query.vector, query.lexical, limit))
    assert cut.dense == whole.dense[:limit]
    assert cut.lexical == whole.lexical[:limit]
