"""A fast embedder for tests of indexes: near in meaning is only what is the same."""

import hashlib
import math
from array import array
from random import Random


class Directions:
    """An embedder whose vectors depend on the text alone."""

    model = "directions"
    version = "1"
    dimension = 8

    def passage(self, text: str) -> bytes:
        chance = Random(hashlib.sha256(text.encode()).digest())
        numbers = [chance.gauss(0, 1) for _ in range(self.dimension)]
        return array("f", [one / math.hypot(*numbers) for one in numbers]).tobytes()

    query = passage
