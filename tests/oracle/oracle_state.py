"""What the oracle knows: plain values, kept whole for every recorded instant."""

from dataclasses import dataclass, field
from uuid import UUID

from oracle_readings import Bound, Rects, certain, possible

from damals.domain.errors import DamalsError

Name = str
"""An entry's ref, with the number of entries that had it before: ``a0``, ``a1``."""


class Refused(Exception):
    """The operation must be refused, in one of these ways."""

    def __init__(self, *kinds: type[DamalsError]) -> None:
        super().__init__(*(kind.__name__ for kind in kinds))
        self.kinds = kinds


class Undecided(Exception):
    """The rules do not say what this does."""


class Blurred(Exception):
    """Clipped twice, a bound is no more than a range: what can never hold is called possible.

    That is as much as a pair of bounds can say, and never more than possible; but from here on
    the readings know more than the ledger, and both cannot be compared.
    """


@dataclass(frozen=True)
class Verified:
    at: int
    score: float
    number: int


@dataclass(frozen=True)
class Entry:
    """An entry as known at one recorded instant.

    Attributes:
        stored: it held something at the end of some transaction.
    """

    name: Name
    ref: str
    title: str
    content: str
    key: str | None = None
    rects: Rects = ()
    pinned: bool = False
    archived: int | None = None
    verified: tuple[Verified, ...] = ()
    erased: bool = False
    stored: bool = False

    @property
    def statement(self) -> tuple[object, ...]:
        return (self.title, self.content, self.key, self.pinned)


@dataclass(frozen=True)
class Link:
    """A relation.

    Attributes:
        taken: for a cut, what ``src`` took from ``dst``.
        number, place: the operation that recorded it.
        decides: it is the decision of a contradiction, which takes only what comes after it.
    """

    src: Name
    dst: Name
    relation: str
    number: int
    place: int
    taken: Rects = ()
    declared: bool = False
    resolution: str | None = None
    decides: bool = False

    @property
    def cuts(self) -> bool:
        return bool(self.taken)


@dataclass(frozen=True)
class Logged:
    """An operation that is in the log.

    Attributes:
        about: the entry it was about.
        end: of an ``end``, the bound.
        whole: it said anew where the entry holds: a retraction or a correction of bounds.
        reverted: of a ``revert``, the transaction.
    """

    number: int
    place: int
    about: Name | None
    end: Bound | None = None
    whole: bool = False
    reverted: int | None = None


@dataclass
class State:
    """All that is known at one recorded instant.

    Attributes:
        vague: pairs between which a relation may or may not have been recorded, since their
            dates overlap by the letter and in no reading.
    """

    recorded_at: int = 0
    entries: dict[Name, Entry] = field(default_factory=dict)
    links: dict[int, Link] = field(default_factory=dict)
    log: tuple[Logged, ...] = ()
    names: dict[str, Name] = field(default_factory=dict)
    ids: dict[Name, UUID] = field(default_factory=dict)
    vague: set[frozenset[Name]] = field(default_factory=set)

    def copy(self) -> "State":
        return State(
            self.recorded_at,
            dict(self.entries),
            dict(self.links),
            self.log,
            dict(self.names),
            dict(self.ids),
            set(self.vague),
        )

    def knows(self, other: "State") -> bool:
        """Whether both say the same."""
        return (self.entries, self.links) == (other.entries, other.links)

    def rivals(self, name: Name, key: str | None) -> list[Entry]:
        """The other entries that hold a key."""
        if key is None:
            return []
        return [e for e in self.entries.values() if e.name != name and e.key == key and e.rects]

    def cutters(self, name: Name) -> list[Entry]:
        """The entries whose cuts of this one stand."""
        found = {link.src for link in self.links.values() if link.cuts and link.dst == name}
        return [self.entries[one] for one in sorted(found)]

    # What is answered.

    def archived(self, entry: Entry, v: int) -> bool:
        return entry.archived is not None and entry.archived <= min(v, self.recorded_at)

    def list_at(self, v: int, hidden: set[Name]) -> dict[Name, tuple[object, ...]]:
        """Name to content, pin and certainty of what is listed."""
        return {
            e.name: (e.content, e.pinned, certain(e.rects, v))
            for e in self.entries.values()
            if e.name not in hidden and possible(e.rects, v)
        }

    def superseded(self, v: int) -> set[Name]:
        return {k.dst for k in self.links.values() if k.cuts and possible(k.taken, v)}
