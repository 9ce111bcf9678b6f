"""Patterns: when a topic was first observed, how it evolved, and how stable it is.

::

    emerging   first observed within one half-life
    evolving   two or more revisions within one half-life
    declining  no new evidence and no access for two half-lives
    stable     else

The first that holds decides. Days are those of the calendar, and what is as old as the window lies
outside of it. Source: the project's temporal design, "patterns" and "synthesizer integration".
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final, Literal
from uuid import UUID

from damals.domain.ageing import DECAY_DAYS, STABLE, HalfLives
from damals.domain.entries import Relation, Version
from damals.domain.operations import CUTTING_RELATIONS
from damals.domain.periods import BoundKind
from damals.domain.zones import days_between

Stability = Literal["emerging", "evolving", "declining", "stable"]
Origin = Literal["created", "valid_from", "recorded"]

EXTENDS: Final = "extends"
EVOLVING: Final = frozenset({*CUTTING_RELATIONS, EXTENDS})
"""Relations along which a pattern evolves; all but ``extends`` are revisions."""


@dataclass(frozen=True, slots=True)
class Windows:
    """When a pattern counts as what.

    Attributes:
        emerging: half-lives since it was first observed.
        evolving: half-lives in which it is revised.
        revisions: so many in that window.
        declining: half-lives without anything new and without access.
    """

    emerging: float = 1.0
    evolving: float = 1.0
    revisions: int = 2
    declining: float = 2.0


@dataclass(frozen=True, slots=True)
class Observation:
    """An example that supports a pattern.

    Attributes:
        at: when it was observed, UTC microseconds.
        origin: by which account: what its source says, else the start of its validity, else its
            recorded start.
    """

    entry_id: UUID
    at: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the evolution: one entry takes over from another, or adds to it.

    Attributes:
        at: when the new one was observed.
        relation: of the new to the old one.
    """

    at: int
    relation: str
    new: UUID
    old: UUID
    row: Relation

    @property
    def revises(self) -> bool:
        """Whether the old one is not what it was."""
        return self.relation != EXTENDS


@dataclass(frozen=True, slots=True)
class Verdict:
    """How stable a pattern is.

    Attributes:
        days: that the rule compared: since the first or the newest observation, or window.
        limit: days of the window.
        count: revisions in their window.
    """

    stability: Stability
    days: float
    limit: float
    count: int


def observed(versions: Sequence[Version], recorded: int) -> Observation:
    """When an entry was observed.

    Args:
        versions: those of it that are known, at least one.
        recorded: its recorded start.
    """
    first = min(versions, key=lambda one: (one.period.start.earliest, one.row))
    created = first.attributes.created
    if created is not None:
        return Observation(first.entry_id, created, "created")
    start = first.period.start
    if start.kind is not BoundKind.UNKNOWN:
        return Observation(first.entry_id, start.earliest, "valid_from")
    return Observation(first.entry_id, recorded, "recorded")


def half_life(ages: Iterable[HalfLives]) -> float:
    """The half-life of a topic, in days: the shortest of what it is made of.

    What never decays is looked at as what is stable: else it would emerge for ever.
    """
    finite = [one.decay for one in ages if not math.isinf(one.decay)]
    return min(finite, default=DECAY_DAYS[STABLE])


def verdict(
    evidence: Sequence[Observation],
    steps: Sequence[Step],
    accessed: int | None,
    half_life_days: float,
    asked: tuple[int, tzinfo, Windows],
) -> Verdict:
    """How stable a pattern is at an instant.

    Args:
        evidence: at least one observation up to then.
        steps: of its evolution up to then.
        accessed: when any of it was last returned to someone.
        half_life_days: of the topic.
        asked: the instant, whose days are counted, and the windows.
    """
    as_of, zone, windows = asked
    first = min(one.at for one in evidence)
    newest = max(*(one.at for one in evidence), accessed or first)
    age, silence = days_between(first, as_of, zone), days_between(newest, as_of, zone)
    emerging, evolving, declining = (
        share * half_life_days for share in (windows.emerging, windows.evolving, windows.declining)
    )
    count = sum(one.revises and days_between(one.at, as_of, zone) < evolving for one in steps)
    if age < emerging:
        return Verdict("emerging", age, emerging, count)
    if count >= windows.revisions:
        return Verdict("evolving", evolving, evolving, count)
    if silence >= declining:
        return Verdict("declining", silence, declining, count)
    return Verdict("stable", silence, declining, count)
