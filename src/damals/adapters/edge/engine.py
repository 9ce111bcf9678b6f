"""The collection, points and filters of ``schema`` in the words of Qdrant Edge."""

from collections.abc import Iterable
from dataclasses import replace

import qdrant_edge as qe

from damals.adapters.edge.schema import (
    DENSE,
    HIT_FIELDS,
    LEXICAL,
    PAYLOAD_INDEXES,
    EdgeSettings,
    IndexKind,
    floats,
    point_payload,
)
from damals.app.index_model import OWNER, ChunkPoint, IndexFilter, IndexQuery, SparseVector
from damals.domain.instants import format_instant
from damals.domain.phrases import words_of


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


def where_filter(where: IndexFilter) -> qe.Filter:
    """All conditions of a filter, for the engine's indexes."""
    at, known = where.as_of, where.known_at
    start = "valid_from_latest" if where.certain else "valid_from_earliest"
    end = "valid_to_earliest" if where.certain else "valid_to_latest"
    must: list[qe.ConditionType] = [
        _is("workspace", where.workspace),
        qe.FieldCondition(start, range=qe.RangeDateTime(lte=format_instant(at))),
        qe.FieldCondition(end, range=qe.RangeDateTime(gt=format_instant(at))),
        qe.FieldCondition("recorded_from", range=qe.RangeDateTime(lte=format_instant(known))),
        qe.FieldCondition("recorded_to", range=qe.RangeDateTime(gt=format_instant(known))),
        qe.FieldCondition("archived_at", range=qe.RangeDateTime(gt=format_instant(min(at, known)))),
    ]
    must += _chosen(where)
    must += _visible(where)
    must_not = _left_out(where)
    return qe.Filter(must=must, must_not=must_not) if must_not else qe.Filter(must=must)


def _left_out(where: IndexFilter) -> "list[qe.ConditionType]":
    left_out: list[qe.ConditionType] = [_is("tags", tag) for tag in where.no_tags]
    left_out += [_is("paths", path) for path in where.no_paths]
    left_out += [_says(phrase) for phrase in where.no_phrases if words_of(phrase)]
    if where.no_types:
        left_out.append(_any("type", where.no_types))
    if where.but:
        left_out.append(_any("entry_id", tuple(map(str, where.but))))
    return left_out


def _chosen(where: IndexFilter) -> "list[qe.ConditionType]":
    chosen: list[qe.ConditionType] = [_is("tags", tag) for tag in where.tags]
    chosen += [_says(phrase) for phrase in where.phrases if words_of(phrase)]
    if where.either:
        chosen.append(qe.Filter(should=[_says(phrase) for phrase in where.either]))
    if where.only is not None:
        chosen.append(_any("entry_id", tuple(map(str, where.only))))
    if where.types:
        chosen.append(_any("type", where.types))
    if where.path is not None:
        chosen.append(_is("paths", where.path))
    if where.paths:
        chosen.append(_any("paths", where.paths))
    if where.lang is not None:
        chosen.append(_is("lang", where.lang))
    if where.since is not None:
        since = qe.RangeDateTime(gte=format_instant(where.since))
        chosen.append(qe.FieldCondition("age_at", range=since))
    if where.until is not None:
        until = qe.RangeDateTime(lt=format_instant(where.until))
        chosen.append(qe.FieldCondition("age_at", range=until))
    return chosen


def _visible(where: IndexFilter) -> "list[qe.ConditionType]":
    access = where.access
    visible: list[qe.ConditionType] = []
    if access.visibilities is not None:
        visible.append(_any("visibility", access.visibilities))
    if access.max_sensitivity is not None:
        highest = qe.RangeFloat(lte=access.max_sensitivity)
        visible.append(qe.FieldCondition("sensitivity", range=highest))
    if access.principals is not None:
        named: list[qe.ConditionType] = [qe.IsEmptyCondition("acl")]
        if access.principals:
            named.append(_any("acl", access.principals))
        visible.append(qe.Filter(should=named))
    return visible


def _is(field: str, value: str) -> qe.FieldCondition:
    return qe.FieldCondition(field, match=qe.MatchValue(value))


def _says(phrase: str) -> qe.FieldCondition:
    return qe.FieldCondition("body", match=qe.MatchPhrase(phrase))


def _any(field: str, values: tuple[str, ...]) -> qe.FieldCondition:
    return qe.FieldCondition(field, match=qe.MatchAny(list(values)))


def entry_filter(workspace: str, entry_id: object) -> qe.Filter:
    """All points of an entry."""
    return qe.Filter(must=[_is("workspace", workspace), _is("entry_id", str(entry_id))])


def dense_request(query: IndexQuery, vector: bytes, limit: int) -> qe.QueryRequest:
    """The dense leg."""
    return qe.QueryRequest(
        limit=limit,
        query=qe.Query.Nearest(floats(vector), using=DENSE),
        filter=where_filter(query.where),
        with_payload=list(HIT_FIELDS),
        params=qe.SearchParams(exact=True),
    )


def lexical_request(query: IndexQuery, tokens: SparseVector, limit: int) -> qe.QueryRequest:
    """The lexical leg.

    The corpus of the IDF is named explicitly. Otherwise the engine counts deleted points, other
    workspaces and points that the asker may not see, whose number would shine through the score.
    The owner's corpus is the workspace; anybody else's is the whole filter of the question.
    """
    where = query.where
    owner = where.access == OWNER
    visible = where_filter(where)
    # What was found already is left out of the answer, not of the corpus: scores stay the same.
    whole = where_filter(replace(where, but=())) if where.but else visible
    corpus = qe.Filter(must=[_is("workspace", where.workspace)]) if owner else whole
    return qe.QueryRequest(
        limit=limit,
        query=qe.Query.Nearest(sparse(tokens), using=LEXICAL),
        filter=visible,
        with_payload=list(HIT_FIELDS),
        params=qe.SearchParams(exact=True, idf=qe.IdfParams(corpus=corpus)),
    )
