"""The chunk index as an exact, slow reference: what every other adapter must agree with."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from damals.app.index_model import (
    OWNER,
    ChunkPoint,
    Hit,
    Hits,
    IndexFilter,
    IndexQuery,
    SparseVector,
)
from damals.app.ledger_model import Access
from damals.domain.phrases import words_of


class MemoryChunkIndex:
    """Holds all points in a dictionary and compares each with every question."""

    apart = False

    def __init__(self) -> None:
        self._points: dict[UUID, ChunkPoint] = {}

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """Write points, replacing those of the same id; of two with one id the last stays."""
        self._points.update((point.id, point) for point in points)

    def close_points(self, closings: Mapping[UUID, int]) -> None:
        """Set ``recorded_to`` of each named point; unknown ids are ignored."""
        for point_id in closings.keys() & self._points.keys():
            point = self._points[point_id]
            self._points[point_id] = replace(point, recorded_to=closings[point_id])

    def set_vectors(self, vectors: Mapping[UUID, bytes]) -> None:
        """Add the dense vector of each named point; unknown ids are ignored."""
        for point_id in vectors.keys() & self._points.keys():
            self._points[point_id] = replace(self._points[point_id], vector=vectors[point_id])

    def set_access(self, workspace: str, entry_id: UUID, access: Access) -> None:
        """Set the access fields of every point of an entry."""
        for point in self._of_entry(workspace, entry_id):
            self._points[point.id] = replace(
                point,
                visibility=access.visibility,
                sensitivity=access.sensitivity,
                acl=access.acl,
            )

    def set_archived(self, workspace: str, entry_id: UUID, archived_at: int) -> None:
        """Set since when an entry is archived, on all its points."""
        for point in self._of_entry(workspace, entry_id):
            self._points[point.id] = replace(point, archived_at=archived_at)

    def delete_entry(self, workspace: str, entry_id: UUID) -> None:
        """Remove every point of an entry; an unknown one is ignored."""
        self.delete([point.id for point in self._of_entry(workspace, entry_id)])

    def _of_entry(self, workspace: str, entry_id: UUID) -> list[ChunkPoint]:
        points = self._points.values()
        return [p for p in points if p.workspace == workspace and p.entry_id == entry_id]

    def delete(self, point_ids: Sequence[UUID]) -> None:
        """Remove points; unknown ids are ignored."""
        for point_id in point_ids:
            self._points.pop(point_id, None)

    def query(self, query: IndexQuery) -> Hits:
        """Both legs under one filter."""
        found = [point for point in self._points.values() if passes(point, query.where)]
        dense: list[Hit] = []
        lexical: list[Hit] = []
        if query.vector is not None:
            wanted = query.vector
            dense = [_hit(p, _cosine(p.vector, wanted)) for p in found if p.vector is not None]
        if query.lexical is not None:
            weights = self._weights(query.lexical, query.where)
            scored = ((point, _dot(point.lexical, weights)) for point in found)
            lexical = [_hit(point, score) for point, score in scored if score > 0.0]
        return Hits(_best(dense, query.limit), _best(lexical, query.limit))

    def _weights(self, tokens: SparseVector, where: IndexFilter) -> dict[int, float]:
        """Query weight times IDF of each token, ``ln(1 + (N - df + 0.5) / (df + 0.5))`` (BM25).

        ``N`` and ``df`` count points with at least one token in the asker's corpus: for the
        owner the workspace (all instants), for anybody else what the whole filter lets through,
        so that no score tells of points that are hidden.
        """
        corpus = [set(p.lexical.indices) for p in self._corpus(where) if p.lexical.indices]
        weights: dict[int, float] = {}
        for token, weight in zip(tokens.indices, tokens.values, strict=True):
            df = sum(token in document for document in corpus)
            weights[token] = weight * math.log(1 + (len(corpus) - df + 0.5) / (df + 0.5))
        return weights

    def _corpus(self, where: IndexFilter) -> Iterable[ChunkPoint]:
        if where.access == OWNER:
            return (p for p in self._points.values() if p.workspace == where.workspace)
        whole = replace(where, but=())
        return (p for p in self._points.values() if passes(p, whole))

    def count(self, where: IndexFilter | None = None) -> int:
        """How many points there are, or pass a filter."""
        return sum(where is None or passes(point, where) for point in self._points.values())

    def ids(self) -> Iterator[UUID]:
        """The ids of all points."""
        return iter(list(self._points))

    def flush(self) -> None:
        """Nothing to do: nothing outlives the process."""

    def optimize(self) -> None:
        """Nothing to do: there is no better shape."""

    def close(self) -> None:
        """Nothing to let go of."""


def passes(point: ChunkPoint, where: IndexFilter) -> bool:
    """Whether a point may be found. Every interval is half-open.

    An archived point is gone from the instant of archiving on, on either clock.
    """
    at, known = where.as_of, where.known_at
    start = point.valid_from_latest if where.certain else point.valid_from_earliest
    end = point.valid_to_earliest if where.certain else point.valid_to_latest
    return (
        point.workspace == where.workspace
        and start <= at < end
        and point.recorded_from <= known < point.recorded_to
        and point.archived_at > min(at, known)
        and _chosen(point, where)
        and _visible(point, where)
    )


def _chosen(point: ChunkPoint, where: IndexFilter) -> bool:
    return (
        _said(point, where)
        and (not where.types or point.type in where.types)
        and point.type not in where.no_types
        and (where.only is None or point.entry_id in where.only)
        and set(where.tags) <= set(point.tags)
        and (where.path is None or where.path in point.paths)
        and (not where.paths or not set(where.paths).isdisjoint(point.paths))
        and where.lang in {None, point.lang}
        and (where.since is None or point.age_at >= where.since)
        and (where.until is None or point.age_at < where.until)
        and point.entry_id not in where.but
        and set(where.no_tags).isdisjoint(point.tags)
        and set(where.no_paths).isdisjoint(point.paths)
    )


def _said(point: ChunkPoint, where: IndexFilter) -> bool:
    asked = where.phrases or where.either or where.no_phrases
    words = words_of(point.body) if asked else ()
    wanted = all(_in_a_row(words, words_of(phrase)) for phrase in where.phrases)
    if where.either:
        wanted &= any(_in_a_row(words, words_of(phrase)) for phrase in where.either)
    unwanted = (words_of(phrase) for phrase in where.no_phrases)
    return wanted and not any(one and _in_a_row(words, one) for one in unwanted)


def _in_a_row(words: Sequence[str], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    starts = range(len(words) - size + 1)
    return not size or any(tuple(words[at : at + size]) == tuple(wanted) for at in starts)


def _visible(point: ChunkPoint, where: IndexFilter) -> bool:
    return where.access.admits(point.visibility, point.sensitivity, point.acl)


def _cosine(left: bytes, right: bytes) -> float:
    a, b = array("f", left), array("f", right)
    product = math.fsum(x * y for x, y in zip(a, b, strict=True))
    return product / (math.hypot(*a) * math.hypot(*b))


def _dot(document: SparseVector, weights: Mapping[int, float]) -> float:
    pairs = zip(document.indices, document.values, strict=True)
    return math.fsum(value * weights.get(token, 0.0) for token, value in pairs)


def _hit(point: ChunkPoint, score: float) -> Hit:
    return Hit(point.id, point.entry_id, score, point.age_at, point.type, point.title)


def _best(hits: list[Hit], limit: int) -> tuple[Hit, ...]:
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.point_id))[:limit])
