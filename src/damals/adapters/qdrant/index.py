"""The chunk index in a collection of a Qdrant server."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import Final
from uuid import UUID

from qdrant_client import QdrantClient, models

from damals.adapters.qdrant import engine
from damals.adapters.qdrant.batching import batches, bytes_of_point, light_batches
from damals.adapters.qdrant.server import Server
from damals.adapters.qdrant.settings import QdrantSettings
from damals.app import index_checks as checks
from damals.app.index_conditions import conditions_of, of_entry
from damals.app.index_model import ChunkPoint, Hit, Hits, IndexFilter, IndexQuery
from damals.app.index_schema import (
    DENSE,
    GRAPH_FROM_POINTS,
    HIT_FIELDS,
    access_payload,
    archived_payload,
    closing_payload,
    embedding_payload,
    floats,
)
from damals.app.ledger_model import Access
from damals.domain.errors import Corrupt, Unavailable
from damals.domain.instants import instant_of

BATCH_POINTS: Final = 500
"""Points in one request: some 2 MB with vectors of 384 numbers."""

PAGE_IDS: Final = 10_000
TIE_STEP: Final = 16
GRAPH: Final = "graph"
"""In the metadata of a collection: its vectors have a graph."""

_instant = lru_cache(maxsize=65_536)(instant_of)


class QdrantChunkIndex:
    """The port ``ChunkIndex`` over a collection that is there already.

    Search is exact up to ``GRAPH_FROM_POINTS`` points; :meth:`optimize` has the server build a
    graph above. Every write waits until it was carried out, so the next question sees it.

    Args:
        settings: how the collections are laid out.
        server: what is asked.
        name: of the collection.
        graph: whether its vectors have a graph already.
    """

    apart = True

    def __init__(
        self, settings: QdrantSettings, server: Server, name: str, *, graph: bool = False
    ) -> None:
        self._settings = settings
        self._server = server
        self._name = name
        self._graph = graph
        self._closed = False

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """Write points, replacing those of the same id; of two with one id the last stays."""
        for point in points:
            checks.check_point(point, self._settings.dimension)
        last = {point.id: point for point in points}
        for batch in light_batches(last.values(), BATCH_POINTS, bytes_of_point):
            new = [engine.engine_point(point, self._settings) for point in batch]
            self._do("upsert", points=new)

    def close_points(self, closings: Mapping[UUID, int]) -> None:
        """Set ``recorded_to`` of each named point; unknown ids are ignored."""
        by_end: dict[int, list[UUID]] = {}
        for point_id, recorded_to in closings.items():
            checks.check_instant("recorded_to", recorded_to)
            by_end.setdefault(recorded_to, []).append(point_id)
        for recorded_to, point_ids in by_end.items():
            for batch in batches(point_ids, BATCH_POINTS):
                if known := self._known(batch):
                    self._set(known, closing_payload(recorded_to))

    def set_vectors(self, vectors: Mapping[UUID, bytes]) -> None:
        """Add the dense vector of each named point; unknown ids are ignored."""
        for vector in vectors.values():
            checks.check_vector(vector, self._settings.dimension)
        about = embedding_payload(self._settings)
        for batch in batches(vectors, BATCH_POINTS):
            if known := self._known(batch):
                new = [
                    models.PointVectors(id=i, vector={DENSE: floats(vectors[UUID(i)])})
                    for i in known
                ]
                self._do("update_vectors", points=new)
                self._set(known, about)

    def set_access(self, workspace: str, entry_id: UUID, access: Access) -> None:
        """Set the access fields of every point of an entry."""
        checks.check_text("visibility", access.visibility)
        checks.check_sensitivity(access.sensitivity)
        checks.check_texts("acl", access.acl)
        self._set(self._of_entry(workspace, entry_id), access_payload(access))

    def set_archived(self, workspace: str, entry_id: UUID, archived_at: int) -> None:
        """Set since when an entry is archived, on all its points."""
        checks.check_instant("archived_at", archived_at)
        self._set(self._of_entry(workspace, entry_id), archived_payload(archived_at))

    def delete_entry(self, workspace: str, entry_id: UUID) -> None:
        """Remove every point of an entry; an unknown one is ignored.

        As with :meth:`delete`, its text may stay in the server's files for a while.
        """
        self._delete(self._of_entry(workspace, entry_id))

    def delete(self, point_ids: Sequence[UUID]) -> None:
        """Remove points; unknown ids are ignored.

        Their text stays in the server's files until it cleans up, or the collection is replaced.
        """
        for batch in batches(point_ids, BATCH_POINTS):
            self._delete([str(one) for one in batch])

    def query(self, query: IndexQuery) -> Hits:
        """Both legs under one filter, in one request."""
        checks.check_query(query, self._settings.dimension)
        # One more than asked shows whether a tie crosses the limit.
        wanted = query.limit + 1
        legs: list[models.QueryRequest] = []
        if query.vector is not None:
            exact = not self._graph
            legs.append(engine.dense_request(query, query.vector, wanted, exact=exact))
        if query.lexical is not None and query.lexical.indices:
            legs.append(engine.lexical_request(query, query.lexical, wanted))
        if not legs:
            return Hits()
        answers = self._open().ask(lambda client: client.query_batch_points(self._name, legs))
        self._expect(len(answers) == len(legs))
        found = [
            self._best(leg, answer.points, query.limit)
            for leg, answer in zip(legs, answers, strict=True)
        ]
        dense = found.pop(0) if query.vector is not None else ()
        return Hits(dense, found.pop() if found else ())

    def count(self, where: IndexFilter | None = None) -> int:
        """How many points there are, or pass a filter; always exact."""
        if where is not None:
            checks.check_filter(where)
        passing = None if where is None else engine.where_filter(conditions_of(where))
        return (
            self._open()
            .ask(lambda client: client.count(self._name, count_filter=passing, exact=True))
            .count
        )

    def ids(self) -> Iterator[UUID]:
        """The ids of all points. What is written meanwhile may or may not be among them."""
        start: str | None = None
        while True:
            page, start = self._open().ask(partial(_page, self._name, start))
            yield from page
            if start is None:
                return

    def flush(self) -> None:
        """Nothing to do: what was acknowledged is in the log of the server."""
        self._open()

    def optimize(self) -> None:
        """Have a graph built from ``GRAPH_FROM_POINTS`` points on; the server does it meanwhile."""
        if self._graph or self.count() < GRAPH_FROM_POINTS:
            return
        self._open().ask(
            lambda client: client.update_collection(
                self._name, hnsw_config=engine.GRAPH, metadata={GRAPH: True}
            )
        )
        self._graph = True

    def close(self) -> None:
        """Let go of the connections. Closing twice is harmless."""
        if not self._closed:
            self._closed = True
            self._server.close()

    # --- the server

    def _open(self) -> Server:
        if self._closed:
            raise Unavailable("index.closed", path=self._path)
        return self._server

    @property
    def _path(self) -> str:
        return f"{self._settings.shown}/{self._name}"

    def _expect(self, holds: bool) -> None:
        """Refuse an answer that is none to the question."""
        if not holds:
            raise Unavailable("qdrant.garbage", url=self._settings.shown, reason=self._name)

    def _of_entry(self, workspace: str, entry_id: UUID) -> models.Filter:
        return engine.where_filter(of_entry(workspace, entry_id))

    def _set(self, points: models.Filter | list[str], payload: Mapping[str, object]) -> None:
        self._do("set_payload", payload=dict(payload), points=points)

    def _delete(self, points: models.Filter | list[str]) -> None:
        self._do("delete", points_selector=points)

    def _do(self, write: str, **given: object) -> None:
        """Carry out a write and wait for it."""
        given |= {"wait": True, "ordering": engine.ORDERED}
        self._open().ask(lambda client: getattr(client, write)(self._name, **given))

    def _known(self, point_ids: Sequence[UUID]) -> list[str]:
        # One unknown id would fail the whole operation.
        named = [str(one) for one in point_ids]
        found = self._open().ask(
            lambda client: client.retrieve(
                self._name, named, with_payload=False, with_vectors=False
            )
        )
        return [str(record.id) for record in found]

    def _best(
        self, leg: models.QueryRequest, answer: Sequence[models.ScoredPoint], limit: int
    ) -> tuple[Hit, ...]:
        """The best ``limit`` hits, ties by id.

        Among equal scores the server's order and choice are arbitrary. While a tie crosses the end
        of what it returned, it is asked again for more: for ids alone, since facts that are worded
        alike tie by the thousand.
        """
        fetched = limit + 1
        if not _tied(answer, fetched, limit):
            return tuple(
                self._hit(i, one.score, one.payload) for i, one in _in_order(answer)[:limit]
            )
        while _tied(answer, fetched, limit):
            fetched *= TIE_STEP
            wider = leg.model_copy(update={"limit": fetched, "with_payload": False})
            answer = self._open().ask(partial(_asked, self._name, wider))
        best = _in_order(answer)[:limit]
        payloads = self._told([str(i) for i, _ in best])
        return tuple(self._hit(i, one.score, payloads.get(i)) for i, one in best)

    def _told(self, named: list[str]) -> Mapping[UUID, models.Payload | None]:
        found = self._open().ask(
            lambda client: client.retrieve(
                self._name, named, with_payload=list(HIT_FIELDS), with_vectors=False
            )
        )
        return {UUID(str(record.id)): record.payload for record in found}

    def _hit(self, point_id: UUID, score: float, payload: models.Payload | None) -> Hit:
        told = payload or {}
        try:
            entry_id = UUID(str(told["entry_id"]))
            age_at = _instant(str(told["age_at"]))
            return Hit(point_id, entry_id, score, age_at, str(told["type"]), str(told["title"]))
        except (KeyError, ValueError) as cause:
            reason = f"{self._name} {point_id}"
            raise Corrupt("index.corrupt", path=self._path, reason=reason) from cause


def _page(name: str, start: str | None, client: QdrantClient) -> tuple[list[UUID], str | None]:
    """Up to ``PAGE_IDS`` ids from ``start`` on, and where the next page starts."""
    found, following = client.scroll(
        name, offset=start, limit=PAGE_IDS, with_payload=False, with_vectors=False
    )
    page = [UUID(str(record.id)) for record in found]
    return page, None if following is None else str(following)


def _asked(name: str, leg: models.QueryRequest, client: QdrantClient) -> list[models.ScoredPoint]:
    return [one for answer in client.query_batch_points(name, [leg]) for one in answer.points]


def _tied(answer: Sequence[models.ScoredPoint], fetched: int, limit: int) -> bool:
    """Whether what was left out may score as the last that is shown."""
    return len(answer) == fetched and answer[limit - 1].score == answer[-1].score


def _in_order(answer: Sequence[models.ScoredPoint]) -> list[tuple[UUID, models.ScoredPoint]]:
    known = [((i := UUID(str(one.id))), -one.score, i.int, one) for one in answer]
    known.sort(key=itemgetter(1, 2))
    return [(i, one) for i, _, _, one in known]
