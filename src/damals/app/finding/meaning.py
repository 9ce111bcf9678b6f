"""What a question means, found out while its words are looked for."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from damals.app.behind import started
from damals.app.finding.question import Engines
from damals.app.index_model import Hits, IndexQuery
from damals.app.ports import ChunkIndex, Embedder
from damals.app.stages import stage
from damals.domain.errors import InvalidInput, Unavailable
from damals.domain.ranking import Weights


class Meant(NamedTuple):
    """What came of embedding a question.

    Attributes:
        vector: of its text; ``None`` when words alone decide.
        caveats: keys of what to mind.
    """

    vector: bytes | None
    caveats: tuple[str, ...] = ()

    def weigh(self, weights: Weights) -> Weights:
        """The weights in force: without a vector the similarity is that of the words."""
        return weights if self.vector is not None else replace(weights, text_share=1.0)


Meaning = Callable[[], Meant]
"""Gives what a question means; it is embedded when that is first asked for."""


def meaning(engines: Engines, text: str) -> Meaning:
    """What gives the meaning of a question."""
    embedder = engines.embedder
    if engines.words_only:
        return lambda: Meant(None)
    if embedder is None:
        return lambda: Meant(None, ("recall.without_vectors",))
    return cache(partial(_embedded, embedder, text))


def _embedded(embedder: Embedder, text: str) -> Meant:
    """Without a model words alone must do."""
    try:
        with stage("embedding"):
            return Meant(embedder.query(text))
    except Unavailable:
        return Meant(None, ("recall.without_vectors",))
    except InvalidInput:
        return Meant(None)


def nearest(index: ChunkIndex, words: IndexQuery, meaning: Meaning) -> Hits:
    """Both legs of a question that has no vector yet.

    An index that works apart looks for the words while the question is embedded here, which lets
    other threads go on. What is written between the two requests may be found by one alone, as by
    a question that is asked a moment later. An index in this process holds up every thread.
    """
    if not index.apart:
        vector = meaning().vector
        with stage("index"):
            return index.query(replace(words, vector=vector))
    lexical = started(lambda: index.query(words).lexical)
    vector = meaning().vector
    with stage("index"):
        by_meaning = None if vector is None else replace(words, vector=vector, lexical=None)
        dense = () if by_meaning is None else index.query(by_meaning).dense
        return Hits(dense, lexical())
