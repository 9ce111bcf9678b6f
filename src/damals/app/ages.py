"""By what entries age, and the life of an entry from what a reader gives of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from damals.app.ledger_model import At, Found
from damals.app.ledger_port import LedgerReader
from damals.domain.ageing import SUPERSEDED_SHARE, Checked, Life, lifecycle_instant
from damals.domain.entries import Verification
from damals.domain.periods import Bound, BoundKind
from damals.domain.types import TypeCatalogue
from damals.domain.zones import load_zone


def no_types(reader: LedgerReader) -> TypeCatalogue:
    """Of a base that declares none."""
    del reader
    return TypeCatalogue()


@dataclass(frozen=True, slots=True)
class Ages:
    """By what entries age.

    Attributes:
        types: gives the types in force in the workspace that is read.
        share: of the grounding of a superseded entry that is left.
    """

    types: Callable[[LedgerReader], TypeCatalogue] = no_types
    share: float = SUPERSEDED_SHARE


def clock_of(at: At) -> int:
    """The instant at which the lifecycle of an entry is read."""
    return lifecycle_instant(at.as_of, at.known_at) if at.aged_at is None else at.aged_at


@dataclass(frozen=True, slots=True)
class Events:
    """What happened to an entry by a pair of instants.

    Attributes:
        verifications: in the order in which they were recorded.
        accessed: when it was last returned to someone.
        logged: when its first transaction was really logged; ``None`` where that does not matter.
        superseded, archived: as of :class:`~damals.domain.ageing.Life`.
    """

    verifications: Sequence[Verification] = ()
    accessed: int | None = None
    logged: int | None = None
    superseded: bool = False
    archived: bool = False

    def replaced(self) -> "Events":
        """The same of an entry that another has superseded."""
        return replace(self, superseded=True)


def life_of(found: Found, events: Events) -> Life:
    """The life of an entry, as it stands at the pair that it was read at."""
    recorded = found.info.created_at
    return Life(
        has=found.version.attributes,
        recorded=recorded,
        logged=recorded if events.logged is None else events.logged,
        checks=tuple(Checked(one.recorded_from, one.score) for one in events.verifications),
        accessed=events.accessed,
        valid_from=known_start(found.version.period.start),
        superseded=events.superseded,
        archived=events.archived,
        said_at=found.version.recorded_from,
        zone=load_zone(found.version.zone),
    )


def lives(reader: LedgerReader, found: Sequence[Found], at: At) -> dict[int, Life]:
    """The lives of some entries by the rows of their versions, with all that bears on them."""
    ids = list(dict.fromkeys(one.version.entry_id for one in found))
    held = reader.versions_at(ids, at)
    absent = [one for one in ids if one not in held]
    superseded = reader.superseded_at(absent, at) if absent else frozenset[object]()
    archived = reader.archived_at(ids, at)
    verifications = reader.verifications_at(ids, at)
    accessed = reader.accessed_at(ids, at)
    logged = reader.logged_at(ids)
    return {
        one.version.row: life_of(
            one,
            Events(
                verifications=verifications.get(entry_id, ()),
                accessed=accessed.get(entry_id),
                logged=logged.get(entry_id),
                superseded=entry_id in superseded,
                archived=entry_id in archived,
            ),
        )
        for one in found
        for entry_id in (one.version.entry_id,)
    }


def worded(reader: LedgerReader, known: Mapping[UUID, Life]) -> dict[UUID, Life]:
    """Lives whose dates are read from their words, as of when those words were recorded.

    What is noted of an entry beside them, or what is cut off its validity, makes them no younger.
    """
    asked = {
        one: life.known_since
        for one, life in known.items()
        if life.has.retrieved_at is None and life.known_since != life.recorded
    }
    since: Mapping[UUID, int] = reader.worded_since(asked) if asked else {}
    return {
        one: replace(life, said_at=since[one]) if one in since else life
        for one, life in known.items()
    }


def known_start(start: Bound) -> int | None:
    """The earliest instant of a start; ``None`` for one that nobody knows."""
    return None if start.kind is BoundKind.UNKNOWN else start.earliest
