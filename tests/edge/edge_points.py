"""Points, filters and shards for the tests of the embedded index."""

import time
from dataclasses import replace
from pathlib import Path

from damals.adapters.edge.schema import EdgeSettings
from damals.app.index_model import IndexFilter, IndexQuery, SparseVector
from random_index import DIMENSION, a_point, an_id, vector

__all__ = ["DIMENSION", "a_point", "an_id", "vector"]


def settings(folder: Path, **changes: object) -> EdgeSettings:
    small = EdgeSettings(
        folder, DIMENSION, "a-model", "1", reserve_bytes=1_000_000, lock_wait_seconds=0.2
    )
    return replace(small, **changes)


EVERYTHING = IndexFilter("main", 1, 1)
QUESTION = IndexQuery(EVERYTHING, vector(1, 0, 0, 0), SparseVector((1,), (1.0,)), 10)


def has_ended(pid: int) -> bool:
    """Whether a process is gone; one that only waits to be collected is."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


def wait_until_ended(pid: int, seconds: float = 30.0) -> bool:
    give_up_at = time.monotonic() + seconds
    while not has_ended(pid):
        if time.monotonic() > give_up_at:
            return False
        time.sleep(0.02)
    return True
