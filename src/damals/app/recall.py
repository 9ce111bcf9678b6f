"""Recall: what answers a question at a pair of instants, best first, with the parts of its score.

One query to the index finds candidates on both legs under one filter; the parts are computed from
what it returns and carried through the ranking; the ledger gives the text of what is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from damals.app.finding import accepting, candidates, context, explaining, shown
from damals.app.finding.passages import chunk_view
from damals.app.finding.question import Base, Engines, Question, filter_of, operators_of
from damals.app.index_model import OWNER, IndexFilter, IndexQuery
from damals.app.ledger_model import At, Lag
from damals.app.ledger_port import LedgerReader
from damals.app.looking import present
from damals.app.ports import Clock
from damals.app.question_times import hear
from damals.app.results import Hit, Recall
from damals.domain.errors import InvalidInput, Unavailable
from damals.domain.operators import Operators
from damals.domain.ranking import VECTOR_WINDOW, Scored, Weights, contenders, in_context
from damals.domain.types import TypeCatalogue


def recall(
    reader: LedgerReader, engines: Engines, clock: Clock, question: Question, lag: Lag
) -> Recall:
    """Answer a question.

    Raises:
        InvalidInput: ``query.*``, ``weights.*``, ``limit.invalid``, ``field.range``, ``time.*``.
        NotFound: of the person that it is to be seen from.
        Unavailable: the index does not answer.
    """
    operators = operators_of(question)
    now = present(reader, clock)
    heard = hear(reader, question, now)
    at = heard.at
    if heard.read and at.as_of != now:
        question = question.without_age()
    weights = question.in_force()
    vector, caveats = _embedded(engines, operators.text)
    if vector is None:
        weights = replace(weights, text_share=1.0)
    asked = _Asked(question, operators, at, weights, vector, engines.base.types(reader))
    asked = replace(asked, persona=_persona(reader, engines, asked, now))
    where = filter_of(reader, at, question, operators)
    found = _found(reader, engines, where, asked)
    withheld = 0
    if question.admits_withheld and reader.access != OWNER:
        withheld = _withheld(reader, engines, where, asked)
    hits = found.hits
    if question.explain:
        hits = _explained(reader, engines, found, asked)
    return Recall(
        query=question.query,
        understood=(read := heard.told(found=bool(hits))),
        as_of=read.as_of,
        known_at=read.known_at,
        results=tuple(hits),
        weights=_shown_weights(weights),
        index_lag=lag.transactions + lag.vectors,
        withheld=withheld,
        receipt=None,
        caveats=(*read.notes, *caveats, *_behind(lag)),
        persona=str(asked.persona) if asked.persona else None,
        operators=operators.found,
        layers=explaining.layers_of(hits, asked.types.layers) if question.explain else None,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it was read.

    Attributes:
        weights: normalised.
        vector: of its text; ``None`` when words alone decide.
        persona: the person that it is seen from.
    """

    question: Question
    operators: Operators
    at: At
    weights: Weights
    vector: bytes | None
    types: TypeCatalogue
    persona: UUID | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """Results, with what they were ranked by."""

    hits: list[Hit]
    ranked: list[Scored]
    contexts: context.Contexts


def _persona(reader: LedgerReader, engines: Engines, asked: _Asked, now: int) -> UUID | None:
    named, weights = asked.question.persona, asked.weights
    if asked.question.viewpoint is not None:
        return asked.question.viewpoint.person
    if named is not None:
        return context.persona_named(reader, asked.at, named, now)
    return engines.base.persona(reader, asked.at) if weights.graph or weights.persona else None


def _found(reader: LedgerReader, engines: Engines, where: IndexFilter, asked: _Asked) -> _Found:
    question, weights = asked.question, asked.weights
    only = accepting.grounded(reader, asked.at, asked.types, question.min_grounding)
    if only is not None and not only:
        return _Found([], [], context.Contexts())
    accept = accepting.saying(reader, asked.at, asked.operators)
    if only is not None and len(only) <= accepting.MAX_PINNED_DOWN:
        where = replace(where, only=tuple(sorted(only)))
    elif only is not None:
        accept = accepting.both(accepting.among(only), accept)
    where = accepting.narrowed(engines.index, where, asked.operators)
    pool = shown.pool_of(question.limit, question.diversity)
    text = asked.operators.text
    found = candidates.find(
        engines.index,
        candidates.Search(
            IndexQuery(where, asked.vector, engines.lexical.query(text), VECTOR_WINDOW),
            pool,
            weights,
            None if question.one_half_life else asked.types,
            accept,
        ),
    )
    wanted = len(found.ranked) if pool is None else pool
    best = contenders(found.ranked, weights, wanted)[: max(wanted, context.MOST_CONTENDERS)]
    beside = context.Asked(asked.at, weights, asked.types, asked.persona, text, found.titles)
    contexts = context.contexts(reader, best, beside)
    ranked = in_context(found.ranked, weights, contexts.of)
    ordered = shown.chosen(reader, ranked, engines.lexical.words, question.diversity, pool)
    showing = shown.Showing(
        asked.at, asked.types, question.limit, question.neighbours, engines.base.split
    )
    return _Found(shown.hits(reader, ordered, showing), ranked, contexts)


def _withheld(reader: LedgerReader, engines: Engines, where: IndexFilter, asked: _Asked) -> int:
    """How many of the entries that the owner would be shown the asker may not see."""
    whole = replace(where, access=OWNER)
    found = _found(reader.unrestricted(), engines, whole, asked)
    entries = {UUID(hit.entry.id) for hit in found.hits}
    return len(entries) - len(reader.seen(entries))


def _explained(reader: LedgerReader, engines: Engines, found: _Found, asked: _Asked) -> list[Hit]:
    stems = frozenset(stem for stem, _, _ in engines.lexical.words(asked.operators.text))
    because = explaining.titled(
        reader,
        found.hits,
        explaining.Reasons(asked.at, asked.types, asked.weights, found.contexts, stems),
    )
    ranked = shown.candidates_by_entry(found.ranked)
    return [
        replace(
            hit,
            explanation=explaining.explanation(
                hit, engines.lexical, because, ranked[UUID(hit.entry.id)].candidate
            ),
        )
        for hit in found.hits
    ]


def _embedded(engines: Engines, text: str) -> tuple[bytes | None, tuple[str, ...]]:
    """The question's vector; without a model the words alone must do, and the answer says so."""
    embedder = engines.embedder
    if engines.words_only:
        return None, ()
    if embedder is None:
        return None, ("recall.without_vectors",)
    try:
        return embedder.query(text), ()
    except Unavailable:
        return None, ("recall.without_vectors",)
    except InvalidInput:
        return None, ()


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


__all__ = ["Base", "Engines", "Question", "chunk_view", "recall"]
