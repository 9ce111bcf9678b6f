"""The score of a result, made of weighted parts that add up to it exactly.

::

    vector     = cosine, min–max over the best 100 of the question
    text       = lexical score / best lexical score (0 where missing)
    similarity = (1 − text_share) · vector + text_share · text
    score      = w_vec · similarity + w_time · time_decay + w_graph · graph
                 + w_persona · persona + w_importance · importance
    time_decay = exp(−ln 2 · age_days / half_life_days)

The weights are normalised to a sum of 1. Source of the formula: the project's knowledge design,
section 16.3; min–max fusion was the best of those compared (``docs/adr``).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import add
from typing import Final, NamedTuple
from uuid import UUID

from damals.domain.errors import InvalidInput
from damals.domain.instants import DAY

VECTOR_WINDOW: Final = 100
"""How many of the nearest vectors the min–max is taken over."""

PARTS: Final = ("vector", "text", "time", "graph", "persona", "importance")
"""The parts of a score, in the order in which they are added."""

SHARES: Final = ("vec", "time", "graph", "persona", "importance")
"""The weights that are normalised to a sum of 1."""

MAX_IMPORTANCE: Final = 5
_LN2: Final = math.log(2)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts, and how fast age counts against a result.

    Attributes:
        text_share: part of the similarity that the words have; the vectors have the rest.
        half_life_days: after so many days the time part is worth half; ``inf`` for no decay.
    """

    vec: float = 0.70
    time: float = 0.20
    graph: float = 0.10
    persona: float = 0.0
    importance: float = 0.0
    text_share: float = 0.4
    half_life_days: float = 365.0

    def normalised(self) -> "Weights":
        """The same proportions with a sum of 1.

        Raises:
            InvalidInput: ``weights.invalid`` for negative or endless weights or a sum of 0.
        """
        parts = [getattr(self, name) for name in SHARES]
        total = sum(parts)
        sound = math.isfinite(total) and all(part >= 0 for part in parts)
        if not sound or total <= 0 or not 0 <= self.text_share <= 1:
            raise InvalidInput("weights.invalid", weights=self.describe())
        if not self.half_life_days > 0:
            raise InvalidInput("weights.half_life", half_life=self.half_life_days)
        if math.isclose(total, 1.0):
            return self
        scaled = {name: part / total for name, part in zip(SHARES, parts, strict=True)}
        return replace(self, **scaled)

    def describe(self) -> str:
        """``vec=0.7, time=0.2, …``: as it is typed."""
        return ", ".join(f"{f.name}={getattr(self, f.name):g}" for f in fields(self))


