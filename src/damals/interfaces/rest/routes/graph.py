"""How entries stand to each other: the graph around one, and the persons."""

from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BaseModel, ConfigDict, WithJsonSchema
from starlette.responses import Response

from damals.app.graph import DEGREES, DEPTHS
from damals.app.graph_results import DeriveReport, Graph, People
from damals.app.wire import to_wire
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import WorkspaceCaller, WorkspaceChanger
from damals.interfaces.rest.paging import Limit, limit_of
from damals.interfaces.rest.routes.entries import AsOf, Id, KnownAt

area = Area("graph", "/v1/workspaces/{workspace}")

# It is checked where it is used, so that it is refused alike everywhere.
_DEPTH: Final = WithJsonSchema({"type": "integer", "minimum": DEPTHS[0], "maximum": DEPTHS[-1]})
_DEGREE: Final = WithJsonSchema({"type": "integer", "minimum": DEGREES[0], "maximum": DEGREES[-1]})


class Surroundings(BaseModel):
    """How much of the graph is asked for."""

    model_config = ConfigDict(extra="forbid")

    depth: Annotated[int, _DEPTH, Query(description="So many edges away at most.")] = 1
    as_of: AsOf = None
    known_at: KnownAt = None
    type: Annotated[
        list[str] | None, Query(description="Only relations of any of these types.")
    ] = None
    limit: Limit = "100"
    degree: Annotated[
        int | None, _DEGREE, Query(description="So many neighbours of each entry at most.")
    ] = None


@area.route("GET /graph/{id}", "graph", Answer(Graph))
def graph(caller: WorkspaceCaller, id: Id, asked: Annotated[Surroundings, Query()]) -> Response:
    """What lies around an entry at a pair of instants: nodes by hops, and edges."""
    given: dict[str, Any] = asked.model_dump() | {"limit": limit_of(asked.limit)}
    return JsonAnswer(to_wire(caller.memory.graph(id, **given)))


@area.route("GET /people", "people", Answer(People))
def people(caller: WorkspaceCaller) -> Response:
    """The persons that hold now, by title, and who of them is the default persona."""
    return JsonAnswer(to_wire(caller.memory.people()))


@area.route("POST /derive", "derive", Answer(DeriveReport), Rules(once=True, slow=True))
def derive(caller: WorkspaceChanger, body: bodies.Derive) -> Response:
    """Add the edges that follow from others by the rules of `types.yaml`; end what follows no more.

    Doing it again changes nothing.
    """
    return caller.answered_once(lambda: caller.memory.derive(dry_run=body.dry_run))
