"""What use cases that look at a whole workspace get of each entry."""

from dataclasses import dataclass

from damals.domain.periods import Period
from damals.domain.reserve import Reserve


@dataclass(frozen=True, slots=True)
class StandingEntry:
    """An entry as it is currently known.

    Attributes:
        periods: when it holds, disjoint; at least one.
        reserve: who may see it, by its newest version.
    """

    periods: tuple[Period, ...]
    reserve: Reserve
