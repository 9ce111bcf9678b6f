"""What use cases and ledgers say to each other: transactions to store, rows to read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from uuid import UUID

from damals.domain.effects import Effects
from damals.domain.entries import Attributes, Json, Version
from damals.domain.instants import FOREVER
from damals.domain.operations import CUTTING_RELATIONS
from damals.domain.periods import Period
from damals.domain.values import frozen


@dataclass(frozen=True, slots=True)
class Workspace:
    """A unit of isolation and erasure, made at an instant, with a zone that never changes."""

    name: str
    zone: str
    created_at: int


@frozen
class Head:
    """The newest transaction of a workspace; number 0 and the beginning of time when empty."""

    number: int
    recorded_at: int
    logged_at: int


@frozen
class LoggedOperation:
    """One operation of a transaction, as the log keeps it.

    Attributes:
        kind: ``remember``, ``update``, …
        entry_id: the entry it was about; ``None`` for a ``revert``, which is about a transaction.
        params: its parameters as given, ids filled in; JSON.
        reason: its own reason, if it had one.
        touched: every entry whose knowledge it may have changed, its own first.
    """

    kind: str
    entry_id: UUID | None
    params: Mapping[str, Json]
    reason: str | None
    touched: tuple[UUID, ...]


@frozen
class ChunkRow:
    """A chunk of an entry's text over the versions that did not change it.

    Attributes:
        row: number of the row; 0 before it is stored.
        text, title, heading: what it says and where; only their places are stored.
        digest: SHA-256, hex, of what is embedded.
        start, end: offsets of the text in ``content``, in characters.
        line: its first line, counted from 1 in the source's file, else in the content.
        age_at: the instant its age counts from.
        content: the whole text it was cut from.
        recorded_from, recorded_to: when it was known; ``FOREVER`` while it is current.
        head: offsets in ``content`` of the head of its table, if it is a later part of one.
    """

    row: int
    point_id: UUID
    chunk_id: UUID
    entry_id: UUID
    period: Period
    digest: str
    title: str
    heading: tuple[str, ...]
    content: str
    start: int
    end: int
    line: int
    type: str
    lang: str
    tags: tuple[str, ...]
    path: str | None
    age_at: int
    recorded_from: int
    opened_by: int
    recorded_to: int = FOREVER
    closed_by: int | None = None
    head: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        """What it says."""
        return self.content[self.start : self.end]


@frozen
class NewTransaction:
    """Everything one transaction stores.

    Attributes:
        recorded_at: its instant; strictly later than the workspace's last.
        logged_at: the clock when it was really logged; differs from ``recorded_at`` for replays.
        zone: name of the zone its dates were read in.
        marks: by what files are recognised that say what it erases; kept as keyed digests.
    """

    number: int
    recorded_at: int
    logged_at: int
    actor: str
    reason: str | None
    zone: str
    operations: tuple[LoggedOperation, ...]
    effects: Effects
    chunks_opened: tuple[ChunkRow, ...] = ()
    chunks_closed: tuple[int, ...] = ()
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class StoredTransaction:
    """A transaction as the log tells it."""

    number: int
    recorded_at: int
    logged_at: int
    actor: str
    reason: str | None
    zone: str
    operations: tuple[LoggedOperation, ...]


@dataclass(frozen=True, slots=True)
class EntryInfo:
    """What is known of an entry's identity at some recorded instant.

    Attributes:
        created_at, updated_at: its first recorded instant, its latest recorded change up to then.
        last_transaction: number of the latest transaction up to then that touched it.
    """

    id: UUID
    external_id: str | None
    created_at: int
    updated_at: int
    last_transaction: int
    erased: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A version with its entry's identity, as read."""

    version: Version
    info: EntryInfo


Corner = tuple[int, int, int, UUID]
"""Where a rectangle stands in a history, and no other: recorded start, earliest and latest valid
start, entry. Everybody who sees the rectangle sees all of it."""


def corner_of(version: Version) -> Corner:
    """Where a rectangle stands in a history."""
    start = version.period.start
    return version.recorded_from, start.earliest, start.latest, version.entry_id


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a history: so many rectangles behind a corner; ``None`` is all of them."""

    behind: Corner | None = None
    limit: int | None = None


WHOLE: Final = Stretch()


@dataclass(frozen=True, slots=True)
class At:
    """The asked pair, before ``FOREVER``; ``aged_at``: where lives are read, else the earlier."""

    as_of: int
    known_at: int
    aged_at: int | None = None


EVERYTHING: Final = At(FOREVER - 1, FOREVER - 1)
"""The end of both clocks: whatever is recorded is known there."""


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries to list. All conditions hold together.

    Attributes:
        types: any of these.
        tags: each of these, folded; a parent matches its children.
        certain: only what surely holds.
        superseded, archived: instead of what holds, what is so there.
        verified: only what was, or was not, verified by then; ``None`` for both.
        after, limit: behind which entry id the page begins, and its size; ``None`` for all.
    """

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    certain: bool = False
    superseded: bool = False
    archived: bool = False
    verified: bool | None = None
    after: UUID | None = None
    limit: int | None = 100


