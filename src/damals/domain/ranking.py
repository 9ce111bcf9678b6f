"""The score of a result, made of weighted parts that add up to it exactly.

::

    vector     = cosine, min–max over the best 100 of the question
    text       = lexical score / best lexical score (0 where missing)
    similarity = (1 − text_share) · vector + text_share · text
    score      = w_vec · similarity + w_time · time_decay + w_graph · graph + …
    time_decay = exp(−ln 2 · age_days / half_life_days)

The weights are normalised to a sum of 1. Source of the formula: the project's knowledge design,
section 16.3; min–max fusion was the best of those compared (``docs/adr``).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from damals.domain.errors import InvalidInput
from damals.domain.instants import DAY

VECTOR_WINDOW: Final = 100
"""How many of the nearest vectors the min–max is taken over."""


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
        parts = (self.vec, self.time, self.graph, self.persona, self.importance)
        total = sum(parts)
        sound = all(math.isfinite(part) and part >= 0 for part in parts)
        if not sound or total <= 0 or not 0 <= self.text_share <= 1:
            raise InvalidInput("weights.invalid", weights=self.describe())
        if not self.half_life_days > 0:
            raise InvalidInput("weights.half_life", half_life=self.half_life_days)
        if math.isclose(total, 1.0):
            return self
        scaled = [part / total for part in parts]
        return Weights(*scaled, text_share=self.text_share, half_life_days=self.half_life_days)

    def describe(self) -> str:
        """``vec=0.7, time=0.2, …``: as it is typed."""
        return ", ".join(f"{f.name}={getattr(self, f.name):g}" for f in fields(self))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a leg found.

    Attributes:
        point: name of the chunk row; breaks ties.
        group: name of its entry; one result an entry is kept.
        cosine: of its vector and the question's; ``None`` when that leg did not find it.
        lexical: raw lexical score, 0 when that leg did not find it.
        age_days: at the asked instant.
    """

    point: str
    group: str
    cosine: float | None
    lexical: float
    age_days: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with the weighted parts of its score."""

    candidate: Candidate
    parts: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def score(self) -> float:
        """The sum of the parts, added in their order, so that anyone can add them up again."""
        return sum(self.parts.values())


def rank(candidates: Sequence[Candidate], weights: Weights) -> list[Scored]:
    """Score candidates; the best of each group, best first, ties by point.

    Args:
        candidates: what both legs found, each point once.
        weights: normalised.
    """
    cosines = sorted((c.cosine for c in candidates if c.cosine is not None), reverse=True)
    window = cosines[:VECTOR_WINDOW]
    span = (window[-1], window[0]) if window else (0.0, 0.0)
    best = max((c.lexical for c in candidates), default=0.0)
    scored = [
        Scored(c, _parts(c, _min_max(c.cosine, span), _ratio(c.lexical, best), weights))
        for c in candidates
    ]
    scored.sort(key=lambda s: (-s.score, s.candidate.point))
    first: dict[str, Scored] = {}
    for one in scored:
        first.setdefault(one.candidate.group, one)
    return list(first.values())


def _parts(candidate: Candidate, vector: float, text: float, weights: Weights) -> dict[str, float]:
    return {
        "vector": weights.vec * (1 - weights.text_share) * vector,
        "text": weights.vec * weights.text_share * text,
        "time": weights.time * time_decay(candidate.age_days, weights.half_life_days),
        "graph": 0.0,
        "persona": 0.0,
        "importance": 0.0,
    }


def _min_max(cosine: float | None, span: tuple[float, float]) -> float:
    low, high = span
    if cosine is None:
        return 0.0
    return 1.0 if high == low else max(cosine - low, 0.0) / (high - low)


def _ratio(score: float, best: float) -> float:
    return score / best if best > 0 else 0.0


def time_decay(age_days: float, half_life_days: float) -> float:
    """``exp(−ln 2 · age / half-life)``: 1 for the present, ½ after a half-life; 1 for ``inf``."""
    if math.isinf(half_life_days):
        return 1.0
    return math.exp(-math.log(2) * age_days / half_life_days)


def age_days(age_at: int, as_of: int) -> float:
    """Days from the instant an age counts from to the asked instant, not below 0."""
    return max(as_of - age_at, 0) / DAY
