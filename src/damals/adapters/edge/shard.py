"""The chunk index over a Qdrant Edge shard inside this process.

The engine never releases the GIL and dies with a full disk: whoever lives longer than one short
command uses the same index through ``worker``. One shard, one process, any thread.
"""

import shutil
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID

import qdrant_edge as qe

from damals.adapters.edge import engine
from damals.adapters.edge.guard import (
    FreeSpace,
    ShardLock,
    allocated_bytes,
    engine_errors,
    free_space,
    is_panic,
)
from damals.adapters.edge.schema import EdgeSettings
from damals.app import index_checks as checks
from damals.app.index_conditions import conditions_of, of_entry
from damals.app.index_model import ChunkPoint, Hit, Hits, IndexFilter, IndexQuery
from damals.app.index_schema import (
    DENSE,
    HIT_FIELDS,
    access_payload,
    archived_payload,
    closing_payload,
    embedding_payload,
    floats,
)
from damals.app.ledger_model import Access
from damals.domain.errors import Corrupt, DamalsError, Unavailable
from damals.domain.ids import id_of
from damals.domain.instants import instant_of

BATCH_POINTS: Final = 500
PAGE_IDS: Final = 10_000

_WRITTEN_TIMES: Final = 4
"""A written byte is on disk in the log and in the segment, each grown in steps."""

_ROW_BYTES: Final = 4_096
"""What a point takes beside its text and vectors, generously: payload, indexes, page ends."""

_OPTIMIZE_TIMES: Final = 2
"""Optimizing writes new segments beside the old ones."""

_OPTIMIZE_ROUNDS: Final = 20
_TIE_STEP: Final = 16

_instant = lru_cache(maxsize=65_536)(instant_of)

Item = TypeVar("Item")


