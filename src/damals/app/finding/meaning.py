"""What a question means, found out while its words are looked for."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from damals.app.behind import started
from damals.app.finding.question import Engines
from damals.app.index_model import Hits, IndexQuery
from damals.app.ports import ChunkIndex, Embedder
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
"""Gives what a question means, as often as asked; it may have to be waited for."""


def meaning(engines: Engines, text: str) -> Meaning:
    """Begin to find out what a question means.

    Beside an index that works apart in a thread of its own: model and engine then work at the same
    time. An index in this process holds up every thread, so there is nothing to gain.
    """
    embedder = engines.embedder
    if engines.words_only:
        return lambda: Meant(None)
    if embedder is None:
        return lambda: Meant(None, ("recall.without_vectors",))
    embedding = partial(_embedded, embedder, text)
    return started(embedding) if engines.index.apart else cache(embedding)


def _embedded(embedder: Embedder, text: str) -> Meant:
    """Without a model words alone must do."""
    try:
        return Meant(embedder.query(text))
    except Unavailable:
        return Meant(None, ("recall.without_vectors",))
    except InvalidInput:
        return Meant(None)


def nearest(index: ChunkIndex, words: IndexQuery, meaning: Meaning) -> Hits:
    """Both legs of a question that has no vector yet.

    An index that works apart is asked for the words first, so that it need not wait. What is
    written between the two requests may be found by the second alone, as by a question that is
    asked a moment later.
    """
    if not index.apart:
        return index.query(replace(words, vector=meaning().vector))
    lexical = index.query(words).lexical
    dense = index.query(replace(words, vector=meaning().vector, lexical=None)).dense
    return Hits(dense, lexical)
