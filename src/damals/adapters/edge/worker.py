"""The chunk index in a supervised worker process.

The engine stops every thread of its process while it works, and takes the process with it when
the disk is full or a file is damaged. Here that process is a worker: requests have time-outs, a
dead worker is started again, and the caller sees an error it can handle.
"""

import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar, cast
from uuid import UUID

from damals.adapters.edge.guard import FreeSpace, free_space
from damals.adapters.edge.process import WorkerDiedError, WorkerProcess
from damals.adapters.edge.protocol import Operation, PackedLeg, Request, unpack_hits, unpack_ids
from damals.adapters.edge.schema import EdgeSettings
from damals.app.index_model import ChunkPoint, Hits, IndexFilter, IndexQuery
from damals.app.ledger_model import Access
from damals.domain.errors import Corrupt, Unavailable

BATCH_POINTS: Final = 500
"""Points in one request: a query waits for one batch at most, not for a whole import."""

_CRASHES_UNTIL_CORRUPT: Final = 3
"""So many crashes in a row are no bad luck: the files are damaged."""

_LEAST_FREE_BYTES: Final = 64 * 1024 * 1024
"""Below this a crash is put down to the disk: the engine's files grow by up to so much."""

_FIRST_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 2.0

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """How long to wait for an answer, in seconds.

    Attributes:
        open: start of the process and load of the shard, waiting for its lock included.
        read: a query, a count, a page of ids.
        write: one batch of points, or a flush.
        optimize: an optimization; it takes some 0.2 ms a point.
        close: last flush and end of the process, before it is killed.
    """

    open: float = 120.0
    read: float = 30.0
    write: float = 120.0
    optimize: float = 3600.0
    close: float = 60.0


