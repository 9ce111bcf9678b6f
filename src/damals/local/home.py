"""The home of a ``LocalDamals``: its parts, opened when first needed, and whose turn it is."""

import logging
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol
from uuid import UUID

from damals.api import Damals
from damals.app.access import access_of
from damals.app.access_model import Once
from damals.app.accesses_model import AccessNote, Channel
from damals.app.ages import Ages
from damals.app.backups.keeping import Keeping, nothing_kept
from damals.app.diff import Words
from damals.app.erasing.model import HomeFiles
from damals.app.health.model import NothingAround, Surroundings
from damals.app.index_model import AccessFilter
from damals.app.ledger_port import Ledger, LedgerReader, LedgerWriter
from damals.app.ports import Clock, Writer
from damals.app.record import Recording, Tools
from damals.app.results import Settings
from damals.app.search import Search
from damals.app.spanning import Extents
from damals.app.vault.run import Vaults
from damals.domain.access import OWNER, Principal, Right
from damals.domain.errors import DamalsError, Denied, InvalidInput, NotFound, Unavailable
from damals.domain.evidence import Groups
from damals.domain.names import DEFAULT_WORKSPACE
from damals.domain.passages import Sentences
from damals.domain.patterns import Windows
from damals.domain.ranking import Weights

_LOG: Final = logging.getLogger(__name__)


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


