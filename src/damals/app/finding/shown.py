"""From ranked candidates to results, with the ledger's text."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from damals.app.ages import Ages
from damals.app.finding.accepting import superseded
from damals.app.finding.flags import Flags
from damals.app.finding.passages import Split, chunk_view, holds, passage
from damals.app.ledger_model import At, ChunkRow, Found
from damals.app.ledger_port import LedgerReader
from damals.app.recall_results import Parts
from damals.app.results import Entry, Hit
from damals.app.views import Surroundings, entry_view, surroundings
from damals.domain.diversity import Told, diverse
from damals.domain.ranking import Candidate, Scored

Words = Callable[[str], Sequence[tuple[str, int, int]]]

POOL: Final = 5
"""Diverse results are chosen among so many times as many candidates as are wanted."""

SMALLEST_POOL: Final = 50

MOST_COMPARED: Final = 200
"""So many of the best are compared with each other; the work grows with the square."""


@dataclass(frozen=True, slots=True)
class Showing:
    """How results are shown.

    Attributes:
        limit: how many; ``None`` for all.
        neighbours: how many chunks on each side are shown with a result.
    """

    at: At
    ages: Ages
    limit: int | None
    neighbours: int
    split: Split


def pool_of(limit: int | None, diversity: float) -> int | None:
    """Among how many candidates the results are chosen."""
    if limit is None or not diversity:
        return limit
    return max(POOL * limit, SMALLEST_POOL)


def chosen(
    reader: LedgerReader, ranked: Sequence[Scored], words: Words, diversity: float, pool: int | None
) -> list[Scored]:
    """Ranked candidates in the order in which they are shown.

    With a diversity above 0 the order is that of maximal marginal relevance among the best of them;
    what they score stays what it is. It compares each with each, so those behind the best keep
    their order.
    """
    if not diversity:
        return list(ranked)
    size = min(MOST_COMPARED, len(ranked) if pool is None else pool)
    best, rest = ranked[:size], ranked[size:pool]
    rows = reader.chunks([one.candidate.point for one in best])
    said = {point: frozenset(stem for stem, _, _ in words(row.text)) for point, row in rows.items()}
    told = [
        Told(one.candidate.point, one.score, said.get(one.candidate.point, frozenset()))
        for one in best
    ]
    by_point = {one.candidate.point: one for one in best}
    return [*(by_point[name] for name in diverse(told, diversity, len(told))), *rest]


def hits(reader: LedgerReader, ranked: Sequence[Scored], showing: Showing) -> list[Hit]:
    """The results; what the ledger does not confirm is left out."""
    shown: list[Hit] = []
    limit = showing.limit
    size = max(len(ranked) if limit is None else limit, 1)
    for first in range(0, len(ranked), size):
        shown += _page(reader, ranked[first : first + size], showing)
        if limit is not None and len(shown) >= limit:
            return shown[:limit]
    return shown


def _page(reader: LedgerReader, page: Sequence[Scored], showing: Showing) -> list[Hit]:
    at = showing.at
    ids = [scored.candidate.group for scored in page]
    found = reader.versions_at(ids, at)
    rows = reader.chunks([scored.candidate.point for scored in page])
    around = surroundings(reader, list(found.values()), at, showing.ages)
    there = {i: one for i, one in found.items() if i not in around.archived}
    replaced = superseded(reader, there, at)
    flags = Flags.read(reader, there, around, (replaced, showing.ages.share))
    return [
        _hit(scored, there[entry_id], row, (around, flags), showing)
        for scored, entry_id in zip(page, ids, strict=True)
        if entry_id in there
        and (row := rows.get(scored.candidate.point)) is not None
        and holds(row, entry_id, at)
    ]


def _hit(
    scored: Scored,
    found: Found,
    row: ChunkRow,
    beside: tuple[Surroundings, Flags],
    showing: Showing,
) -> Hit:
    around, flags = beside
    entry = entry_view(found, around)
    hit = Hit(
        entry=entry,
        chunk=chunk_view(row, found),
        score=scored.score,
        parts=Parts(**scored.parts),
        contradicts=_contradicted(entry),
        caveats=flags.caveats(found),
        grounding=flags.grounding(found),
    )
    if not showing.neighbours:
        return hit
    return replace(hit, context=passage(row, found, showing.split, showing.neighbours))


def _contradicted(entry: Entry) -> tuple[str, ...]:
    """Ids of the entries that an entry is in an open contradiction with."""
    open_ = [r.entry_id for r in entry.relations if r.resolution == "required"]
    return tuple(dict.fromkeys(open_))


def candidates_of(ranked: Sequence[Scored], entries: Collection[UUID]) -> Mapping[UUID, Candidate]:
    """The candidates of some entries among all that were ranked, one an entry."""
    wanted = {one.int for one in entries}  # a number is hashed in a tenth of the time
    return {
        one.candidate.group: one.candidate for one in ranked if one.candidate.group.int in wanted
    }
