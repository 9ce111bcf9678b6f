"""The port of the ledger: what the use cases need of the source of truth.

It has one contract test class under ``tests/contracts`` that every ledger passes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol
from uuid import UUID

from damals.app.access_model import KeptAnswer, Registry
from damals.app.accesses_model import Accesses, LifeLedger
from damals.app.erasing.model import ErasingLedger, ErasureKeeper
from damals.app.floors_model import FloorKeeper
from damals.app.health.ledger_model import Examined
from damals.app.history.model import Replayed
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import (
    WHOLE,
    At,
    Audit,
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
    Stretch,
    Tombstone,
    Workspace,
)
from damals.app.readmitting import Readmitting
from damals.app.receipt_model import Receipts
from damals.app.sayings_model import SayingsLedger
from damals.app.snapshot_model import SnapshotLedger
from damals.app.sources_model import SourceCount, SourceRun
from damals.app.span_model import SpanLedger
from damals.app.standing_model import StandingLedger
from damals.domain.diff_rows import Deed, Place, Rows
from damals.domain.entries import Relation, Version
from damals.domain.nearness import EVERY_KIND, Edge, EdgeKinds
from damals.domain.state import States


class LedgerReader(StandingLedger, SnapshotLedger, SayingsLedger, LifeLedger, SpanLedger, Protocol):
    """Reads one workspace in one consistent snapshot, as somebody who may see a part of it.

    Whatever is asked, hidden entries are as if they were not there, but for the parts of visible
    ones that they took: those stay taken. Only the owner sees what is erased.
    """

    @property
    def access(self) -> AccessFilter:
        """What may be seen."""
        ...

    def unrestricted(self) -> "LedgerReader":
        """The same as of now with nothing hidden, for what decides itself what it tells."""
        ...

    def seen(self, entry_ids: Collection[UUID]) -> frozenset[UUID]:
        """Those of some ids that are of entries that may be seen and are not erased."""
        ...

    def workspace(self) -> Workspace:
        """The workspace that is read."""
        ...

    def head(self) -> Head:
        """Its newest transaction."""
        ...

    def find_entry(self, id_or_external_id: str) -> EntryInfo | None:
        """The entry with this id or external id, as known now; ``None`` when there is none."""
        ...

    def version_at(self, entry_id: UUID, at: At) -> Found | None:
        """The version of an entry at a pair; a certain one before a possible one."""
        ...

    def holder_at(self, key: str, at: At) -> Found | None:
        """The version that has a key at a pair; a certain one before a possible one."""
        ...

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """The version known at ``at.known_at`` that holds last in valid time, or ``None``."""
        ...

    def latest_versions(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Found]:
        """As :meth:`latest_version` for several entries; those without one are left out."""
        ...

    def list_at(self, at: At, where: EntryFilter) -> Sequence[Found]:
        """One version an entry at a pair, by entry id."""
        ...

    def versions_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, Found]:
        """As :meth:`version_at` for several entries; those without one are left out."""
        ...

    def history(
        self, entry_id: UUID, at: At, stretch: Stretch = WHOLE
    ) -> Sequence[tuple[Found, StoredTransaction]]:
        """Every rectangle known by ``at.known_at``, by recorded start, then valid start.

        Or a stretch of them, in the order of their corners.

        Each with its transaction as :meth:`log` tells it, but of its operations only those that
        recorded a rectangle that is told, and without a reason that may tell of what is erased;
        ``operation`` is a place in that.
        """
        ...

    def key_history(
        self, key: str, at: At, stretch: Stretch = WHOLE
    ) -> Sequence[tuple[Found, StoredTransaction]]:
        """As :meth:`history`, for every entry that ever held the key."""
        ...

    def superseded_at(self, entry_ids: Sequence[UUID], at: At) -> frozenset[UUID]:
        """Those of the entries that a cut recorded by ``known_at`` took ``as_of`` from."""
        ...

    def archived_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """Since when each of the entries is archived at a pair; those that are not are left out.

        Archived is what was archived at an instant that both clocks have reached.
        """
        ...

    def relations_at(self, entry_ids: Sequence[UUID], at: At) -> Sequence[RelationView]:
        """The relations of the entries at a pair: who supersedes them first.

        Then outgoing before incoming, by type and id.
        """
        ...

    def edges_at(
        self, entry_ids: Sequence[UUID], at: At, limit: int, kinds: EdgeKinds = EVERY_KIND
    ) -> Sequence[Edge]:
        """The relations of some entries at a pair, both of whose ends hold there, by id.

        Only of some kinds, when they are given. Nothing archived, erased or unresolved is an end.
        At most ``limit`` in each direction for each group of entries that a statement asks for.
        """
        ...

    def edges_among(self, entry_ids: Sequence[UUID], at: At, limit: int) -> Sequence[Edge]:
        """As :meth:`edges_at`, but only those between two of the entries."""
        ...

    def grounded_entries(self, at: At, least: float) -> frozenset[UUID]:
        """The entries whose last verification at a pair has at least this score."""
        ...

    def titles_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, str]:
        """The titles of entries at a pair, else the last that were known."""
        ...

    def tombstones(self) -> Mapping[UUID, Tombstone]:
        """What is left of all erased entries."""
        ...

    def marked(self, marks: Collection[str]) -> frozenset[str]:
        """Those of some marks that an erasure has left (:mod:`damals.app.erased_marks`).

        Whoever asks: what was erased is not to come back through those who do not see it.
        """
        ...

    def moved(self, start: At, end: At) -> Sequence[UUID]:
        """The entries that may be something else at one pair than at the other, by id.

        Those of which something was recorded behind the earlier and up to the later of the
        recorded instants, and those that, as known at ``start``, have a bound (or an archiving)
        behind the earlier and up to the later of the valid ones. For the owner erased entries
        may be among them or not.
        """
        ...

    def rows_between(self, entry_ids: Sequence[UUID], since: int, until: int) -> Rows:
        """The rows of some entries that were known at any instant from one to another.

        Both included; no versions of erased entries. Cuts are told, whoever made them, so that
        what took over can be found; of hidden ends nothing but the id.
        """
        ...

    def versions_between(
        self, entry_ids: Sequence[UUID], since: int, until: int, *, of_type: str | None = None
    ) -> Sequence[Version]:
        """Of :meth:`rows_between` only the versions; only those of a type, if one is named."""
        ...

    def relations_between(
        self, entry_ids: Sequence[UUID], since: int, until: int
    ) -> Sequence[Relation]:
        """Of :meth:`rows_between` only the relations, from and to the entries, by row."""
        ...

    def deeds(self, places: Collection[Place]) -> Mapping[Place, Deed]:
        """What was done at some edges, by whom and why, as :meth:`log` tells it.

        Why is left out where it may tell of what is erased or hidden.
        """
        ...

    def log(
        self, *, entry_id: UUID | None = None, key: str | None = None, after: int = 0
    ) -> Iterator[StoredTransaction]:
        """The transactions behind number ``after``, in order; of an entry or a key, if given.

        To others than the owner as :func:`damals.app.log_model.told` reduces them.
        """
        ...

    def chunks(self, point_ids: Sequence[UUID]) -> Mapping[UUID, ChunkRow]:
        """The chunk rows of these points; unknown ones are left out."""
        ...

    def source_notes(self, source: str) -> Sequence[SourceNote]:
        """The notes of a source, by path, as known now."""
        ...

    def quiet_since(self, source: str, head: Head) -> bool:
        """Whether no entry of a source was touched since a transaction, and nothing was erased.

        Args:
            source: its name; entries count that ever belonged to it.
            head: that transaction; ``False`` when it is none of this workspace.
        """
        ...

    def links(self, source: str) -> Sequence[DeclaredLink]:
        """The declared links of the current notes of a source, by entry and row."""
        ...

    def replayed(self, source: str) -> Sequence[Replayed]:
        """The transactions that replayed a commit of the history of a source, in order."""
        ...

    def source_counts(self) -> Sequence[SourceCount]:
        """The sources of which a note may be seen."""
        ...

    def source_runs(self) -> Sequence[SourceRun]:
        """How the last import of each source ended; nothing for others than the owner."""
        ...


class LedgerWriter(LedgerReader, States, FloorKeeper, ErasureKeeper, Readmitting, Protocol):
    """Reads and appends to one workspace, under the write lock, all or nothing.

    It is also the ``States`` of drafts: what it reads includes what it has appended.
    """

    def open_chunks(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[ChunkRow]]:
        """The current chunk rows of the entries."""
        ...

    def kept_answer(self, key: bytes) -> KeptAnswer | None:
        """The answer kept under a request's key."""
        ...

    def keep_answer(self, key: bytes, answer: KeptAnswer) -> None:
        """Keep an answer, in the same write as what it answers; the first under a key stays."""
        ...

    def put_source(self, run: SourceRun) -> None:
        """Note how an import ended; it replaces what was noted of that source before.

        The result is left out when something was erased since the import began, and forgotten
        when something is erased later.
        """
        ...

    def expect(self, texts: Iterable[str]) -> None:
        """These names and titles will be asked for soon. It changes nothing but how fast."""
        ...

    def append(self, transaction: NewTransaction) -> None:
        """Store a transaction and put it into the outbox.

        Raises:
            Conflict: ``transaction.order`` when its number or instant does not follow the last.
        """
        ...


