"""What the index and its worker process say to each other over two pipes.

A frame is its length (8 bytes, little-endian) and a pickle. Pickle is safe here and only here:
both ends are this program, the pipes are private, and no frame is ever stored. Hits and ids are
packed by hand, since a pickle of many small objects takes longer than the search.
"""

import pickle
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Final, Literal
from uuid import UUID

from damals.app.index_model import Hit, Hits
from damals.domain.errors import DamalsError
from damals.domain.ids import id_of

Operation = Literal[
    "open",
    "upsert",
    "close_points",
    "set_vectors",
    "set_access",
    "set_archived",
    "delete_entry",
    "delete",
    "query",
    "count",
    "ids_page",
    "flush",
    "optimize",
    "close",
]

_LENGTH: Final = struct.Struct("<Q")
_HIT: Final = struct.Struct("<16s16sdq")
_MAX_FRAME_BYTES: Final = 1 << 31
_UUID_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Request:
    """What the worker is to do, and how long its parent will wait for it."""

    operation: Operation
    arguments: tuple[object, ...]
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request: a value, or the error that the index raised."""

    value: object = None
    error: DamalsError | None = None


class BrokenFrameError(Exception):
    """The other end closed its pipe, or wrote something that is no frame."""


def send(pipe: IO[bytes], message: object) -> None:
    """Write one frame. Raises ``OSError`` when the other end is gone."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(body)))
    pipe.write(body)
    pipe.flush()


def receive(pipe: IO[bytes]) -> object:
    """Read one frame.

    Raises:
        BrokenFrameError: when the pipe ends before the frame does.
    """
    (length,) = _LENGTH.unpack(_read(pipe, _LENGTH.size))
    if length > _MAX_FRAME_BYTES:
        raise BrokenFrameError
    return pickle.loads(_read(pipe, length))  # noqa: S301 - our own process wrote it


def _read(pipe: IO[bytes], length: int) -> bytes:
    found = pipe.read(length)
    if len(found) < length:
        raise BrokenFrameError
    return found


PackedLeg = tuple[bytes, tuple[str, ...], tuple[str, ...]]
"""The hits of a leg, 48 bytes each, their types and their titles."""


def pack_hits(hits: Hits) -> tuple[PackedLeg, PackedLeg]:
    """Both legs; texts are quick to pickle, objects are not."""
    return _pack(hits.dense), _pack(hits.lexical)


def unpack_hits(packed: tuple[PackedLeg, PackedLeg]) -> Hits:
    """The hits that :func:`pack_hits` packed."""
    return Hits(*(tuple(_unpack(leg)) for leg in packed))


def _pack(hits: tuple[Hit, ...]) -> PackedLeg:
    numbers = b"".join(
        _HIT.pack(hit.point_id.bytes, hit.entry_id.bytes, hit.score, hit.age_at) for hit in hits
    )
    return numbers, tuple(hit.type for hit in hits), tuple(hit.title for hit in hits)


def _unpack(packed: PackedLeg) -> Iterator[Hit]:
    numbers, types, titles = packed
    for number, kind, title in zip(_HIT.iter_unpack(numbers), types, titles, strict=True):
        point_id, entry_id, score, age_at = number
        yield Hit(id_of(point_id), id_of(entry_id), score, age_at, kind, title)


def pack_ids(ids: Iterable[UUID]) -> bytes:
    """Ids, 16 bytes each."""
    return b"".join(point_id.bytes for point_id in ids)


def unpack_ids(packed: bytes) -> Iterator[UUID]:
    """The ids that :func:`pack_ids` packed."""
    for start in range(0, len(packed), _UUID_BYTES):
        yield id_of(packed[start : start + _UUID_BYTES])
