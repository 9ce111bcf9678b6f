"""Commands about what knowledge over time tells."""

from dataclasses import replace
from typing import Final

from damals.interfaces.cli import insight_views, options
from damals.interfaces.cli.options import Parameter
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call

FOLDER: Final = Parameter("folder", "DIR", "argument", standard="wiki")
WHAT: Final = replace(options.QUERY, name="what", metavar="ID|QUERY")
TOPIC: Final = replace(options.TOPIC, required=True)
FROM: Final = replace(options.FROM, required=False)
TO: Final = replace(options.TO, required=False)
UNIT: Final = Parameter("unit")


@command("planning", FOLDER, options.AS_OF, options.KNOWN_AT)
def planning(call: Call) -> None:
    """Vision and roadmap."""
    with call.open() as memory:
        call.show(memory.planning(**call.values), insight_views.planning)


@command("trace", WHAT, FROM, TO, options.AS_OF, options.KNOWN_AT, options.LIMIT_10)
def trace(call: Call) -> None:
    """Where a belief came from."""
    with call.open() as memory:
        call.show(memory.trace(**call.values), insight_views.trace)


@command("patterns", TOPIC, options.AS_OF, options.KNOWN_AT)
def patterns(call: Call) -> None:
    """How a topic came to be what it is."""
    with call.open() as memory:
        call.show(memory.patterns(**call.values), insight_views.pattern)


@command(
    "calibration",
    options.NEW_NAME,
    FROM,
    TO,
    options.AXIS,
    UNIT,
    options.AS_OF,
    options.KNOWN_AT,
)
def calibration(call: Call) -> None:
    """What was measured."""
    with call.open() as memory:
        call.show(memory.calibration(**call.values), insight_views.calibration)
