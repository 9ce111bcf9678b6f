"""The embedded engine and the plain reference answer the same random questions alike."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from edge_points import DIMENSION, a_point, an_id, settings, vector
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.memory.index import MemoryChunkIndex
from damals.app.index_model import (
    AccessFilter,
    ChunkPoint,
    Hit,
    IndexFilter,
    IndexQuery,
    SparseVector,
)
from damals.app.ledger_model import Access
from damals.domain.instants import BEGINNING, FOREVER

INSTANTS = st.sampled_from([BEGINNING, BEGINNING + 1, -1, 0, 1, 2, FOREVER - 1, FOREVER])
NAMES = st.sampled_from(["a", "b", "c"])
SETS = st.lists(NAMES, max_size=2, unique=True).map(tuple)
BODIES = st.lists(st.sampled_from(["a", "b", "ä", "über", "c++", "-"]), max_size=5).map(" ".join)
PHRASES = st.just(()) | st.lists(BODIES, max_size=2).map(tuple)
NUMBERS = st.floats(-4, 4, width=32).filter(lambda number: abs(number) > 1e-3)
VECTORS = st.tuples(*[NUMBERS] * DIMENSION).map(lambda numbers: vector(*numbers))
WEIGHTS = st.floats(0.125, 4, width=32)


@st.composite
def sparse_vectors(draw: st.DrawFn) -> SparseVector:
    weights = draw(st.dictionaries(st.sampled_from([0, 1, 2, 7, 2**32 - 1]), WEIGHTS, max_size=4))
    indices = tuple(sorted(weights))
    return SparseVector(indices, tuple(weights[index] for index in indices))


POINTS = st.builds(
    a_point,
    st.integers(0, 30),
    workspace=st.sampled_from(["main", "main", "main", "other"]),
    entry_id=st.integers(0, 5).map(an_id),
    valid_from_earliest=INSTANTS,
    valid_from_latest=INSTANTS,
    valid_to_earliest=INSTANTS,
    valid_to_latest=INSTANTS,
    recorded_from=INSTANTS,
    recorded_to=INSTANTS,
    archived_at=st.one_of(st.just(FOREVER), INSTANTS),
    age_at=INSTANTS,
    type=NAMES,
    lang=NAMES,
    tags=SETS,
    paths=SETS,
    visibility=NAMES,
    sensitivity=st.integers(0, 3),
    acl=SETS,
    body=BODIES,
    lexical=sparse_vectors(),
    vector=st.none() | VECTORS,
)
ACCESS = st.just(AccessFilter()) | st.builds(
    AccessFilter, st.none() | SETS, st.none() | st.integers(0, 3), st.none() | SETS
)
FILTERS = st.builds(
    IndexFilter,
    workspace=st.just("main"),
    as_of=INSTANTS,
    known_at=INSTANTS,
    access=ACCESS,
    certain=st.booleans(),
    types=st.just(()) | SETS,
    tags=st.just(()) | SETS,
    path=st.none() | NAMES,
    lang=st.none() | st.none() | NAMES,
    since=st.none() | INSTANTS,
    until=st.none() | INSTANTS,
    paths=st.just(()) | SETS,
    phrases=PHRASES,
    no_types=st.just(()) | SETS,
    no_tags=st.just(()) | SETS,
    no_paths=st.just(()) | SETS,
    no_phrases=PHRASES,
    only=st.none() | st.lists(st.integers(0, 5).map(an_id), min_size=1, max_size=4).map(tuple),
)
WIDE = st.builds(IndexFilter, st.just("main"), st.just(0), st.just(0), access=ACCESS)
QUERIES = st.builds(
    IndexQuery, FILTERS | WIDE, st.none() | VECTORS, st.none() | sparse_vectors(), st.just(100)
)


@pytest.fixture(scope="module")
def edge(shared_path: Path) -> Iterator[EdgeChunkIndex]:
    index = EdgeChunkIndex(settings(shared_path))
    yield index
    index.close()


def by_id(hits: tuple[Hit, ...]) -> dict[UUID, tuple[float, UUID, int]]:
    return {hit.point_id: (hit.score, hit.entry_id, hit.age_at) for hit in hits}


def assert_same(left: tuple[Hit, ...], right: tuple[Hit, ...]) -> None:
    found, expected = by_id(left), by_id(right)
    assert found.keys() == expected.keys()
    for point_id, (score, *rest) in found.items():
        assert rest == list(expected[point_id][1:])
        assert score == pytest.approx(expected[point_id][0], rel=1e-5, abs=1e-5)
    assert list(left) == sorted(left, key=lambda hit: (-hit.score, hit.point_id))


@profile(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    points=st.lists(POINTS, max_size=25),
    changed=st.dictionaries(st.integers(0, 30).map(an_id), st.tuples(INSTANTS, VECTORS)),
    removed=st.lists(st.integers(0, 30).map(an_id), max_size=5),
    access=st.tuples(st.integers(0, 5).map(an_id), NAMES, st.integers(0, 3), SETS),
    queries=st.lists(QUERIES, min_size=1, max_size=8),
)
def test_the_engine_and_the_reference_agree(
    edge: EdgeChunkIndex,
    points: list[ChunkPoint],
    changed: dict[UUID, tuple[int, bytes]],
    removed: list[UUID],
    access: tuple[UUID, str, int, tuple[str, ...]],
    queries: list[IndexQuery],
):
    reference = MemoryChunkIndex()
    # What earlier examples deleted must not show through either.
    edge.delete(list(edge.ids()))
    for index in (reference, edge):
        index.upsert(points)
        index.close_points({point_id: end for point_id, (end, _) in changed.items()})
        index.set_vectors({point_id: new for point_id, (_, new) in changed.items()})
        index.set_access("main", access[0], Access(*access[1:]))
        index.delete(removed)
    assert edge.count() == reference.count()
    assert set(edge.ids()) == set(reference.ids())
    for query in queries:
        assert edge.count(query.where) == reference.count(query.where)
        found, expected = edge.query(query), reference.query(query)
        assert_same(found.dense, expected.dense)
        assert_same(found.lexical, expected.lexical)


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
