"""A small embedder: texts that share words are near each other. And embedders that are ill."""

import math
import struct
import threading
from zlib import crc32

from damals.domain.errors import Unavailable

DIMENSION = 8


class WordsOfEight:
    """Words fall into eight buckets."""

    model = "words-of-eight"
    version = "1"
    dimension = DIMENSION

    def passage(self, text: str) -> bytes:
        buckets = [0.001] * DIMENSION
        for word in text.casefold().split():
            buckets[crc32(word.encode()) % DIMENSION] += 1.0
        length = math.sqrt(sum(one * one for one in buckets))
        return struct.pack(f"<{DIMENSION}f", *(one / length for one in buckets))

    def query(self, text: str) -> bytes:
        return self.passage(text)


class Dead(WordsOfEight):
    """It is not there."""

    def passage(self, text: str) -> bytes:
        del text
        raise Unavailable("embed.unavailable", reason="gone")


class Slow(WordsOfEight):
    """It takes its time, until it is told to hurry."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def passage(self, text: str) -> bytes:
        self.go.wait(0.7)
        return super().passage(text)

    def query(self, text: str) -> bytes:
        return WordsOfEight.passage(self, text)


class Garbage(WordsOfEight):
    """It answers with what is no vector."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    def passage(self, text: str) -> bytes:
        del text
        return self._answer


class Broken(WordsOfEight):
    """It raises what nobody expects."""

    def passage(self, text: str) -> bytes:
        del text
        raise RuntimeError("a secret text")
