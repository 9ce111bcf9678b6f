"""The research gate: how old it is what something is to be built on."""

from starlette.responses import Response

from damals.app.gating_results import GateReport
from damals.interfaces.rest import bodies
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import WorkspaceChanger

area = Area("gate", "/v1/workspaces/{workspace}")


@area.route("POST /gate", "gate", Answer(GateReport), Rules(once=True))
def gate(caller: WorkspaceChanger, body: bodies.Gate) -> Response:
    """Research that is older than the half-life of its domain. It flags and never blocks.

    With `accept` what is flagged is built on all the same; every answer that uses it says so then.
    """
    given = body.given()
    if given.get("limit") == "all":
        given["limit"] = None
    work = lambda: caller.memory.gate(**given)  # noqa: E731 -- one of two ways to answer
    return caller.answered_once(work) if body.accept else caller.answered_anew(work)
