"""Answers and their reasons: frozen values with the JSON shapes of the documentation."""

from collections.abc import Mapping
from dataclasses import dataclass

from damals.app.results import Explanation, Parts, Recall, Result, SourceView, Understood
from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class Citation(Result):
    """A passage that an answer stands on.

    Attributes:
        n: number of the mark in the answer: ``[1]``.
        start, end: offsets of the quote in the content of the entry, in characters; null when the
            title of the entry is quoted.
        quote: exactly what stands there: ``content[start:end]`` as of the answer's instants.
    """

    n: int
    entry_id: str
    chunk_id: str
    start: int | None
    end: int | None
    quote: str


@dataclass(frozen=True, slots=True)
class Reason(Result):
    """Reasons an entry was among the results.

    Attributes:
        rank: place among the results, from 1.
        cited: numbers of the citations that are taken from it.
        parts: add up to the score exactly.
        chain: the relations that led to it.
    """

    rank: int
    entry_id: str
    title: str
    chunk_id: str
    heading: tuple[str, ...]
    line: int
    score: float
    parts: Parts
    matched: tuple[str, ...]
    chain: tuple[Mapping[str, Json], ...]
    provenance: SourceView
    layer: str | None
    contradicts: tuple[str, ...]
    caveats: tuple[str, ...]
    cited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer(Result):
    """An answer with numbered citations, or that there is none.

    Attributes:
        model: name of the model that wrote it; null for passages in their own words.
        abstained: what is known does not answer the question.
        caveats: what limits it, contradictions among it.
        differences: what is not as it was, when it was computed again.
    """

    OPTIONAL = frozenset({"differences"})

    question: str
    understood: Understood
    answer: str
    citations: tuple[Citation, ...]
    reasons: tuple[Reason, ...]
    model: str | None
    as_of: str
    known_at: str
    receipt: str | None
    abstained: bool
    caveats: tuple[str, ...] = ()
    differences: tuple[Mapping[str, Json], ...] | None = None


@dataclass(frozen=True, slots=True)
class Reasons(Result):
    """The reasons of an answer that was given.

    Attributes:
        kind: ``recall`` or ``ask``.
        transaction: number of the last transaction when it was asked; for the owner alone.
        engines: versions of the program, the models and the index that answered.
        options: what was asked for beside the question.
        answer: what was answered; null for a ranking.
        layers: ids of the entries by layer.
    """

    receipt: str
    kind: str
    question: str
    created_at: str
    transaction: int | None
    understood: Understood
    as_of: str
    known_at: str
    options: Mapping[str, Json]
    weights: Mapping[str, float | None]
    engines: Mapping[str, Json]
    answer: str | None
    citations: tuple[Citation, ...]
    reasons: tuple[Reason, ...]
    layers: Mapping[str, Json]
    caveats: tuple[str, ...]


def reasons_of(found: Recall) -> tuple[Reason, ...]:
    """The reasons of a ranking that was explained."""
    made: list[Reason] = []
    for rank, hit in enumerate(found.results, start=1):
        told = hit.explanation or Explanation((), (), hit.entry.source, None, hit.caveats)
        reason = Reason(
            rank=rank,
            entry_id=hit.entry.id,
            title=hit.entry.title,
            chunk_id=hit.chunk.id,
            heading=hit.chunk.heading,
            line=hit.chunk.line,
            score=hit.score,
            parts=hit.parts,
            matched=told.matched,
            chain=told.chain,
            provenance=told.provenance,
            layer=told.layer,
            contradicts=hit.contradicts,
            caveats=hit.caveats,
        )
        made.append(reason)
    return tuple(made)


__all__ = ["Answer", "Citation", "Reason", "Reasons", "reasons_of"]
