"""Entries and their versions.

An *entry* is the identity of a piece of knowledge: a remembered fact, a note of a vault, a mail.
Its *versions* are bitemporal rectangles: attributes that hold over a period of valid time and
were known over a period of recorded time.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from uuid import UUID

from damals.domain.instants import FOREVER
from damals.domain.periods import Period
from damals.domain.values import frozen

Resolution = Literal["required", "src", "dst", "both"]

FLAGS: Final = frozenset({"alias", "ambiguous", "drawn", "embed", "hidden", "quoted"})
"""How a link of a source was read: it names another name of a note, it may mean other notes as
well, it is drawn on a canvas, it shows the other note in its own, it stands in a comment,
it names the source of a quote."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@frozen
class Source:
    """Where an entry came from. All fields are provenance; none changes what holds.

    Attributes:
        kind: ``call``, ``vault``, ``events``, …
        name: name of the source (a vault's folder name or ``--name``).
        path: path inside the source, ``/``-separated, NFC.
        line: first line of the text in the file, from 1.
        digest: SHA-256 of the file's bytes, hex.
        imported_at: instant of the import that read it.
        session: session of the assistant that told it.
        declared_from, declared_to: what the source itself says of validity, as written there; a
            later import compares with them, since the entry may have been cut since.
        commit: name of the commit of a version history that said it.
        committed_at: instant of that commit, as its committer's clock gave it.
        filled: required fields that the source does not give, and that were filled.
    """

    kind: str = "call"
    name: str | None = None
    path: str | None = None
    uri: str | None = None
    heading: str | None = None
    line: int | None = None
    digest: str | None = None
    imported_at: int | None = None
    session: str | None = None
    declared_from: str | None = None
    declared_to: str | None = None
    commit: str | None = None
    committed_at: int | None = None
    filled: tuple[str, ...] = ()


@frozen
class Attributes:
    """Everything about an entry that may change, except when it holds.

    Attributes:
        created, updated, retrieved_at, last_reviewed: what the source says of itself, instants.
        importance: 1 to 5.
        acquired: an assistant filed it, and its integration is still to be decided.
        accepted: instant at which somebody decided to build on it although it was stale research.
        persona_weight: 0 to 1.
        sensitivity: 0 to 3.
    """

    title: str
    content: str = ""
    type: str = "fact"
    tags: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=dict[str, Json])
    key: str | None = None
    domain: str | None = None
    staleness_risk: str | None = None
    importance: int = 3
    pinned: bool = False
    acquired: bool = False
    accepted: int | None = None
    created: int | None = None
    updated: int | None = None
    retrieved_at: int | None = None
    last_reviewed: int | None = None
    persona_weight: float | None = None
    lang: str = "de"
    lang_original: str | None = None
    source_id: str | None = None
    visibility: str = "internal"
    sensitivity: int = 0
    acl: tuple[str, ...] = ()
    source: Source = Source()  # closed, so all may share it


@frozen
class Version:
    """One bitemporal rectangle of an entry, as stored.

    Attributes:
        row: number of the row in the ledger; 0 before it is stored.
        entry_id: the entry it belongs to.
        period: when it holds (valid time).
        attributes: what holds.
        generation: 1 for a new entry; a correction adds 1.
        zone: name of the zone its bounds were read in.
        recorded_from, recorded_to: when it was known, instants; ``FOREVER`` while it is current.
        opened_by, closed_by: numbers of the transactions that recorded and ended it.
        operation: index, inside ``opened_by``, of the operation that recorded it.
    """

    row: int
    entry_id: UUID
    period: Period
    attributes: Attributes
    generation: int
    zone: str
    recorded_from: int
    opened_by: int
    operation: int
    recorded_to: int = FOREVER
    closed_by: int | None = None

    def known_at(self, instant: int) -> bool:
        """Whether it was known at ``instant``."""
        return self.recorded_from <= instant < self.recorded_to


@frozen
class Relation:
    """A typed, directed, bitemporal edge between two entries.

    Attributes:
        period: when it holds; for a cut, the portion that was taken from ``dst``.
        confidence: 0 to 1.
        evidence: ids of chunks that show it.
        declared: it stands in the source of ``src`` and goes when the source no longer says it.
        cuts: ``dst`` was cut back where ``src`` holds.
        target: what the source wrote, when it names ``dst`` by a link; ``None`` otherwise.
        unresolved: nothing is known under that name yet; ``dst`` is a placeholder.
        resolution: of a contradiction: who was kept, ``required`` as long as nobody decided.
        premises: of a derived edge: the entries that it follows from beside its ends, by id; it is
            shown to those who may see all of them. ``None`` where nobody knows them any more, and
            for what was said.
        flags: how a link was read (:data:`FLAGS`), in alphabetical order.
    """

    row: int
    id: UUID
    src_id: UUID
    dst_id: UUID
    relation: str
    period: Period
    recorded_from: int
    opened_by: int
    operation: int
    recorded_to: int = FOREVER
    closed_by: int | None = None
    symmetric: bool = False
    confidence: float = 1.0
    evidence: tuple[UUID, ...] = ()
    declared: bool = False
    cuts: bool = False
    derived: bool = False
    rule: str | None = None
    target: str | None = None
    unresolved: bool = False
    resolution: Resolution | None = None
    flags: tuple[str, ...] = ()
    premises: tuple[UUID, ...] | None = None

    @property
    def contradicts(self) -> bool:
        """Whether it is a contradiction that nobody has resolved."""
        return self.resolution == "required"

    def follows_from(self, seen: Collection[UUID]) -> bool:
        """Whether it was said, or follows from nothing but these entries beside its ends."""
        if not self.derived:
            return True
        return self.premises is not None and all(one in seen for one in self.premises)


@dataclass(frozen=True, slots=True)
class Archiving:
    """That an entry is out of use from the instant on at which this was recorded."""

    row: int
    entry_id: UUID
    reason: str | None
    recorded_from: int
    opened_by: int
    operation: int
    recorded_to: int = FOREVER
    closed_by: int | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """That somebody checked an entry and found it right.

    Attributes:
        score: how well it is grounded, 0 to 1.
        evidence: what it was checked against.
    """

    row: int
    entry_id: UUID
    score: float
    evidence: str | None
    recorded_from: int
    opened_by: int
    operation: int
    recorded_to: int = FOREVER
    closed_by: int | None = None
