"""The one definition of collections, points and filters in the words of a Qdrant server."""

from collections.abc import Mapping, Sequence
from typing import Final

from qdrant_client import models

from damals.adapters.qdrant.settings import QdrantSettings
from damals.app.beside_model import BESIDE_INDEXES, KINDS, BesidePoint
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
    COLLECTION,
    DENSE,
    HIT_FIELDS,
    LEXICAL,
    PAYLOAD_INDEXES,
    IndexKind,
    floats,
    point_payload,
)
from damals.domain.instants import format_instant

GRAPH_LINKS: Final = 16
"""Links of a point to others of its workspace, where there is a graph."""

NO_GRAPH: Final = models.HnswConfigDiff(m=0, payload_m=0)
GRAPH: Final = models.HnswConfigDiff(m=0, payload_m=GRAPH_LINKS)
"""One graph a workspace: no question looks into two."""

ORDERED: Final = models.WriteOrdering.MEDIUM
"""All writes through one node at a time: a point is closed after it was written, everywhere."""


def dense_vectors(settings: QdrantSettings, kind: str) -> dict[str, models.VectorParams]:
    """The dense vectors of a collection; only chunks have one."""
    if kind != COLLECTION:
        return {}
    size = settings.dimension
    return {DENSE: models.VectorParams(size=size, distance=models.Distance.COSINE)}


def sparse_vectors(kind: str) -> dict[str, models.SparseVectorParams]:
    """The sparse vectors of a collection; only chunks have one."""
    return (
        {LEXICAL: models.SparseVectorParams(modifier=models.Modifier.IDF)}
        if (kind == COLLECTION)
        else {}
    )


def indexes(kind: str) -> Mapping[str, IndexKind]:
    """The payload indexes of a collection."""
    return next((BESIDE_INDEXES[one] for one in KINDS if one == kind), PAYLOAD_INDEXES)


def index_params(kind: IndexKind) -> models.PayloadSchemaParams:
    """How a payload field is indexed.

    Only the workspace has links of its own in the graph: those of other fields would double the
    time in which it is built.
    """
    match kind:
        case "tenant":
            return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        case "keyword":
            keyword = models.KeywordIndexType.KEYWORD
            return models.KeywordIndexParams(type=keyword, enable_hnsw=False)
        case "uuid":
            return models.UuidIndexParams(type=models.UuidIndexType.UUID, enable_hnsw=False)
        case "integer":
            return models.IntegerIndexParams(
                type=models.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False
            )
        case "datetime":
            when = models.DatetimeIndexType.DATETIME
            return models.DatetimeIndexParams(type=when, enable_hnsw=False)
        case "text":
            return models.TextIndexParams(
                type=models.TextIndexType.TEXT,
                tokenizer=models.TokenizerType.WORD,
                lowercase=True,
                phrase_matching=True,
                enable_hnsw=False,
            )


def engine_point(point: ChunkPoint, settings: QdrantSettings) -> models.PointStruct:
    """The point as the server stores it; what it has no vector of is left out."""
    vectors: dict[str, list[float] | models.SparseVector] = {}
    if point.lexical.indices:
        vectors[LEXICAL] = sparse(point.lexical)
    if point.vector is not None:
        vectors[DENSE] = floats(point.vector)
    payload = {**point_payload(point, settings)}
    return models.PointStruct(id=str(point.id), vector={**vectors}, payload=payload)


def beside_point(point: BesidePoint) -> models.PointStruct:
    """A note, edge or person as the server stores it; it has no vector."""
    return models.PointStruct(id=str(point.id), vector={}, payload={**point.payload})


def sparse(vector: SparseVector) -> models.SparseVector:
    """A sparse vector for the server."""
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def where_filter(conditions: Conditions) -> models.Filter:
    """All conditions of a filter, for the server's indexes."""
    must: list[models.Condition] = [_condition(one) for one in conditions.must]
    must_not: list[models.Condition] = [_condition(one) for one in conditions.must_not]
    return models.Filter(must=must, must_not=must_not or None)


def ends_filter(workspace: str, fields: Sequence[str], entries: Sequence[str]) -> models.Filter:
    """Points of a workspace that name one of some entries in one of some fields."""
    names = Either(tuple(AnyOf(field, tuple(entries)) for field in fields))
    return where_filter(Conditions((Is("workspace", workspace), names)))


def _condition(one: Condition) -> models.Condition:  # noqa: PLR0911 -- one return a kind
    match one:
        case Is(field, value):
            return models.FieldCondition(key=field, match=models.MatchValue(value=value))
        case AnyOf(field, values):
            return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
        case Says(phrase):
            return models.FieldCondition(key="body", match=models.MatchPhrase(phrase=phrase))
        case When(field, sign, instant):
            span = models.DatetimeRange.model_validate({sign: format_instant(instant)})
            return models.FieldCondition(key=field, range=span)
        case AtMost(field, highest):
            return models.FieldCondition(key=field, range=models.Range(lte=highest))
        case Nothing(field):
            return models.IsEmptyCondition(is_empty=models.PayloadField(key=field))
        case Either(conditions):
            return models.Filter(should=[_condition(each) for each in conditions])


def dense_request(
    query: IndexQuery, vector: bytes, limit: int, *, exact: bool
) -> models.QueryRequest:
    """The dense leg."""
    return models.QueryRequest(
        limit=limit,
        query=models.NearestQuery(nearest=floats(vector)),
        using=DENSE,
        filter=where_filter(conditions_of(query.where)),
        with_payload=list(HIT_FIELDS),
        params=models.SearchParams(exact=exact),
    )


def lexical_request(query: IndexQuery, tokens: SparseVector, limit: int) -> models.QueryRequest:
    """The lexical leg, over the corpus that it must be: see ``corpus_of``."""
    corpus = models.IdfCorpusParams(corpus=where_filter(corpus_of(query.where)))
    return models.QueryRequest(
        limit=limit,
        query=models.NearestQuery(nearest=sparse(tokens)),
        using=LEXICAL,
        filter=where_filter(conditions_of(query.where)),
        with_payload=list(HIT_FIELDS),
        params=models.SearchParams(exact=True, idf=corpus),
    )
