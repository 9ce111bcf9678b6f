"""Commands that look at what is known."""

from typing import Final

from damals.api import Damals
from damals.app.results import Log
from damals.interfaces.cli import options, views
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session

FALLBACK_ZONE: Final = "UTC"


@command("recall", options.QUERY, *options.NARROWED, options.NEIGHBOURS, options.EXPLAIN)
def recall(call: Call) -> None:
    """What answers a question."""
    with call.open() as memory:
        call.show(memory.recall(**call.values), views.recall)


@command("show", options.ID, options.AS_OF, options.KNOWN_AT)
def show(call: Call) -> None:
    """One entry."""
    with call.open() as memory:
        entry = memory.get(**call.values)
    call.show_entry(entry, views.card)


@command("history", options.ENTRY_ARGUMENT, options.KEY, options.LIMIT_ALL, options.CURSOR)
def history(call: Call) -> None:
    """Every rectangle of an entry or a key."""
    with call.open() as memory:
        call.show(memory.history(**call.values), views.history)


@command("log", options.ENTRY, options.KEY, options.AFTER, options.LIMIT_ALL)
def log(call: Call) -> None:
    """The transactions."""
    with call.open() as memory:
        found = memory.log(**call.values)
        zone = FALLBACK_ZONE if call.session.options.json else _zone(call.session, memory)

    def view(session: Session, result: Log) -> None:
        views.log(session, result, zone)

    call.show(found, view)


def _zone(session: Session, memory: Damals) -> str:
    """The zone of the workspace that is read."""
    name = session.options.workspace or session.settings().settings.workspace
    zones = {space.name: space.timezone for space in memory.workspaces()}
    return zones.get(name, FALLBACK_ZONE)


@command(
    "list",
    options.AS_OF,
    options.KNOWN_AT,
    options.CERTAIN,
    options.TYPES,
    options.ANY_TAGS,
    options.STATUS,
    options.LIMIT_100,
    options.CURSOR,
)
def list_(call: Call) -> None:
    """What holds."""
    with call.open() as memory:
        call.show(memory.entries(**call.values), views.page)