class WorkerChunkIndex:
    """The port ``ChunkIndex`` over a shard that a worker process of its own holds.

    Reads are repeated once when the worker dies under them. A write that was under way raises
    ``Unavailable``: whether it happened is unknown, and writing it again is harmless. Writes
    that were acknowledged survive the death of the worker. Any thread may use it; requests are
    carried out one after the other.

    Args:
        settings: where the shard lies and what its vectors are.
        limits: how long to wait for what.
        space: tells the free bytes of a file system, to know a full disk from damage.

    Raises:
        Unavailable: ``index.unavailable`` when the worker dies or is late, ``index.held`` when
            another process has the shard, ``index.disk_full``.
        Corrupt: ``index.corrupt`` when the shard cannot be loaded, or crashes again and again.
    """

    apart = True

    def __init__(
        self,
        settings: EdgeSettings,
        limits: WorkerLimits | None = None,
        *,
        space: FreeSpace = free_space,
    ) -> None:
        self._settings = settings
        self._space = space
        self._limits = limits if limits is not None else WorkerLimits()
        self._mutex = threading.Lock()
        self._worker: WorkerProcess | None = None
        self._started = 0
        self._deaths_in_a_row = 0
        self._crashes_in_a_row = 0
        self._closed = False
        with self._turn(self._limits.open):
            self._living_worker()

    @property
    def restarts(self) -> int:
        """How often the worker had to be started again. More than a few tell of trouble."""
        return max(0, self._started - 1)

    @property
    def pid(self) -> int | None:
        """Process id of the worker, ``None`` while there is none."""
        worker = self._worker
        return worker.pid if worker is not None and worker.alive else None

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """Write points, replacing those of the same id; of two with one id the last stays."""
        for start in range(0, len(points), BATCH_POINTS):
            self._write("upsert", tuple(points[start : start + BATCH_POINTS]))

    def close_points(self, closings: Mapping[UUID, int]) -> None:
        """Set ``recorded_to`` of each named point; unknown ids are ignored."""
        for part in _parts(closings):
            self._write("close_points", part)

    def set_vectors(self, vectors: Mapping[UUID, bytes]) -> None:
        """Add the dense vector of each named point; unknown ids are ignored."""
        for part in _parts(vectors):
            self._write("set_vectors", part)

    def set_access(self, workspace: str, entry_id: UUID, access: Access) -> None:
        """Set the access fields of every point of an entry."""
        self._write("set_access", workspace, entry_id, access)

    def set_archived(self, workspace: str, entry_id: UUID, archived_at: int) -> None:
        """Set since when an entry is archived, on all its points."""
        self._write("set_archived", workspace, entry_id, archived_at)

    def delete_entry(self, workspace: str, entry_id: UUID) -> None:
        """Remove every point of an entry; an unknown one is ignored."""
        self._write("delete_entry", workspace, entry_id)

    def delete(self, point_ids: Sequence[UUID]) -> None:
        """Remove points; unknown ids are ignored."""
        for start in range(0, len(point_ids), BATCH_POINTS):
            self._write("delete", tuple(point_ids[start : start + BATCH_POINTS]))

    def query(self, query: IndexQuery) -> Hits:
        """Both legs under one filter."""
        return unpack_hits(cast("tuple[PackedLeg, PackedLeg]", self._read("query", query)))

    def count(self, where: IndexFilter | None = None) -> int:
        """How many points there are, or pass a filter."""
        return cast("int", self._read("count", where))

    def ids(self) -> Iterator[UUID]:
        """The ids of all points. What is written meanwhile may or may not be among them."""
        start: UUID | None = None
        while True:
            page = self._read("ids_page", start)
            packed, start = cast("tuple[bytes, UUID | None]", page)
            yield from unpack_ids(packed)
            if start is None:
                return

    def flush(self) -> None:
        """Make every write so far durable."""
        self._write("flush")

    def optimize(self) -> None:
        """Bring the files into the shape that is fastest to query. Other requests wait."""
        self._ask("optimize", (), self._limits.optimize, attempts=1)

    def close(self) -> None:
        """Flush and end the worker, by force when it does not end in time."""
        if not self._mutex.acquire(timeout=self._limits.close):
            self._end_request_of_another_thread()
            self._mutex.acquire()
        try:
            self._closed = True
            worker, self._worker = self._worker, None
            if worker is not None:
                self._part_with(worker)
        finally:
            self._mutex.release()

    def _end_request_of_another_thread(self) -> None:
        worker = self._worker
        if worker is not None:
            worker.kill()

    def _part_with(self, worker: WorkerProcess) -> None:
        try:
            reply = worker.ask(Request("close", (), self._limits.close))
        except WorkerDiedError:
            return  # What it had acknowledged is in the engine's log.
        finally:
            worker.end(self._limits.close)
        if reply.error is not None:
            raise reply.error

    def _read(self, operation: Operation, *arguments: object) -> object:
        return self._ask(operation, arguments, self._limits.read, attempts=2)

    def _write(self, operation: Operation, *arguments: object) -> None:
        self._ask(operation, arguments, self._limits.write, attempts=1)

    def _ask(
        self,
        operation: Operation,
        arguments: tuple[object, ...],
        timeout_seconds: float,
        *,
        attempts: int,
    ) -> object:
        request = Request(operation, arguments, timeout_seconds)
        with self._turn(timeout_seconds):
            for left in reversed(range(attempts)):
                try:
                    reply = self._living_worker().ask(request)
                except WorkerDiedError as death:
                    self._bury(death)
                    if death.late or not left:
                        raise self._verdict() from death
                else:
                    self._deaths_in_a_row = self._crashes_in_a_row = 0
                    if reply.error is not None:
                        raise reply.error
                    return reply.value
        raise self._verdict()

    @contextmanager
    def _turn(self, seconds: float) -> Generator[None]:
        """One request at a time, each waiting no longer for its turn than for its answer."""
        if not self._mutex.acquire(timeout=seconds):
            raise Unavailable("index.unavailable", path=self._path)
        try:
            if self._closed:
                raise Unavailable("index.closed", path=self._path)
            yield
        finally:
            self._mutex.release()

    def _living_worker(self) -> WorkerProcess:
        if self._worker is not None:
            if self._worker.alive:
                return self._worker
            self._bury(self._worker.death())
        if self._deaths_in_a_row:
            pause = _FIRST_PAUSE_SECONDS * 2 ** (self._deaths_in_a_row - 1)
            time.sleep(min(pause, _LONGEST_PAUSE_SECONDS))
        self._worker = self._start()
        return self._worker

    def _start(self) -> WorkerProcess:
        try:
            worker = WorkerProcess()
        except OSError as cause:
            raise Unavailable("index.unavailable", path=self._path) from cause
        self._started += 1
        request = Request("open", (self._settings,), self._limits.open)
        try:
            reply = worker.ask(request)
        except WorkerDiedError as death:
            worker.end(0.0)
            self._count(death)
            raise self._verdict(loading=True) from death
        if reply.error is not None:
            worker.end(self._limits.close)
            raise reply.error
        return worker

    def _bury(self, death: WorkerDiedError) -> None:
        self._count(death)
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end(0.0)

    def _count(self, death: WorkerDiedError) -> None:
        self._deaths_in_a_row += 1
        self._crashes_in_a_row = self._crashes_in_a_row + 1 if death.crashed else 0

    def _verdict(self, *, loading: bool = False) -> Corrupt | Unavailable:
        """What to say of the last death: a full disk crashes the engine as damage does."""
        crashes = self._crashes_in_a_row
        if crashes and self._disk_is_full():
            return Unavailable("index.disk_full", path=self._path)
        if crashes >= (1 if loading else _CRASHES_UNTIL_CORRUPT):
            return Corrupt("index.corrupt", path=self._path)
        return Unavailable("index.unavailable", path=self._path)

    def _disk_is_full(self) -> bool:
        home = self._settings.home
        least = max(self._settings.reserve_bytes, _LEAST_FREE_BYTES)
        return home.exists() and self._space(home) < least

    @property
    def _path(self) -> str:
        return str(self._settings.path)


def _parts(mapping: Mapping[UUID, _Value]) -> Iterator[dict[UUID, _Value]]:
    """Cut a mapping into pieces of one request each."""
    remaining = iter(mapping.items())
    while part := dict(islice(remaining, BATCH_POINTS)):
        yield part