@dataclass(frozen=True, slots=True)
class RelationView:
    """A relation as seen from one of its ends at a pair of instants.

    Attributes:
        resolution: of a contradiction, seen from this end: ``required``, ``kept``, ``ended`` or
            ``both``.
        rule, symmetric, unresolved: as of ``entries.Relation``.
        flags: how a link was read (``entries.FLAGS``).
    """

    id: UUID
    relation: str
    direction: Literal["out", "in"]
    entry_id: UUID
    other_id: UUID
    other_title: str | None
    confidence: float
    derived: bool
    resolution: str | None = None
    rule: str | None = None
    symmetric: bool = False
    unresolved: bool = False
    flags: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[bool, bool, str, UUID]:
        """Where it stands among those of its entry: who supersedes it first.

        Then outgoing before incoming, by type and id.
        """
        incoming = self.direction == "in"
        superseded = incoming and self.relation in CUTTING_RELATIONS
        return (not superseded, incoming, self.relation, self.id)


def resolution_seen(
    resolution: str | None, direction: Literal["out", "in"]
) -> Literal["required", "kept", "ended", "both"] | None:
    """How a contradiction was decided, from one of its ends; ``required`` while it is open."""
    match resolution:
        case "required" | "both":
            return resolution
        case "src" | "dst":
            return "kept" if (resolution == "src") == (direction == "out") else "ended"
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of an erased entry.

    Attributes:
        erased_at: recorded instant of the erasure.
        number, actor: its transaction, and who asked for it.
    """

    entry_id: UUID
    erased_at: int
    number: int
    actor: str


@dataclass(frozen=True, slots=True)
class SourceNote:
    """What the ledger knows of one file of a source, now.

    Attributes:
        digest: of the file when it was last read.
        attributes: without their content, which stays empty: that of all notes is a whole vault.
        current: it has a current version (it was not removed).
    """

    entry_id: UUID
    external_id: str | None
    path: str
    digest: str
    attributes: Attributes
    current: bool


@dataclass(frozen=True, slots=True)
class DeclaredLink:
    """A link as the source of an entry declares it, now.

    Attributes:
        target: what was written; of several links of an entry to ``dst`` with the same relation
            the first one.
        dst: the entry it means; a placeholder's id when ``unresolved``.
        relation: what it states; ``links_to`` for a plain link.
        flags: how it was read (``entries.FLAGS``).
    """

    entry_id: UUID
    target: str
    dst: UUID
    unresolved: bool
    relation: str = "links_to"
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """Who may see an entry: the fields of its newest version, whatever instant is asked for."""

    visibility: str = "internal"
    sensitivity: int = 0
    acl: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """Work for indexes: the chunk rows that one transaction opened and closed.

    Attributes:
        opened: chunk rows, as they are by now.
        closed: recorded end of each point whose row the transaction closed.
        access: of each entry with opened rows, as it is by now.
        changed_access: entries that other people may see since this transaction: all their
            points take over the new access, also those of rows that it left alone.
        archived: entries that this transaction archived, or took out of the archive, with the
            instant since which they are archived by now; ``FOREVER`` when they are not. Also
            those whose chunk rows it opened while they are archived.
        erased: entries of which no point may be left.
        number: of the transaction.
    """

    position: int
    workspace: str
    opened: tuple[ChunkRow, ...]
    closed: Mapping[UUID, int] = field(default_factory=dict[UUID, int])
    access: Mapping[UUID, Access] = field(default_factory=dict[UUID, Access])
    changed_access: Mapping[UUID, Access] = field(default_factory=dict[UUID, Access])
    archived: Mapping[UUID, int] = field(default_factory=dict[UUID, int])
    erased: tuple[UUID, ...] = ()
    number: int = 0


@dataclass(frozen=True, slots=True)
class Lag:
    """How far an index is behind the ledger.

    Attributes:
        transactions: not yet in the index at all.
        vectors: points that are found by their words only, so far.
    """

    transactions: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Break:
    """Where what is stored is not what was stored.

    Attributes:
        key: message of the catalogues that says what is wrong (``audit.changed``, …).
        transaction: number of the transaction at which it shows; ``None`` outside of any.
        table: of the row that is concerned.
        row: how to find that row: its columns by name.
    """

    key: str
    transaction: int | None
    table: str
    row: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Audit:
    """The outcome of checking a workspace's chain.

    Attributes:
        transactions, rows: how many were checked.
        head: hash of the last transaction, hex; compare it with one that was noted elsewhere.
        breaks: what is wrong, the first by transaction first; empty when all is sound.
    """

    transactions: int
    rows: int
    head: str
    breaks: tuple[Break, ...] = ()