def _whole(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    """Nothing is cut."""
    del text
    return [(start, end)]


@dataclass(frozen=True, slots=True)
class Texts:
    """What an answer needs to know of language.

    Attributes:
        sentences: cuts a text into sentences.
        related: by stem, the groups of words that ask for the same.
    """

    sentences: Sentences = _whole
    related: Callable[[], Groups] = dict


OpenWriter = Callable[[str | None, str | None], Writer | None]
"""Gives a model that writes: of the server and of the name that were asked for, else those of the
settings; ``None`` when there is none, and for an empty address."""


def _no_writer(url: str | None, model: str | None) -> None:
    """There is no model."""
    del url, model


@dataclass(frozen=True, slots=True)
class Parts:
    """What a home is made of; everything dear is opened when first needed.

    Attributes:
        empty_ledger: gives a ledger that is nowhere, with the workspace ``default``.
        zone: of a workspace that is made by the first write.
        weights: of a recall that gives none.
        words: the words of a text by which a diff knows its topic.
        persona: id or external id of the default persona, when the settings name one.
        receipts: whether a receipt is kept of every answer.
        texts: what an answer needs to know of language.
        open_writer: gives a model that writes answers.
        ages: by what entries age.
        accesses: whether it is noted what was returned to whom.
        windows: when a topic counts as emerging, evolving or declining.
        keeping: gives what makes and checks backups.
        around: the files of the home beside ledger and index.
        files: those of the home; ``None`` for one that is nowhere.
        config: gives the settings with their origin, as they are shown.
        extents: how far time reaches, until the next transaction.
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
    persona: str | None = None
    receipts: bool = False
    texts: Texts = Texts()
    open_writer: OpenWriter = _no_writer
    ages: Ages = field(default_factory=Ages)
    accesses: bool = False
    windows: Windows = field(default_factory=Windows)
    keeping: Callable[[], Keeping] = nothing_kept
    around: Surroundings = field(default_factory=NothingAround)
    files: HomeFiles | None = None
    config: Callable[[], Settings] = lambda: Settings(())
    extents: Extents = field(default_factory=Extents)

    @property
    def clock(self) -> Clock:
        """The clock of recorded time."""
        return self.tools.clock


class OpenedHome:
    """A home folder in use: what all who ask of it share. Any thread may use it."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.turn = threading.RLock()
        """Changes take turns, and so does long work."""
        self.recording: tuple[LedgerWriter, Recording] | None = None
        """The open transaction of the thread whose turn it is."""
        self.looked: int | None = None
        """When it was looked last what is left to do of erasures."""
        self.looks_again = True
        """Whether it is to be looked again: something could not be done, or others erase, too."""
        self.working: int | None = None
        """The thread whose long work has the turn, and may hold the write lock."""
        # Each of its own: questions do not wait for long turns, and the end does not wait for a
        # home that another process holds.
        self._opening = threading.RLock()
        self._settling = threading.Lock()
        self._searching = threading.Lock()
        self._ledger_open: Ledger | None = None
        self._search_open: Search | None = None
        self._closed = False

    def close(self) -> None:
        """Let go of index, ledger and lock, in this order, for good.

        A thread that is just opening one of them lets go of it itself, or is waited for.
        """
        with self._settling:
            self._closed = True
            ledger, self._ledger_open = self._ledger_open, None
        with self._searching:
            search, self._search_open = self._search_open, None
        try:
            if search is not None:
                search.close()
            if ledger is not None:
                ledger.close()
            if self.parts.files is not None:
                self.parts.files.close()
        finally:
            self.parts.home.release()

    def ledger(self, workspace: str, *, create: bool = False) -> Ledger:
        """The ledger, opened when first needed; a missing home is made when it may be.

        Raises:
            Unavailable: ``home.closed``.
        """
        with self._opening:
            return self._ledger_open or self._opened(workspace, create=create)

    def _opened(self, workspace: str, *, create: bool) -> Ledger:
        home = self.parts.home
        self._refuse_closed()
        missing = not home.exists()
        if missing and not create:
            raise NotFound("home.missing", path=str(home.path))
        if missing and workspace != DEFAULT_WORKSPACE:
            raise NotFound("workspace.unknown", name=workspace)
        home.hold(create=create)
        kept = False
        try:
            ledger = self.parts.open_ledger()
            try:
                if create and not ledger.workspaces():
                    ledger.create_workspace(DEFAULT_WORKSPACE, self.parts.zone, self.parts.clock())
                kept = self._kept(ledger)
            finally:
                if not kept:
                    ledger.close()
        finally:
            if not kept and self._closed:
                home.release()  # the end came while it was taken, and found nothing to give back
        if not kept:
            self._refuse_closed()
        return ledger

    def _kept(self, ledger: Ledger) -> bool:
        """Keep an open ledger for all who ask, unless the end has come."""
        with self._settling:
            if not self._closed:
                self._ledger_open = ledger
            return not self._closed

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Unavailable("home.closed", path=str(self.parts.home.path))

    def search(self, workspace: str) -> Search:
        """The index, opened when first needed.

        Raises:
            Unavailable: ``home.closed``.
        """
        ledger = self.ledger(workspace)  # which may be waited for; the index never is
        with self._searching:
            self._refuse_closed()
            if self._search_open is None:
                self._search_open = self.parts.open_search(ledger)
            return self._search_open


class OpenHome(Damals):
    """What every part of the interface stands on: a home, a workspace of it, and who asks."""

    def __init__(
        self,
        home: OpenedHome,
        workspace: str,
        asker: Principal = OWNER,
        *,
        once: Once | None = None,
        guest: bool = False,
    ) -> None:
        """Look at a home.

        Args:
            home: the home.
            workspace: name of the workspace.
            asker: who asks, and is the actor of changes.
            once: the next change answers this request, and is not done again when it was done.
            guest: closing it leaves the home open.
        """
        self._home = home
        self._workspace = workspace
        self._asker = asker
        self._once = once
        self._guest = guest

    def close(self) -> None:
        """Let go of the home; one who is a guest there leaves it open."""
        if not self._guest:
            self._home.close()

    # --- parts, opened when needed

    @property
    def _parts(self) -> Parts:
        return self._home.parts

    @property
    def _recording(self) -> tuple[LedgerWriter, Recording] | None:
        return self._home.recording

    def _ledger(self, *, create: bool = False) -> Ledger:
        if not self._asker.reaches(self._workspace):
            # As for one that does not exist: who may not use it learns nothing of it.
            raise NotFound("workspace.unknown", name=self._workspace)
        return self._home.ledger(self._workspace, create=create)

    def _search(self) -> Search:
        self._ledger()
        return self._home.search(self._workspace)

    @contextmanager
    def _reader(self) -> Generator[LedgerReader]:
        with self._ledger().read(self._workspace, self._access()) as reader:
            yield reader

    # --- what was returned to whom

    @property
    def _principal(self) -> str | None:
        """Under whose name receipts and accesses are kept; ``None`` for the owner."""
        return None if self._asker.owns else self._asker.name

    def _access_note(self, channel: Channel, entry_ids: Iterable[str]) -> AccessNote | None:
        """That some entries are returned to who asks; ``None`` when it is not to be noted."""
        ids = tuple(UUID(one) for one in dict.fromkeys(entry_ids))
        if not (ids and self._parts.accesses):
            return None
        return AccessNote(ids, self._parts.clock(), channel, self._principal)

    def _noted(self, note: AccessNote | None) -> None:
        """Note an access, unless others write: what is asked does not wait for its traces."""
        if note is None or self._recording is not None:  # an open transaction has the write lock
            return
        try:
            self._ledger().accesses.note(self._workspace, note)
        except DamalsError as error:
            _LOG.info("access not noted: %s", error)

    def _access(self) -> AccessFilter:
        """What the asker may see."""
        return access_of(self._asker, self._parts.tools.types)

    def _require(self, right: Right) -> None:
        """Refuse what the asker may not do.

        Raises:
            Denied: ``access.right``.
        """
        if self._asker.right < right:
            raise Denied("access.right", name=self._asker.name, right=right.name.lower())

    @contextmanager
    def _alone(self) -> Generator[None]:
        """A turn of long work, which cannot be a part of a transaction."""
        with self._home.turn:
            if self._recording is not None:
                raise InvalidInput("transaction.open")
            self._home.working = threading.get_ident()
            try:
                yield
            finally:
                self._home.working = None