class EdgeChunkIndex:
    """The port ``ChunkIndex`` over one shard, opened or created in ``settings.path``.

    Search is exact at every size (see ``GRAPH_FROM_POINTS``), so the same points give the same
    hits in the same order after any rebuild.

    Args:
        settings: where the shard lies and what its vectors are.
        space: tells the free bytes of a file system.

    Raises:
        Unavailable: ``index.held`` when another process has the shard, ``index.disk_full``,
            ``index.not_writable``.
        Corrupt: ``index.corrupt``, or ``index.incompatible`` when the vectors on disk have
            another length. Badly damaged files may end the process: ``worker`` contains that.
    """

    apart = False

    def __init__(self, settings: EdgeSettings, *, space: FreeSpace = free_space) -> None:
        self._settings = settings
        self._space = space
        self._mutex = threading.RLock()
        self._broken = False
        self._file_lock = ShardLock(settings.path.with_name(f"{settings.path.name}.lock"))
        with engine_errors(settings.path):
            settings.home.mkdir(parents=True, exist_ok=True)
            self._need_space(0)
            self._file_lock.acquire(settings.lock_wait_seconds)
            try:
                self._shard: qe.EdgeShard | None = _open(settings)
            except BaseException:
                self._file_lock.release()
                raise

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """Write points, replacing those of the same id; of two with one id the last stays."""
        for point in points:
            checks.check_point(point, self._settings.dimension)
        last = {point.id: point for point in points}
        for batch in batches(last.values(), BATCH_POINTS):
            self._need_space(sum(map(_size, batch)))
            with self._engine() as shard:
                new = [engine.engine_point(point, self._settings) for point in batch]
                shard.update(qe.UpdateOperation.upsert_points(new))

    def close_points(self, closings: Mapping[UUID, int]) -> None:
        """Set ``recorded_to`` of each named point; unknown ids are ignored."""
        by_end: dict[int, list[UUID]] = {}
        for point_id, recorded_to in closings.items():
            checks.check_instant("recorded_to", recorded_to)
            by_end.setdefault(recorded_to, []).append(point_id)
        for recorded_to, point_ids in by_end.items():
            for batch in batches(point_ids, BATCH_POINTS):
                self._need_space(len(batch) * _ROW_BYTES)
                with self._engine() as shard:
                    if known := _known(shard, batch):
                        end: dict[str, object] = {**closing_payload(recorded_to)}
                        shard.update(qe.UpdateOperation.set_payload(list(known), end))

    def set_vectors(self, vectors: Mapping[UUID, bytes]) -> None:
        """Add the dense vector of each named point; unknown ids are ignored."""
        for vector in vectors.values():
            checks.check_vector(vector, self._settings.dimension)
        about = embedding_payload(self._settings)
        for batch in batches(vectors, BATCH_POINTS):
            self._need_space(len(batch) * (_ROW_BYTES + 4 * self._settings.dimension))
            with self._engine() as shard:
                if known := _known(shard, batch):
                    new = [qe.PointVectors(i, {DENSE: floats(vectors[i])}) for i in known]
                    shard.update(qe.UpdateOperation.update_vectors(new))
                    shard.update(qe.UpdateOperation.set_payload(list(known), dict(about)))

    def set_access(self, workspace: str, entry_id: UUID, access: Access) -> None:
        """Set the access fields of every point of an entry."""
        checks.check_text("visibility", access.visibility)
        checks.check_sensitivity(access.sensitivity)
        checks.check_texts("acl", access.acl)
        self._set(workspace, entry_id, access_payload(access))

    def set_archived(self, workspace: str, entry_id: UUID, archived_at: int) -> None:
        """Set since when an entry is archived, on all its points."""
        checks.check_instant("archived_at", archived_at)
        self._set(workspace, entry_id, archived_payload(archived_at))

    def _set(self, workspace: str, entry_id: UUID, payload: Mapping[str, object]) -> None:
        self._need_space(_ROW_BYTES)
        with self._engine() as shard:
            its_points = engine.where_filter(of_entry(workspace, entry_id))
            shard.update(qe.UpdateOperation.set_payload_by_filter(its_points, dict(payload)))

    def delete_entry(self, workspace: str, entry_id: UUID) -> None:
        """Remove every point of an entry; an unknown one is ignored.

        As with :meth:`delete`, its text stays in the files until the shard is replaced.
        """
        self._need_space(_ROW_BYTES)
        with self._engine() as shard:
            its_points = engine.where_filter(of_entry(workspace, entry_id))
            shard.update(qe.UpdateOperation.delete_points_by_filter(its_points))

    def delete(self, point_ids: Sequence[UUID]) -> None:
        """Remove points; unknown ids are ignored.

        Their text stays in the files, compressed, until the shard is replaced.
        """
        for batch in batches(point_ids, BATCH_POINTS):
            self._need_space(len(batch) * _ROW_BYTES)
            with self._engine() as shard:
                shard.update(qe.UpdateOperation.delete_points(list(batch)))

    def query(self, query: IndexQuery) -> Hits:
        """Both legs under one filter, in one call of the engine."""
        checks.check_query(query, self._settings.dimension)
        # One more than asked shows whether a tie crosses the limit.
        wanted = query.limit + 1
        legs: list[qe.QueryRequest] = []
        if query.vector is not None:
            legs.append(engine.dense_request(query, query.vector, wanted))
        if query.lexical is not None and query.lexical.indices:
            legs.append(engine.lexical_request(query, query.lexical, wanted))
        if not legs:
            return Hits()
        with self._engine() as shard:
            answers = shard.query_batch(qe.QueryBatchRequest(legs))
            found = [
                _best(shard, leg, answer, query.limit)
                for leg, answer in zip(legs, answers, strict=True)
            ]
        dense = found.pop(0) if query.vector is not None else ()
        return Hits(dense, found.pop() if found else ())

    def count(self, where: IndexFilter | None = None) -> int:
        """How many points there are, or pass a filter; always exact."""
        if where is not None:
            checks.check_filter(where)
        with self._engine() as shard:
            passing = None if where is None else engine.where_filter(conditions_of(where))
            return shard.count(qe.CountRequest(exact=True, filter=passing))

    def ids(self) -> Iterator[UUID]:
        """The ids of all points. What is written meanwhile may or may not be among them."""
        start: UUID | None = None
        while True:
            page, start = self.ids_page(start)
            yield from page
            if start is None:
                return

    def ids_page(self, start: UUID | None) -> tuple[list[UUID], UUID | None]:
        """Up to ``PAGE_IDS`` ids from ``start`` on, and where the next page starts."""
        with self._engine() as shard:
            records, following = shard.scroll(
                qe.ScrollRequest(
                    offset=start, limit=PAGE_IDS, with_payload=False, with_vector=False
                )
            )
        page = [_uuid(record.id) for record in records]
        return page, None if following is None else _uuid(following)

    def flush(self) -> None:
        """Make every write so far durable."""
        self._need_space(0)
        with self._engine() as shard:
            shard.flush()

    def optimize(self) -> None:
        """Merge and compact the segments. Stops every thread of this process meanwhile."""
        self._need_space(_OPTIMIZE_TIMES * allocated_bytes(self._settings.path))
        with self._engine() as shard:
            for _ in range(_OPTIMIZE_ROUNDS):
                if not shard.optimize():
                    break
            shard.flush()

    def close(self) -> None:
        """Flush and let go of the files. Closing twice is harmless."""
        with self._mutex:
            shard, self._shard = self._shard, None
            try:
                if shard is not None:
                    self._let_go(shard)
            finally:
                self._file_lock.release()

    def _let_go(self, shard: qe.EdgeShard) -> None:
        if not self._broken:
            with engine_errors(self._settings.path):
                try:
                    shard.flush()
                finally:
                    shard.close()
            return
        # There is nothing to save, but the engine's own lock has to be released.
        try:
            with engine_errors(self._settings.path):
                shard.close()
        except DamalsError:
            return

    @contextmanager
    def _engine(self) -> Generator[qe.EdgeShard]:
        """The shard, to one thread at a time; after a panic, never again."""
        with self._mutex, engine_errors(self._settings.path):
            if self._broken:
                raise Corrupt("index.corrupt", path=str(self._settings.path))
            if self._shard is None:
                raise Unavailable("index.closed", path=str(self._settings.path))
            try:
                yield self._shard
            except BaseException as cause:
                self._broken = self._broken or is_panic(cause)
                raise

    def _need_space(self, size_bytes: int) -> None:
        needed = self._settings.reserve_bytes + size_bytes
        free = self._space(self._settings.home)
        if free < needed:
            path = str(self._settings.path)
            raise Unavailable("index.disk_full", path=path, free=free, needed=needed)


