"""What is counted for Prometheus, in a registry of the app's own.

Labels are routes, stages and kinds: names of this program, never a text, an id or a name of others.
"""

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_1_0_0

from damals.app.stages import Counted, Number, Stage

BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_1_0_0


class Metrics:
    """Requests and their latencies, stages of the work, and how far the index is behind.

    It watches the stages of the whole process (port ``Watcher``): a server has one home.
    """

    def __init__(self) -> None:
        """All at zero."""
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "damals_requests",
            "Requests by method, route and status.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = self._histogram(
            "damals_request_seconds",
            "Seconds until an answer was sent, by method and route.",
            ("method", "route"),
        )
        self.running = self._gauge("damals_requests_running", "Requests that are being answered.")
        self.outbox = self._gauge(
            "damals_outbox_length", "Transactions that the index has not taken yet."
        )
        self.index_lag = self._gauge(
            "damals_index_lag_chunks", "Chunks that are found by their words only, so far."
        )
        self.jobs = self._gauge("damals_jobs_running", "Jobs that wait or are being done.")
        self.stages = self._histogram(
            "damals_stage_seconds", "Seconds that a stage of the work took.", ("stage",)
        )
        self.failures = Counter(
            "damals_stage_failures",
            "Stages that ended with an error.",
            ("stage",),
            registry=self.registry,
        )
        self._count_what_is_made()

    def _count_what_is_made(self) -> None:
        self._counters: Mapping[Counted, Counter] = {
            "embeddings": self._counter("damals_embeddings", "Texts that were embedded."),
            "erasures": self._counter("damals_erasures", "Erasures that were finished."),
            "backups": self._counter("damals_backups", "Backups that were made."),
        }
        self.hygiene = Gauge(
            "damals_hygiene_findings",
            "Findings of the last hygiene report over a whole workspace, by kind.",
            ("kind",),
            registry=self.registry,
        )
        self.hygiene_at = self._gauge(
            "damals_hygiene_timestamp_seconds", "When that report was made, Unix time."
        )
        self.last_backup = self._gauge(
            "damals_last_backup_timestamp_seconds", "When the newest backup was made, Unix time."
        )

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(name, about, registry=self.registry)

    def _counter(self, name: str, about: str) -> Counter:
        return Counter(name, about, registry=self.registry)

    def _histogram(self, name: str, about: str, labels: tuple[str, ...]) -> Histogram:
        return Histogram(name, about, labels, buckets=BUCKETS_S, registry=self.registry)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(method, route).observe(seconds)

    # --- what the work tells

    @contextmanager
    def stage(self, name: Stage, numbers: Mapping[str, Number]) -> Generator[None]:
        """Measure a stage."""
        del numbers
        began_s = time.perf_counter()
        try:
            yield
        except BaseException:
            self.failures.labels(name).inc()
            raise
        finally:
            self.stages.labels(name).observe(time.perf_counter() - began_s)

    def count(self, what: Counted, number: int) -> None:
        """Count so many more of something."""
        self._counters[what].inc(number)

    def told(self, what: str, numbers: Mapping[str, Number]) -> None:
        """Remember the findings of the last report."""
        if what == "hygiene":
            self.hygiene.clear()
            for kind, number in numbers.items():
                self.hygiene.labels(kind).set(number)
            self.hygiene_at.set_to_current_time()

    def text(self) -> bytes:
        """The exposition."""
        return generate_latest(self.registry)
