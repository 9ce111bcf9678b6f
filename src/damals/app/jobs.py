"""Jobs: long work that is asked for, goes on by itself, and is looked at again later."""

import queue
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast

from damals import messages
from damals.app.access_model import Job, Registry
from damals.app.access_results import JobView
from damals.app.errors import DamalsError, NotFound
from damals.app.ports import Clock
from damals.app.problems import told
from damals.app.results import Progress, Result
from damals.app.wire import to_wire
from damals.domain.entries import Json
from damals.domain.instants import format_instant
from damals.logs import note_failure

Work = Callable[[Callable[[Progress], None]], Result]
"""Does the work and tells how far it is."""

INTERNAL: Final[Mapping[str, Json]] = {"code": "internal", "key": "request.failed", "values": {}}


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done.

    Attributes:
        request: what was asked, as it is shown.
        lang: language of the texts in its report.
        drop: takes away what the work would have used, when it is never begun.
    """

    workspace: str
    kind: str
    principal: str
    request: Mapping[str, Json]
    work: Work
    lang: str = field(default_factory=messages.spoken)
    drop: Callable[[], None] = lambda: None


class JobRunner:
    """Does one job after the other, in a thread of its own. Any thread may use it.

    How far a job is stands in memory only; that it began and what became of it is stored.
    """

    def __init__(self, registry: Callable[[bool], Registry], clock: Clock) -> None:
        """With no jobs. ``registry`` gives where they are stored, made first when it may be."""
        self._registry = registry
        self._clock = clock
        self._lock = threading.Lock()
        self._live: dict[tuple[str, str], tuple[Job, Progress | None]] = {}
        self._waiting: queue.SimpleQueue[tuple[Job, Order] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.closed = False

    def start(self, order: Order) -> Job:
        """Begin a job, as soon as those before it are done.

        It is stored as soon as nobody else writes, and found at once.
        """
        now = self._clock()
        job = Job(
            id=str(uuid.uuid4()),
            kind=order.kind,
            principal=order.principal,
            state="running",
            request=order.request,
            created_at=now,
            updated_at=now,
        )
        self._registry(True).put_job(order.workspace, job)
        with self._lock:
            self._live[order.workspace, job.id] = (job, None)
            if self._thread is None:
                # Jobs are stored whole or not at all: the program's end need not wait for them.
                self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
                self._thread.start()
        self._waiting.put((job, order))
        return job

    def job(self, workspace: str, id: str) -> tuple[Job, Progress | None]:
        """A job, and how far it is when it is being done here.

        Raises:
            NotFound: ``job.unknown``.
        """
        with self._lock:
            live = self._live.get((workspace, id))
        if live is not None:
            return live
        found = self._registry(False).job(workspace, id)
        if found is None:
            raise NotFound("job.unknown", id=id)
        return self._seen(found), None

    def jobs(self, workspace: str, limit: int) -> Sequence[Job]:
        """The newest jobs, newest first."""
        found = self._registry(False).jobs(workspace, limit)
        with self._lock:
            live = {job.id: job for job, _ in self._live.values()}
        return tuple(live.get(one.id) or self._seen(one) for one in found)

    @property
    def running(self) -> int:
        """How many wait or are being done."""
        with self._lock:
            return len(self._live)

    def close(self, wait_s: float) -> None:
        """Begin no more; what is not done in time is marked as lost."""
        self.closed = True
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(wait_s)
        while not self._waiting.empty():
            waiting = self._waiting.get()
            if waiting is not None:
                waiting[1].drop()
        self._waiting.put(None)  # for a thread that is still at work
        with self._lock:
            left, self._live = self._live, {}
        for (workspace, _), (job, _) in left.items():
            self._store(workspace, replace(job, state="lost", finished_at=self._clock()))

    @staticmethod
    def _seen(job: Job) -> Job:
        """What is said to run in this home, and does not, ended with the process that did it."""
        lost = job.state == "running" and not job.elsewhere
        return replace(job, state="lost") if lost else job

    def _run(self) -> None:
        while (ordered := self._waiting.get()) is not None:
            job, order = ordered
            if self.closed:
                order.drop()
                return
            self._finish(order, self._done(job, order))

    def _done(self, job: Job, order: Order) -> Job:
        def listen(progress: Progress) -> None:
            moved = replace(job, done=progress.done, total=progress.total, updated_at=self._clock())
            with self._lock:
                if (order.workspace, job.id) in self._live:
                    self._live[order.workspace, job.id] = (moved, progress)

        try:
            with messages.speaking(order.lang):
                result = to_wire(order.work(listen))
        except DamalsError as error:
            detail = messages.render(error.key, error.values, order.lang)
            return replace(job, state="failed", result={**told(error), "detail": detail})
        except Exception as error:  # noqa: BLE001 -- told in the log, and the next job goes on
            note_failure("job failed", error, job=job.kind)
            detail = messages.text("request.failed", order.lang)
            return replace(job, state="failed", result={**INTERNAL, "detail": detail})
        return replace(job, state="done", result=cast("Json", result))

    def _finish(self, order: Order, ended: Job) -> None:
        place = (order.workspace, ended.id)
        with self._lock:
            last = self._live.get(place)
        if last is None:
            return  # the end of the server has marked it as lost
        now = self._clock()
        total = last[0].total
        done = last[0].done if ended.state == "failed" or total is None else total
        self._store(
            order.workspace,
            replace(ended, done=done, total=total, updated_at=now, finished_at=now),
        )
        with self._lock:
            self._live.pop(place, None)

    def _store(self, workspace: str, job: Job) -> None:
        try:
            self._registry(False).put_job(workspace, job)
        except DamalsError as error:
            note_failure("the end of a job could not be stored", error, job=job.kind)


def job_view(job: Job) -> JobView:
    """A job as it is shown."""
    shown = cast("Mapping[str, Json] | None", job.result)
    return JobView(
        id=job.id,
        kind=job.kind,
        state=job.state,
        done=job.done,
        total=job.total,
        request=job.request,
        created_at=format_instant(job.created_at),
        updated_at=format_instant(job.updated_at),
        finished_at=None if job.finished_at is None else format_instant(job.finished_at),
        result=shown if job.state == "done" else None,
        problem=shown if job.state == "failed" else None,
    )
