"""What was imported, when, with what result.

The owner is told how the last import of each source ended. Everybody else is told what follows from
the notes that they see, and nothing of a source of which they see none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from damals.app.ledger_port import LedgerReader
from damals.app.results import Failure, ImportReport, Result
from damals.app.sources_model import SourceRun
from damals.app.wire import from_wire
from damals.domain.entries import Json
from damals.domain.instants import format_instant

MOST_PROBLEMS: Final = 100
"""So many failures, warnings and late commits are kept of an import; the others are counted."""

VAULT: Final = "vault"
EVENTS: Final = "events"


@dataclass(frozen=True, slots=True)
class SourceResult(Result):
    """How the last import of a source ended.

    Attributes:
        failures, advice: how many files failed and how many warnings there were.
        failed, warnings: the first of them.
        late_commits: how many commits of a history could not be recorded as of their own instant.
        late: the first of them.
    """

    added: int
    changed: int
    moved: int
    removed: int
    unchanged: int
    chunks: int
    edges: int
    seconds: float
    failures: int
    failed: tuple[Failure, ...]
    advice: int
    warnings: tuple[Failure, ...]
    late_commits: int = 0
    late: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedSource(Result):
    """A source.

    Attributes:
        kind: ``vault`` or ``events``.
        root: where it lies.
        imported_at: when its last import began, or, where that is not told, what came last.
        entries: how many notes of it are known now; ``None`` for events, whose entries do not
            belong to their file.
        result: how its last import ended; ``None`` where that is not known or not told.
    """

    name: str
    kind: str
    root: str
    imported_at: str | None
    entries: int | None
    result: SourceResult | None


@dataclass(frozen=True, slots=True)
class Sources(Result):
    """What was imported, by name."""

    sources: tuple[ImportedSource, ...]


def run_of(
    kind: str, root: Path, report: ImportReport, started: int, since: int | None = None
) -> SourceRun:
    """What is kept of an import.

    Args:
        kind: of the source.
        root: its folder or file.
        report: what the import gave.
        started: when it began, UTC microseconds.
        since: the last erasure before it; ``None`` when it is noted in the write that it was.
    """
    result = SourceResult(
        added=report.added,
        changed=report.changed,
        moved=report.moved,
        removed=report.removed,
        unchanged=report.unchanged,
        chunks=report.chunks,
        edges=report.edges,
        seconds=report.seconds,
        failures=len(report.failed),
        failed=report.failed[:MOST_PROBLEMS],
        advice=len(report.warnings),
        warnings=report.warnings[:MOST_PROBLEMS],
        late_commits=len(report.late),
        late=report.late[:MOST_PROBLEMS],
    )
    shown = str(root).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return SourceRun(report.source, kind, shown, started, result.to_dict(), since)


def vault_roots(reader: LedgerReader) -> tuple[str, ...]:
    """Where the vaults of a workspace lie; the owner alone knows."""
    return tuple(run.root for run in reader.source_runs() if run.kind == VAULT)


def sources(reader: LedgerReader) -> Sequence[ImportedSource]:
    """The sources of which the reader may know, by name."""
    return tuple(sorted(_views(reader), key=lambda one: one.name))


def _views(reader: LedgerReader) -> Iterator[ImportedSource]:
    counts = {one.name: one.current for one in reader.source_counts()}
    runs = {one.name: one for one in reader.source_runs()}
    for run in runs.values():
        known = counts.get(run.name, 0) if run.kind == VAULT else None
        yield ImportedSource(
            run.name, run.kind, run.root, format_instant(run.imported_at), known, _result(run)
        )
    for name, current in counts.items():
        if name not in runs:
            yield _of_notes(reader, name, current)


def _of_notes(reader: LedgerReader, name: str, current: int) -> ImportedSource:
    """A source as its notes tell it, where no import is told."""
    said = [note.attributes.source for note in reader.source_notes(name)]
    newest = max(said, key=lambda one: one.imported_at or 0)
    came = newest.imported_at
    at = None if came is None else format_instant(came)
    return ImportedSource(name, newest.kind, newest.uri or "", at, current, None)


def _result(run: SourceRun) -> SourceResult | None:
    if run.result is None:
        return None
    return from_wire(SourceResult, cast("dict[str, Json]", run.result))
