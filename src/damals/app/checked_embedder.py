"""An embedder that is believed nothing: what is no vector counts as no answer.

A model may be another one tomorrow, or run on a machine that is ill. What it gives must be a unit
vector of the right length, or words alone must do until it is well again.
"""

import math
from array import array
from collections.abc import Callable
from typing import Final

from damals.app.ports import Embedder
from damals.domain.errors import DamalsError, Unavailable

SHORTEST: Final = 0.98
LONGEST: Final = 1.02
"""How far from 1 the length of a unit vector may be, however an engine rounds."""


class CheckedEmbedder:
    """Another embedder (port ``Embedder``), whose answers are looked at."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._embedder.model

    @property
    def version(self) -> str:
        """Version of weights and engine."""
        return self._embedder.version

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return self._embedder.dimension

    def passage(self, text: str) -> bytes:
        """The unit vector of a stored text.

        Raises:
            InvalidInput: ``embed.empty``.
            Unavailable: ``embed.unavailable``; ``embed.garbage`` for what is no unit vector.
        """
        return self._checked(self._embedder.passage, text)

    def query(self, text: str) -> bytes:
        """The unit vector of a question; otherwise as :meth:`passage`."""
        return self._checked(self._embedder.query, text)

    def _checked(self, embed: Callable[[str], bytes], text: str) -> bytes:
        try:
            vector = embed(text)
        except DamalsError:
            raise
        except Exception as error:  # a model is a program of others; its words may hold the text
            kind = type(error).__name__
            raise Unavailable("embed.unavailable", reason=kind) from error
        if len(vector) != 4 * self.dimension or not SHORTEST < _length(vector) < LONGEST:
            raise Unavailable("embed.garbage", model=self.model)
        return vector


def _length(vector: bytes) -> float:
    """The Euclidean length; NaN for what has none, which is between no bounds."""
    return math.hypot(*array("f", vector))
