"""The home of a ``LocalDamals``: its parts, opened when first needed, and whose turn it is."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from damals.api import Damals
from damals.app.diff import Words
from damals.app.ledger_port import Ledger, LedgerReader, LedgerWriter
from damals.app.ports import Clock
from damals.app.record import Recording, Tools
from damals.app.search import Search
from damals.app.vault_import import Vaults
from damals.domain.errors import InvalidInput, NotFound, Unavailable
from damals.domain.ranking import Weights

DEFAULT_WORKSPACE = "default"


class HeldHome(Protocol):
    """A home folder that is locked by this process."""

    @property
    def path(self) -> Path:
        """The folder."""
        ...

    def exists(self) -> bool:
        """Whether there is a ledger in it."""
        ...

    def hold(self, *, create: bool) -> None:
        """Lock it; make it first when it may be made. Holding twice is harmless."""
        ...

    def release(self) -> None:
        """Give the lock back. Releasing twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What a home is made of; everything dear is opened when first needed.

    Attributes:
        empty_ledger: gives a ledger that is nowhere, with the workspace ``default``.
        zone: of a workspace that is made by the first write.
        weights: of a recall that gives none.
        words: the words of a text by which a diff knows its topic.
    """

    home: HeldHome
    open_ledger: Callable[[], Ledger]
    empty_ledger: Callable[[], Ledger]
    open_search: Callable[[Ledger], Search]
    vaults: Vaults
    tools: Tools
    zone: str
    weights: Weights
    words: Words

    @property
    def clock(self) -> Clock:
        """The clock of recorded time."""
        return self.tools.clock


class OpenHome(Damals):
    """What every part of the interface stands on."""

    def __init__(self, parts: Parts, workspace: str) -> None:
        self._parts = parts
        self._workspace = workspace
        self._ledger_open: Ledger | None = None
        self._search_open: Search | None = None
        self._recording: tuple[LedgerWriter, Recording] | None = None
        self._closed = False
        self._turn = threading.RLock()
        self._opening = threading.RLock()  # of its own: questions do not wait for long turns

    def close(self) -> None:
        """Let go of index, ledger and lock, in this order, for good."""
        self._closed = True
        search, self._search_open = self._search_open, None
        ledger, self._ledger_open = self._ledger_open, None
        try:
            if search is not None:
                search.close()
            if ledger is not None:
                ledger.close()
        finally:
            self._parts.home.release()

    # --- parts, opened when needed

    def _ledger(self, *, create: bool = False) -> Ledger:
        with self._opening:
            if self._ledger_open is None:
                self._open_ledger(create=create)
            return cast("Ledger", self._ledger_open)

    def _open_ledger(self, *, create: bool) -> None:
        home = self._parts.home
        if self._closed:
            raise Unavailable("home.closed", path=str(home.path))
        missing = not home.exists()
        if missing and not create:
            raise NotFound("home.missing", path=str(home.path))
        if missing and self._workspace != DEFAULT_WORKSPACE:
            raise NotFound("workspace.unknown", name=self._workspace)
        home.hold(create=create)
        self._ledger_open = ledger = self._parts.open_ledger()
        if create and not ledger.workspaces():
            ledger.create_workspace(DEFAULT_WORKSPACE, self._parts.zone, self._parts.clock())

    def _search(self) -> Search:
        with self._opening:
            if self._search_open is None:
                self._search_open = self._parts.open_search(self._ledger())
            return self._search_open

    @contextmanager
    def _reader(self) -> Generator[LedgerReader]:
        with self._ledger().read(self._workspace) as reader:
            yield reader

    @contextmanager
    def _alone(self) -> Generator[None]:
        """A turn of long work, which cannot be a part of a transaction."""
        with self._turn:
            if self._recording is not None:
                raise InvalidInput("transaction.open")
            yield
