"""Commands that compare what is known."""

from damals.interfaces.cli import diff_view, options
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call


@command(
    "diff",
    options.TOPIC,
    options.FROM,
    options.TO,
    options.KNOWN_FROM,
    options.KNOWN_TO,
    options.AXIS,
    options.ENTRY,
    options.ANY_TAGS,
    options.TYPES,
)
def diff(call: Call) -> None:
    """What changed between two pairs of instants."""
    with call.open() as memory:
        call.show(memory.diff(**call.values), diff_view.diff)
