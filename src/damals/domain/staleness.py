"""How well an entry is grounded at an instant, and what to say before it is used.

::

    effective grounding = grounding_score · 2^(−days since verified / verification window)

Superseded entries count half. Source: the project's temporal design, "Grounding", "Staleness Flag
Triggers" and the half-lives of its execution protocol.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from damals.domain.entries import Attributes
from damals.domain.instants import DAY
from damals.domain.types import DEFAULT_RISK, RISKS, TypeCatalogue

VERIFICATION_DAYS: Final[Mapping[str, float]] = {
    "fast_decay": 30.0,
    "slow_decay": 180.0,
    "stable": math.inf,
}
"""How long a verification counts, by risk; a domain may say otherwise."""

FAST: Final = "fast_decay"
FAST_DAYS: Final = VERIFICATION_DAYS[FAST]
"""After so many days an entry that ages fast is flagged."""

SUPERSEDED_SHARE: Final = 0.5

Doubt = Literal["unverified", "verified_long_ago"]


@dataclass(frozen=True, slots=True)
class Ageing:
    """How fast what an entry says gets old.

    Attributes:
        risk: one of :data:`damals.domain.types.RISKS`.
        window_days: how long a verification counts; infinite for ever.
    """

    risk: str
    window_days: float


@dataclass(frozen=True, slots=True)
class Checked:
    """When an entry was verified last, or since when it is known, at an asked instant.

    Attributes:
        verified_at: instant of the last verification; ``None`` for never.
        score: that it gave; ``None`` for never.
        since: recorded start of the entry, from which its clock runs until it is verified.
        pinned: it is exempt from getting old.
    """

    verified_at: int | None
    score: float | None
    since: int
    pinned: bool


def ageing(types: TypeCatalogue, has: Attributes) -> Ageing:
    """How an entry ages: as it says, else as its domain does, else as its type does."""
    domain = types.domains.get(has.domain or "")
    known = types.find_type(has.type)
    of_type = known.staleness_risk if known else DEFAULT_RISK
    said = has.staleness_risk if has.staleness_risk in RISKS else None
    risk = said or (domain.risk if domain else of_type)
    named = domain.verification if domain else None
    return Ageing(risk, VERIFICATION_DAYS[risk] if named is None else named)


def effective_grounding(
    checked: Checked, ageing: Ageing, as_of: int, *, superseded: bool = False
) -> float | None:
    """How well an entry is grounded, 0 to 1; ``None`` for one that was never verified."""
    if checked.score is None or checked.verified_at is None:
        return None
    days = max(as_of - checked.verified_at, 0) / DAY
    left = 1.0 if math.isinf(ageing.window_days) else 2.0 ** (-days / ageing.window_days)
    return checked.score * left * (SUPERSEDED_SHARE if superseded else 1.0)


def doubt(checked: Checked, ageing: Ageing, as_of: int) -> Doubt | None:
    """Why an entry is to be verified before it is relied on; ``None`` when it need not be.

    A verification counts for its window. Without one, what is neither stable nor pinned has decayed
    a window after it became known, and what ages fast is flagged after 30 days.
    """
    start = checked.since if checked.verified_at is None else checked.verified_at
    days = max(as_of - start, 0) / DAY
    window = ageing.window_days
    if ageing.risk == FAST:
        window = min(window, FAST_DAYS)
    elif checked.verified_at is None and (checked.pinned or ageing.risk == "stable"):
        return None
    if days <= window:
        return None
    return "unverified" if checked.verified_at is None else "verified_long_ago"
