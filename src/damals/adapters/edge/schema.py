"""Where an embedded index lies; what it holds is said in :mod:`damals.app.index_schema`."""

from dataclasses import dataclass
from pathlib import Path

from damals.app.index_schema import COLLECTION


@dataclass(frozen=True, slots=True)
class EdgeSettings:
    """Where an embedded index lies and what its vectors are.

    Attributes:
        home: the folder that holds the shard's folder.
        dimension: length of the dense vectors.
        model: stored as ``embedding_model`` with every dense vector.
        version: stored as ``embedding_version`` with every dense vector.
        prefix: first part of the collection's name.
        reserve_bytes: free space that no write may eat into; a full disk kills the engine.
        lock_wait_seconds: how long to wait for another process to let go of the shard.
    """

    home: Path
    dimension: int
    model: str
    version: str
    prefix: str = "mindnet"
    reserve_bytes: int = 128 * 1024 * 1024
    lock_wait_seconds: float = 3.0

    @property
    def path(self) -> Path:
        """The shard's folder."""
        return self.home / f"{self.prefix}_{COLLECTION}"
