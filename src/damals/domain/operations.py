"""The operations: everything that can change what damals knows.

An operation is a plain value. What it does to the state is in ``book.py``; how it is read from
parameters (events, command line, REST) is in ``params.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Final, Literal
from uuid import UUID

from damals.domain.derived_parts import Part
from damals.domain.values import frozen


class Absent(Enum):
    """Marks a parameter that was not given; ``None`` means null was given."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


class OnOverlap(StrEnum):
    """What ``remember`` does when another entry of its key holds at the same time."""

    REFUSE = "refuse"
    REPLACE = "replace"
    FILL = "fill"


CuttingRelation = Literal["supersedes", "revises"]
CUTTING_RELATIONS: Final = frozenset({"supersedes", "revises"})
CONTRADICTS: Final = "contradicts"

Keep = Literal["a", "b", "both"]
TransactionName = int | str
"""A transaction: its number in this workspace, or its recorded instant as text."""


@frozen
class DeclaredRelation:
    """A relation that an entry's source states.

    Attributes:
        dst: id or external id of the other entry; the placeholder's id when unresolved.
        target: what the source wrote, for a link; else ``None``.
        symmetric: it says the same of both ends.
        flags: how the link was read (``entries.FLAGS``), in alphabetical order.
    """

    relation: str
    dst: str
    confidence: float = 1.0
    evidence: tuple[UUID, ...] = ()
    target: str | None = None
    unresolved: bool = False
    symmetric: bool = False
    flags: tuple[str, ...] = ()


@frozen
class Remember:
    """A new entry.

    Attributes:
        fields: attributes by name (see ``entries.Attributes``), checked and converted.
        identified: ``entry_id`` was given, not made up: it alone says whether this is known.
        valid_from, valid_to: as given, not yet parsed; ``ABSENT`` when not given.
        relations: what it declares; it holds as long as the entry's source says so.
        if_transaction: number of the last transaction of the entry that has this name or id; 0
            when there must be none.
    """

    entry_id: UUID
    fields: Mapping[str, object]
    external_id: str | None = None
    valid_from: object = ABSENT
    valid_to: object = ABSENT
    on_overlap: OnOverlap = OnOverlap.REFUSE
    relations: tuple[DeclaredRelation, ...] = ()
    identified: bool = False
    reason: str | None = None
    if_transaction: int | None = None


@frozen
class Update:
    """A new entry that takes over from ``target`` for a portion of its validity.

    Attributes:
        identified: as of :class:`Remember`.
    """

    entry_id: UUID
    target: str
    fields: Mapping[str, object]
    external_id: str | None = None
    valid_from: object = ABSENT
    valid_to: object = ABSENT
    relation: CuttingRelation = "supersedes"
    relations: tuple[DeclaredRelation, ...] = ()
    identified: bool = False
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Correct:
    """The same entry, recorded wrongly; ``relations`` replaces what it declared, if given."""

    target: str
    fields: Mapping[str, object] = field(default_factory=dict[str, object])
    valid_from: object = ABSENT
    valid_to: object = ABSENT
    relations: tuple[DeclaredRelation, ...] | None = None
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    """``target`` holds no longer from ``at`` on."""

    target: str
    at: object
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Retract:
    """``target`` was never true.

    Attributes:
        restore: give back to others what it had cut from them.
    """

    target: str
    restore: bool = False
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Revert:
    """Take back what a transaction changed.

    Attributes:
        transaction: its number or its recorded instant.
        if_transaction: number that the workspace's last transaction must have.
    """

    transaction: TransactionName
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Relate:
    """``src`` stands in a relation to ``dst``.

    Attributes:
        said: relation, ``dst`` and what else is said of it.
        valid_from, valid_to: when; wherever ``src`` holds, when neither is given.
    """

    src: str
    said: DeclaredRelation
    valid_from: object = ABSENT
    valid_to: object = ABSENT
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Unrelate:
    """``src`` no longer stands in this relation to ``dst``; a cut is given back."""

    src: str
    relation: str
    dst: str
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Derive:
    """What a rule gives of a relation from ``src`` to ``dst``: these parts, and no others.

    Attributes:
        rule: its name in ``types.yaml``.
        symmetric: the relation says the same of both ends.
    """

    src: str
    relation: str
    dst: str
    rule: str
    parts: tuple[Part, ...] = ()
    symmetric: bool = False
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Contradict:
    """``a`` and ``b`` cannot both be right."""

    a: str
    b: str
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Resolve:
    """Decides a contradiction: one of both ends now, or both stand."""

    a: str
    b: str
    keep: Keep
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Verify:
    """``target`` was checked and found right."""

    target: str
    score: float = 1.0
    evidence: str | None = None
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Pin:
    """``target`` does not decay; with ``pinned`` false it does again."""

    target: str
    pinned: bool = True
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """Somebody builds on ``target`` although it is stale research, until it is verified."""

    target: str
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Archive:
    """``target`` is out of use."""

    target: str
    reason: str | None = None
    if_transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Erase:
    """``target`` and what it said are gone from every answer; a tombstone remains."""

    target: str
    reason: str | None = None
    if_transaction: int | None = None


Operation = (
    Remember
    | Update
    | Correct
    | End
    | Retract
    | Revert
    | Relate
    | Unrelate
    | Derive
    | Contradict
    | Resolve
    | Verify
    | Pin
    | Accept
    | Archive
    | Erase
)
