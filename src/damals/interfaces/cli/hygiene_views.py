"""How reports look on a screen."""

from collections.abc import Callable, Mapping
from typing import Final

from damals.app.commands import Where
from damals.app.hygiene.results import ChoiceView, FindingView, HygieneReport
from damals.interfaces import hygiene_report
from damals.interfaces.cli.output import clean, put
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.views import BAD, FAINT, STRONG, WARN

_STYLES: Final[Mapping[str, str]] = {"HIGH": BAD, "MEDIUM": WARN, "LOW": FAINT}


def text(session: Session, report: HygieneReport) -> None:
    """Kind by kind, each finding with the commands that repair it."""
    screen, where = session.screen, _where(session)
    screen.line((hygiene_report.title(report, session.lang), STRONG))
    screen.line((hygiene_report.clocks(report, session.lang), FAINT))
    if report.topic is not None:
        screen.line((session.say("hygiene.about", topic=report.topic), FAINT))
    screen.line(hygiene_report.summary(report, session.lang))
    for caveat in report.caveats:
        screen.line(("! ", WARN), caveat)
    for kind in report.kinds:
        screen.line()
        severity = session.say(f"hygiene.severity.{kind.severity}")
        screen.line(
            (session.say(f"hygiene.kind.{kind.kind}"), STRONG),
            f"  {kind.count}  ",
            (severity, _STYLES[kind.severity]),
            (f"  {kind.kind}", FAINT),
        )
        for found in report.findings:
            if found.kind == kind.kind:
                finding(session, found)
        if kind.count > kind.shown:
            screen.line((f"  {hygiene_report.rest(report, kind, session.lang, where)}", FAINT))


def _where(session: Session) -> Where:
    return Where(session.options.home, session.options.workspace)


def finding(session: Session, found: FindingView) -> None:
    """One finding with the commands that repair it."""
    session.screen.line(f"  {' '.join(found.message.split())}")
    if not found.choices:
        session.screen.line((f"    {session.say('hygiene.by_hand')}", FAINT))
    for place, one in enumerate(found.choices):
        _command(session, one, first=place == 0)


def _command(session: Session, one: ChoiceView, *, first: bool) -> None:
    told = session.say("hygiene.decide" if first else "hygiene.or", label=one.label)
    session.screen.line((f"    {told} ", FAINT), one.command)


def markdown(session: Session, report: HygieneReport) -> None:
    """A document to keep or to send."""
    put(clean(hygiene_report.markdown(report, session.lang, _where(session))).rstrip("\n"))


def as_html(session: Session, report: HygieneReport) -> None:
    """A page to read or to print."""
    put(clean(hygiene_report.as_html(report, session.lang, _where(session))).rstrip("\n"))


FORMATS: Final[Mapping[str, Callable[[Session, HygieneReport], None]]] = {
    "text": text,
    "markdown": markdown,
    "html": as_html,
}
