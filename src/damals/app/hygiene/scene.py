"""What the checks look at: a workspace at a pair of instants, with what is derived of it once."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from damals.app.repairs import note_path
from damals.app.snapshot_model import EntryAt, Snapshot, Standing, Tie
from damals.domain.ageing import (
    HalfLives,
    Life,
    Status,
    effective_importance,
    half_lives,
    lifecycle_instant,
    status,
)
from damals.domain.findings import Finding
from damals.domain.types import TypeCatalogue


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry with what follows from its life at the pair.

    Attributes:
        importance: effective, by the asked instant.
    """

    entry: EntryAt
    life: Life
    ages: HalfLives
    status: Status
    importance: float

    @property
    def id(self) -> UUID:
        """Of the entry."""
        return self.entry.id

    @property
    def title(self) -> str:
        """Of the entry."""
        return self.entry.title

    @property
    def pinned(self) -> bool:
        """Whether somebody said that it does not decay."""
        return self.life.has.pinned

    @property
    def lasting(self) -> bool:
        """Whether it does not decay: somebody said so, or its domain never does."""
        return self.pinned or math.isinf(self.ages.decay)


class Scene:
    """A workspace at a pair of instants, for checks that may ask the same twice."""

    def __init__(self, snapshot: Snapshot, types: TypeCatalogue, *, files: bool = True) -> None:
        """Nothing is derived before a check asks for it.

        Args:
            snapshot: what somebody sees of the workspace.
            types: in force there.
            files: whoever asks may learn where files lie on this machine, and change them.
        """
        self.snapshot = snapshot
        self.types = types
        self._files = files
        self.as_of = snapshot.at.as_of
        self._ages: dict[tuple[str, str | None, str | None], HalfLives] = {}

    @cached_property
    def seen(self) -> Mapping[UUID, Seen]:
        """Every entry, by id, in its order."""
        return {one.id: self._looked_at(one) for one in self.snapshot.entries.values()}

    def _looked_at(self, entry: EntryAt) -> Seen:
        life, at, has = entry.life, self.snapshot.at, entry.attributes
        same = (has.type, has.domain, has.staleness_risk)
        ages = self._ages.get(same) or self._ages.setdefault(same, half_lives(self.types, has))
        instant = lifecycle_instant(at.as_of, at.known_at)
        standing = status(life, ages, instant)
        return Seen(entry, life, ages, standing, effective_importance(life, ages, at.as_of))

    @cached_property
    def active(self) -> Mapping[UUID, Seen]:
        """What holds and is not archived, by id."""
        found = self.seen.items()
        return {key: one for key, one in found if one.entry.standing is Standing.HELD}

    @cached_property
    def into(self) -> Mapping[UUID, tuple[Tie, ...]]:
        """The relations from others to each entry."""
        found: dict[UUID, list[Tie]] = {}
        for tie in self.snapshot.ties:
            found.setdefault(tie.dst_id, []).append(tie)
        return {key: tuple(listed) for key, listed in found.items()}

    def note_path(self, one: Seen) -> str | None:
        """Where the file of a note lies; ``None`` for what comes from none, and for guests."""
        return note_path(one.entry.attributes.source) if self._files else None

    def rank(self, finding: Finding) -> float:
        """How important a finding is: as the most important of its entries."""
        known = (self.seen[one].importance for one in finding.entries if one in self.seen)
        return max(known, default=0.0)

    def titles(self, finding: Finding) -> tuple[str, ...]:
        """What the entries of a finding are called."""
        return tuple(self.seen[one].title for one in finding.entries if one in self.seen)

    def each_active(self) -> Iterator[Seen]:
        """What holds and is not archived, by id."""
        return iter(self.active.values())
