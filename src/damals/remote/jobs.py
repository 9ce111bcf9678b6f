"""Long work on a server: ordered as a job, followed until it ends."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast
from urllib.parse import unquote
from uuid import uuid4

from damals.api.params import ProgressListener
from damals.app.access_results import JobView
from damals.app.errors import Conflict, NotFound, Unavailable
from damals.app.once import once
from damals.app.results import Progress
from damals.app.wire import from_wire
from damals.domain.access import OWNER_NAME
from damals.domain.entries import Json
from damals.remote.connection import Connection, Message
from damals.remote.encoding import segment
from damals.remote.failures import OVERLOADED, Unreachable, error_of

SILENCE_S: Final = 60.0
"""Without a word for so long, the job is looked at again."""

PAUSE_S: Final = 0.05
LONGEST_PAUSE_S: Final = 2.0

PROBLEM_STATUS: Final = 500


class Lost(Unreachable):
    """The server ended before the work did."""


@dataclass(slots=True)
class Errand:
    """Long work that one call wants done, whomever and however often it asks.

    Attributes:
        key: by which a server knows the order again.
        place: where the job is looked at, once it was told.
        ordered: a server was asked that may have done it.
    """

    key: str = field(default_factory=lambda: uuid4().hex)
    place: str | None = None
    ordered: bool = False

    @property
    def job(self) -> str | None:
        """The id of the job, once it was told."""
        return None if self.place is None else unquote(self.place.rpartition("/")[2])

    def known_as(self, workspace: str, route: str) -> bytes:
        """The key of what a server answers to this order when the owner of the home sends it."""
        return once(OWNER_NAME, workspace, f"POST {route}", self.key, b"").key

    def begin_anew(self) -> None:
        """What was ordered is not going to be done: the next order is another one."""
        self.key, self.place = uuid4().hex, None


class Jobs:
    """Orders jobs of a server and waits for them."""

    def __init__(self, connection: Connection) -> None:
        """For a server."""
        self._connection = connection

    def done(
        self,
        request: Message,
        jobs: str,
        progress: ProgressListener | None,
        errand: Errand,
    ) -> Mapping[str, Json]:
        """Order a job, follow it to its end, and give what it was for.

        Args:
            request: orders it.
            jobs: path of the jobs, below which it is found.
            progress: is told how far it is.
            errand: what is wanted; ordered before, it is followed further, and it is ordered
                anew only after a server has lost it.

        Raises:
            Lost: the server ended before it.
            Conflict: ``request.forgotten`` when it is over and what it gave was erased.
            DamalsError: what went wrong with it.
        """
        if errand.place is None:
            errand.ordered = True
            answer = self._connection.ask(replace(request, key=errand.key))
            job = from_wire(JobView, answer.document)
            errand.place = answer.location or f"{jobs}/{segment(job.id)}"
        try:
            ended = self._followed(errand.place, progress)
        except NotFound as error:
            if error.key != "job.unknown":
                raise
            ended = None
        if ended is None or ended.state == "lost":
            errand.begin_anew()
            raise Lost("remote.job_lost", url=self._connection.url)
        return self._outcome(ended)

    def _outcome(self, job: JobView) -> Mapping[str, Json]:
        if job.state == "done" and job.result is not None:
            return job.result
        if job.state == "failed" and job.problem is not None:
            raise error_of(PROBLEM_STATUS, job.problem, self._connection.url)
        # It is over, and something was erased since: nothing is left to tell, or to do again.
        raise Conflict("request.forgotten")

    def _followed(self, path: str, progress: ProgressListener | None) -> JobView:
        """The job when it has ended. What is told of it may break off: then it is looked at."""
        pause_s = PAUSE_S
        while True:
            try:
                self._listen(path, progress)
            except Unavailable:
                time.sleep(pause_s)
            seen = self._seen(path)
            if seen is not None and seen.state != "running":
                return seen
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _seen(self, path: str) -> JobView | None:
        """The job as it is; nothing when the server has too much to do to say."""
        try:
            return from_wire(JobView, self._connection.ask(Message("GET", path)).document)
        except Unavailable as error:
            if error.key not in OVERLOADED:
                raise
            return None

    def _listen(self, path: str, progress: ProgressListener | None) -> None:
        """Hear how far it is, until it ends or nothing more comes."""
        with self._connection.stream(Message("GET", f"{path}/events"), answer_s=SILENCE_S) as said:
            for event, told in _events(said.iter_lines()):
                if event != "progress":
                    return
                if progress is not None:
                    progress(_progress(told))


def _events(lines: Iterator[str]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Name and document of each server-sent event."""
    name, data = "", ""
    for line in lines:
        field, _, value = line.partition(":")
        if field == "event":
            name = value.strip()
        elif field == "data":
            data += value.removeprefix(" ")
        elif not line and data:
            yield name, cast("Mapping[str, Json]", json.loads(data))
            name, data = "", ""


def _progress(told: Mapping[str, Json]) -> Progress:
    done, total = told.get("done"), told.get("total")
    return Progress(
        stage=str(told.get("stage", "")),
        done=done if isinstance(done, int) else 0,
        total=total if isinstance(total, int) else None,
        unit=str(told.get("unit", "")),
    )
