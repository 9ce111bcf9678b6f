"""Random points and questions, for indexes that must answer alike."""

import struct
from collections.abc import Sequence
from dataclasses import replace
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from hypothesis import strategies as st

from damals.app.index_model import (
    AccessFilter,
    ChunkPoint,
    Hit,
    IndexFilter,
    IndexQuery,
    SparseVector,
)
from damals.app.ledger_model import Access
from damals.app.ports import ChunkIndex
from damals.domain.instants import BEGINNING, FOREVER

DIMENSION = 4


def vector(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def an_id(name: object) -> UUID:
    return uuid5(NAMESPACE_OID, str(name))


def a_point(name: object, **changes: object) -> ChunkPoint:
    point = ChunkPoint(
        id=an_id(name),
        workspace="main",
        chunk_id=an_id("chunk"),
        entry_id=an_id("entry"),
        valid_from_earliest=0,
        valid_from_latest=0,
        valid_to_earliest=FOREVER,
        valid_to_latest=FOREVER,
        recorded_from=0,
        age_at=0,
        type="note",
        lang="de",
        body="Der Vertrag läuft.",
        lexical=SparseVector((1,), (1.0,)),
        vector=vector(1, 0, 0, 0),
    )
    return replace(point, **changes)


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

Change = tuple[
    list[ChunkPoint],
    dict[UUID, tuple[int, bytes]],
    list[UUID],
    tuple[UUID, str, int, tuple[str, ...]],
]
CHANGES = st.tuples(
    st.lists(POINTS, max_size=25),
    st.dictionaries(st.integers(0, 30).map(an_id), st.tuples(INSTANTS, VECTORS)),
    st.lists(st.integers(0, 30).map(an_id), max_size=5),
    st.tuples(st.integers(0, 5).map(an_id), NAMES, st.integers(0, 3), SETS),
)


def change(index: ChunkIndex, changes: Change) -> None:
    """Empty an index, whatever earlier examples left, and do all that can be done to points."""
    points, changed, removed, access = changes
    index.delete(list(index.ids()))
    index.upsert(points)
    index.close_points({point_id: end for point_id, (end, _) in changed.items()})
    index.set_vectors({point_id: new for point_id, (_, new) in changed.items()})
    index.set_access("main", access[0], Access(*access[1:]))
    index.delete(removed)


def assert_alike(left: ChunkIndex, right: ChunkIndex, queries: Sequence[IndexQuery]) -> None:
    assert left.count() == right.count()
    assert set(left.ids()) == set(right.ids())
    for query in queries:
        assert left.count(query.where) == right.count(query.where)
        found, expected = left.query(query), right.query(query)
        assert_same(found.dense, expected.dense)
        assert_same(found.lexical, expected.lexical)


def by_id(hits: tuple[Hit, ...]) -> dict[UUID, tuple[float, UUID, int]]:
    return {hit.point_id: (hit.score, hit.entry_id, hit.age_at) for hit in hits}


def assert_same(left: tuple[Hit, ...], right: tuple[Hit, ...]) -> None:
    found, expected = by_id(left), by_id(right)
    assert found.keys() == expected.keys()
    for point_id, (score, *rest) in found.items():
        assert rest == list(expected[point_id][1:])
        assert score == pytest.approx(expected[point_id][0], rel=1e-5, abs=1e-5)
    assert list(left) == sorted(left, key=lambda hit: (-hit.score, hit.point_id))
