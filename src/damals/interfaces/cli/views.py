"""How results look to people."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from damals.app.export_results import ExportReport
from damals.app.results import (
    Entry,
    Health,
    History,
    Hit,
    ImportReport,
    Initialized,
    Log,
    LogTransaction,
    Page,
    Recall,
    ReindexReport,
    Settings,
    VersionInfo,
    VersionView,
)
from damals.app.seen_results import SeenEntry
from damals.domain.entries import Json
from damals.interfaces.cli import reasons
from damals.interfaces.cli.heard import heard
from damals.interfaces.cli.output import Span, clean_line
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local

EXCERPT_CHARS: Final = 240
VALUE_CHARS: Final = 60
CHOSEN: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
"""How damals itself writes an instant."""

STRONG: Final = "bold"
FAINT: Final = "dim"
GOOD: Final = "green"
BAD: Final = "red"
WARN: Final = "yellow"
NAME: Final = "cyan"


def period(session: Session, entry: Entry) -> str:
    """``2024-09-01 – 2026-06-01``: when it holds, as it was given."""
    zone = entry.bounds.zone
    start = bound(entry.valid_from, zone) or session.say("cli.unknown")
    end = bound(entry.valid_to, zone) or session.say("cli.open")
    if entry.valid_to == "unknown":
        end = session.say("cli.unknown")
    return f"{start} – {end}"


def bound(given: str | None, zone: str) -> str:
    """A bound as it was given; an instant that damals chose itself, in the zone."""
    chosen = given is not None and CHOSEN.fullmatch(given)
    return local(given, zone) if chosen else given or ""


def certainty(session: Session, entry: Entry) -> str:
    """``certain``, ``possible`` or nothing, in words."""
    return session.say(f"cli.certainty.{entry.certainty}") if entry.certainty else ""


def card(session: Session, entry: SeenEntry) -> None:
    """An entry to read."""
    screen, zone = session.screen, entry.bounds.zone
    screen.line((entry.title, STRONG))
    facts: list[tuple[str, str]] = [
        ("id", entry.id),
        ("external_id", entry.external_id or ""),
        ("type", entry.type),
        ("status", entry.status),
        ("key", entry.key or ""),
        ("lang", f"{entry.lang_original} → {entry.lang}" if entry.lang_original else ""),
        ("valid", " · ".join(filter(None, (period(session, entry), certainty(session, entry))))),
        ("known", _known(session, entry, zone)),
        ("tags", " ".join(f"#{tag}" for tag in entry.tags)),
        ("source", _source(entry)),
        ("pinned", session.say("cli.yes") if entry.pinned else ""),
        ("grounding", _grounding(session, entry)),
        ("zone", zone),
        ("transaction", str(entry.transaction)),
    ]
    facts += [(name, clean_line(str(value))) for name, value in entry.properties.items()]
    shown = [(_label(session, name), value) for name, value in facts if value]
    width = max(len(label) for label, _ in shown)
    for label, value in shown:
        screen.line((f"  {label.ljust(width)}  ", FAINT), clean_line(value))
    for caveat in entry.caveats or ():
        screen.line(("  ! ", WARN), caveat)
    for relation in entry.relations:
        arrow = "→" if relation.direction == "out" else "←"
        decided = relation.resolution and session.say(f"cli.resolution.{relation.resolution}")
        screen.line(
            f"  {arrow} {relation.type} ", (relation.title or relation.entry_id, NAME),
            (f"  {decided}" if decided else "", WARN),
        )  # fmt: skip
    if entry.content:
        screen.line()
        screen.line(entry.content.rstrip("\n"))


def _label(session: Session, name: str) -> str:
    key = f"cli.field.{name}"
    said = session.say(key)
    return clean_line(name) if said == key else said


def _grounding(session: Session, entry: Entry) -> str:
    """How well it is grounded, when it was ever checked."""
    if entry.grounding_score is None:
        return ""
    at = local(entry.last_verified, entry.bounds.zone)
    return session.say("cli.grounding", score=f"{entry.grounding_score:.2f}", at=at)


def _known(session: Session, entry: Entry, zone: str) -> str:
    start = local(entry.recorded_from, zone)
    end = local(entry.recorded_to, zone) or session.say("cli.today")
    return f"{start} – {end}"


def _source(entry: Entry, line: int | None = None) -> str:
    source = entry.source
    if source.path is None:
        return "" if source.kind == "call" else source.kind
    at = line or source.line
    return f"{source.name or source.kind}/{source.path}" + (f":{at}" if at else "")


def history(session: Session, result: History) -> None:
    """Every rectangle, on both clocks."""
    headers = [
        session.say(f"cli.column.{name}")
        for name in ("valid", "known", "said", "operation", "reason")
    ]
    rows = [_rectangle(session, version) for version in result.versions]
    session.screen.table(headers, rows)
    zones = sorted({version.bounds.zone for version in result.versions})
    session.screen.line((session.say("cli.zone", zone=", ".join(zones)), FAINT))
    if result.next is not None:
        session.screen.line((session.say("cli.more_pages", cursor=result.next), FAINT))


def _rectangle(session: Session, version: VersionView) -> list[str]:
    said = clean_line(version.content or version.title)
    return [
        period(session, version),
        _known(session, version, version.bounds.zone),
        _clip(said, VALUE_CHARS),
        version.operation,
        version.reason or "",
    ]


def log(session: Session, result: Log, zone: str) -> None:
    """One line a transaction and one an operation."""
    for transaction in result.transactions:
        _transaction(session, transaction, zone)
    session.screen.line((session.say("cli.zone", zone=zone), FAINT))
    if result.next is not None:
        session.screen.line((session.say("cli.more_log", number=result.next), FAINT))


def _transaction(session: Session, transaction: LogTransaction, zone: str) -> None:
    screen = session.screen
    recorded, logged = local(transaction.recorded_at, zone), local(transaction.logged_at, zone)
    late = "" if recorded == logged else session.say("cli.logged", at=logged)
    screen.line(
        (f"{transaction.number:>5}", NAME), f"  {recorded}  {transaction.actor}",
        (f"  {late}" if late else "", FAINT), f"  {transaction.reason or ''}".rstrip(),
    )  # fmt: skip
    for operation in transaction.ops:
        why = operation.get("reason")
        tail = f"  ({why})" if why else ""
        if operation.get("erased"):
            tail = f"  {session.say('cli.erased_operation')}"
        screen.line("       ", (str(operation.get("op", "?")), GOOD), f" {_named(operation)}{tail}")


def _named(operation: Mapping[str, Json]) -> str:
    """What an operation was about."""
    for names in (("title",), ("src", "type", "dst"), ("a", "b", "keep"), ("transaction",)):
        if names[0] in operation:
            return " ".join(str(operation[name]) for name in names if name in operation)
    return str(operation.get("target") or operation.get("ref") or operation.get("id") or "")


def page(session: Session, result: Page) -> None:
    """A listing."""
    if not result.entries:
        session.screen.line(session.say("cli.nothing"))
        return
    headers = [
        session.say(f"cli.column.{name}") for name in ("title", "type", "valid", "certainty", "id")
    ]
    rows = [
        [entry.title, entry.type, period(session, entry), certainty(session, entry), entry.id]
        for entry in result.entries
    ]
    session.screen.table(headers, rows)
    if result.next is not None:
        session.screen.line((session.say("cli.more_pages", cursor=result.next), FAINT))


def recall(session: Session, result: Recall) -> None:
    """A ranked answer: what was understood, the results, and how far the index is behind."""
    screen, zone = session.screen, result.understood.zone
    clocks = session.say(
        "cli.understood",
        as_of=local(result.as_of, zone),
        known_at=local(result.known_at, zone),
        zone=zone,
    )
    screen.line((clocks, FAINT))
    if said := heard(session, result.understood):
        screen.line((said, FAINT))
    if not result.results:
        screen.line(session.say("cli.nothing"))
    for rank, hit in enumerate(result.results, start=1):
        _hit(session, rank, hit)
    for number, layer in enumerate(reasons.layers(session, result)):
        if not number:
            screen.line()
        screen.line((layer, FAINT))
    if result.index_lag:
        screen.line((session.say("cli.index_behind", count=result.index_lag), WARN))
    for caveat in result.caveats:
        screen.line(("! ", WARN), caveat)
    if result.receipt:
        screen.line()
        screen.line((session.say("cli.receipt", id=result.receipt), FAINT))


def _doubts(session: Session, entry: Entry) -> Iterator[str]:
    """What an entry is in an open contradiction with, and what superseded it where it is asked."""
    for one in entry.relations:
        title = clean_line(one.title or one.entry_id)
        if one.resolution == "required":
            yield session.say("cli.contradicts", title=title, id=one.entry_id)
        elif one.direction == "in" and one.type in ("supersedes", "revises"):
            yield session.say("cli.superseded_by", title=title, id=one.entry_id)


def _hit(session: Session, rank: int, hit: Hit) -> None:
    screen, entry = session.screen, hit.entry
    sure = certainty(session, entry)
    screen.line()
    screen.line(
        (f"{rank}. ", NAME), (entry.title, STRONG), f"  {period(session, entry)}",
        (f"  {sure}" if sure else "", GOOD if entry.certainty == "certain" else WARN),
    )  # fmt: skip
    screen.line(("   ", ""), *score(session, hit))
    heading = " › ".join(hit.chunk.heading)
    if heading:
        screen.line("   ", (clean_line(heading), FAINT))
    text = clean_line(hit.chunk.text if hit.context is None else hit.context.text)
    if text:
        shown = text if hit.context else _clip(text, EXCERPT_CHARS)
        screen.line(f"   {shown}")
    where = _source(entry, hit.chunk.line)
    screen.line("   ", (f"{entry.id}  {where}".rstrip(), FAINT))
    for caveat in (*_doubts(session, entry), *hit.caveats):
        screen.line(("   ! ", WARN), caveat)
    for reason in reasons.reasons(session, hit):
        screen.line("   ", (reason, FAINT))


def score(session: Session, hit: Hit) -> Sequence[Span]:
    """``0.812 = vector 0.41 + text 0.22 + …``: the parts add up to the score."""
    parts = [
        (name, getattr(hit.parts, name))
        for name in ("vector", "text", "time", "graph", "persona", "importance")
    ]
    shown = [f"{session.say(f'cli.part.{name}')} {value:.3f}" for name, value in parts if value]
    return ((f"{hit.score:.3f}", STRONG), (" = " + " + ".join(shown) if shown else "", FAINT))


def imported(session: Session, result: ImportReport) -> None:
    """What an import did."""
    screen = session.screen
    counts = ("added", "changed", "moved", "removed", "unchanged")
    shown = ", ".join(
        f"{getattr(result, name)} {session.say(f'cli.count.{name}')}" for name in counts
    )
    screen.line((f"{result.source}: ", STRONG), shown)
    done = session.say(
        "cli.imported", chunks=result.chunks, edges=result.edges, seconds=f"{result.seconds:.1f}"
    )
    screen.line("  ", done)
    if result.pending_vectors:
        screen.line("  ", (session.say("cli.pending", count=result.pending_vectors), WARN))
    problems = [(BAD, failure) for failure in result.failed]
    problems += [(WARN, warning) for warning in result.warnings]
    for style, problem in problems:
        line = f":{problem.line}" if problem.line else ""
        screen.line(("  ! ", style), f"{problem.path}{line}: {problem.reason}")
    for late in result.late:
        screen.line(("  ! ", WARN), f"{late.get('commit', '')}: {late.get('reason', '')}")


def exported(session: Session, result: ExportReport) -> None:
    """What an export wrote."""
    counts = {"written": result.written, "unchanged": result.unchanged, "removed": result.removed}
    what = {"events": "cli.exported"}.get(result.format, f"cli.exported_{result.format}")
    notes = {"notes": result.notes, **counts, "number": result.transactions}
    told = session.say(what, count=result.transactions, path=result.path, **notes)
    session.screen.line(told)
    for path in result.kept or ():
        session.screen.line(("  ! ", WARN), session.say("cli.exported_kept", path=path))


def reindexed(session: Session, result: ReindexReport) -> None:
    """What a rebuild of the index wrote."""
    told = session.say("cli.reindexed", count=result.points, seconds=f"{result.seconds:.1f}")
    session.screen.line(told)


def health(session: Session, result: Health) -> None:
    """One line a check, and the command that mends it."""
    for check in result.checks:
        mark: Span = ("ok  ", GOOD) if check.ok else ("!!  ", BAD)
        session.screen.line(mark, (f"{check.name}: ", STRONG), check.message)
        if check.repair and not check.ok:
            session.screen.line("      ", (check.repair, NAME))


def settings(session: Session, result: Settings) -> None:
    """A table of settings with their origin."""
    headers = [session.say(f"cli.column.{name}") for name in ("setting", "value", "origin")]
    rows = [[item.name, str(item.value), item.origin] for item in result.settings]
    session.screen.table(headers, rows)


def version(session: Session, result: VersionInfo) -> None:
    """Versions of the program and of what it stands on."""
    session.screen.line((f"damals {result.version}", STRONG), f"  Python {result.python}")
    for name, number in result.engines.items():
        session.screen.line(f"  {name} {number}")


def initialized(session: Session, result: Initialized) -> None:
    """Where the home is."""
    key = "cli.home_made" if result.created else "cli.home_there"
    space = result.workspace
    told = session.say(key, home=result.home, workspace=space.name, zone=space.timezone)
    session.screen.line(told)


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
