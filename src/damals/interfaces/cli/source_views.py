"""What people see of sources, of an annotated file and of a watch."""

from typing import TYPE_CHECKING, Final

from damals.interfaces.cli.output import clean_line
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local

if TYPE_CHECKING:
    from damals.app.annotating import Annotated
    from damals.app.results import ImportReport, Result
    from damals.app.sources import ImportedSource, SourceResult, Sources
    from damals.app.watching import WatchReport
    from damals.domain.entries import Json

COLUMNS: Final = ("name", "kind", "imported_at", "entries", "result", "root")
COUNTS: Final = ("added", "changed", "moved", "removed")


def sources(session: Session, told: "Sources") -> None:
    """What was imported."""
    if not told.sources:
        session.screen.line(session.say("sources.none"))
        return
    zone = session.settings().settings.timezone
    head = [session.say(f"sources.head.{name}") for name in COLUMNS]
    session.screen.table(head, [_row(session, one, zone) for one in told.sources])


def _row(session: Session, one: "ImportedSource", zone: str) -> list[str]:
    at = "" if one.imported_at is None else local(one.imported_at, zone)
    entries = "" if one.entries is None else str(one.entries)
    result = "" if one.result is None else _result(session, one.result)
    return [one.name, one.kind, at, entries, result, one.root]


def _result(session: Session, one: "SourceResult") -> str:
    return _summed(session, one, (one.failures, one.advice, one.late_commits))


def counted(session: Session, one: "ImportReport | WatchReport") -> str:
    """What was imported, in numbers."""
    return _summed(session, one, (len(one.failed), len(one.warnings), 0))


def _summed(session: Session, one: "Result", told: tuple[int, int, int]) -> str:
    """What was done, and how many failures, warnings and late commits there were."""
    counts = [(getattr(one, name), f"cli.count.{name}") for name in COUNTS]
    parts = [f"{count} {session.say(key)}" for count, key in counts if count]
    parts = parts or [session.say("sources.nothing_new")]
    problems = zip(("sources.failed", "sources.warned", "sources.late"), told, strict=True)
    parts += [session.say(key, count=count) for key, count in problems if count]
    return ", ".join(parts)


def watched(session: Session, told: "WatchReport") -> None:
    """What a watch did."""
    counts = counted(session, told)
    said = session.say("watch.ended", path=told.path, runs=told.runs, counts=counts)
    session.screen.line(said)


def annotated(session: Session, told: "Annotated") -> None:
    """What was changed in a note, and what is to be done now."""
    screen = session.screen
    if not told.changed:
        screen.line(session.say("annotate.unchanged", path=told.path))
        return
    key = "annotate.would" if told.dry_run else "annotate.done"
    screen.line(session.say(key, path=told.path))
    nothing = session.say("annotate.absent")
    for one in told.changed:
        before, after = (_value(value, nothing) for value in (one.before, one.after))
        screen.line("  ", (f"{one.name}: ", "bold"), f"{before} → {after}")
    if not told.dry_run:
        screen.line(session.say("annotate.next"))


def _value(value: "Json", nothing: str) -> str:
    if value is None:
        return nothing
    if isinstance(value, list):
        return f"[{', '.join(_value(one, nothing) for one in value)}]"
    return clean_line(str(value))
