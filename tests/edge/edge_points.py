"""Points, filters and shards for the tests of the embedded index."""

import struct
import time
from dataclasses import replace
from pathlib import Path
from uuid import NAMESPACE_OID, UUID, uuid5

from damals.adapters.edge.schema import EdgeSettings
from damals.app.index_model import ChunkPoint, IndexFilter, IndexQuery, SparseVector
from damals.domain.instants import FOREVER

DIMENSION = 4


def settings(folder: Path, **changes: object) -> EdgeSettings:
    small = EdgeSettings(
        folder, DIMENSION, "a-model", "1", reserve_bytes=1_000_000, lock_wait_seconds=0.2
    )
    return replace(small, **changes)


def vector(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def an_id(name: object) -> UUID:
    return uuid5(NAMESPACE_OID, str(name))


def a_point(name: object, **changes: object) -> ChunkPoint:
    point = ChunkPoint(
        id=an_id(name),
        workspace="main",
        chunk_id=an_id("chunk"),
        entry_id=an_id("entry"),
        valid_from_earliest=0,
        valid_from_latest=0,
        valid_to_earliest=FOREVER,
        valid_to_latest=FOREVER,
        recorded_from=0,
        age_at=0,
        type="note",
        lang="de",
        body="Der Vertrag läuft.",
        lexical=SparseVector((1,), (1.0,)),
        vector=vector(1, 0, 0, 0),
    )
    return replace(point, **changes)


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
