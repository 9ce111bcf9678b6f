"""The ports: what the use cases need of the world, as protocols.

Each port has one contract test class under ``tests/contracts`` that every adapter passes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import UUID

from damals.app.index_model import (
    OWNER,
    AccessFilter,
    ChunkPoint,
    Hits,
    IndexFilter,
    IndexQuery,
    SparseVector,
    VectorKey,
)
from damals.app.ledger_model import (
    At,
    ChunkRow,
    DeclaredLink,
    EntryFilter,
    EntryInfo,
    Found,
    Head,
    Lag,
    NewTransaction,
    OutboxItem,
    RelationView,
    SourceNote,
    StoredTransaction,
    Workspace,
)
from damals.app.source_model import ParsedNote, SourceFile
from damals.domain.chunks import Chunk
from damals.domain.state import States

Clock = Callable[[], int]
"""The current instant, UTC microseconds."""


class Embedder(Protocol):
    """Turns text into vectors of one fixed length."""

    @property
    def model(self) -> str:
        """Name of the model, stored with every vector (``embedding_model``)."""
        ...

    @property
    def version(self) -> str:
        """Version of weights and engine, stored with every vector (``embedding_version``)."""
        ...

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        ...

    def passage(self, text: str) -> bytes:
        """The unit vector of a stored text, little-endian float32, ``4 * dimension`` bytes.

        Raises:
            InvalidInput: ``embed.empty`` for text without any character to embed.
            Unavailable: ``embed.unavailable`` when the model cannot run.
        """
        ...

    def query(self, text: str) -> bytes:
        """The unit vector of a question; otherwise as :meth:`passage`."""
        ...


class VectorCache(Protocol):
    """Vectors by what they are of, so that nothing is embedded twice. May be lost at any time."""

    def get_many(self, keys: Iterable[VectorKey]) -> Mapping[VectorKey, bytes]:
        """The vectors that are there, little-endian float32."""
        ...

    def put_many(self, vectors: Mapping[VectorKey, bytes]) -> None:
        """Keep vectors."""
        ...

    def forget(self, workspace: str, lookups: Sequence[bytes]) -> int:
        """Remove the vectors of these texts, of every model, so that no byte is left.

        Returns:
            How many were removed.
        """
        ...

    def close(self) -> None:
        """Let go of the file. Closing twice is harmless."""
        ...


class LexicalEncoder(Protocol):
    """Turns text into weighted tokens for the lexical leg."""

    @property
    def version(self) -> str:
        """Version of the tokens; vectors of different versions do not meet."""
        ...

    def passage(self, text: str) -> SparseVector:
        """Token weights of a stored text, saturated as in BM25."""
        ...

    def query(self, text: str) -> SparseVector:
        """Token weights of a question. Empty when nothing but stop words was asked."""
        ...

    def words(self, text: str) -> Sequence[tuple[str, int, int]]:
        """The content words of a text: stem, start and end offset, in order."""
        ...


class ChunkIndex(Protocol):
    """The rebuildable projection that is searched (collection ``mindnet_chunks``).

    Writes are visible to the next query at once, and durable after :meth:`flush`. Every method
    raises ``Unavailable`` (``index.unavailable``) when the engine does not answer and ``Corrupt``
    (``index.corrupt``) when its files are damaged; both are mended by a rebuild.
    """

    @property
    def apart(self) -> bool:
        """Whether it works in a process of its own, so that a caller gains by not waiting."""
        ...

    def upsert(self, points: Sequence[ChunkPoint]) -> None:
        """Write points, replacing those of the same id."""
        ...

    def close_points(self, closings: Mapping[UUID, int]) -> None:
        """Set ``recorded_to`` of each named point; unknown ids are ignored."""
        ...

    def set_vectors(self, vectors: Mapping[UUID, bytes]) -> None:
        """Add the dense vector of each named point; unknown ids are ignored."""
        ...

    def set_access(
        self, entry_id: UUID, *, visibility: str, sensitivity: int, acl: Sequence[str]
    ) -> None:
        """Set the access fields of every point of an entry."""
        ...

    def delete(self, point_ids: Sequence[UUID]) -> None:
        """Remove points; unknown ids are ignored."""
        ...

    def query(self, query: IndexQuery) -> Hits:
        """Both legs under one filter. Lexical IDF is computed over what the asker may see."""
        ...

    def count(self, where: IndexFilter | None = None) -> int:
        """How many points there are, or pass a filter."""
        ...

    def ids(self) -> Iterator[UUID]:
        """The ids of all points, in no particular order."""
        ...

    def flush(self) -> None:
        """Make every write so far durable."""
        ...

    def optimize(self) -> None:
        """Bring the files into the shape that is fastest to query. May take long."""
        ...

    def close(self) -> None:
        """Flush and let go of the files. Closing twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class NamedIndex:
    """An open index under its name in the ledger's cursors.

    Attributes:
        fresh: it was just made and is empty, whatever a cursor of that name says.
    """

    name: str
    index: ChunkIndex
    fresh: bool


class IndexShelf(Protocol):
    """The index in use and, while it is rebuilt, the next one."""

    def current(self) -> NamedIndex:
        """Open the index in use; an empty first one when there is none."""
        ...

    def fresh(self) -> NamedIndex:
        """Open a new, empty index beside the one in use."""
        ...

    def adopt(self, name: str) -> None:
        """Use this index from now on; it must be closed. The others are removed."""
        ...

    def discard(self) -> None:
        """Throw the index in use away; it must be closed. The next one starts empty."""
        ...