def batches(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """Cut into tuples of ``size``, the last one shorter."""
    remaining = iter(items)
    while batch := tuple(islice(remaining, size)):
        yield batch


def _open(settings: EdgeSettings) -> qe.EdgeShard:
    path = settings.path
    if not path.exists():
        _create(settings)
    # Left by a kill during optimize, erased text included. The log (wal/) is never touched.
    shutil.rmtree(path / "temp_segments", ignore_errors=True)
    shard = qe.EdgeShard.load(str(path), engine.shard_config(settings))
    for operation in engine.index_operations(shard.info().payload_schema):
        shard.update(operation)
    return shard


def _create(settings: EdgeSettings) -> None:
    """Make an empty shard under another name and move it into place when it is complete."""
    new = settings.path.with_name(f"{settings.path.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    shard = qe.EdgeShard.create(str(new), engine.shard_config(settings))
    for operation in engine.index_operations(()):
        shard.update(operation)
    shard.flush()
    shard.close()
    del shard
    Path.rename(new, settings.path)


def _known(shard: qe.EdgeShard, point_ids: Iterable[UUID]) -> list[UUID]:
    # One unknown id would fail the whole operation, after it was written to the log.
    found = shard.retrieve(list(point_ids), with_payload=False, with_vector=False)
    return [_uuid(record.id) for record in found]


def _best(
    shard: qe.EdgeShard, leg: qe.QueryRequest, answer: list[qe.ScoredPoint], limit: int
) -> tuple[Hit, ...]:
    """The best ``limit`` hits, ties by id.

    Among equal scores the engine's order and choice are arbitrary. While a tie crosses the end
    of what it returned, it is asked again for more: for ids alone, since facts that are worded
    alike tie by the thousand, and reading their payloads takes most of the time.
    """
    fetched = limit + 1
    if not (len(answer) == fetched and answer[limit - 1].score == answer[-1].score):
        return tuple([_hit(i, one.score, one.payload) for i, one in _in_order(answer)[:limit]])
    while len(answer) == fetched and answer[limit - 1].score == answer[-1].score:
        fetched *= _TIE_STEP
        answer = shard.query(
            qe.QueryRequest(
                limit=fetched, query=leg.query, filter=leg.filter, with_payload=False,
                params=leg.params,
            )
        )  # fmt: skip
    best = _in_order(answer)[:limit]
    told = shard.retrieve([i for i, _ in best], with_payload=list(HIT_FIELDS), with_vector=False)
    payloads = {_uuid(record.id): record.payload for record in told}
    return tuple([_hit(i, one.score, payloads[i]) for i, one in best])


def _in_order(answer: list[qe.ScoredPoint]) -> list[tuple[UUID, qe.ScoredPoint]]:
    """With their ids: the engine makes a new object each time that one is asked for."""
    known = [((i := _uuid(one.id)), -one.score, i.int, one) for one in answer]
    known.sort(key=itemgetter(1, 2))
    return [(i, one) for i, _, _, one in known]


def _hit(point_id: UUID, score: float, payload: "qe.Payload | None") -> Hit:
    told = payload or {}
    return Hit(
        point_id,
        _entry_id(told["entry_id"]),
        score,
        _instant(told["age_at"]),
        told["type"],
        told["title"],
    )


@lru_cache(maxsize=65_536)
def _entry_id(text: str) -> UUID:
    """An id as points have it: entries return in hit after hit, and it is their dearest part."""
    return id_of(bytes.fromhex(text.replace("-", "")))


def _uuid(point_id: "qe.PointId") -> UUID:
    return point_id if isinstance(point_id, UUID) else UUID(str(point_id))


def _size(point: ChunkPoint) -> int:
    vector = len(point.vector) if point.vector is not None else 0
    content = 4 * len(point.body) + 8 * len(point.lexical.indices) + vector
    return _ROW_BYTES + _WRITTEN_TIMES * content
