"""``Damals``: everything a program can ask of a knowledge memory, as one typed interface.

``Damals.open()`` gives it on a home folder of this machine, ``Damals.connect()`` on a server. The
command line and every other interface call nothing else.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self, Unpack

from damals.api.admin import Administration
from damals.api.answers import Answers
from damals.api.doors import Doors
from damals.api.exports import Exports
from damals.api.gate import Gate
from damals.api.graph import Graphs
from damals.api.hygiene import Upkeep
from damals.api.insights import Insights
from damals.api.params import (
    CorrectFields,
    DiffSelection,
    EntryFields,
    Instant,
    Keep,
    ProgressListener,
    RecallOptions,
    RelateFields,
    RememberFields,
    UpdateFields,
)
from damals.api.sources import SourceList
from damals.app.audit_results import AuditReport
from damals.app.change_results import (
    ChangedEntries,
    ChangedEntry,
    ChangedRelation,
    Erased,
    Transacted,
)
from damals.app.diff_results import Diff
from damals.app.results import (
    Health,
    History,
    ImportReport,
    Log,
    Page,
    ReindexReport,
)
from damals.app.seen_results import SeenEntry


class Damals(Doors, Answers, Graphs, Insights, Upkeep, Gate, SourceList, Exports, Administration):
    """A knowledge memory with two clocks. Use it as a context manager.

    Every method raises the errors of ``damals.errors``: ``InvalidInput``, ``NotFound``,
    ``Conflict``, ``Unavailable``, ``Denied``, ``Corrupt``. A change that returned is durable.
    """

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
    def retract(
        self,
        id: str,
        *,
        reason: str,
        restore: bool = False,
        if_transaction: int | None = None,
    ) -> ChangedEntry:
        """``id`` was never true; still found with an earlier ``known_at``.

        Args:
            id: the entry.
            reason: why.
            restore: give back to others what it had cut from them, where nothing later stands.
            if_transaction: number that the entry's last transaction must have.
        """

    @abstractmethod
    def revert(
        self, number: int | Instant, *, reason: str, if_transaction: int | None = None
    ) -> ChangedEntries:
        """Take back what a transaction changed, as a new transaction.

        Args:
            number: of the transaction, or its recorded instant.
            reason: why.
            if_transaction: number that the workspace's last transaction must have.

        Raises:
            Conflict: ``revert.later`` when something later was said where it made a change.
        """

    @abstractmethod
    def relate(
        self, src: str, type: str, dst: str, **said: Unpack[RelateFields]
    ) -> ChangedRelation:
        """``src`` stands in a relation to ``dst``.

        ``supersedes`` and ``revises`` cut ``dst`` where ``src`` holds; every other type leaves
        both as they are. Saying it again with other values replaces what was said.

        Raises:
            InvalidInput: ``relation.unknown_type``, ``relation.to_itself``, or
                ``relation.elsewhere`` for an entry of another workspace.
            Conflict: ``relation.cycle``.
        """

    @abstractmethod
    def unrelate(
        self,
        src: str,
        type: str,
        dst: str,
        *,
        reason: str | None = None,
        if_transaction: int | None = None,
    ) -> ChangedRelation:
        """``src`` stands in this relation no longer; what it had cut is given back."""

    @abstractmethod
    def contradict(
        self, a: str, b: str, *, reason: str, if_transaction: int | None = None
    ) -> ChangedRelation:
        """``a`` and ``b`` cannot both be right; both stay until :meth:`resolve` decides."""

    @abstractmethod
    def resolve(
        self, a: str, b: str, *, keep: Keep, reason: str, if_transaction: int | None = None
    ) -> ChangedEntries:
        """Decide a contradiction: the side that is not kept ends now; ``both`` leaves both.

        Raises:
            NotFound: ``contradiction.unknown`` when none was recorded.
            Conflict: ``contradiction.resolved`` when it was decided otherwise.
        """

    @abstractmethod
    def verify(
        self,
        id: str,
        *,
        score: float = 1.0,
        evidence: str | None = None,
        reason: str | None = None,
        if_transaction: int | None = None,
    ) -> ChangedEntry:
        """``id`` was checked and found right, grounded by ``score`` (0 to 1)."""

    @abstractmethod
    def pin(
        self, id: str, *, reason: str | None = None, if_transaction: int | None = None
    ) -> ChangedEntry:
        """``id`` does not decay."""

    @abstractmethod
    def unpin(
        self, id: str, *, reason: str | None = None, if_transaction: int | None = None
    ) -> ChangedEntry:
        """``id`` decays again."""

    @abstractmethod
    def archive(self, id: str, *, reason: str, if_transaction: int | None = None) -> ChangedEntry:
        """``id`` is out of use: in no answer from now on, in those about earlier instants."""

    @abstractmethod
    def erase(
        self,
        kind: str,
        id: str,
        *,
        reason: str | None = None,
        if_transaction: int | None = None,
    ) -> Erased:
        """Remove it for good, at every pair of instants, from every file; a tombstone remains.

        Args:
            kind: what ``id`` names: ``entry``, ``source``, ``person`` or ``workspace``.
            id: its id or external id; of a source or workspace its name.
            reason: why; it goes as well.
            if_transaction: number that the entry's last transaction must have.

        Raises:
            InvalidInput: ``erase.kind``, ``erase.no_person``, ``erase.precondition``.
            NotFound: ``entry.unknown``, ``erase.no_source``, ``workspace.unknown``, or
                ``entry.erased`` when that was done before.
            Unavailable: ``erase.unfinished``: it goes on with the next change.
        """

    @abstractmethod
    def transaction(self, reason: str | None = None) -> AbstractContextManager["Damals"]:
        """Several operations as one transaction: one instant, all or nothing.

        Inside, changes return the entry as it will be; nothing is stored before the end.
        """

    @abstractmethod
    def transact(
        self,
        operations: Sequence[Mapping[str, object]],
        *,
        reason: str | None = None,
        preview: bool = False,
    ) -> Transacted:
        """Several operations as one transaction, all at once.

        Args:
            operations: each as in a file of events: ``{"op": "remember", "title": …}``.
            reason: of all that say none of their own.
            preview: store nothing, and tell how it would be.

        Raises:
            InvalidInput, NotFound, Conflict: one of them cannot be done, so none is.
        """

    # --- looking

    @abstractmethod
    def get(
        self, id: str, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> SeenEntry:
        """An entry at a pair of instants; with neither given and none valid now, the latest."""

    @abstractmethod
    def history(
        self,
        id: str | None = None,
        *,
        key: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> History:
        """Every rectangle of an entry or a key, or so many behind ``next`` of the page before."""

    @abstractmethod
    def log(
        self,
        *,
        entry: str | None = None,
        key: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Log:
        """The transactions with all their operations, or so many behind the number ``after``.

        ``after`` is ``next`` of the page before, or the last number that is known already.
        """

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
    def diff(
        self,
        topic: str | None = None,
        *,
        start: Instant,
        end: Instant,
        axis: str | None = None,
        **selection: Unpack[DiffSelection],
    ) -> Diff:
        """What changed from one pair of instants to another, by phase, instant and id.

        Args:
            topic: words that the entry of a change must all say, in any inflection; ``None`` for
                every change.
            start: both instants of the first pair.
            end: both instants of the second pair; the way may lead backwards.
            axis: ``valid`` moves along valid time only, as known now; ``known`` along recorded
                time only, at now.
            **selection: further conditions.
        """

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
        history: bool = False,
        readmit: bool = False,
        wait: bool = False,
        progress: ProgressListener | None = None,
    ) -> ImportReport:
        """Take in a vault (with ``history`` its Git history), a file, or events; again is free.

        What was erased comes back only with ``readmit``, which takes who may erase: as new entries.
        """

    @abstractmethod
    def reindex(self, *, progress: ProgressListener | None = None) -> ReindexReport:
        """Build the index anew from the ledger, vectors included, and swap it in."""

    @abstractmethod
    def doctor(self, *, repair: bool = False) -> Health:
        """The health of every part; mends what can be mended when asked."""

    @abstractmethod
    def audit(self) -> AuditReport:
        """Whether everything in the workspace is what was recorded: chain, rows, texts."""

    def pages(self, **filters: object) -> Iterator[Page]:
        """All pages of a listing, one after the other."""
        cursor: str | None = None
        while True:
            page = self.entries(cursor=cursor, **filters)  # pyright: ignore[reportArgumentType] -- passed through
            yield page
            cursor = page.next
            if cursor is None:
                return


__all__ = [
    "CorrectFields",
    "Damals",
    "DiffSelection",
    "EntryFields",
    "Instant",
    "RecallOptions",
    "RelateFields",
    "RememberFields",
    "UpdateFields",
]
