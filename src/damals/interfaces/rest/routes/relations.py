"""Relations of entries, and contradictions between them."""

from starlette.responses import Response

from damals.app.change_results import ChangedEntries, ChangedRelation
from damals.app.wire import to_wire
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import CREATED, EntryChanger

area = Area("relations", "/v1/workspaces/{workspace}")

CHANGE = Rules(refuses=(412,), once=True)


@area.route(
    "POST /relations",
    "relate",
    Answer(ChangedRelation, status=CREATED, also={200: "It was known already."}),
    CHANGE,
)
def relate(caller: EntryChanger, body: bodies.Relate) -> Response:
    """One entry stands in a relation to another."""
    made = caller.matched(lambda more: caller.memory.relate(**more), body.given())
    return JsonAnswer(to_wire(made), 200 if made.unchanged else CREATED)


@area.route("POST /relations/unrelate", "unrelate", Answer(ChangedRelation), CHANGE)
def unrelate(caller: EntryChanger, body: bodies.Unrelate) -> Response:
    """It stands in this relation no longer; what it had cut is given back."""
    made = caller.matched(lambda more: caller.memory.unrelate(**more), body.given())
    return JsonAnswer(to_wire(made))


@area.route(
    "POST /contradictions",
    "contradict",
    Answer(ChangedRelation, status=CREATED, also={200: "It was known already."}),
    CHANGE,
)
def contradict(caller: EntryChanger, body: bodies.Contradict) -> Response:
    """Two entries cannot both be right; both stay until it is decided."""
    made = caller.matched(lambda more: caller.memory.contradict(**more), body.given())
    return JsonAnswer(to_wire(made), 200 if made.unchanged else CREATED)


@area.route("POST /contradictions/resolve", "resolve", Answer(ChangedEntries), CHANGE)
def resolve(caller: EntryChanger, body: bodies.Resolve) -> Response:
    """Decide a contradiction: the side that is not kept ends now; `both` leaves both."""
    made = caller.matched(lambda more: caller.memory.resolve(**more), body.given())
    return JsonAnswer(to_wire(made))