class Candidate(NamedTuple):
    """A chunk that a leg found.

    Attributes:
        point: id of the chunk row; breaks ties.
        group: id of its entry; one result an entry is kept.
        cosine: of its vector and the question's; ``None`` when that leg did not find it.
        lexical: raw lexical score, 0 when that leg did not find it.
        age_days: at the asked instant.
        half_life_days: of its type; ``None`` for that of the weights.
    """

    point: UUID
    group: UUID
    cosine: float | None
    lexical: float
    age_days: float
    half_life_days: float | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What speaks for an entry beside what it says; each from 0 to 1."""

    graph: float = 0.0
    persona: float = 0.0
    importance: float = 0.0


class Scored(NamedTuple):
    """A candidate with the weighted parts of its score.

    Attributes:
        score: the sum of the parts, added in their order, so that anyone can add them up again.
    """

    candidate: Candidate
    parts: Mapping[str, float]
    score: float

    @classmethod
    def of(cls, candidate: Candidate, parts: Mapping[str, float]) -> "Scored":
        """A candidate with its parts added up."""
        return cls(candidate, parts, added(parts.values()))

    def similarity(self, weights: Weights) -> float:
        """How alike it is to the question, from 0 to 1."""
        return (self.parts["vector"] + self.parts["text"]) / weights.vec if weights.vec else 0.0


def added(parts: Iterable[float]) -> float:
    """A sum from left to right. ``sum`` of newer Pythons corrects the rounding of its steps."""
    return reduce(add, parts, 0.0)


def rank(
    candidates: Sequence[Candidate],
    weights: Weights,
    contexts: Mapping[UUID, Context] | None = None,
) -> list[Scored]:
    """Score candidates; the best of each group, best first, ties by point.

    Args:
        candidates: what both legs found, each point once.
        weights: normalised.
        contexts: of groups; one that is left out has none.
    """
    cosines = sorted((c.cosine for c in candidates if c.cosine is not None), reverse=True)
    window = cosines[:VECTOR_WINDOW]
    low, high = (window[-1], window[0]) if window else (0.0, 0.0)
    scale = _Scale(
        weights,
        low,
        high,
        max([c.lexical for c in candidates], default=0.0),
        weights.vec * (1 - weights.text_share),
        weights.vec * weights.text_share,
    )
    scored = [_scored(c, scale) for c in candidates]
    placed = [_placed(one, weights, contexts) for one in scored] if contexts else scored
    placed.sort(key=_order)
    first: dict[UUID, Scored] = {}
    for one in placed:
        first.setdefault(one.candidate.group, one)
    return list(first.values())


class _Scale(NamedTuple):
    """What the parts of a score are measured by.

    Attributes:
        low, high: cosines at the end and at the beginning of the window.
        best: lexical score.
        vector_weight, text_weight: of the parts of those names.
    """

    weights: Weights
    low: float
    high: float
    best: float
    vector_weight: float
    text_weight: float


def in_context(
    ranked: Sequence[Scored], weights: Weights, contexts: Mapping[UUID, Context]
) -> list[Scored]:
    """What was ranked without a context, ranked with it."""
    if not contexts:
        return list(ranked)
    return sorted((_placed(one, weights, contexts) for one in ranked), key=_order)


def contenders(ranked: Sequence[Scored], weights: Weights, wanted: int) -> list[Scored]:
    """Those that may be among the best ``wanted`` whatever their context is, best first.

    Args:
        ranked: without any context, best first.
        weights: normalised; no context adds more than its weights.
        wanted: how many results are asked for.
    """
    if len(ranked) <= wanted:
        return list(ranked)
    most = weights.graph + weights.persona + weights.importance
    floor = ranked[wanted - 1].score - most
    return [one for one in ranked if one.score >= floor]


def _order(one: Scored) -> tuple[float, UUID]:
    return -one.score, one.candidate.point


def _placed(one: Scored, weights: Weights, contexts: Mapping[UUID, Context]) -> Scored:
    context = contexts.get(one.candidate.group)
    if context is None:
        return one
    parts = {
        **one.parts,
        "graph": weights.graph * context.graph,
        "persona": weights.persona * context.persona,
        "importance": weights.importance * context.importance,
    }
    return Scored.of(one.candidate, parts)


def _scored(candidate: Candidate, scale: _Scale) -> Scored:
    """A candidate without a context. Its parts are added here: it is done for hundreds."""
    _, _, cosine, lexical, age, own = candidate
    weights, low, high, best, vector_weight, text_weight = scale
    if cosine is None:
        nearness = 0.0
    else:
        nearness = 1.0 if high == low else max(cosine - low, 0.0) / (high - low)
    vector = vector_weight * nearness
    text = text_weight * (lexical / best if best > 0 else 0.0)
    time = weights.time * time_decay(age, weights.half_life_days if own is None else own)
    parts = {
        "vector": vector,
        "text": text,
        "time": time,
        "graph": 0.0,
        "persona": 0.0,
        "importance": 0.0,
    }
    return Scored(candidate, parts, vector + text + time)


def time_decay(age_days: float, half_life_days: float) -> float:
    """``exp(−ln 2 · age / half-life)``: 1 for the present, ½ after a half-life; 1 for ``inf``."""
    if math.isinf(half_life_days):
        return 1.0
    return math.exp(-_LN2 * age_days / half_life_days)


def age_days(age_at: int, as_of: int) -> float:
    """Days from the instant an age counts from to the asked instant, not below 0."""
    return max(as_of - age_at, 0) / DAY


def importance_share(importance: int) -> float:
    """What importance 1 to 5 speaks for an entry, from 0.2 to 1."""
    return importance / MAX_IMPORTANCE


def personal(nearness: float, persona_weight: float | None) -> float:
    """How much an entry is a person's: by its links or by what it says of itself, or by both."""
    return 1.0 - (1.0 - nearness) * (1.0 - (persona_weight or 0.0))
