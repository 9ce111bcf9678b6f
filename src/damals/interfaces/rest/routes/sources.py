"""What was imported."""

from starlette.responses import Response

from damals.app.sources import Sources
from damals.app.wire import to_wire
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area
from damals.interfaces.rest.caller import WorkspaceCaller

area = Area("sources", "/v1/workspaces/{workspace}")


@area.route("GET /sources", "sources", Answer(Sources))
def sources(caller: WorkspaceCaller) -> Response:
    """What was imported, when, with what result, by name.

    The owner is told how the last import of each source ended; others are told of the notes of
    each source that they see.
    """
    return JsonAnswer(to_wire(Sources(tuple(caller.memory.sources()))))
