"""What stands on a server beside the chunks, for other programs: notes, edges, persons."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol
from uuid import UUID

from damals.app.index_schema import IndexKind

Kind = Literal["notes", "edges", "people"]

KINDS: Final[tuple[Kind, ...]] = ("notes", "edges", "people")

BesideValue = str | int | float | bool | list[str]
"""A value of a payload; instants are text of fixed length."""

_SHARED: Final[Mapping[str, IndexKind]] = {
    "workspace": "tenant",
    "valid_from_earliest": "datetime",
    "valid_from_latest": "datetime",
    "valid_to_earliest": "datetime",
    "valid_to_latest": "datetime",
    "recorded_from": "datetime",
    "recorded_to": "datetime",
    "lang": "keyword",
    "visibility": "keyword",
    "sensitivity": "integer",
    "acl": "keyword",
}
_OF_ENTRIES: Final[Mapping[str, IndexKind]] = {
    "entry_id": "uuid",
    "archived_at": "datetime",
    "type": "keyword",
    "tags": "keyword",
    "path": "keyword",
}

BESIDE_INDEXES: Final[Mapping[Kind, Mapping[str, IndexKind]]] = {
    "notes": {**_SHARED, **_OF_ENTRIES},
    "edges": {
        **_SHARED,
        "src_id": "uuid",
        "dst_id": "uuid",
        "relation_id": "uuid",
        "relation": "keyword",
    },
    "people": {**_SHARED, **_OF_ENTRIES, "relation_to_owner": "keyword"},
}
"""Every payload field of the collections that a filter may name, and how it is indexed."""

ENDS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "notes": ("entry_id",),
    "edges": ("src_id", "dst_id"),
    "people": ("entry_id",),
}
"""The fields that name the entries of a point."""


@dataclass(frozen=True, slots=True)
class BesidePoint:
    """A row of the ledger as a point: one rectangle of a note or person, one row of a relation.

    Attributes:
        entries: that it is about; both ends of an edge.
    """

    kind: Kind
    id: UUID
    entries: tuple[UUID, ...]
    payload: Mapping[str, BesideValue]


class Beside(Protocol):
    """The collections beside the chunks. Errors are those of ``ChunkIndex``."""

    def put(self, points: Sequence[BesidePoint]) -> None:
        """Write points, replacing those of the same id."""
        ...

    def forget(self, workspace: str, entry_ids: Iterable[UUID]) -> None:
        """Remove every point of entries, and every edge from or to them."""
        ...

    def count(self, kind: Kind) -> int:
        """How many points a collection holds."""
        ...
