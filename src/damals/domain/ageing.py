"""How an entry ages: what follows from its rows and from time alone, at any pair of instants.

Nothing here is ever stored. A :class:`Life` is what the ledger knows of one entry at a pair; the
functions below say how old, how well grounded and how important it is by then. Source: the
project's temporal design (lifecycle, grounding, importance-weighted decay, research staleness
gate) with the half-lives of ``types.yaml``.

Days are those of the calendar in the workspace's zone, as :func:`damals.domain.zones.days_between`
counts them: what changes does so when a day begins there.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Final, Literal, cast

from damals.domain.entries import Attributes
from damals.domain.fields import RISKS
from damals.domain.types import DEFAULT_RISK, TypeCatalogue
from damals.domain.zones import days_between

FAST: Final = "fast_decay"
SLOW: Final = "slow_decay"
STABLE: Final = "stable"

DECAY_DAYS: Final[Mapping[str, float]] = {FAST: 60.0, SLOW: 180.0, STABLE: 365.0}
"""Half-life of importance by risk, where the domain names none."""

RESEARCH_DAYS: Final[Mapping[str, float]] = {FAST: 90.0, SLOW: 180.0, STABLE: 730.0}
"""Half-life of what was looked up by risk, where the domain names none."""

VERIFICATION_DAYS: Final[Mapping[str, float]] = {FAST: 30.0, SLOW: 180.0, STABLE: math.inf}
"""How long a verification counts by risk, where the domain says nothing else."""

FAST_DAYS: Final = 30.0
"""What ages fast is flagged before use when it was not checked for more than so many days."""

ARCHIVAL_THRESHOLD: Final = 0.2
"""Below this effective importance an entry is flagged for archival; exactly this is not below."""

SUPERSEDED_SHARE: Final = 0.5
"""What is left of the grounding of a superseded entry, unless the settings say otherwise."""

UNVERIFIED_WINDOWS: Final = 1
REINFORCED_WINDOWS: Final = 2
"""So many windows after its last verification an entry has decayed."""


class Status(StrEnum):
    """Where an entry stands in its life."""

    ACQUIRED = "acquired"
    ACTIVE = "active"
    CONSOLIDATED = "consolidated"
    REINFORCED = "reinforced"
    DECAYED = "decayed"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


AccessOrigin = Literal["access", "verified", "logged"]
ResearchOrigin = Literal["retrieved_at", "content", "created", "valid_from", "recorded"]
Staleness = Literal["LOW", "MEDIUM"]


@dataclass(frozen=True, slots=True)
class HalfLives:
    """How fast what an entry says gets old, in days; infinite for never.

    Attributes:
        risk: one of :data:`damals.domain.fields.RISKS`.
        decay: half-life of its importance.
        research: half-life of what was looked up.
        verification: how long a verification counts; also the half-life of grounding.
    """

    risk: str
    decay: float
    research: float
    verification: float


@dataclass(frozen=True, slots=True)
class Checked:
    """A verification: when it was recorded, and the score that it gave."""

    at: int
    score: float


@dataclass(frozen=True, slots=True)
class Life:
    """What is known of one entry at a pair of instants, as far as it bears on its ageing.

    Events (verifications, accesses, archiving) are those at instants that both clocks have
    reached; what it says is that of its rectangle at the pair.

    Attributes:
        has: what the rectangle says.
        recorded: recorded start of the entry.
        logged: instant at which its first transaction was really logged, later than ``recorded``
            where history from elsewhere was replayed.
        checks: its verifications, in the order in which they were recorded.
        accessed: when it was last returned to someone; ``None`` for never.
        valid_from: start of its validity, earliest; ``None`` for an unknown one.
        superseded: a supersedes or revises cut took the asked instant from it.
        archived: it is archived there.
        said_at: since when it is recorded that it says so; ``None`` for since its recorded start.
        zone: whose days are counted.
    """

    has: Attributes
    recorded: int
    logged: int
    checks: tuple[Checked, ...] = ()
    accessed: int | None = None
    valid_from: int | None = None
    superseded: bool = False
    archived: bool = False
    said_at: int | None = None
    zone: tzinfo = UTC

    @property
    def known_since(self) -> int:
        """Since when it is recorded that it says what it says."""
        return self.recorded if self.said_at is None else self.said_at

    @property
    def last(self) -> Checked | None:
        """Its last verification."""
        return self.checks[-1] if self.checks else None

    @property
    def known_good(self) -> int:
        """Since when nobody has checked it: its last verification, else its recorded start."""
        return self.checks[-1].at if self.checks else self.recorded

    def days(self, since: int, until: int) -> int:
        """Days from one instant to another, in its zone."""
        return days_between(since, until, self.zone)


@dataclass(frozen=True, slots=True)
class Age:
    """How old something is, in days, and since when, by which account."""

    days: int
    since: int
    origin: AccessOrigin


@dataclass(frozen=True, slots=True)
class ResearchAge:
    """How old what was looked up is, against the half-life of its domain.

    Attributes:
        origin: by which account.
        half_life: days, of its domain.
    """

    days: int
    since: int
    origin: ResearchOrigin
    half_life: float

    @property
    def ratio(self) -> float:
        """Age by half-life."""
        return self.days / self.half_life

    @property
    def severity(self) -> Staleness | None:
        """Nothing below 1, ``LOW`` from 1 to 2, ``MEDIUM`` above 2."""
        return severity(self.ratio)


def severity(ratio: float) -> Staleness | None:
    """What a staleness ratio is flagged as: nothing below 1, ``LOW`` from 1 to 2, else more."""
    if ratio < 1.0:
        return None
    return "LOW" if ratio <= 2.0 else "MEDIUM"  # noqa: PLR2004 -- the rule of the gate


def half_lives(types: TypeCatalogue, has: Attributes) -> HalfLives:
    """How an entry ages: as it says, else as its domain does, else as its type does.

    A half-life that the domain does not name follows the risk of the entry.
    """
    domain = types.domains.get(has.domain or "")
    known = types.find_type(has.type)
    of_type = known.staleness_risk if known else DEFAULT_RISK
    said = has.staleness_risk if has.staleness_risk in RISKS else None
    risk = said or (domain.risk if domain else of_type)
    return HalfLives(
        risk,
        _named(domain.decay if domain else None, DECAY_DAYS[risk]),
        _named(domain.research if domain else None, RESEARCH_DAYS[risk]),
        _named(domain.verification if domain else None, VERIFICATION_DAYS[risk]),
    )


def _named(days: float | None, by_risk: float) -> float:
    return by_risk if days is None else days


# --- lifecycle


def lifecycle_instant(as_of: int, known_at: int) -> int:
    """The instant at which the lifecycle of an entry is read at a pair."""
    return min(as_of, known_at)


def status(life: Life, ages: HalfLives, instant: int) -> Status:
    """The status of an entry at an instant, see :func:`lifecycle_instant`."""
    if life.archived:
        return Status.ARCHIVED
    if life.superseded:
        return Status.SUPERSEDED
    return lifecycle(life, ages, instant)


def lifecycle(life: Life, ages: HalfLives, instant: int) -> Status:
    """The status that follows from verifications and time alone.

    A verification takes active to consolidated, consolidated to reinforced, and decayed to
    reinforced. What is reinforced is consolidated again one window later. What is neither pinned
    nor stable has decayed when it was not verified for a window, or two after a reinforcement;
    until it is verified its clock runs from its recorded start.

    A pin exempts from having decayed at the instant, never from what a verification found: whether
    it was pinned then is not known, and pinning it now must not undo what it has reached.
    """
    reached = Status.ACTIVE
    since = life.recorded
    for check in life.checks:
        before = _aged(ages, reached, life.days(since, check.at))
        reached = Status.CONSOLIDATED if before is Status.ACTIVE else Status.REINFORCED
        since = check.at
    if life.has.acquired and not life.checks:
        return Status.ACQUIRED
    return _aged(ages, reached, life.days(since, instant), pinned=life.has.pinned)


def _aged(ages: HalfLives, reached: Status, days: int, *, pinned: bool = False) -> Status:
    """What a status has become when so many days have passed without a verification."""
    windows = days / ages.verification
    reinforced = reached is Status.REINFORCED
    mortal = not pinned and ages.risk != STABLE
    if mortal and windows >= (REINFORCED_WINDOWS if reinforced else UNVERIFIED_WINDOWS):
        return Status.DECAYED
    return Status.CONSOLIDATED if reinforced and windows >= 1 else reached


def overdue(life: Life, ages: HalfLives, as_of: int) -> bool:
    """Whether an entry is past its window of verification, and to be reviewed.

    Also what is pinned, and what is stable where its domain names a window.
    """
    return life.days(life.known_good, as_of) > ages.verification


# --- grounding


def effective_grounding(
    life: Life, ages: HalfLives, as_of: int, share: float = SUPERSEDED_SHARE
) -> float | None:
    """How well an entry is grounded, 0 to 1; ``None`` for one that was never verified.

    ::

        effective = grounding_score · 2^(−days since last verified / verification window)

    Args:
        life: of the entry.
        ages: its half-lives.
        as_of: the asked instant.
        share: of a superseded entry's grounding that is left.
    """
    last = life.last
    if last is None:
        return None
    left = _halved(life.days(last.at, as_of), ages.verification)
    return last.score * left * (share if life.superseded else 1.0)


def _halved(days: int, half_life: float) -> float:
    return 1.0 if math.isinf(half_life) else 2.0 ** (-days / half_life)


# --- decay of importance


def days_since_access(life: Life, as_of: int) -> Age:
    """Days since an entry was last returned to someone.

    Without an access it is its last verification, then the instant at which it was really logged:
    never a replayed or imported date, so nothing that has just come looks forgotten.
    """
    last = life.last
    if life.accessed is not None:
        return Age(life.days(life.accessed, as_of), life.accessed, "access")
    if last is not None:
        return Age(life.days(last.at, as_of), last.at, "verified")
    return Age(life.days(life.logged, as_of), life.logged, "logged")


def effective_importance(life: Life, ages: HalfLives, as_of: int) -> float:
    """How important an entry still is, 0 to 5; what is pinned does not decay.

    ::

        effective = importance · 2^(−days since access / half-life)
    """
    if life.has.pinned:
        return float(life.has.importance)
    return life.has.importance * _halved(days_since_access(life, as_of).days, ages.decay)


def below_threshold(importance: float) -> bool:
    """Whether an effective importance is flagged for archival."""
    return importance < ARCHIVAL_THRESHOLD


# --- research


def research_age(
    life: Life, ages: HalfLives, as_of: int, estimated: int | None = None
) -> ResearchAge:
    """How old what an entry was made from is.

    Counted from when it was retrieved, else from what its text gives away, else from when its
    source says that it was made, from the start of its validity, or from its recorded start.

    Args:
        life: of the entry.
        ages: its half-lives.
        as_of: the asked instant.
        estimated: instant that its text gives away; see :mod:`damals.domain.signals`.
    """
    accounts: tuple[tuple[int | None, ResearchOrigin], ...] = (
        (life.has.retrieved_at, "retrieved_at"),
        (estimated, "content"),
        (life.has.created, "created"),
        (life.valid_from, "valid_from"),
    )
    since, origin = life.recorded, cast("ResearchOrigin", "recorded")
    for at, account in accounts:
        if at is not None:
            since, origin = at, account
            break
    return ResearchAge(life.days(since, as_of), since, origin, ages.research)


# --- before use


def is_doubtful(life: Life, ages: HalfLives, as_of: int, standing: Status) -> bool:
    """Whether an entry is to be verified before it is relied on.

    Its verification is older than its window, it has decayed or is superseded, or it ages fast and
    was not checked for more than 30 days: what was confirmed valid starts its clock anew, as if it
    had just been recorded, so that there is a way to answer the flag.

    Args:
        life: of the entry.
        ages: its half-lives.
        as_of: the asked instant.
        standing: its status at the pair.
    """
    days = life.days(life.known_good, as_of)
    stale = bool(life.checks) and days > ages.verification
    gone = standing in (Status.DECAYED, Status.SUPERSEDED)
    return stale or gone or (ages.risk == FAST and days > FAST_DAYS)


def stands_accepted(life: Life, instant: int) -> bool:
    """Whether it was decided to build on stale research, and it was not verified since.

    Args:
        life: of what was researched.
        instant: at which lives are read.
    """
    accepted, last = life.has.accepted, life.last
    return accepted is not None and accepted <= instant and (last is None or last.at < accepted)
