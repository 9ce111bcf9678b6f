"""Results that do not all say the same: maximal marginal relevance.

::

    next = argmax (1 − d) · score − d · max over chosen c of likeness(candidate, c)

Source: J. Carbonell and J. Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering
Documents and Producing Summaries", SIGIR 1998, with λ = 1 − d. Likeness is the share of words that
two texts have in common, the cosine of their sets of words.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Told:
    """A candidate: its id, its score from 0 to 1, and the words that it says."""

    name: UUID
    score: float
    words: frozenset[str]


def diverse(ranked: Sequence[Told], diversity: float, wanted: int) -> list[UUID]:
    """The ids of the chosen, in the order in which they were chosen; of equals the first.

    Args:
        ranked: best first; the first is always chosen first.
        diversity: 0 keeps the order, 1 looks at nothing but likeness.
        wanted: how many are chosen.
    """
    rest = list(ranked)
    nearest = dict.fromkeys((one.name for one in rest), 0.0)
    chosen: list[UUID] = []
    while rest and len(chosen) < wanted:
        best = max(
            rest, key=lambda one: (1.0 - diversity) * one.score - diversity * nearest[one.name]
        )
        if not chosen:
            best = rest[0]
        rest.remove(best)
        chosen.append(best.name)
        for one in rest:
            nearest[one.name] = max(nearest[one.name], likeness(one.words, best.words))
    return chosen


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The cosine of two sets: the share of words that they have in common, 0 to 1."""
    if not one or not other:
        return 0.0
    return len(one & other) / math.sqrt(len(one) * len(other))
