"""Commands about how entries stand to each other."""

from damals.app.errors import InvalidInput
from damals.interfaces.cli import graph_views, options
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call


@command(
    "graph",
    options.ID,
    options.DEPTH,
    options.AS_OF,
    options.KNOWN_AT,
    options.TYPES,
    options.LIMIT_100,
    options.DEGREE,
    options.GRAPH_FORMAT,
)
def graph(call: Call) -> None:
    """What lies around an entry."""
    name = call.values.get("format", "tree")
    view = graph_views.FORMATS.get(name)
    if view is None:
        known = ", ".join(graph_views.FORMATS)
        raise InvalidInput("field.choice", name="--format", value=name, allowed=known)
    with call.open() as memory:
        call.show(memory.graph(**call.without("format")), view)


@command("derive", options.DRY_RUN)
def derive(call: Call) -> None:
    """Edges that follow from others."""
    with call.open(brief=False) as memory:
        call.show(memory.derive(**call.values), graph_views.derived)


@command("people")
def people(call: Call) -> None:
    """The persons."""
    with call.open() as memory:
        call.show(memory.people(), graph_views.people)
