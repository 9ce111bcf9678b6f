"""Commands that take in and give out."""

from dataclasses import replace

from damals.app.paths import existing
from damals.app.results import ImportReport
from damals.interfaces.cli import options, views
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


@command("export", options.FILE)
def export(call: Call) -> None:
    """Write everything as events."""
    with call.open() as memory:
        call.show(memory.export(call.values["path"]), views.exported)


@command("reindex")
def reindex(call: Call) -> None:
    """Build the index anew."""
    with call.open(brief=False) as memory, reporting(call.session) as progress:
        result = memory.reindex(progress=progress)
    call.show(result, views.reindexed)