class NoteReader(Protocol):
    """Reads a folder of notes, one file at a time."""

    def scan(self, root: Path) -> Iterable[SourceFile]:
        """The note files below ``root`` in a fixed order: path and digest, nothing parsed.

        Raises:
            NotFound: ``source.missing`` when ``root`` does not exist.
            InvalidInput: ``source.not_a_folder`` when it is no folder.
        """
        ...

    def parse(self, file: SourceFile) -> ParsedNote:
        """What one file says.

        Raises:
            InvalidInput: with the reason (and ``line``) when the file cannot be read as a note.
        """
        ...


class Chunker(Protocol):
    """Splits an entry's text."""

    def split(self, text: str) -> Sequence[Chunk]:
        """The chunks of a text in order; one empty chunk for an empty text."""
        ...


class LedgerReader(Protocol):
    """Reads one workspace in one consistent snapshot."""

    def workspace(self) -> Workspace:
        """The workspace that is read."""
        ...

    def head(self) -> Head:
        """Its newest transaction."""
        ...

    def find_entry(self, id_or_external_id: str, access: AccessFilter = OWNER) -> EntryInfo | None:
        """The entry with this id or external id, as known now; ``None`` when there is none."""
        ...

    def version_at(self, entry_id: UUID, at: At) -> Found | None:
        """The version of an entry at a pair; a certain one before a possible one."""
        ...

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """The version known at ``at.known_at`` that holds last in valid time, or ``None``."""
        ...

    def list_at(self, at: At, where: EntryFilter) -> Sequence[Found]:
        """One version an entry at a pair, by entry id."""
        ...

    def versions_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Found]:
        """As :meth:`version_at` for several entries; those without one are left out."""
        ...

    def history(self, entry_id: UUID, at: At) -> Sequence[tuple[Found, StoredTransaction]]:
        """Every rectangle known by ``at.known_at``, by recorded start, then valid start."""
        ...

    def key_history(self, key: str, at: At) -> Sequence[tuple[Found, StoredTransaction]]:
        """As :meth:`history`, for every entry that ever held the key."""
        ...

    def superseded_at(self, entry_ids: Sequence[UUID], at: At) -> frozenset[UUID]:
        """Those of the entries that a cut recorded by ``known_at`` took ``as_of`` from."""
        ...

    def relations_at(self, entry_ids: Sequence[UUID], at: At) -> Sequence[RelationView]:
        """The relations of the entries at a pair, outgoing first, then by type and id."""
        ...

    def log(
        self, *, entry_id: UUID | None = None, key: str | None = None, after: int = 0
    ) -> Iterator[StoredTransaction]:
        """The transactions behind number ``after``, in order; of an entry or a key, if given."""
        ...

    def chunks(self, point_ids: Sequence[UUID]) -> Mapping[UUID, ChunkRow]:
        """The chunk rows of these points; unknown ones are left out."""
        ...

    def source_notes(self, source: str) -> Sequence[SourceNote]:
        """The notes of a source, by path, as known now."""
        ...

    def links(self, source: str) -> Sequence[DeclaredLink]:
        """The declared links of the current notes of a source, by entry and row."""
        ...


class LedgerWriter(LedgerReader, States, Protocol):
    """Reads and appends to one workspace, under the write lock, all or nothing.

    It is also the ``States`` of drafts: what it reads includes what it has appended.
    """

    def open_chunks(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[ChunkRow]]:
        """The current chunk rows of the entries."""
        ...

    def append(self, transaction: NewTransaction) -> None:
        """Store a transaction and put it into the outbox.

        Raises:
            Conflict: ``transaction.order`` when its number or instant does not follow the last.
        """
        ...


class Ledger(Protocol):
    """The source of truth: workspaces of bitemporal, append-only transactions."""

    def create_workspace(self, name: str, zone: str, now: int) -> Workspace:
        """Make a workspace.

        Raises:
            Conflict: ``workspace.exists``.
        """
        ...

    def workspaces(self) -> Sequence[Workspace]:
        """All workspaces, by name."""
        ...

    def read(self, workspace: str) -> AbstractContextManager[LedgerReader]:
        """A snapshot to read from.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        ...

    def write(self, workspace: str) -> AbstractContextManager[LedgerWriter]:
        """The write lock of a workspace; commits at the end, rolls back on any exception.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy`` when the lock is not free in time.
        """
        ...

    def outbox(self, index: str, limit: int) -> Sequence[OutboxItem]:
        """The oldest work behind an index's cursor, of every workspace.

        At most ``limit`` transactions that open at most ``limit`` chunk rows, but at least one.
        """
        ...

    def advance(self, index: str, position: int, unembedded: Sequence[UUID]) -> None:
        """Move an index's cursor and queue the points whose vectors it still lacks."""
        ...

    def restart(self, index: str) -> None:
        """Put an index's cursor back to the beginning and empty its queue, for a rebuild."""
        ...

    def queue(self, index: str, limit: int) -> Sequence[tuple[str, ChunkRow]]:
        """Points that lack a vector, newest first: workspace and chunk row."""
        ...

    def dequeue(self, index: str, point_ids: Sequence[UUID]) -> None:
        """These points have their vectors."""
        ...

    def indexed(self, index: str) -> int:
        """How many points an index holds when it is whole up to its cursor."""
        ...

    def lag(self, index: str, workspace: str | None = None) -> Lag:
        """How far an index is behind."""
        ...

    def current_points(self) -> Iterator[UUID]:
        """The ids of all chunk rows, for comparison with an index."""
        ...

    def lookup(self, workspace: str, text: str) -> bytes:
        """The keyed digest of a text: name in caches that tells nothing without the key."""
        ...

    def check(self) -> Sequence[str]:
        """Problems of the files themselves, one line each; empty when sound."""
        ...

    def close(self) -> None:
        """Let go of the files. Closing twice is harmless."""
        ...
