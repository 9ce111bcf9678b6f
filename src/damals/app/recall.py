"""Recall: what answers a question at a pair of instants, best first, with the parts of its score.

One query to the index finds candidates on both legs under one filter; the parts are computed from
what it returns and carried through the ranking; the ledger gives the text of what is shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from unicodedata import normalize
from uuid import UUID

from damals.app.index_model import OWNER, Hits, IndexFilter, IndexQuery
from damals.app.ledger_model import At, ChunkRow, Found, Lag
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, checked_limit, pair, present, understood
from damals.app.ports import ChunkIndex, Clock, Embedder, LexicalEncoder
from damals.app.results import ChunkView, Entry, Explanation, Hit, Parts, Recall
from damals.app.views import entry_view, surroundings
from damals.domain.errors import InvalidInput, Unavailable
from damals.domain.fields import nullable_text
from damals.domain.names import folded_tag
from damals.domain.parsing import parse_instant
from damals.domain.ranking import (
    VECTOR_WINDOW,
    Candidate,
    Scored,
    Weights,
    age_days,
    rank,
)
from damals.domain.zones import load_zone

MAX_QUERY: Final = 10_000
"""Longest question, in characters."""

MAX_ROUNDS: Final = 8
"""How often a search goes on when too few entries were among the candidates."""

MAX_CANDIDATES: Final = 10_000
"""Most candidates a leg is asked for."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what may answer.

    Attributes:
        admits_withheld: the asker may know how many entries the owner would have been shown
            instead.
    """

    query: str
    asked: Asked = field(default_factory=Asked)
    certain: bool = False
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path: str | None = None
    since: object = None
    until: object = None
    limit: int | None = 10
    weights: Weights = field(default_factory=Weights)
    explain: bool = False
    admits_withheld: bool = False


@dataclass(frozen=True, slots=True)
class Engines:
    """What recall stands on.

    Attributes:
        embedder: ``None`` where no model is configured.
        words_only: too many vectors are still missing for meaning to be compared.
    """

    index: ChunkIndex
    lexical: LexicalEncoder
    embedder: Embedder | None
    words_only: bool = False


def recall(
    reader: LedgerReader, engines: Engines, clock: Clock, question: Question, lag: Lag
) -> Recall:
    """Answer a question.

    Raises:
        InvalidInput: ``query.empty``, ``query.too_long``, ``weights.*``, ``limit.invalid``.
        Unavailable: the index does not answer.
    """
    _check(question)
    now = present(reader, clock)
    at = pair(reader, now, question.asked)
    weights = question.weights.normalised()
    vector, caveats = _embedded(engines, question.query)
    if vector is None:
        weights = replace(weights, text_share=1.0)
    query = IndexQuery(
        where=_filter(reader, at, question),
        vector=vector,
        lexical=engines.lexical.query(question.query),
        limit=VECTOR_WINDOW,
    )
    shown = _found(reader, engines.index, query, _Rest(at, weights, question.limit))
    withheld = 0
    if question.admits_withheld and reader.access != OWNER:
        withheld = _withheld(reader, engines.index, query, _Rest(at, weights, question.limit))
    if question.explain:
        shown = [_explained(hit, engines.lexical, question.query) for hit in shown]
    return Recall(
        query=question.query,
        understood=(read := understood(reader, at, now)),
        as_of=read.as_of,
        known_at=read.known_at,
        results=tuple(shown),
        weights=_shown_weights(weights),
        index_lag=lag.transactions + lag.vectors,
        withheld=withheld,
        receipt=None,
        caveats=(*caveats, *_behind(lag)),
    )


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a question says beside what the index is asked."""

    at: At
    weights: Weights
    limit: int | None


def _found(reader: LedgerReader, index: ChunkIndex, query: IndexQuery, rest: _Rest) -> list[Hit]:
    ranked = _ranked(index, query, rest.limit, rest.weights)
    return _hits(reader, rest.at, ranked, rest.limit)


def _withheld(reader: LedgerReader, index: ChunkIndex, query: IndexQuery, rest: _Rest) -> int:
    """How many of the entries that the owner would be shown the asker may not see."""
    whole = replace(query, where=replace(query.where, access=OWNER))
    shown = _found(reader.unrestricted(), index, whole, rest)
    entries = {UUID(hit.entry.id) for hit in shown}
    return len(entries) - len(reader.seen(entries))


def _check(question: Question) -> None:
    checked_limit(question.limit)
    text = nullable_text("query", question.query, 10 * MAX_QUERY)
    if text is None or not text.strip():
        raise InvalidInput("query.empty")
    if len(question.query) > MAX_QUERY:
        raise InvalidInput("query.too_long", length=len(question.query), limit=MAX_QUERY)


def _embedded(engines: Engines, query: str) -> tuple[bytes | None, tuple[str, ...]]:
    """The question's vector; without a model the words alone must do, and the answer says so."""
    embedder = engines.embedder
    if engines.words_only:
        return None, ()
    if embedder is None:
        return None, ("recall.without_vectors",)
    try:
        return embedder.query(query), ()
    except Unavailable:
        return None, ("recall.without_vectors",)
    except InvalidInput:
        return None, ()


def _filter(reader: LedgerReader, at: At, question: Question) -> IndexFilter:
    workspace = reader.workspace()
    zone = load_zone(workspace.zone)

    def instant(value: object) -> int | None:
        return None if value is None else parse_instant(value, zone=zone, now=at.as_of)

    return IndexFilter(
        workspace=workspace.name,
        as_of=at.as_of,
        known_at=at.known_at,
        access=reader.access,
        certain=question.certain,
        types=question.types,
        tags=tuple(folded_tag(tag) for tag in question.tags),
        path=_folded_path(question.path),
        since=instant(question.since),
        until=instant(question.until),
    )


