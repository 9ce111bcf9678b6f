"""What use cases and index adapters say to each other: points, filters, queries, hits."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from damals.domain.instants import FOREVER


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Weights by token id (unsigned 32 bit); ``indices`` strictly ascending."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ChunkPoint:
    """One chunk row, as the index holds it. Instants are UTC microseconds.

    Attributes:
        id: UUIDv5 of chunk id, digest, valid start and recorded start: writing twice is harmless.
        age_at: the instant its age counts from.
        tags: folded, parents included (``a/b`` gives ``a`` and ``a/b``).
        paths: the source path and every folder above it (``a/b.md`` gives ``a``, ``a/b.md``).
        body: title, heading and text, folded (:mod:`damals.domain.phrases`), for exact words.
        title, heading: of the entry, and of the section that it lies in, from the outside in.
    """

    id: UUID
    workspace: str
    chunk_id: UUID
    entry_id: UUID
    valid_from_earliest: int
    valid_from_latest: int
    valid_to_earliest: int
    valid_to_latest: int
    recorded_from: int
    age_at: int
    type: str
    lang: str
    body: str
    lexical: SparseVector
    recorded_to: int = FOREVER
    archived_at: int = FOREVER
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    visibility: str = "internal"
    sensitivity: int = 0
    acl: tuple[str, ...] = ()
    vector: bytes | None = None
    title: str = ""
    heading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AccessFilter:
    """What the asker may see. The owner's filter is :data:`OWNER` and restricts nothing.

    Attributes:
        visibilities: allowed values of ``visibility``; ``None`` allows all.
        max_sensitivity: highest allowed ``sensitivity``.
        principals: names and roles that an ``acl`` may list; ``None`` ignores acls.
        hidden_relations: types of relations that ask for a higher ceiling.
        places: whether addresses of files on the machine are told (:mod:`damals.app.places`).
    """

    visibilities: tuple[str, ...] | None = None
    max_sensitivity: int | None = None
    principals: tuple[str, ...] | None = None
    hidden_relations: tuple[str, ...] = ()
    places: bool = True

    def admits(self, visibility: str, sensitivity: int, acl: Collection[str]) -> bool:
        """Whether what says this of itself may be seen."""
        return (
            (self.visibilities is None or visibility in self.visibilities)
            and (self.max_sensitivity is None or sensitivity <= self.max_sensitivity)
            and (self.principals is None or not acl or not set(acl).isdisjoint(self.principals))
        )


OWNER: Final = AccessFilter()


@dataclass(frozen=True, slots=True)
class IndexFilter:
    """Which points may be found. All conditions hold together.

    Attributes:
        as_of, known_at: the asked pair; ``known_at`` sees ``recorded_from <= t < recorded_to``.
        certain: only what surely holds at ``as_of``; else also what may.
        types: any of these.
        tags: each of these, folded (parents were added to the points).
        path: this path or anything below it.
        paths: any of these, or anything below it.
        since, until: bounds of ``age_at``, half-open.
        phrases: words of each stand in the body one behind the other; folded
            (:mod:`damals.domain.phrases`). That finds more than says the phrase, never less.
        either: phrases as well, of which one is enough.
        no_types, no_tags, no_paths, no_phrases: none of these.
        only: nothing but these entries; ``None`` for all.
        but: entries that are left out, because they were found already.
    """

    workspace: str
    as_of: int
    known_at: int
    access: AccessFilter = OWNER
    certain: bool = False
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path: str | None = None
    paths: tuple[str, ...] = ()
    lang: str | None = None
    since: int | None = None
    until: int | None = None
    phrases: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    no_types: tuple[str, ...] = ()
    no_tags: tuple[str, ...] = ()
    no_paths: tuple[str, ...] = ()
    no_phrases: tuple[str, ...] = ()
    only: tuple[UUID, ...] | None = None
    but: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """One question to the index: both legs under one filter.

    Attributes:
        vector: little-endian float32 bytes of the embedded question; ``None`` skips the leg.
        lexical: the question's tokens; ``None`` or empty skips the leg.
        limit: how many hits each leg may return.
    """

    where: IndexFilter
    vector: bytes | None
    lexical: SparseVector | None
    limit: int


class Hit(NamedTuple):
    """A point that a leg found, with its raw score and what ranking needs of it.

    Attributes:
        type, title: of its entry, as the point has them.
    """

    point_id: UUID
    entry_id: UUID
    score: float
    age_at: int
    type: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Hits:
    """What both legs found, each best first; ties by point id."""

    dense: tuple[Hit, ...] = ()
    lexical: tuple[Hit, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class VectorKey:
    """What a cached vector belongs to.

    Attributes:
        lookup: keyed digest of the embedded text.
        model, version: of the embedder.
    """

    workspace: str
    lookup: bytes
    model: str
    version: str
