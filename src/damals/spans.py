"""OpenTelemetry spans of the stages of the work.

Off unless ``traces`` says otherwise; then the spans go to the provider of the process, which its
operator sets up (an OpenTelemetry SDK, for example through ``opentelemetry-instrument``). A span
has the name of its stage and numbers. Of an error it has the class: its words can hold what people
wrote, so they are not recorded.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from damals.app import stages
from damals.app.stages import Counted, Number, Stage

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer


class Spans:
    """Gives each stage a span (port ``Watcher``)."""

    def __init__(self, tracer: "Tracer") -> None:
        self._tracer = tracer

    @contextmanager
    def stage(self, name: Stage, numbers: Mapping[str, Number]) -> Generator[None]:
        """A span as long as the stage."""
        from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 -- loaded by who has spans

        with self._tracer.start_as_current_span(
            f"damals.{name}",
            attributes={f"damals.{key}": value for key, value in numbers.items()},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise

    def count(self, what: Counted, number: int) -> None:
        """Counts are for metrics."""

    def told(self, what: str, numbers: Mapping[str, Number]) -> None:
        """States are for metrics."""


_begun: list[Spans] = []


def begin() -> None:
    """Give every stage of this process a span from now on. Beginning twice is harmless."""
    if not _begun:
        from opentelemetry import trace  # noqa: PLC0415 -- a tenth of a second, for those who have spans

        _begun.append(Spans(trace.get_tracer("damals")))
    stages.watch(_begun[0])


def end() -> None:
    """No spans any more."""
    for spans in _begun:
        stages.unwatch(spans)
