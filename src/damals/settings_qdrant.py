"""The settings of an index on a Qdrant server."""

from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator

MAX_PARTS: Final = 1_000
"""More shards or replicas than any cluster has."""


class QdrantFields(BaseModel):
    """Where the server is, and how collections are laid out there.

    Attributes:
        qdrant: address of a Qdrant server that holds the index; by default it lies in the home.
        qdrant_key: key that opens that server.
        qdrant_timeout_s: whole seconds that the server may take for an answer.
        qdrant_shards: into how many shards a new collection is cut.
        qdrant_replicas: how many copies of each shard a new collection has.
        qdrant_write_consistency: how many copies must have a write before it counts; 0 for all.
    """

    qdrant: str = Field(default="", repr=False)
    qdrant_key: str = Field(default="", repr=False)
    qdrant_timeout_s: int = Field(default=30, ge=1, le=3600)
    qdrant_shards: int = Field(default=1, ge=1, le=MAX_PARTS)
    qdrant_replicas: int = Field(default=1, ge=1, le=MAX_PARTS)
    qdrant_write_consistency: int = Field(default=0, ge=0, le=MAX_PARTS)

    @field_validator("qdrant")
    @classmethod
    def _a_server(cls, given: str) -> str:
        if not given:
            return given
        try:
            parts = urlsplit(given)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or any(sign.isspace() for sign in given):
            raise ValueError("http://…, https://…")
        return given.rstrip("/")
