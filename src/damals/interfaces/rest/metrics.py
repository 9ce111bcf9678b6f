"""What is counted for Prometheus, in a registry of the app's own."""

from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_1_0_0

BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_1_0_0


class Metrics:
    """Requests and their latencies by route, and how far the index is behind."""

    def __init__(self) -> None:
        """All at zero."""
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "damals_requests",
            "Requests by method, route and status.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "damals_request_seconds",
            "Seconds until an answer was sent, by method and route.",
            ("method", "route"),
            buckets=BUCKETS_S,
            registry=self.registry,
        )
        self.running = Gauge(
            "damals_requests_running", "Requests that are being answered.", registry=self.registry
        )
        self.outbox = Gauge(
            "damals_outbox_length",
            "Transactions that the index has not taken yet.",
            registry=self.registry,
        )
        self.index_lag = Gauge(
            "damals_index_lag_chunks",
            "Chunks that are found by their words only, so far.",
            registry=self.registry,
        )
        self.jobs = Gauge(
            "damals_jobs_running", "Jobs that wait or are being done.", registry=self.registry
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(method, route).observe(seconds)

    def text(self) -> bytes:
        """The exposition."""
        return generate_latest(self.registry)
