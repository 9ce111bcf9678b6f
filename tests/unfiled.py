"""A home without a file, for tests that want many of them: ledger and index are in memory."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from damals.adapters.files.types import TypeFiles
from damals.adapters.memory.index import MemoryChunkIndex
from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.text.german import GermanLexicalEncoder
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.ledger_port import Ledger
from damals.app.ports import NamedIndex
from damals.app.record import Tools
from damals.app.search import Search
from damals.domain.names import DEFAULT_WORKSPACE
from damals.domain.ranking import Weights
from damals.local import LocalDamals
from damals.local.home import OpenedHome, Parts

MEMORY = Path("/dev/shm")  # noqa: S108 -- only the tests' own folders go there
LEXICAL = GermanLexicalEncoder()
TYPES = TypeFiles(MEMORY / "nowhere")


@dataclass
class OneIndex:
    """A shelf with one index, in memory."""

    index: MemoryChunkIndex = field(default_factory=MemoryChunkIndex)

    def current(self) -> NamedIndex:
        return NamedIndex("i", self.index, fresh=False)

    def discard(self) -> None:
        self.index = MemoryChunkIndex()


class NoFolder:
    """The home folder of what is in memory."""

    path = Path("memory")

    def exists(self) -> bool:
        return True

    def hold(self, *, create: bool) -> None:
        del create

    def release(self) -> None:
        pass


def unfiled(
    clock: Callable[[], int],
    empty_ledger: Callable[[], Ledger],
    *,
    ledger: Ledger | None = None,
    embedding: tuple[object, object] = (None, {}),
    **more: object,
) -> LocalDamals:
    """A home without a file.

    Args:
        clock: gives the time.
        empty_ledger: gives a ledger with the default workspace.
        ledger: of the home; an empty one unless it is given.
        embedding: an embedder and its cache.
        more: parts that are not as usual.
    """
    kept, shelf = ledger or empty_ledger(), OneIndex()
    parts = Parts(
        home=NoFolder(),
        open_ledger=lambda: kept,
        empty_ledger=empty_ledger,
        open_search=lambda of: Search(of, shelf, LEXICAL, *embedding),
        vaults=None,
        tools=Tools(MarkdownChunker(), clock, lambda: TYPES.load().catalogue),
        zone="UTC",
        weights=Weights(),
        words=LEXICAL.words,
        **more,
    )
    return LocalDamals(OpenedHome(parts), DEFAULT_WORKSPACE)


def empty_since(born: int) -> Ledger:
    """A ledger in memory with the default workspace, made at an instant."""
    ledger = MemoryLedger()
    ledger.create_workspace(DEFAULT_WORKSPACE, "UTC", born)
    return ledger
