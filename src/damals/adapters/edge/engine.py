"""The one definition of collection, points and filters in the words of Qdrant Edge."""

from collections.abc import Iterable
from typing import Literal

import qdrant_edge as qe

from damals.adapters.edge.schema import EdgeSettings
from damals.app.index_conditions import (
    AnyOf,
    AtMost,
    Condition,
    Conditions,
    Either,
    Is,
    Nothing,
    Says,
    When,
    conditions_of,
    corpus_of,
)
from damals.app.index_model import ChunkPoint, IndexQuery, SparseVector
from damals.app.index_schema import (
    DENSE,
    HIT_FIELDS,
    LEXICAL,
    PAYLOAD_INDEXES,
    IndexKind,
    floats,
    point_payload,
)
from damals.domain.instants import format_instant


def shard_config(settings: EdgeSettings) -> qe.EdgeConfig:
    """Vectors and storage of the shard. ``m=0``: no graph, see ``GRAPH_FROM_POINTS``."""
    return qe.EdgeConfig(
        vectors={DENSE: qe.EdgeVectorParams(size=settings.dimension, distance=qe.Distance.Cosine)},
        sparse_vectors={LEXICAL: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)},
        hnsw_config=qe.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000),
    )


def index_operations(present: Iterable[str]) -> list[qe.UpdateOperation]:
    """Creates the payload indexes that are not ``present`` yet."""
    there = set(present)
    return [
        qe.UpdateOperation.create_field_index(name, _index_params(kind))
        for name, kind in PAYLOAD_INDEXES.items()
        if name not in there
    ]


def _index_params(kind: IndexKind) -> "qe.PayloadSchemaParams":
    # enable_hnsw=False: extra graph links per payload value would double the time of optimize.
    match kind:
        case "tenant":
            return qe.KeywordIndexParams(is_tenant=True, enable_hnsw=False)
        case "keyword":
            return qe.KeywordIndexParams(enable_hnsw=False)
        case "uuid":
            return qe.UuidIndexParams(enable_hnsw=False)
        case "integer":
            return qe.IntegerIndexParams(lookup=True, range=True, enable_hnsw=False)
        case "datetime":
            return qe.DatetimeIndexParams(enable_hnsw=False)
        case "text":
            return qe.TextIndexParams(
                tokenizer=qe.TokenizerType.Word,
                lowercase=True,
                phrase_matching=True,
                enable_hnsw=False,
            )


def engine_point(point: ChunkPoint, settings: EdgeSettings) -> qe.Point:
    """The point as the engine stores it.

    A vector that is not there yet is left out, and so is a lexical vector without tokens: the
    engine counts points that have one, and so must the IDF.
    """
    vectors: dict[str, qe.NamedVector] = {}
    if point.lexical.indices:
        vectors[LEXICAL] = sparse(point.lexical)
    if point.vector is not None:
        vectors[DENSE] = floats(point.vector)
    return qe.Point(point.id, vectors, point_payload(point, settings))


def sparse(vector: SparseVector) -> qe.SparseVector:
    """A sparse vector for the engine."""
    return qe.SparseVector(list(vector.indices), list(vector.values))


def where_filter(conditions: Conditions) -> qe.Filter:
    """All conditions of a filter, for the engine's indexes."""
    must: list[qe.ConditionType] = [_condition(one) for one in conditions.must]
    must_not: list[qe.ConditionType] = [_condition(one) for one in conditions.must_not]
    return qe.Filter(must=must, must_not=must_not) if must_not else qe.Filter(must=must)


def _condition(one: Condition) -> "qe.ConditionType":  # noqa: PLR0911 -- one return a kind
    match one:
        case Is(field, value):
            return qe.FieldCondition(field, match=qe.MatchValue(value))
        case AnyOf(field, values):
            return qe.FieldCondition(field, match=qe.MatchAny(list(values)))
        case Says(phrase):
            return qe.FieldCondition("body", match=qe.MatchPhrase(phrase))
        case When(field, sign, instant):
            return qe.FieldCondition(field, range=_range(sign, format_instant(instant)))
        case AtMost(field, highest):
            return qe.FieldCondition(field, range=qe.RangeFloat(lte=highest))
        case Nothing(field):
            return qe.IsEmptyCondition(field)
        case Either(conditions):
            return qe.Filter(should=[_condition(each) for each in conditions])


def _range(sign: Literal["lt", "lte", "gt", "gte"], instant: str) -> qe.RangeDateTime:
    match sign:
        case "lt":
            return qe.RangeDateTime(lt=instant)
        case "lte":
            return qe.RangeDateTime(lte=instant)
        case "gt":
            return qe.RangeDateTime(gt=instant)
        case "gte":
            return qe.RangeDateTime(gte=instant)


def dense_request(query: IndexQuery, vector: bytes, limit: int) -> qe.QueryRequest:
    """The dense leg."""
    return qe.QueryRequest(
        limit=limit,
        query=qe.Query.Nearest(floats(vector), using=DENSE),
        filter=where_filter(conditions_of(query.where)),
        with_payload=list(HIT_FIELDS),
        params=qe.SearchParams(exact=True),
    )


def lexical_request(query: IndexQuery, tokens: SparseVector, limit: int) -> qe.QueryRequest:
    """The lexical leg, over the corpus that it must be: see ``corpus_of``."""
    corpus = where_filter(corpus_of(query.where))
    return qe.QueryRequest(
        limit=limit,
        query=qe.Query.Nearest(sparse(tokens), using=LEXICAL),
        filter=where_filter(conditions_of(query.where)),
        with_payload=list(HIT_FIELDS),
        params=qe.SearchParams(exact=True, idf=qe.IdfParams(corpus=corpus)),
    )
