"""Findings: what somebody who looks after a knowledge base is to look at, and how it is repaired.

A finding is a plain value; what people read of it stands in the catalogues under its ``key``. A
repair is made of operations of the log (or of a change of a note's own file), so that the command
that is printed, a transaction that is asked for and what ``--fix`` does are one and the same.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from damals.domain.ageing import FAST, SLOW, STABLE, HalfLives
from damals.domain.entries import Json
from damals.domain.values import frozen

Severity = Literal["LOW", "MEDIUM", "HIGH"]

SEVERITIES: Final[Sequence[Severity]] = ("HIGH", "MEDIUM", "LOW")
"""From what weighs most to what weighs least."""


class Kind(StrEnum):
    """What is wrong; in the order in which kinds of one severity are told."""

    CONTRADICTION = "contradiction"
    POSSIBLE_CONTRADICTION = "possible_contradiction"
    ACQUIRED = "acquired"
    SUPERSEDED_REFERENCED = "superseded_referenced"
    DECAYED = "decayed"
    BROKEN_LINK = "broken_link"
    AMBIGUOUS_ALIAS = "ambiguous_alias"
    RISK = "risk"
    NEAR_DUPLICATE = "near_duplicate"
    REVIEW = "review"
    DUE = "due"
    BELOW_THRESHOLD = "below_threshold"
    UNPINNED = "unpinned"
    UNCERTAIN_DATE = "uncertain_date"
    MISSING_FIELD = "missing_field"
    ORPHAN = "orphan"


SEVERITY: Final[Mapping[Kind, Severity]] = {
    Kind.CONTRADICTION: "HIGH",
    Kind.POSSIBLE_CONTRADICTION: "MEDIUM",
    Kind.ACQUIRED: "MEDIUM",
    Kind.SUPERSEDED_REFERENCED: "MEDIUM",
    Kind.DECAYED: "MEDIUM",
    Kind.BROKEN_LINK: "MEDIUM",
    Kind.AMBIGUOUS_ALIAS: "MEDIUM",
    Kind.RISK: "MEDIUM",
    Kind.NEAR_DUPLICATE: "LOW",
    Kind.REVIEW: "LOW",
    Kind.DUE: "LOW",
    Kind.BELOW_THRESHOLD: "LOW",
    Kind.UNPINNED: "LOW",
    Kind.UNCERTAIN_DATE: "LOW",
    Kind.MISSING_FIELD: "LOW",
    Kind.ORPHAN: "LOW",
}
"""How much each kind weighs."""

HYGIENE: Final = tuple(kind for kind in Kind if kind is not Kind.DUE)
"""The kinds of a hygiene report."""

LINT: Final = (Kind.RISK, Kind.UNPINNED, Kind.REVIEW)
"""The kinds of the linter; with what is due, :attr:`Kind.DUE` comes to them."""

DUE_DAYS: Final[Mapping[str, float]] = {FAST: 7.0, SLOW: 30.0, STABLE: 90.0}
"""How often an entry is to be looked at, by its risk: weekly, monthly, quarterly."""

IMPORTANT: Final = 4
"""From this importance on, what is not pinned is nudged."""

_EXPECTED_DAYS: Final[Mapping[str, tuple[float, float]]] = {
    FAST: (30.0, 60.0),
    SLOW: (61.0, 364.0),
    STABLE: (365.0, math.inf),
}
"""Which half-lives of importance fit a risk, both ends included."""


@frozen
class Step:
    """One operation of a repair.

    Attributes:
        op: of the log (``archive``, ``verify``, …); ``annotate`` changes the file of a note.
        params: as an event says them, without ``op``.
    """

    op: str
    params: Mapping[str, Json]


@frozen
class Choice:
    """One way to repair a finding.

    Attributes:
        name: what it comes to; its text is in the catalogues.
        step: what is done. It is one operation, so that its command is one transaction too.
    """

    name: str
    step: Step


@frozen
class Detail:
    """What is told of a finding.

    Attributes:
        key: of the text that says why.
        values: of that text; instants stand as whole numbers under names that end with ``_at``.
        choices: ways to repair it, the mildest first; none when no command can.
        decision: the choices differ in what becomes true, so somebody must choose.
    """

    key: str
    values: Mapping[str, object]
    choices: tuple[Choice, ...] = ()
    decision: bool = False


@frozen
class Finding:
    """Something that is to be looked at. There may be many, of which few are told.

    Attributes:
        entries: what it is about, first what is repaired.
        detail: gives what is told of it.
        part: tells apart what is about the same entries.
    """

    kind: Kind
    entries: tuple[UUID, ...]
    detail: Callable[[], Detail]
    part: str = ""

    @property
    def severity(self) -> Severity:
        """How much it weighs."""
        return SEVERITY[self.kind]


def fits(ages: HalfLives, *, pinned: bool) -> bool:
    """Whether the risk of an entry fits the half-life of its importance.

    ``fast_decay`` 30 to 60 days and ``slow_decay`` 61 to 364 days, neither pinned; ``stable`` 365
    days and more, or pinned. What never decays counts as pinned.
    """
    low, high = _EXPECTED_DAYS[ages.risk]
    if pinned or math.isinf(ages.decay):
        return ages.risk == STABLE
    return low <= ages.decay <= high


def fitting_risk(ages: HalfLives, *, pinned: bool) -> str | None:
    """The risk that fits the half-life of an entry, or its pin; ``None`` when none does."""
    if pinned:
        return STABLE
    found = (risk for risk, (low, high) in _EXPECTED_DAYS.items() if low <= ages.decay <= high)
    return next(found, None)
