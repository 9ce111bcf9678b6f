"""Commands that look after what is known."""

from dataclasses import replace

from damals.app.commands import Where, placed
from damals.app.errors import InvalidInput
from damals.app.hygiene.results import FindingView, HygieneReport
from damals.interfaces.cli import hygiene_fixing, hygiene_views, options
from damals.interfaces.cli.globals import GlobalOptions
from damals.interfaces.cli.output import print_json
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call

_JSON = "json"


@command(
    "hygiene",
    options.TOPIC,
    options.AS_OF,
    options.KNOWN_AT,
    options.FINDINGS,
    options.LIMIT_10,
    options.REPORT_FORMAT,
    options.FIX,
    options.YES,
)
def hygiene(call: Call) -> None:
    """What is to be looked at, and how it is repaired."""
    if "fix" in call.values:
        hygiene_fixing.fix(call)
        return
    if call.values.get("yes"):
        raise InvalidInput("hygiene.fix.yes")
    form = _format(call)
    with call.open() as memory:
        _show(call, memory.hygiene(**call.without("format", "yes")), form)


@command(
    "lint",
    options.DUE,
    options.AS_OF,
    options.KNOWN_AT,
    options.FINDINGS,
    options.LIMIT_10,
    options.REPORT_FORMAT,
)
def lint(call: Call) -> None:
    """What does not fit, and what is to be checked again."""
    form = _format(call)
    with call.open() as memory:
        _show(call, memory.lint(**call.without("format")), form)


def _format(call: Call) -> str:
    """How a report is to be shown.

    Raises:
        InvalidInput: ``field.choice``.
    """
    known = ("text", _JSON, "markdown", "html")
    name: str = call.values.get("format", known[0])
    if name not in known:
        raise InvalidInput("field.choice", name="--format", value=name, allowed=", ".join(known))
    return _JSON if call.session.options.json else name


def _show(call: Call, report: HygieneReport, form: str) -> None:
    told = here(report, call.session.options)
    if form == _JSON:
        print_json(told.to_dict())
    else:
        hygiene_views.FORMATS[form](call.session, told)


def here(report: HygieneReport, asked: GlobalOptions) -> HygieneReport:
    """The same with commands that name the home and workspace that were named."""
    where = Where(asked.home, asked.workspace)
    found = tuple(_placed(one, where) for one in report.findings)
    return replace(report, findings=found)


def _placed(found: FindingView, where: Where) -> FindingView:
    choices = tuple(replace(one, command=placed(one.command, where)) for one in found.choices)
    return replace(found, choices=choices, repair=choices[0].command if choices else None)
