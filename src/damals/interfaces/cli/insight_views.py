"""How plans, traces, patterns and calibrations look to people."""

from collections.abc import Iterable
from typing import Final

from damals.app.calibration_results import Calibration, CalibrationReading, Trend
from damals.app.diff_results import ChangeView
from damals.app.pattern_results import Pattern
from damals.app.planning_results import Planning, PlanView
from damals.app.results import Entry, Understood, VersionView
from damals.app.tracing_results import SimilarError, Trace, Traced
from damals.interfaces.cli.output import clean_line
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local
from damals.interfaces.cli.views import BAD, FAINT, GOOD, NAME, STRONG, WARN, period

_STYLES: Final = {"LOW": WARN, "MEDIUM": BAD}
_STABLE: Final = {"emerging": NAME, "evolving": WARN, "declining": BAD, "stable": GOOD}


def clocks(session: Session, read: Understood) -> None:
    """Which pair of instants was understood."""
    told = session.say(
        "cli.understood",
        as_of=local(read.as_of, read.zone),
        known_at=local(read.known_at, read.zone),
        zone=read.zone,
    )
    session.screen.line((told, FAINT))


# --- plans


def planning(session: Session, result: Planning) -> None:
    """How a vision and a roadmap stand, and what is to be done about them."""
    screen = session.screen
    clocks(session, result.understood)
    for kind, view in (("vision", result.vision), ("roadmap", result.roadmap)):
        if view is not None:
            named = session.say(f"insights.{kind}")
            screen.line((named, STRONG), f"  {view.file}  {_plan(session, view)}")
    if not result.findings:
        screen.line((session.say("insights.healthy"), GOOD))
    for one in result.findings:
        style = _STYLES.get(one.severity, WARN)
        screen.line((f"{one.severity:7} ", style), clean_line(one.message))
        if one.repair is not None:
            screen.line((f"        $ {one.repair}", FAINT))


def _plan(session: Session, view: PlanView) -> str:
    """``v1.2, reviewed 2026-09-01 (90 of 60 days)``, as far as it is known."""
    parts = [f"v{view.version}"] if view.version else []
    if view.last_reviewed is not None:
        days, half_life = view.days, view.half_life_days
        told = {"day": view.last_reviewed, "days": days, "half_life": half_life}
        parts.append(session.say("insights.reviewed", **told))
    return ", ".join(parts)


# --- traces


def trace(session: Session, result: Trace) -> None:
    """Where each belief came from."""
    clocks(session, result.understood)
    for one in result.entries:
        session.screen.line()
        _traced(session, one, result.understood.zone)
    if result.omitted:
        told = session.say("insights.omitted", count=result.omitted)
        session.screen.line((told, FAINT))


def _traced(session: Session, one: Traced, zone: str) -> None:
    screen, entry = session.screen, one.entry
    screen.line(
        (clean_line(entry.title), STRONG), f"  {period(session, entry)}  ", (entry.id, FAINT)
    )
    _label(session, "entered")
    screen.line("    ", *_entered(session, one.entered, zone))
    _label(session, "before")
    for known in one.before:
        screen.line("    ", _said(known), (f"  {known.id}", FAINT))
    if not one.before:
        screen.line("    ", (session.say("insights.nothing_before"), FAINT))
    _label(session, "changes")
    for change in one.changes:
        screen.line("    ", *_change(session, change, zone))
    if not one.changes:
        screen.line("    ", (session.say("diff.nothing"), FAINT))
    if one.similar_errors:
        _label(session, "similar")
    for error in one.similar_errors:
        screen.line("    ", *_error(session, error, zone))


def _label(session: Session, name: str) -> None:
    session.screen.line("  ", (session.say(f"insights.{name}"), NAME))


def _said(entry: Entry) -> str:
    said = clean_line(entry.content)
    return clean_line(entry.title) + (f": {said}" if said else "")


