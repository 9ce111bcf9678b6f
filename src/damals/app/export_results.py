"""What exports tell."""

from dataclasses import dataclass

from damals.app.result import Result


@dataclass(frozen=True, slots=True)
class ExportReport(Result):
    """What an export wrote.

    Attributes:
        transactions: in a file of events, how many; else the number of the last one in it.
        format: ``events``, ``markdown`` or ``person``.
        notes: in the folder, or found about a person.
        written, unchanged, removed: notes, and the page that leads to them.
        kept: paths of what is not as the export would have it: somebody edited it, or it was not
            written by an export.
    """

    OPTIONAL = frozenset({"notes", "written", "unchanged", "removed", "kept"})

    path: str
    transactions: int
    format: str = "events"
    notes: int | None = None
    written: int | None = None
    unchanged: int | None = None
    removed: int | None = None
    kept: tuple[str, ...] | None = None
