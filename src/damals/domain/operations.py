"""The operations: everything that can change what damals knows.

An operation is a plain value. What it does to the state is in ``book.py``; how it is read from
parameters (events, command line, REST) is in ``reading.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Final, Literal
from uuid import UUID


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


@dataclass(frozen=True, slots=True)
class DeclaredRelation:
    """A relation that an entry's source states.

    Attributes:
        dst: id or external id of the other entry; the placeholder's id when unresolved.
        target: what the source wrote, for a link; else ``None``.
    """

    relation: str
    dst: str
    confidence: float = 1.0
    evidence: tuple[UUID, ...] = ()
    target: str | None = None
    unresolved: bool = False


@dataclass(frozen=True, slots=True)
class Remember:
    """A new entry.

    Attributes:
        fields: attributes by name (see ``entries.Attributes``), checked and converted.
        identified: ``entry_id`` was given, not made up: it alone says whether this is known.
        valid_from, valid_to: as given, not yet parsed; ``ABSENT`` when not given.
        relations: what it declares; it holds as long as the entry's source says so.
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


@dataclass(frozen=True, slots=True)
class Update:
    """A new entry that takes over from ``target`` for a portion of its validity."""

    entry_id: UUID
    target: str
    fields: Mapping[str, object]
    external_id: str | None = None
    valid_from: object = ABSENT
    valid_to: object = ABSENT
    relation: CuttingRelation = "supersedes"
    relations: tuple[DeclaredRelation, ...] = ()
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
    """``target`` was never true."""

    target: str
    reason: str | None = None
    if_transaction: int | None = None


Operation = Remember | Update | Correct | End | Retract
