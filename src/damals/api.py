"""``Damals``: everything a program can ask of a knowledge memory, as one typed interface.

``Damals.open()`` gives it on a home folder of this machine. The command line and every other
interface call nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from damals.app.results import (
    ChangedEntry,
    Entry,
    ExportReport,
    Health,
    History,
    ImportReport,
    Log,
    Page,
    Progress,
    Recall,
    ReindexReport,
    WorkspaceView,
)
from damals.domain.entries import Json

if TYPE_CHECKING:
    from damals.app.ports import Clock

Instant = str | datetime | date
"""An instant as on the command line, or an aware ``datetime``."""

ProgressListener = Callable[[Progress], None]


class EntryFields(TypedDict, total=False):
    """Fields of an entry that an operation may set. A field left out is not the same as null."""

    type: str
    tags: Sequence[str]
    properties: Mapping[str, Json]
    key: str | None
    domain: str | None
    staleness_risk: str | None
    importance: int
    pinned: bool
    created: Instant | None
    updated: Instant | None
    retrieved_at: Instant | None
    last_reviewed: Instant | None
    persona_weight: float | None
    lang: str
    lang_original: str | None
    source_id: str | None
    visibility: str
    sensitivity: int
    acl: Sequence[str]
    source: Mapping[str, Json]
    relations: Sequence[Mapping[str, Json]]
    valid_from: Instant | None
    valid_to: Instant | None
    external_id: str
    if_transaction: int


class CorrectFields(EntryFields, total=False):
    """Fields of a correction: also title and content."""

    title: str
    content: str


class RememberFields(EntryFields, total=False):
    """Fields of a new entry: also what to do when its key is taken."""

    id: str
    on_overlap: str


class UpdateFields(EntryFields, total=False):
    """Fields of an update: also how the new entry relates to the old."""

    relation: str


class RecallOptions(TypedDict, total=False):
    """What a recall may be asked.

    Attributes:
        type, tag: any of the types; each of the tags (parents match their children).
        path: only what lies at or below this path of its source.
        since, until: bounds of the instant an entry's age counts from.
        weights: ``{"vec": 0.7, "time": 0.2, "graph": 0.1}``; those left out keep their setting.
        half_life: days, or ``inf``.
    """

    as_of: Instant | None
    known_at: Instant | None
    certain: bool
    type: Sequence[str] | str
    tag: Sequence[str] | str
    path: str | None
    since: Instant | None
    until: Instant | None
    weights: Mapping[str, float] | str
    half_life: float | str
    explain: bool


class Damals(ABC):
    """A knowledge memory with two clocks. Use it as a context manager.

    Every method raises the errors of ``damals.errors``: ``InvalidInput``, ``NotFound``,
    ``Conflict``, ``Unavailable``, ``Denied``, ``Corrupt``. A change that returned is durable.
    """

    @staticmethod
    def open(
        home: str | Path | None = None,
        *,
        workspace: str | None = None,
        clock: "Clock | None" = None,
    ) -> "Damals":
        """Open a home folder; it is made, with the workspace ``default``, by the first write.

        Args:
            home: the folder; else ``DAMALS_HOME``, else the platform's data folder.
            workspace: name of the workspace; else ``DAMALS_WORKSPACE``, else ``default``.
            clock: gives the current instant in UTC microseconds; for tests and replays.

        Raises:
            Unavailable: ``home.held`` when another process holds the home for too long.
        """
        from damals.bootstrap import open_home  # noqa: PLC0415 -- wiring is loaded when needed

        return open_home(home, workspace=workspace, clock=clock)

    @abstractmethod
    def close(self) -> None:
        """Let go of the home. Closing twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- changes

    @abstractmethod
    def remember(
        self,
        title: str,
        content: str = "",
        *,
        reason: str | None = None,
        **fields: Unpack[RememberFields],
    ) -> ChangedEntry:
        """A new entry. What is already known comes back with ``unchanged``."""

    @abstractmethod
    def update(
        self,
        id: str,
        title: str,
        content: str,
        *,
        reason: str,
        **fields: Unpack[UpdateFields],
    ) -> ChangedEntry:
        """A new entry that takes over from ``id`` for a portion of its validity."""

    @abstractmethod
    def correct(self, id: str, *, reason: str, **fields: Unpack[CorrectFields]) -> ChangedEntry:
        """The same entry, recorded wrongly."""

    @abstractmethod
    def end(
        self,
        id: str,
        at: Instant,
        *,
        reason: str,
        if_transaction: int | None = None,
    ) -> ChangedEntry:
        """``id`` holds no longer from ``at`` on."""

    @abstractmethod
    def retract(self, id: str, *, reason: str, if_transaction: int | None = None) -> ChangedEntry:
        """``id`` was never true; still found with an earlier ``known_at``."""

    @abstractmethod
    def transaction(self, reason: str | None = None) -> AbstractContextManager["Damals"]:
        """Several operations as one transaction: one instant, all or nothing.

        Inside, changes return the entry as it will be; nothing is stored before the end.
        """

    # --- looking

    @abstractmethod
    def get(
        self,
        id: str,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Entry:
        """An entry at a pair of instants; with neither given and none valid now, the latest."""

    @abstractmethod
    def history(self, id: str | None = None, *, key: str | None = None) -> History:
        """Every rectangle of an entry or a key."""

    @abstractmethod
    def log(self, *, entry: str | None = None, key: str | None = None) -> Log:
        """The transactions with all their operations."""

    @abstractmethod
    def entries(  # noqa: PLR0913 -- the documented parameters of a listing
        self,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        certain: bool = False,
        type: Sequence[str] | str | None = None,
        tag: Sequence[str] | str | None = None,
        status: str | None = None,
        limit: int | None = 100,
        cursor: str | None = None,
    ) -> Page:
        """What holds at a pair of instants, by id, a page at a time; ``limit=None`` is all."""

    @abstractmethod
    def recall(
        self, query: str, *, limit: int | None = 10, **options: Unpack[RecallOptions]
    ) -> Recall:
        """What answers a question at a pair of instants, best first, one result an entry."""

    # --- sources, index, health

    @abstractmethod
    def import_(  # noqa: PLR0913 -- the documented parameters of an import
        self,
        path: str | Path,
        *,
        source: str = "auto",
        name: str | None = None,
        dry_run: bool = False,
        prune: bool = False,
        wait: bool = False,
        progress: ProgressListener | None = None,
    ) -> ImportReport:
        """Take in a vault, a file or a file of events; again and again, unchanged is free."""

    @abstractmethod
    def export(self, path: str | Path) -> ExportReport:
        """Write every transaction as events, from which the same answers can be rebuilt."""

    @abstractmethod
    def reindex(self, *, progress: ProgressListener | None = None) -> ReindexReport:
        """Build the index anew from the ledger, vectors included, and swap it in."""

    @abstractmethod
    def doctor(self, *, repair: bool = False) -> Health:
        """The health of every part; mends what can be mended when asked."""

    @abstractmethod
    def workspaces(self) -> Sequence[WorkspaceView]:
        """All workspaces of the home."""

    def pages(self, **filters: object) -> Iterator[Page]:
        """All pages of a listing, one after the other."""
        cursor: str | None = None
        while True:
            page = self.entries(cursor=cursor, **filters)  # pyright: ignore[reportArgumentType] -- passed through
            yield page
            cursor = page.next
            if cursor is None:
                return


__all__ = ["CorrectFields", "Damals", "EntryFields", "Instant", "RecallOptions"]