def _folded_path(path: str | None) -> str | None:
    """A path as sources keep it: NFC, relative, without ``./``."""
    return None if path is None else normalize("NFC", path).removeprefix("./").strip("/")


def _ranked(
    index: ChunkIndex, query: IndexQuery, limit: int | None, weights: Weights
) -> list[Scored]:
    """Candidates of both legs, scored, one an entry.

    While there are too few entries among the nearest chunks, since some have many, the search
    goes on without the entries that were found.
    """
    wanted = MAX_CANDIDATES if limit is None else min(limit, MAX_CANDIDATES)
    size = max(query.limit, wanted)
    found: dict[UUID, Candidate] = {}
    ranked: list[Scored] = []
    for _ in range(MAX_ROUNDS):
        known = tuple({UUID(scored.candidate.group) for scored in ranked})
        where = replace(query.where, but=known)
        hits = index.query(IndexQuery(where, query.vector, query.lexical, size))
        found |= _candidates(hits, query.where.as_of)
        ranked = rank(list(found.values()), weights)
        exhausted = len(hits.dense) < size and len(hits.lexical) < size
        if len(ranked) >= wanted or exhausted:
            break
    return ranked


def _candidates(hits: Hits, as_of: int) -> dict[UUID, Candidate]:
    """Both legs as one list; min–max is taken over the best of the vector leg only."""
    lexical = {hit.point_id: hit.score for hit in hits.lexical}
    dense = {hit.point_id: hit.score for hit in hits.dense}
    found = {hit.point_id: hit for hit in (*hits.dense, *hits.lexical)}
    return {
        point_id: Candidate(
            point=str(point_id),
            group=str(hit.entry_id),
            cosine=dense.get(point_id),
            lexical=lexical.get(point_id, 0.0),
            age_days=age_days(hit.age_at, as_of),
        )
        for point_id, hit in found.items()
    }


def _hits(reader: LedgerReader, at: At, ranked: Sequence[Scored], limit: int | None) -> list[Hit]:
    """The results with the ledger's text; what the ledger does not confirm is left out."""
    hits: list[Hit] = []
    size = len(ranked) if limit is None else limit
    for first in range(0, len(ranked), max(size, 1)):
        page = ranked[first : first + size]
        ids = [UUID(scored.candidate.group) for scored in page]
        found = reader.versions_at(ids, at)
        rows = reader.chunks([UUID(scored.candidate.point) for scored in page])
        around = surroundings(reader, list(found.values()), at)
        found = {i: one for i, one in found.items() if i not in around.archived}
        for scored, entry_id in zip(page, ids, strict=True):
            version = found.get(entry_id)
            row = rows.get(UUID(scored.candidate.point))
            if version is not None and row is not None and _holds(row, entry_id, at):
                entry = entry_view(version, around)
                parts = Parts(**scored.parts)
                chunk = chunk_view(row, version)
                hits.append(Hit(entry, chunk, scored.score, parts, _contradicted(entry)))
        if limit is not None and len(hits) >= limit:
            return hits[:limit]
    return hits


def _contradicted(entry: Entry) -> tuple[str, ...]:
    """Ids of the entries that an entry is in an open contradiction with."""
    open_ = [r.entry_id for r in entry.relations if r.resolution == "required"]
    return tuple(dict.fromkeys(open_))


def _holds(row: ChunkRow, entry_id: UUID, at: At) -> bool:
    """Whether a chunk row is what its point said: of this entry, known and holding at the pair."""
    known = row.recorded_from <= at.known_at < row.recorded_to
    return row.entry_id == entry_id and known and row.period.possible_at(at.as_of)


def chunk_view(row: ChunkRow, found: Found) -> ChunkView:
    """A chunk as it stands in the version that is shown: edits above it have moved its line."""
    content = found.version.attributes.content
    line = row.line
    if content != row.content:
        place = _nearest(content, row.text, row.start)
        first = found.version.attributes.source.line or 1
        line = row.line if place < 0 else content.count("\n", 0, place) + first
    return ChunkView(str(row.chunk_id), row.text, row.heading, line)


def _nearest(content: str, text: str, place: int) -> int:
    """Where ``text`` stands in ``content``, nearest to where it stood; −1 when nowhere."""
    before, behind = content.rfind(text, 0, place + len(text)), content.find(text, place)
    found = [at for at in (before, behind) if at >= 0]
    return min(found, key=lambda at: abs(at - place), default=-1)


def _explained(hit: Hit, lexical: LexicalEncoder, query: str) -> Hit:
    """The same hit with the words that matched and where it comes from."""
    asked = {stem for stem, _, _ in lexical.words(query)}
    text = "\n".join((hit.entry.title, *hit.chunk.heading, hit.chunk.text))
    matched = dict.fromkeys(
        text[start:end] for stem, start, end in lexical.words(text) if stem in asked
    )
    reasons = Explanation(tuple(matched), (), hit.entry.source, None, hit.caveats)
    return Hit(hit.entry, hit.chunk, hit.score, hit.parts, hit.contradicts, hit.caveats, reasons)


def _shown_weights(weights: Weights) -> Mapping[str, float | None]:
    endless = weights.half_life_days == float("inf")
    return {
        "vec": weights.vec,
        "time": weights.time,
        "graph": weights.graph,
        "persona": weights.persona,
        "importance": weights.importance,
        "text_share": weights.text_share,
        "half_life_days": None if endless else weights.half_life_days,
    }


def _behind(lag: Lag) -> tuple[str, ...]:
    if lag.transactions:
        return ("recall.index_behind",)
    return ("recall.vectors_pending",) if lag.vectors else ()


__all__ = ["Engines", "Question", "chunk_view", "recall"]
