"""Chunk rows: which parts of an entry's text are searched, and since when they stand there.

A row spans the versions of its entry that did not change it, so an edit in one section leaves the
rows and the index points of every other section as they are.
"""

from collections.abc import Iterable, Sequence

from damals.app.ledger_model import ChunkRow
from damals.app.ports import Chunker
from damals.domain.chunks import Chunk
from damals.domain.entries import Version
from damals.domain.ids import point_id
from damals.domain.instants import BEGINNING
from damals.domain.periods import Period
from damals.domain.values import frozen


class RememberingChunker:
    """A chunker that splits a text once, though several steps of an import ask for it."""

    KEPT = 32

    def __init__(self, chunker: Chunker) -> None:
        self._chunker = chunker
        self._known: dict[str, Sequence[Chunk]] = {}

    def split(self, text: str) -> Sequence[Chunk]:
        """The chunks of a text."""
        if text not in self._known:
            while len(self._known) >= self.KEPT:
                del self._known[next(iter(self._known))]
            self._known[text] = self._chunker.split(text)
        return self._known[text]


@frozen
class ChunkChanges:
    """What a transaction opens and closes among the chunk rows."""

    opened: tuple[ChunkRow, ...]
    closed: tuple[int, ...]


def chunk_changes(
    workspace: str,
    chunker: Chunker,
    current: Iterable[Version],
    stored: Iterable[ChunkRow],
) -> ChunkChanges:
    """The difference between the stored rows of entries and those that their versions need.

    Args:
        workspace: name of the workspace.
        chunker: splits the texts.
        current: the versions that are current after the transaction, of every touched entry.
        stored: the chunk rows that were current before it.
    """
    kept = {_identity(row): row for row in stored}
    opened: list[ChunkRow] = []
    for version in current:
        for chunk in chunker.split(version.attributes.content):
            row = _row(workspace, version, chunk)
            if not kept or kept.pop(_identity(row), None) is None:
                opened.append(row)
    return ChunkChanges(tuple(opened), tuple(row.row for row in kept.values()))


def age_instant(version: Version) -> int:
    """The instant an entry's age counts from: ``updated``, the valid or the recorded start."""
    if version.attributes.updated is not None:
        return version.attributes.updated
    start = version.period.start.earliest
    return version.recorded_from if start == BEGINNING else start


def _row(workspace: str, version: Version, chunk: Chunk) -> ChunkRow:
    attributes = version.attributes
    chunk_id = chunk.id_in(version.entry_id)
    digest = chunk.digest(attributes.title)
    start = version.period.start
    return ChunkRow(
        row=0,
        point_id=point_id(workspace, chunk_id, digest, start, version.recorded_from),
        chunk_id=chunk_id,
        entry_id=version.entry_id,
        period=version.period,
        digest=digest,
        title=attributes.title,
        heading=chunk.heading,
        content=attributes.content,
        start=chunk.start,
        end=chunk.end,
        line=chunk.line + (attributes.source.line or 1) - 1,
        type=attributes.type,
        lang=attributes.lang,
        tags=attributes.tags,
        path=attributes.source.path,
        age_at=age_instant(version),
        recorded_from=version.recorded_from,
        opened_by=version.opened_by,
        head=chunk.head and (chunk.head.start, chunk.head.end),
    )


def _identity(row: ChunkRow) -> tuple[object, ...]:
    """What must not change for a row to go on: text, validity and filter fields.

    The age of an entry without dates counts from the row's own recorded start, so it is no reason
    for a new row.
    """
    unknown_start = row.period.start.earliest == BEGINNING
    undated = unknown_start and row.age_at == row.recorded_from
    return (
        row.chunk_id,
        row.digest,
        _span(row.period),
        row.type,
        row.lang,
        row.tags,
        row.path,
        None if undated else row.age_at,
    )


def _span(period: Period) -> tuple[int, int, int, int]:
    start, end = period.start, period.end
    return (start.earliest, start.latest, end.earliest, end.latest)
