"""Comparing what an index finds with what the ledger says, chunk by chunk.

Counts and ids agree also in an index whose files were changed behind its back. So of a sample each
chunk is asked for by its own words and its own vector, as of an instant at which it holds.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final
from uuid import UUID

from damals.app.index_fitting import fitted_words
from damals.app.index_model import Hit, IndexFilter, IndexQuery, VectorKey
from damals.app.indexing import MAX_NAME_CHARS, Projector, embedded
from damals.app.ledger_model import ChunkRow
from damals.app.ledger_port import Ledger

SAMPLE: Final = 200
"""How many chunks are compared; all of a small home."""

SAME: Final = 0.99
"""Cosine of a vector and itself, with room for how an engine rounds."""

_PER_ENTRY: Final = 64
"""So many chunks of one entry are looked at; of a longer one a chunk may lie behind them."""

_READ_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome: how many chunks were asked for, and which were not found as they are."""

    asked: int
    different: tuple[UUID, ...]


def sampled(points: Iterable[UUID], total: int, most: int = SAMPLE) -> Sequence[UUID]:
    """Evenly spread points out of all, the same at every call."""
    step = max(-(-total // most), 1)
    return list(islice(points, 0, None, step))


def compare(ledger: Ledger, projector: Projector, points: Sequence[UUID]) -> Compared:
    """Ask the index of a projector for chunks of the ledger.

    Args:
        ledger: what is true.
        projector: of an index that is caught up.
        points: which chunks.
    """
    asked, different = 0, list[UUID]()
    for workspace, row in _rows(ledger, points):
        asked += 1
        if not _found(projector, workspace, row):
            different.append(row.point_id)
    return Compared(asked, tuple(different))


def _rows(ledger: Ledger, points: Sequence[UUID]) -> Iterator[tuple[str, ChunkRow]]:
    for workspace in ledger.workspaces():
        for start in range(0, len(points), _READ_AT_ONCE):
            with ledger.read(workspace.name) as reader:
                rows = reader.chunks(points[start : start + _READ_AT_ONCE])
            yield from ((workspace.name, row) for row in rows.values())


def _found(projector: Projector, workspace: str, row: ChunkRow) -> bool:
    text = embedded(row)
    at = row.period.start.earliest
    words = fitted_words(projector.lexical.passage(text))
    vector = _vector(projector, workspace, text)
    where = IndexFilter(workspace, at, row.recorded_from, only=(row.entry_id,))
    if at >= row.recorded_from and not projector.index.count(where):
        return True  # archived by the transaction that recorded it: it is found at no pair
    hits = projector.index.query(IndexQuery(where, vector, words, _PER_ENTRY))
    legs = [hits.lexical] if words.indices else []
    legs += [hits.dense] if vector is not None else []
    return all(_shows(leg, row) for leg in legs) and _near(hits.dense, row)


def _shows(leg: Sequence[Hit], row: ChunkRow) -> bool:
    """Whether a chunk is among what was found, and says there what it says in the ledger."""
    hit = next((one for one in leg if one.point_id == row.point_id), None)
    if hit is None:
        return len(leg) >= _PER_ENTRY
    told = (hit.entry_id, hit.type, hit.title, hit.age_at)
    return told == (row.entry_id, row.type, row.title[:MAX_NAME_CHARS], row.age_at)


def _near(leg: Sequence[Hit], row: ChunkRow) -> bool:
    """Whether a chunk is where its own vector is, if it was asked for by that."""
    return all(one.score > SAME for one in leg if one.point_id == row.point_id)


def _vector(projector: Projector, workspace: str, text: str) -> bytes | None:
    """The vector that the point should have; ``None`` where none was computed or kept."""
    embedder = projector.embedder
    if embedder is None or projector.ledger.lag(projector.name).vectors:
        return None
    lookup = projector.ledger.lookup(workspace, text)
    key = VectorKey(workspace, lookup, embedder.model, embedder.version)
    return projector.known([key]).get(key)
