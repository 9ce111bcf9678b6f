"""What the benchmarks share: where data lies, clocks, a quick embedder, printing."""

import hashlib
import os
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

Value = TypeVar("Value")

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("DAMALS_DATA", ROOT.parent / "shared" / "data"))


class HashEmbedder:
    """A stand-in that costs next to nothing: a random direction for each text."""

    model = "hash"
    version = "1"
    dimension = 384

    def passage(self, text: str) -> bytes:
        """A direction that depends on the text alone."""
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
        vector = np.random.default_rng(seed).standard_normal(self.dimension)
        return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()

    query = passage


def timed(call: Callable[[], Value]) -> tuple[float, Value]:
    """Seconds that a call took, and its result."""
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def median_s(calls: list[Callable[[], object]]) -> float:
    """The median time of several calls, in seconds."""
    return statistics.median(timed(call)[0] for call in calls)


def memory_mb() -> float:
    """The most memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def children_mb() -> float:
    """The most memory that one of this process's ended children has had, in MB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def line(what: str, value: str) -> None:
    """One line of the table."""
    print(f"{what:<66} {value}", flush=True)
