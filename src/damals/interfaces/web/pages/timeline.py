"""The timeline of a topic: what happened on both clocks, and what held at each event."""

from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BaseModel
from starlette.responses import Response

from damals.app.errors import DamalsError
from damals.app.timeline_results import Timeline
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import Pages
from damals.interfaces.web.clocks import AskedPair, Pair, span_of
from damals.interfaces.web.drawing.strip import strip
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor
from damals.interfaces.web.zoned import Zoned

pages = Pages("/w/{workspace}")

PAGE: Final = 50
"""So many events at once."""

AXES: Final = ("", "valid", "known")

Number = Annotated[str | None, Query(max_length=20)]


class Asked(BaseModel):
    """What the address of the page says."""

    topic: Annotated[str, Query(max_length=10_000)] = ""
    axis: Annotated[str, Query(max_length=20)] = ""
    step: Number = None
    after: Number = None


@pages.page("GET /timeline")
def timeline(
    visitor: WorkspaceVisitor, pair: AskedPair, given: Annotated[Asked, Query()]
) -> Response:
    """What happened to a topic, and the state at one of its events."""
    asked: dict[str, Any] = {"topic": given.topic.strip(), "axis": given.axis, **pair.told}
    values: dict[str, Any] = {"asked": asked, "axes": AXES, "line": None, "problem": None}
    values["span"] = span_of(visitor)
    if not asked["topic"]:
        return visitor.page("timeline.html", **values)
    try:
        found = visitor.memory.timeline(
            asked["topic"],
            axis=given.axis or None,
            step=_whole(given.step),
            after=_whole(given.after) or 0,
            limit=PAGE,
            as_of=pair.as_of,
            known_at=pair.known_at,
        )
    except DamalsError as error:
        problem = problem_of(error)
        values["problem"] = problem.document
        return visitor.page("timeline.html", problem.status, block="moment", **values)
    values |= {"line": found, **_shown(visitor, found, pair, asked)}
    return visitor.page("timeline.html", block="moment", **values)


def _whole(text: str | None) -> int | None:
    """A number of an address; whatever is none is passed on as not given."""
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _shown(visitor: Visitor, line: Timeline, pair: Pair, asked: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a timeline, and where its links lead."""
    step = line.step
    looked_at = next((one for one in line.events if one.step == step), None)
    first = line.events[0].step if line.events else 1
    here = {"as_of": line.as_of, "known_at": line.known_at} if step else pair.told

    def at(number: int | None) -> str:
        return visitor.path("timeline", **asked, step=number)

    local = Zoned.of(line.understood.zone)
    return {
        "local": local,
        "event": looked_at,
        "pair": here,
        "at": at,
        "previous": at(step - 1) if step and step > 1 else None,
        "following": at(step + 1) if step and step < line.count else None,
        "begin": at(1),
        "end": at(line.count),
        "earlier": visitor.path("timeline", **asked, after=max(first - 1 - PAGE, 0), step=None)
        if first > 1
        else None,
        "later": visitor.path("timeline", **asked, after=line.next) if line.next else None,
        "strip": strip(line.events, (line.as_of, line.known_at), local.zone)
        if line.events
        else None,
    }
