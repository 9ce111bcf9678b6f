"""What is to be looked at, why, and the command that repairs it."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from damals.app.hygiene.report import LIMIT
from damals.app.hygiene.results import HygieneReport
from damals.app.wire import to_wire
from damals.domain.findings import HYGIENE, LINT, Kind
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area
from damals.interfaces.rest.caller import WorkspaceCaller
from damals.interfaces.rest.paging import Limit, limit_of
from damals.interfaces.rest.routes.entries import AsOf, KnownAt

area = Area("hygiene", "/v1/workspaces/{workspace}")


def _kinds(*kinds: Kind) -> Any:  # noqa: ANN401 -- what FastAPI calls its own
    return Query(description=f"Only of any of these kinds: {', '.join(kinds)}.")


class Selection(BaseModel):
    """Which findings are told, and of when."""

    model_config = ConfigDict(extra="forbid")

    as_of: AsOf = None
    known_at: KnownAt = None
    limit: Limit = str(LIMIT)


class Topic(Selection):
    """What a report is about."""

    topic: Annotated[
        str | None, Query(description="Words that an entry of each finding must all say.")
    ] = None
    kind: Annotated[list[str] | None, _kinds(*HYGIENE)] = None


class Pass(Selection):
    """What a linter looks at."""

    due: Annotated[
        bool, Query(description="Only what is due by its risk: weekly, monthly, quarterly.")
    ] = False
    kind: Annotated[list[str] | None, _kinds(*LINT, Kind.DUE)] = None


@area.route("GET /hygiene", "hygiene", Answer(HygieneReport))
def hygiene(caller: WorkspaceCaller, asked: Annotated[Topic, Query()]) -> Response:
    """Findings by kind, ranked by effective importance; of each kind `limit`, all are counted."""
    return JsonAnswer(to_wire(caller.memory.hygiene(**_given(asked))))


@area.route("GET /lint", "lint", Answer(HygieneReport))
def lint(caller: WorkspaceCaller, asked: Annotated[Pass, Query()]) -> Response:
    """Fields that do not fit each other, and what is past its window (`review`) or due."""
    return JsonAnswer(to_wire(caller.memory.lint(**_given(asked))))


def _given(asked: Selection) -> dict[str, Any]:
    return asked.model_dump() | {"limit": limit_of(asked.limit)}
