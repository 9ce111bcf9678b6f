"""Questions: recall, and what changed."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from damals.app.diff_results import Diff
from damals.app.results import Recall
from damals.app.wire import to_wire
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import WorkspaceCaller, WorkspaceChanger

area = Area("questions", "/v1/workspaces/{workspace}")

ONCE = Rules(once=True)


class Comparison(BaseModel):
    """What is compared."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)

    topic: Annotated[str | None, Query(description="Words that an entry must all say.")] = None
    start: Annotated[str, Field(alias="from", description="The first pair of instants.")]
    end: Annotated[str, Field(alias="to", description="The second pair of instants.")]
    known_from: Annotated[
        str | None, Query(description="Recorded instant of the first pair; that of `from`.")
    ] = None
    known_to: Annotated[
        str | None, Query(description="Recorded instant of the second pair; that of `to`.")
    ] = None
    axis: Annotated[
        Literal["valid", "known"] | None, Query(description="Along which clock; both by default.")
    ] = None
    entry: Annotated[str | None, Query(description="Id or external id of an entry.")] = None
    tag: Annotated[list[str] | None, Query(description="Each of the tags.")] = None
    type: Annotated[list[str] | None, Query(description="Any of the types.")] = None


@area.route("POST /recall", "recall", Answer(Recall), ONCE)
def recall(caller: WorkspaceChanger, body: bodies.Question) -> Response:
    """What answers a question at a pair of instants, best first, one result an entry."""
    given = asked(body.given())
    return caller.answered_anew(lambda: caller.memory.recall(**given))


@area.route("POST /recall-at-time", "recall_at_time", Answer(Recall), ONCE)
def recall_at_time(caller: WorkspaceChanger, body: bodies.QuestionAtTime) -> Response:
    """What answered a question at an instant."""
    # Both instants are given, or said to be now: words of the question choose none.
    given: dict[str, Any] = asked(body.given()) | {"times": "off"}
    return caller.answered_anew(lambda: caller.memory.recall(**given))


@area.route("GET /diff", "diff", Answer(Diff))
def diff(caller: WorkspaceCaller, asked: Annotated[Comparison, Query()]) -> Response:
    """What changed from one pair of instants to another, by phase, instant and id."""
    return JsonAnswer(to_wire(caller.memory.diff(**asked.model_dump())))


def asked(given: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a recall; those that are null were not given, but for the limit."""
    kept = {name: value for name, value in given.items() if value is not None or name == "limit"}
    return kept | {"limit": None} if kept.get("limit") == "all" else kept
