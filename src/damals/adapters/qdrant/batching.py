"""Cutting what is written into requests that a server takes.

A server refuses a request of more than 32 MB whatever is in it, and one that is refused would be
refused again: so many points are one request as stay well below, however much each lists.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

from damals.app.beside_model import BesidePoint
from damals.app.index_model import ChunkPoint

MAX_REQUEST_BYTES: Final = 12_000_000
"""Far below what a server takes: what is reckoned here is less than what is sent."""

_POINT: Final = 2_000
_LISTED: Final = 4
"""Quotes and a comma around each text of a list."""
_NUMBER: Final = 24
"""Characters of a number, of those of a dense vector four bytes of which are stored."""

Item = TypeVar("Item")


def batches(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """Cut into tuples of ``size``, the last one shorter."""
    remaining = iter(items)
    while batch := tuple(islice(remaining, size)):
        yield batch


def light_batches(
    items: Iterable[Item], size: int, weigh: Callable[[Item], int]
) -> Iterator[tuple[Item, ...]]:
    """Cut into tuples of at most ``size`` and :data:`MAX_REQUEST_BYTES`, of one item at least."""
    batch: list[Item] = []
    weight = 0
    for item in items:
        own = weigh(item)
        if batch and (len(batch) == size or weight + own > MAX_REQUEST_BYTES):
            yield tuple(batch)
            batch, weight = [], 0
        batch.append(item)
        weight += own
    if batch:
        yield tuple(batch)


def bytes_of_point(point: ChunkPoint) -> int:
    """About how many bytes a chunk is in a request."""
    listed = (point.tags, point.paths, point.acl, point.heading)
    numbers = 2 * len(point.lexical.indices) + len(point.vector or b"") // 4
    texts = _bytes(point.body) + _bytes(point.title) + sum(map(_listed, listed))
    return _POINT + texts + _NUMBER * numbers


def bytes_beside(point: BesidePoint) -> int:
    """The same of what stands beside the chunks."""
    return _POINT + sum(
        _bytes(value) if isinstance(value, str) else _listed(value)
        for value in point.payload.values()
        if isinstance(value, str | list)
    )


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _listed(texts: Iterable[str]) -> int:
    return sum(_bytes(text) + _LISTED for text in texts)
