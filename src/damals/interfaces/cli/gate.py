"""The command that minds how old research is."""

from dataclasses import replace

from damals.app.commands import Where, placed
from damals.app.gating_results import GateReport
from damals.interfaces.cli import options
from damals.interfaces.cli.globals import GlobalOptions
from damals.interfaces.cli.output import clean_line
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call, Session
from damals.interfaces.cli.views import FAINT, STRONG, WARN


@command(
    "gate",
    options.IDS,
    options.ABOUT,
    options.ACCEPT,
    options.WHY,
    options.AS_OF,
    options.KNOWN_AT,
    options.LIMIT_100,
)
def gate(call: Call) -> None:
    """What is to be minded before something is built on research."""
    with call.open() as memory:
        report = memory.gate(**call.values)
    call.show(_here(report, call.session.options), _view)


def _here(report: GateReport, asked: GlobalOptions) -> GateReport:
    """The same with commands that name the home and workspace that were named."""
    where = Where(asked.home, asked.workspace)
    findings = (
        replace(one, repair=one.repair and placed(one.repair, where)) for one in report.findings
    )
    return replace(report, findings=tuple(findings))


def _view(session: Session, report: GateReport) -> None:
    screen = session.screen
    for one in report.findings:
        style = WARN if one.severity == "MEDIUM" else FAINT
        head = f"  {clean_line(one.title)}  ", STRONG
        screen.line((one.severity, style), head, (one.entries[0], FAINT))
        screen.line(f"  {one.message}")
        screen.line((f"  {clean_line(one.account)}", FAINT))
        if one.accepted:
            screen.line((f"  {session.say('cli.gate.stands')}", WARN))
        screen.line((f"  {session.say('cli.gate.repair')}", FAINT), one.repair or "")
    counts = {"checked": report.checked, "skipped": report.skipped}
    screen.line(session.say("cli.gate.counts", found=report.flagged, **counts))
    if report.accepted:
        screen.line(session.say("cli.gate.accepted", count=len(report.accepted)))