def _entered(session: Session, version: VersionView, zone: str) -> Iterable[str]:
    """``2026-06-01 08:00  update by anna, transaction 7 · source · session · reason``."""
    yield session.say(
        "insights.entered_by",
        at=local(version.recorded_from, zone),
        operation=version.operation,
        actor=version.actor,
        number=version.transaction,
    )
    source = version.source
    place = "/".join(filter(None, (source.name, source.path)))
    place = place or source.uri or ("" if source.kind == "call" else source.kind)
    told = session.say("insights.session", session=source.session) if source.session else ""
    for part in (place, told, version.reason or ""):
        if part:
            yield f" · {clean_line(part)}"


def _change(session: Session, change: ChangeView, zone: str) -> Iterable[str]:
    kind = session.say(f"diff.kind.{change.kind}")
    shown = change.after or change.before
    title = clean_line(shown.title) if shown else change.entry_id
    yield f"{local(change.at, zone)}  {kind}: {title}"
    for part in (change.reason, change.actor):
        if part:
            yield f" · {clean_line(part)}"


def _error(session: Session, error: SimilarError, zone: str) -> Iterable[str]:
    alike = ", ".join(session.say(f"insights.alike.{rank}") for rank in error.alike)
    yield _said(error)
    yield " · "
    yield session.say(
        "insights.ended",
        operation=error.ended_by,
        at=local(error.ended_at, zone),
        actor=error.ended_actor,
    )
    yield f" · {clean_line(error.ended_reason)}" if error.ended_reason else ""
    yield f" ({alike})"


# --- patterns


def pattern(session: Session, result: Pattern) -> None:
    """How a topic came to be what it is."""
    screen, zone = session.screen, result.understood.zone
    clocks(session, result.understood)
    stability = session.say(f"insights.stability.{result.stability}")
    style = _STABLE.get(result.stability, NAME)
    screen.line((clean_line(result.topic), STRONG), "  ", (stability, style), f"  {result.rule}")
    first = local(result.first_observed, zone)
    screen.line("  ", session.say("insights.first_observed", at=first))
    if result.evolution:
        _label(session, "evolution")
    for step in result.evolution:
        old = clean_line(step.old_title or step.old_id)
        why = f" · {clean_line(step.reason)}" if step.reason else ""
        screen.line(
            f"    {local(step.at, zone)}  {clean_line(step.title)} → {step.relation} → {old}{why}"
        )
    _label(session, "evidence")
    rows = [
        [local(one.at, zone), clean_line(one.title), one.origin, one.status, one.entry_id]
        for one in result.evidence
    ]
    names = ("at", "title", "origin", "status", "id")
    screen.table([session.say(f"insights.column.{name}") for name in names], rows)


# --- calibrations


def calibration(session: Session, result: Calibration) -> None:
    """What was measured, how it drifts, where it tends to."""
    screen, zone = session.screen, result.understood.zone
    clocks(session, result.understood)
    unit = f" {result.unit}" if result.unit else ""
    screen.line((clean_line(result.name), STRONG))
    for one in result.readings:
        mark = "~" if one.uncertain else " "
        screen.line(f"  {mark}{local(one.at, zone)}  {one.value:g}{unit}  ", (one.entry_id, FAINT))
    drift = result.drift
    if drift is not None:
        told = {
            "start": local(drift.start, zone),
            "end": local(drift.end, zone),
            "before": _value(session, drift.before, unit),
            "after": _value(session, drift.after, unit),
        }
        change = "" if drift.change is None else f" ({drift.change:+g}{unit})"
        screen.line(session.say("insights.drift", **told) + change)
    if result.trend is not None:
        screen.line(_trend(session, result.trend, unit))
    for caveat in result.caveats:
        screen.line(("! ", WARN), clean_line(caveat))


def _value(session: Session, one: CalibrationReading | None, unit: str) -> str:
    return session.say("insights.no_value") if one is None else f"{one.value:g}{unit}"


def _trend(session: Session, trend: Trend, unit: str) -> str:
    return session.say(
        "insights.trend",
        direction=session.say(f"insights.direction.{trend.direction}"),
        slope=f"{trend.slope:+.4g}{unit}",
        error=f"{trend.standard_error:.4g}",
        low=f"{trend.low:+.4g}",
        high=f"{trend.high:+.4g}",
        count=trend.count,
    )
