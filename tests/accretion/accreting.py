"""Homes that assistants file into: in memory, and as they are on a disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from damals.adapters.files.types import TypeFiles
from damals.adapters.memory.index import MemoryChunkIndex
from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.text.german import GermanLexicalEncoder
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.ages import Ages
from damals.app.ledger_port import Ledger
from damals.app.ports import NamedIndex
from damals.app.record import Tools
from damals.app.search import Search
from damals.bootstrap import init_home, open_home
from damals.domain.instants import DAY
from damals.domain.ranking import Weights
from damals.local import DEFAULT_WORKSPACE, LocalDamals
from damals.local_home import OpenedHome, Parts

START = 1_767_225_600_000_000
"""2026-01-01."""
MEMORY = Path("/dev/shm")  # noqa: S108 -- only the tests' own folders go there
LEXICAL = GermanLexicalEncoder()
TYPES = TypeFiles(MEMORY / "nowhere")

SESSION = {"source": {"kind": "mcp", "name": "assistant", "session": "s-1"}}
"""What an assistant gives with what it files."""

TIMEOUT = ("Timeout von Dienst A", "Der Timeout von Dienst A beträgt 30 s.")
LONGER = ("Timeout von Dienst A", "Der Timeout von Dienst A beträgt 60 s.")


@dataclass
class Time:
    """A clock that stands until it is moved on."""

    now: int = START

    def __call__(self) -> int:
        return self.now

    def days(self, number: float) -> None:
        self.now += round(number * DAY)


@dataclass
class OneIndex:
    """A shelf with one index, in memory."""

    index: MemoryChunkIndex = field(default_factory=MemoryChunkIndex)

    def current(self) -> NamedIndex:
        return NamedIndex("i", self.index, fresh=False)


class NoFolder:
    """The home folder of what is in memory."""

    path = Path("memory")

    def exists(self) -> bool:
        return True

    def hold(self, *, create: bool) -> None:
        del create

    def release(self) -> None:
        pass


def _ledger() -> Ledger:
    ledger = MemoryLedger()
    ledger.create_workspace(DEFAULT_WORKSPACE, "UTC", START)
    return ledger


@contextmanager
def in_memory(clock: Time) -> Iterator[LocalDamals]:
    """A home without a file."""
    ledger, shelf = _ledger(), OneIndex()
    parts = Parts(
        home=NoFolder(),
        open_ledger=lambda: ledger,
        empty_ledger=_ledger,
        open_search=lambda of: Search(of, shelf, LEXICAL, None, {}),
        vaults=None,
        tools=Tools(MarkdownChunker(), clock, lambda: TYPES.load().catalogue),
        zone="UTC",
        weights=Weights(),
        words=LEXICAL.words,
        ages=Ages(lambda _: TYPES.load().catalogue),
        accesses=True,
    )
    yield LocalDamals(OpenedHome(parts), DEFAULT_WORKSPACE)


@contextmanager
def on_disk(clock: Time) -> Iterator[LocalDamals]:
    """A home as it is: SQLite, and the engine inside this process."""
    folder = MEMORY if MEMORY.is_dir() else None
    with TemporaryDirectory(dir=folder, prefix="damals-accretion-") as made:
        init_home(Path(made) / "home", timezone="UTC")
        given = {"index_mode": "inline", "embedder": "none", "brief": True}
        with open_home(Path(made) / "home", clock=clock, **given) as opened:
            yield opened


KINDS = {"memory": in_memory, "sqlite": on_disk}
