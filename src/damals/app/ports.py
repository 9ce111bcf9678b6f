"""The ports: what the use cases need of the world, as protocols.

Each port has one contract test class under ``tests/contracts`` that every adapter passes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import UUID

from damals.app.beside_model import Beside
from damals.app.index_model import (
    ChunkPoint,
    Hits,
    IndexFilter,
    IndexQuery,
    SparseVector,
    VectorKey,
)
from damals.app.ledger_model import Access
from damals.app.source_model import ParsedNote, SourceFile
from damals.domain.chunks import Chunk
from damals.domain.entries import Json

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


@dataclass(frozen=True, slots=True)
class WritingOrder:
    """What a language model is to write.

    Attributes:
        system: what it is to do.
        user: the question, and the sources as fenced data.
        schema: JSON schema of what it answers with.
    """

    system: str
    user: str
    schema: Mapping[str, Json]


class Writer(Protocol):
    """A language model that writes JSON."""

    @property
    def model(self) -> str:
        """Its name."""
        ...

    def write(self, order: WritingOrder) -> Iterator[str]:
        """The document, piece by piece as it comes.

        Raises:
            Unavailable: ``llm.unreachable``, ``llm.slow``, ``llm.refused``, ``llm.garbage``,
                ``llm.unfinished``.
        """
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

    def problem(self) -> str | None:
        """What is wrong with the file, or ``None``."""
        ...

    def strangers(self, workspaces: Collection[str]) -> Sequence[str]:
        """Workspaces that vectors are of, besides those named."""
        ...

    def forget_workspaces(self, workspaces: Collection[str]) -> None:
        """Remove all vectors of workspaces, so that no byte is left."""
        ...

    def begin_anew(self) -> None:
        """Throw everything away, a damaged file as well."""
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

    def matched(self, text: str, stems: Collection[str]) -> Sequence[str]:
        """The words of a text that have one of some stems, each once as it is written, in order."""
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

    def set_access(self, workspace: str, entry_id: UUID, access: Access) -> None:
        """Set the access fields of every point of an entry."""
        ...

    def set_archived(self, workspace: str, entry_id: UUID, archived_at: int) -> None:
        """Set since when an entry is archived (``FOREVER``: it is not), on all its points."""
        ...

    def delete_entry(self, workspace: str, entry_id: UUID) -> None:
        """Remove every point of an entry; an unknown one is ignored."""
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
        beside: what is filled along for other programs; ``None`` where nobody else reads.
    """

    name: str
    index: ChunkIndex
    fresh: bool
    beside: Beside | None = None


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

    def note_path(self, parts: Sequence[str]) -> str | None:
        """The path under which :meth:`scan` would list a file; ``None`` when it would not.

        Args:
            parts: names of its folders below the root and its own, as ``os.fsdecode`` gives them.
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
