"""The one definition of the chunk collection, without any engine in it.

Names, vectors, payload indexes and the payload of a point are the same embedded and on a server;
adapters translate the tables below into the calls of their engine.
"""

import math
import sys
from array import array
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, Protocol
from uuid import UUID

from damals.app.index_model import ChunkPoint, SparseVector
from damals.app.ledger_model import Access
from damals.domain.instants import FOREVER, format_instant, instant_of

COLLECTION: Final = "chunks"
"""Name of the collection after the prefix: ``mindnet_chunks`` with the default prefix."""

DENSE: Final = "content"
"""The dense vector: cosine, float32."""

LEXICAL: Final = "lexical"
"""The sparse vector: token weights, IDF applied by the engine when it is queried."""

GRAPH_FROM_POINTS: Final = 100_000
"""From how many points on a graph (HNSW) is worth its build.

Below it exact search takes some milliseconds and answers the same after every rebuild, which a
graph does not. A server builds one above; an embedded shard is searched exactly at every size, at
about 0.1 ms per 1,000 points.
"""

IndexKind = Literal["tenant", "keyword", "uuid", "integer", "datetime", "text"]

PAYLOAD_INDEXES: Final[Mapping[str, IndexKind]] = {
    "workspace": "tenant",
    "entry_id": "uuid",
    # Text, not numbers: a range over numbers is computed in 64-bit floats, which cannot tell
    # microseconds apart after the year 2255 or before 1684. A date-time index can, everywhere.
    "valid_from_earliest": "datetime",
    "valid_from_latest": "datetime",
    "valid_to_earliest": "datetime",
    "valid_to_latest": "datetime",
    "recorded_from": "datetime",
    "recorded_to": "datetime",
    "age_at": "datetime",
    "archived_at": "datetime",
    "recency_group": "keyword",
    "type": "keyword",
    "lang": "keyword",
    "tags": "keyword",
    "paths": "keyword",
    "visibility": "keyword",
    "sensitivity": "integer",
    "acl": "keyword",
    "body": "text",
}
"""Every payload field that a filter may name, and how it is indexed."""

HIT_FIELDS: Final = ("entry_id", "age_at", "type", "title")
"""What a query asks of the payload; all else stays in the engine."""

PayloadValue = str | int | list[str]
Payload = dict[str, PayloadValue]


class FilledBy(Protocol):
    """What the dense vectors of an index are made by."""

    @property
    def dimension(self) -> int:
        """Length of the dense vectors."""
        ...

    @property
    def model(self) -> str:
        """Stored as ``embedding_model`` with every dense vector."""
        ...

    @property
    def version(self) -> str:
        """Stored as ``embedding_version`` with every dense vector."""
        ...


def floats(vector: bytes) -> list[float]:
    """The numbers of a vector that is stored as little-endian float32."""
    numbers = array("f")
    numbers.frombytes(vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def norm(vector: bytes) -> float:
    """Euclidean length; infinite or not a number when any component is."""
    return math.hypot(*floats(vector))


def embedding_payload(made_by: FilledBy) -> Payload:
    """What the payload says about the dense vector beside it."""
    return {"embedding_model": made_by.model, "embedding_version": made_by.version}


def access_payload(access: Access | ChunkPoint) -> Payload:
    """The fields that say who may see a point."""
    return {
        "visibility": access.visibility,
        "sensitivity": access.sensitivity,
        "acl": list(access.acl),
    }


def archived_payload(archived_at: int) -> Payload:
    """The field that says since when a point is archived."""
    return {"archived_at": _written(archived_at)}


def closing_payload(recorded_to: int) -> Payload:
    """The fields that say until when a point was known."""
    ended = _written(recorded_to)
    return {"recorded_to": ended, "updated_at": ended}


def _changed_at(point: ChunkPoint) -> int:
    """When what a point says of itself changed last: when it began or ended to be known."""
    return point.recorded_from if point.recorded_to == FOREVER else point.recorded_to


_written = lru_cache(maxsize=4_096)(format_instant)
"""The same few instants return in point after point of an import."""


def point_payload(point: ChunkPoint, made_by: FilledBy) -> Payload:
    """The payload of a point. Instants become text of fixed length, see ``format_instant``."""
    age_at, recorded_from = _written(point.age_at), _written(point.recorded_from)
    payload: Payload = {
        "workspace": point.workspace,
        "chunk_id": str(point.chunk_id),
        "entry_id": str(point.entry_id),
        "valid_from_earliest": _written(point.valid_from_earliest),
        "valid_from_latest": _written(point.valid_from_latest),
        "valid_to_earliest": _written(point.valid_to_earliest),
        "valid_to_latest": _written(point.valid_to_latest),
        "recorded_from": recorded_from,
        "recorded_to": _written(point.recorded_to),
        "created_at": recorded_from,
        "updated_at": _written(_changed_at(point)),
        "age_at": age_at,
        **archived_payload(point.archived_at),
        "recency_group": age_at[:7],
        "type": point.type,
        "lang": point.lang,
        "tags": list(point.tags),
        "paths": list(point.paths),
        "title": point.title,
        "heading": list(point.heading),
        "body": point.body,
        **access_payload(point),
    }
    if point.vector is not None:
        payload.update(embedding_payload(made_by))
    # An empty list says no more than none, and converting one takes the engine's binding 7 µs: the
    # four that a short fact has are a tenth of the time in which it is written.
    return {name: value for name, value in payload.items() if value != []}


def point_of(
    point_id: UUID, payload: Mapping[str, PayloadValue], lexical: SparseVector, vector: bytes | None
) -> ChunkPoint:
    """The point that :func:`point_payload` described, with its vectors put back."""
    instants = {
        name: instant_of(str(payload[name]))
        for name, kind in PAYLOAD_INDEXES.items()
        if kind == "datetime"
    }
    return ChunkPoint(
        id=point_id,
        workspace=str(payload["workspace"]),
        chunk_id=UUID(str(payload["chunk_id"])),
        entry_id=UUID(str(payload["entry_id"])),
        type=str(payload["type"]),
        lang=str(payload["lang"]),
        body=str(payload["body"]),
        title=str(payload["title"]),
        visibility=str(payload["visibility"]),
        sensitivity=_number(payload["sensitivity"]),
        lexical=lexical,
        vector=vector,
        tags=_texts(payload.get("tags")),
        paths=_texts(payload.get("paths")),
        heading=_texts(payload.get("heading")),
        acl=_texts(payload.get("acl")),
        **instants,
    )


def _texts(value: PayloadValue | None) -> tuple[str, ...]:
    """A list of the payload; what is empty is not in it."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, list) else (str(value),)


def _number(value: PayloadValue) -> int:
    return int(value) if isinstance(value, int | str) else 0