class Ledger(Examined, ErasingLedger, Protocol):
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

    @property
    def registry(self) -> Registry:
        """Who may use it, and what is kept of their requests."""
        ...

    @property
    def receipts(self) -> Receipts:
        """What is kept of answers."""
        ...

    @property
    def accesses(self) -> Accesses:
        """What was returned to someone, and when."""
        ...

    def read(
        self, workspace: str, access: AccessFilter = OWNER
    ) -> AbstractContextManager[LedgerReader]:
        """A snapshot to read from, with what the asker may see and nothing else.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        ...

    def write(
        self, workspace: str, access: AccessFilter = OWNER
    ) -> AbstractContextManager[LedgerWriter]:
        """The write lock of a workspace; commits at the end, rolls back on any exception.

        As a reader it gives what the asker may see; as the ``States`` of drafts, everything.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy`` when the lock is not free in time.
        """
        ...

    def outbox(self, index: str, limit: int, after: int = 0) -> Sequence[OutboxItem]:
        """The oldest work behind an index's cursor and behind a position, of every workspace.

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

    def lag(self, index: str, workspace: str | None = None, access: AccessFilter = OWNER) -> Lag:
        """How far an index is behind with what may be seen."""
        ...

    def current_points(self) -> Iterator[UUID]:
        """The ids of all chunk rows, for comparison with an index."""
        ...

    def lookup(self, workspace: str, text: str) -> bytes:
        """The keyed digest of a text: name in caches that tells nothing without the key."""
        ...

    def audit(self, workspace: str) -> Audit:
        """Recompute the hash chain of a workspace, and account for every row of it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        ...

    def close(self) -> None:
        """Let go of the files. Closing twice is harmless."""
        ...
