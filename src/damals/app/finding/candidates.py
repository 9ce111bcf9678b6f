"""Which chunks may answer: both legs of the index under one filter, one candidate an entry.

While there are too few entries among the nearest chunks, since some have many or are not accepted,
the search goes on without the entries that were found.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from damals.app.finding.meaning import Meaning, nearest
from damals.app.index_model import Hit, Hits, IndexFilter, IndexQuery
from damals.app.ports import ChunkIndex
from damals.domain.ranking import Candidate, Scored, Weights, age_days, rank
from damals.domain.types import TypeCatalogue

MAX_ROUNDS: Final = 8
"""How often a search goes on when too few entries were among the candidates."""

MAX_CANDIDATES: Final = 10_000
"""Most candidates a leg is asked for."""

MAX_CHECKED: Final = 5_000
"""Of so many entries the contents are read, where the index cannot tell whether they answer."""

Accept = Callable[[Collection[UUID]], Collection[UUID]]
"""Which of some entries may answer, where the index cannot tell."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for.

    Attributes:
        query: without its vector.
        meaning: gives the vector.
        wanted: how many entries; ``None`` for all.
        weights: normalised, as they are where there is a vector.
        types: those in force; ``None`` when one half-life holds for all.
        accept: ``None`` where the index decides alone.
        wider: where to search on when there is not enough.
    """

    query: IndexQuery
    meaning: Meaning
    wanted: int | None
    weights: Weights
    types: TypeCatalogue | None = None
    accept: Accept | None = None
    wider: IndexFilter | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was found.

    Attributes:
        ranked: without any context, one an entry, best first.
        titles: of the entries, as the index has them.
        cut: there are too few, and others were not looked at.
    """

    ranked: list[Scored]
    titles: dict[UUID, str]
    cut: bool = False


def find(index: ChunkIndex, search: Search) -> Candidates:
    """Candidates of both legs, scored, one an entry."""
    wanted = MAX_CANDIDATES if search.wanted is None else min(search.wanted, MAX_CANDIDATES)
    size = max(search.query.limit, wanted)
    if search.accept is not None:
        size = min(size, MAX_CHECKED)
    found: dict[int, Candidate] = {}
    seen: dict[UUID, None] = {}
    titles: dict[UUID, str] = {}
    ranked: list[Scored] = []
    scope, wider, cut = search.query.where, search.wider, False
    for _ in range(MAX_ROUNDS):
        where = replace(scope, but=tuple(seen))
        hits = nearest(index, replace(search.query, where=where, limit=size), search.meaning)
        new = {hit.entry_id: hit.title for hit in (*hits.dense, *hits.lexical)}
        accepted = None if search.accept is None else {*search.accept(new.keys())}
        found |= _candidates(hits, search, accepted)
        titles |= new if accepted is None else {one: new[one] for one in new if one in accepted}
        seen |= dict.fromkeys(new)
        ranked = rank(list(found.values()), search.meaning().weigh(search.weights))
        exhausted = len(hits.dense) < size and len(hits.lexical) < size
        if len(ranked) >= wanted or (exhausted and wider is None):
            break
        cut = search.accept is not None and len(seen) >= MAX_CHECKED
        if cut:
            break
        if exhausted and wider is not None:
            scope, wider = wider, None
        elif search.accept is not None:  # the rarer what is accepted, the larger the steps
            size = min(4 * size, MAX_CHECKED)
    return Candidates(ranked, titles, cut)


def _candidates(
    hits: Hits, search: Search, accepted: Collection[UUID] | None
) -> dict[int, Candidate]:
    """Both legs as one list; min–max is taken over the best of the vector leg only."""
    # Numbers as keys: a UUID takes longer to hash than all the rest of this.
    found = {hit.point_id.int: (hit, hit.score, 0.0) for hit in hits.dense}
    merged: dict[int, tuple[Hit, float | None, float]] = {**found}
    for hit in hits.lexical:
        known = found.get(hit.point_id.int)
        merged[hit.point_id.int] = (hit, known[1] if known else None, hit.score)
    half_lives: dict[str, float | None] = {}
    if search.types is not None:
        kinds = {hit.type for hit, _, _ in merged.values()}
        half_lives = {kind: search.types.type(kind).half_life_days for kind in kinds}
    as_of = search.query.where.as_of
    return {
        number: Candidate(
            hit.point_id,
            hit.entry_id,
            cosine,
            lexical,
            age_days(hit.age_at, as_of),
            half_lives.get(hit.type),
        )
        for number, (hit, cosine, lexical) in merged.items()
        if accepted is None or hit.entry_id in accepted
    }
