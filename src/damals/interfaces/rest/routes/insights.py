"""What knowledge over time tells: plans that are due, traces, patterns, calibrations."""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from damals.app.calibration_results import Calibration
from damals.app.pattern_results import Pattern
from damals.app.planning_results import Planning
from damals.app.span_results import TimeSpan
from damals.app.timeline_results import Timeline
from damals.app.tracing_results import Trace
from damals.app.wire import to_wire
from damals.domain.planning import USUAL_FOLDER
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area
from damals.interfaces.rest.caller import WorkspaceCaller
from damals.interfaces.rest.paging import Limit, limit_of
from damals.interfaces.rest.routes.entries import AsOf, KnownAt

area = Area("insights", "/v1/workspaces/{workspace}")

Start = Annotated[str | None, Query(description="Both clocks at the start of the way.")]
End = Annotated[str | None, Query(description="Both clocks at its end.")]


class Plans(BaseModel):
    """Which plans are looked at, and when."""

    model_config = ConfigDict(extra="forbid")

    folder: Annotated[
        str, Query(description="With a vision and a roadmap: of an imported vault.")
    ] = USUAL_FOLDER
    as_of: AsOf = None
    known_at: KnownAt = None


class Tracing(BaseModel):
    """How far back a trace is told."""

    model_config = ConfigDict(extra="forbid")

    start: Start = None
    end: End = None
    as_of: AsOf = None
    known_at: KnownAt = None
    limit: Limit = "10"


class Topic(BaseModel):
    """What a pattern is of, and when."""

    model_config = ConfigDict(extra="forbid")

    topic: Annotated[str, Query(description="A tag, or words that an example must all say.")]
    as_of: AsOf = None
    known_at: KnownAt = None


class Lived(BaseModel):
    """Which part of a timeline is told."""

    model_config = ConfigDict(extra="forbid")

    topic: Annotated[str, Query(description="A tag, or words that an entry must all say.")]
    axis: Annotated[
        str | None, Query(description="Only of one clock, `valid` or `known`; both by default.")
    ] = None
    step: Annotated[
        int | None, Query(description="Number of an event: its page, and what held at it.")
    ] = None
    limit: Limit = "50"
    after: Annotated[int, Query(description="Number of the event behind which they are told.")] = 0
    as_of: AsOf = None
    known_at: KnownAt = None


class Measured(BaseModel):
    """Which values of a calibration are compared."""

    model_config = ConfigDict(extra="forbid")

    start: Annotated[str | None, Query(description="Where the drift begins.")] = None
    end: Annotated[str | None, Query(description="Where it ends.")] = None
    as_of: AsOf = None
    known_at: KnownAt = None
    axis: Annotated[str | None, Query(description="`valid` (by default) or `known`.")] = None
    unit: Annotated[str | None, Query(description="Only values in this unit.")] = None


def _given(asked: BaseModel) -> dict[str, Any]:
    """What was asked; what is null was not given."""
    return asked.model_dump(exclude_none=True)


@area.route("GET /planning", "planning", Answer(Planning))
def planning(caller: WorkspaceCaller, asked: Annotated[Plans, Query()]) -> Response:
    """Whether a vision and a roadmap are due for review and fit each other; nothing is blocked."""
    return JsonAnswer(to_wire(caller.memory.planning(**asked.model_dump())))


@area.route("GET /entries/{what}/trace", "trace", Answer(Trace))
def trace(
    caller: WorkspaceCaller,
    what: Annotated[str, Path(description="Id or external id, else words that an entry says.")],
    asked: Annotated[Tracing, Query()],
) -> Response:
    """When, by whom and from where a belief entered, and what was known just before."""
    given: dict[str, Any] = _given(asked) | {"limit": limit_of(asked.limit)}
    return JsonAnswer(to_wire(caller.memory.trace(what, **given)))


@area.route("GET /patterns", "patterns", Answer(Pattern))
def patterns(caller: WorkspaceCaller, asked: Annotated[Topic, Query()]) -> Response:
    """How a topic or a tag came to be what it is, and how stable it is."""
    return JsonAnswer(to_wire(caller.memory.patterns(**asked.model_dump())))


@area.route("GET /timeline", "timeline", Answer(Timeline))
def timeline(caller: WorkspaceCaller, asked: Annotated[Lived, Query()]) -> Response:
    """What happened to a topic, event by event, on both clocks, and what held of it at one."""
    given: dict[str, Any] = _given(asked) | {"limit": limit_of(asked.limit)}
    return JsonAnswer(to_wire(caller.memory.timeline(**given)))


@area.route("GET /calibration/{name}", "calibration", Answer(Calibration))
def calibration(
    caller: WorkspaceCaller,
    name: Annotated[str, Path(description="Name of what was measured.")],
    asked: Annotated[Measured, Query()],
) -> Response:
    """The values that were measured under a name, their drift and their trend."""
    return JsonAnswer(to_wire(caller.memory.calibration(name, **_given(asked))))


@area.route("GET /span", "span", Answer(TimeSpan))
def span(caller: WorkspaceCaller) -> Response:
    """The first and the last instants of what may be seen, on both clocks, and now."""
    return JsonAnswer(to_wire(caller.memory.span()))
