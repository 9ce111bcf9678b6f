"""What of an entry is shown: the chunk that answered, and on request what stands around it."""

from collections.abc import Callable, Sequence
from uuid import UUID

from damals.app.ledger_model import At, ChunkRow, Found
from damals.app.results import ChunkView, PassageView
from damals.domain.chunks import Chunk

Split = Callable[[str], Sequence[Chunk]]
"""Splits a text into chunks, as when it was stored."""


def holds(row: ChunkRow, entry_id: UUID, at: At) -> bool:
    """Whether a chunk row is what its point said: of this entry, known and holding at the pair."""
    known = row.recorded_from <= at.known_at < row.recorded_to
    return row.entry_id == entry_id and known and row.period.possible_at(at.as_of)


def chunk_view(row: ChunkRow, found: Found) -> ChunkView:
    """A chunk as it stands in the version that is shown: edits above it have moved its line."""
    content = found.version.attributes.content
    start, line = place_of(row, found), row.line
    if content != row.content and start is not None:
        line = _line_at(found, start)
    end = None if start is None else start + len(row.text)
    return ChunkView(str(row.chunk_id), row.text, row.heading, line, start=start, end=end)


def place_of(row: ChunkRow, found: Found) -> int | None:
    """Where a chunk begins in the version that is shown, nearest to where it began."""
    content = found.version.attributes.content
    if content == row.content:
        return row.start
    text = row.text
    before, behind = content.rfind(text, 0, row.start + len(text)), content.find(text, row.start)
    places = [at for at in (before, behind) if at >= 0]
    return min(places, key=lambda at: abs(at - row.start), default=None)


def passage(row: ChunkRow, found: Found, split: Split, neighbours: int) -> PassageView | None:
    """A chunk with so many on each side, as one piece of the entry's text.

    From the first character of the first to the last of the last, whatever stands between them, so
    that nothing is said twice and its offsets are those of the text.
    """
    start = place_of(row, found)
    if start is None:
        return None
    content = found.version.attributes.content
    chunks = split(content)
    at = next((n for n, one in enumerate(chunks) if one.start <= start < max(one.end, 1)), None)
    if at is None:
        return None
    first = chunks[max(at - neighbours, 0)].start
    last = chunks[min(at + neighbours, len(chunks) - 1)].end
    first, last = min(first, start), max(last, start + len(row.text))
    return PassageView(content[first:last], first, last, _line_at(found, first))


def _line_at(found: Found, offset: int) -> int:
    """The line in its source of an offset in the content of the version that is shown."""
    attributes = found.version.attributes
    return attributes.content.count("\n", 0, offset) + (attributes.source.line or 1)
