"""The embedded engine and the plain reference answer the same random questions alike."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from edge_points import settings
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.memory.index import MemoryChunkIndex
from damals.app.index_model import ChunkPoint, IndexQuery
from random_index import (
    CHANGES,
    POINTS,
    QUERIES,
    VECTORS,
    WIDE,
    Change,
    assert_alike,
    change,
    sparse_vectors,
)


@pytest.fixture(scope="module")
def edge(shared_path: Path) -> Iterator[EdgeChunkIndex]:
    index = EdgeChunkIndex(settings(shared_path))
    yield index
    index.close()


@profile(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=CHANGES, queries=st.lists(QUERIES, min_size=1, max_size=8))
def test_the_engine_and_the_reference_agree(
    edge: EdgeChunkIndex, changes: Change, queries: list[IndexQuery]
):
    reference = MemoryChunkIndex()
    for index in (reference, edge):
        change(index, changes)
    assert_alike(edge, reference, queries)


@profile(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    points=st.lists(POINTS, min_size=10, max_size=30),
    query=st.builds(IndexQuery, WIDE, VECTORS, sparse_vectors(), st.just(100)),
    limit=st.integers(1, 8),
)
def test_a_limit_cuts_the_same_list(
    edge: EdgeChunkIndex, points: list[ChunkPoint], query: IndexQuery, limit: int
):
    edge.delete(list(edge.ids()))
    edge.upsert(points)
    whole = edge.query(query)
    cut = edge.query(IndexQuery(query.where, query.vector, query.lexical, limit))
    assert cut.dense == whole.dense[:limit]
    assert cut.lexical == whole.lexical[:limit]
