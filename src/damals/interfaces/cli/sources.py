"""Commands that take in and give out."""

from dataclasses import replace

from damals.app.annotating import Wanted
from damals.app.paths import existing
from damals.app.results import ImportReport
from damals.app.sources import Sources
from damals.interfaces.cli import options, source_views, views
from damals.interfaces.cli.progress import reporting
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call


@command(
    "import",
    options.PATHS,
    options.SOURCE,
    options.NAME,
    options.DRY_RUN,
    options.PRUNE,
    options.HISTORY,
    options.READMIT,
    options.WAIT,
)
def import_(call: Call) -> None:
    """Take in vaults, files and events."""
    paths = [existing(given) for given in call.values["paths"]]
    values = call.without("paths")
    brief = not values.get("wait")
    with call.open(brief=brief) as memory, reporting(call.session) as progress:
        reports = [memory.import_(path, progress=progress, **values) for path in paths]
    call.show(merged(reports), views.imported)


def merged(reports: list[ImportReport]) -> ImportReport:
    """One report for several paths: counts added up, problems one after the other.

    Vectors that are pending are those of the whole index, so the last report counts.
    """
    total = reports[0]
    for report in reports[1:]:
        total = replace(
            report,
            source=f"{total.source}, {report.source}",
            added=total.added + report.added,
            changed=total.changed + report.changed,
            moved=total.moved + report.moved,
            removed=total.removed + report.removed,
            unchanged=total.unchanged + report.unchanged,
            failed=total.failed + report.failed,
            late=total.late + report.late,
            chunks=total.chunks + report.chunks,
            edges=total.edges + report.edges,
            seconds=total.seconds + report.seconds,
            warnings=total.warnings + report.warnings,
        )
    return total


@command("sources")
def sources(call: Call) -> None:
    """What was imported."""
    with call.open() as memory:
        found = Sources(tuple(memory.sources()))
    call.show(found, source_views.sources)


@command("annotate", options.FILE, *options.NOTE_FIELDS, options.DRY_RUN)
def annotate(call: Call) -> None:
    """Change what one note says of itself."""
    from damals.bootstrap.files import annotate_note  # noqa: PLC0415 -- wiring is loaded when needed

    others = ("relations", "properties", "unset", "dropped")
    values = call.without("path", "dry_run", *others)
    links: dict[str, list[str]] = {}
    for one in call.values.get("relations", ()):
        links.setdefault(one["type"], []).append(one["dst"])
    said = call.values
    wanted = Wanted(
        values, links, said.get("properties", {}), said.get("unset", ()), said.get("dropped", ())
    )
    dry_run = call.values.get("dry_run", False)
    home = call.session.options.home
    found = annotate_note(home, call.values["path"], wanted, dry_run=dry_run)
    call.show(found, source_views.annotated)


@command(
    "export",
    options.FILE,
    options.EXPORT_FORMAT,
    options.AS_OF,
    options.KNOWN_AT,
    options.HISTORY,
    options.PERSON,
)
def export(call: Call) -> None:
    """Write what is known: as events, as notes, or all that is kept about a person."""
    with call.open() as memory:
        told = memory.export(call.values["path"], lang=call.session.lang, **call.without("path"))
    call.show(told, views.exported)


@command("reindex")
def reindex(call: Call) -> None:
    """Build the index anew."""
    with call.open(brief=False) as memory, reporting(call.session) as progress:
        result = memory.reindex(progress=progress)
    call.show(result, views.reindexed)
