"""Recall: what answers a question at a pair of instants, best first, with the parts of its score.

Both legs of the index find candidates under one filter, by words while the question is embedded;
the parts are computed from what they return and carried through the ranking; the ledger gives the
text of what is shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from damals import messages
from damals.app.ages import Ages
from damals.app.finding import accepting, candidates, context, explaining, shown
from damals.app.finding.meaning import Meaning, meaning
from damals.app.finding.passages import chunk_view
from damals.app.finding.question import Base, Engines, Question, filter_of, operators_of
from damals.app.index_model import OWNER, IndexFilter, IndexQuery
from damals.app.ledger_model import At, Lag
from damals.app.ledger_port import LedgerReader
from damals.app.looking import present
from damals.app.ports import Clock
from damals.app.question_times import hear
from damals.app.results import Hit, Recall
from damals.app.stages import stage
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
    means = meaning(engines, operators.text)
    now = present(reader, clock)
    heard = hear(reader, question, now)
    at = replace(heard.at, aged_at=question.aged_at)
    if heard.read and at.as_of != now:
        question = question.without_age()
    weights, types = question.in_force(), engines.base.types(reader)
    asked = _Asked(question, operators, at, weights, means, types)
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
        weights=_shown_weights(asked.in_force),
        index_lag=lag.transactions + lag.vectors,
        withheld=withheld,
        receipt=None,
        caveats=(*read.notes, *_caveats((*means().caveats, *_behind(lag)), found)),
        persona=str(asked.persona) if asked.persona else None,
        operators=operators.found,
        layers=explaining.layers_of(hits, asked.types.layers) if question.explain else None,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it was read.

    Attributes:
        weights: normalised, as they are where there is a vector.
        meaning: gives the vector.
        persona: the person that it is seen from.
    """

    question: Question
    operators: Operators
    at: At
    weights: Weights
    meaning: Meaning
    types: TypeCatalogue
    persona: UUID | None = None

    @property
    def in_force(self) -> Weights:
        """The weights that results are ranked by; waits for the meaning."""
        return self.meaning().weigh(self.weights)


@dataclass(frozen=True, slots=True)
class _Found:
    """Results, with what they were ranked by.

    Attributes:
        cut: there may be more that answer.
    """

    hits: list[Hit]
    ranked: list[Scored]
    contexts: context.Contexts
    cut: bool = False


def _persona(reader: LedgerReader, engines: Engines, asked: _Asked, now: int) -> UUID | None:
    named, weights = asked.question.persona, asked.weights
    if asked.question.viewpoint is not None:
        return asked.question.viewpoint.person
    if named is not None:
        return context.persona_named(reader, asked.at, named, now)
    return engines.base.persona(reader, asked.at) if weights.graph or weights.persona else None


def _found(reader: LedgerReader, engines: Engines, where: IndexFilter, asked: _Asked) -> _Found:
    question = asked.question
    least, base = question.min_grounding, engines.base
    grounded = accepting.grounded(reader, asked.at, asked.types, least, base.share)
    accept = accepting.saying(reader, asked.at, asked.operators)
    if grounded is not None:
        if not grounded.among:
            return _Found([], [], context.Contexts())
        accept = accepting.both(grounded.accept, accept)
        if len(grounded.among) <= accepting.MAX_PINNED_DOWN:
            where = replace(where, only=tuple(sorted(grounded.among)))
    where = accepting.narrowed(engines.index, where, asked.operators)
    pool = shown.pool_of(question.limit, question.diversity)
    text = asked.operators.text
    found = candidates.find(
        engines.index,
        candidates.Search(
            IndexQuery(where, None, engines.lexical.query(text), VECTOR_WINDOW),
            asked.meaning,
            pool,
            asked.weights,
            None if question.one_half_life else asked.types,
            accept,
            accepting.widened(where),
        ),
    )
    weights = asked.in_force
    wanted = len(found.ranked) if pool is None else pool
    best = contenders(found.ranked, weights, wanted)[: max(wanted, context.MOST_CONTENDERS)]
    beside = context.Asked(asked.at, weights, asked.types, asked.persona, text, found.titles)
    with stage("ranking"):
        contexts = context.contexts(reader, best, beside)
        ranked = in_context(found.ranked, weights, contexts.of)
        ordered = shown.chosen(reader, ranked, engines.lexical.words, question.diversity, pool)
    ages = Ages(lambda _: asked.types, base.share)  # files of types are looked at once a question
    showing = shown.Showing(asked.at, ages, question.limit, question.neighbours, base.split)
    with stage("ledger"):
        hits = shown.hits(reader, ordered, showing)
    return _Found(hits, ranked, contexts, cut=found.cut)


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
        explaining.Reasons(asked.at, asked.types, asked.in_force, found.contexts, stems),
    )
    ids = [UUID(hit.entry.id) for hit in found.hits]
    best = shown.candidates_of(found.ranked, ids)
    return [
        replace(
            hit, explanation=explaining.explanation(hit, engines.lexical, because, best[entry_id])
        )
        for hit, entry_id in zip(found.hits, ids, strict=True)
    ]


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


def _caveats(keys: Sequence[str], found: _Found) -> Iterator[str]:
    """What limits an answer, as texts."""
    yield from (messages.text(key) for key in keys)
    if found.cut:
        yield messages.text("recall.cut", None, count=candidates.MAX_CHECKED)


def _behind(lag: Lag) -> tuple[str, ...]:
    """Keys of what to mind about the index."""
    if lag.transactions:
        return ("recall.index_behind",)
    return ("recall.vectors_pending",) if lag.vectors else ()


__all__ = ["Base", "Engines", "Question", "chunk_view", "recall"]
