"""Commands about what knowledge over time tells."""

from dataclasses import replace
from typing import Final

from damals.app.commands import Where, placed
from damals.app.commands import command as command_line
from damals.app.planning_results import Planning
from damals.interfaces.cli import insight_views, options
from damals.interfaces.cli.globals import GlobalOptions
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
        found = memory.planning(**call.values)
    call.show(_here(found, call.session.options), insight_views.planning)


def _here(found: Planning, asked: GlobalOptions) -> Planning:
    """The same with commands that name the home and workspace that were named."""
    where = Where(asked.home, asked.workspace)
    line = command_line("planning", {"folder": found.folder})
    # Behind the folder the workspace is named already, if it is not the default one.
    longer = placed(line, Where(asked.home))
    told = (
        replace(
            one,
            message=one.message.replace(line, longer),
            repair=None if one.repair is None else placed(one.repair, where),
        )
        for one in found.findings
    )
    return replace(found, findings=tuple(told))


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
