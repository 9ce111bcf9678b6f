"""How far what is known reaches, on both clocks: what a reader of the ledger tells of it."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Extent:
    """The outermost instants of all that was ever recorded; ``None`` where there is none.

    Attributes:
        valid_first, valid_last: the earliest and the latest that a bound of valid time can lie.
            Bounds that are open, or known on one side only, do not count.
        recorded_first: when the first entry was recorded.
    """

    valid_first: int | None = None
    valid_last: int | None = None
    recorded_first: int | None = None


class SpanLedger(Protocol):
    """The part of a reader of the ledger that knows how far time reaches in it."""

    def extent(self) -> Extent:
        """The outermost instants of what may be seen; what is hidden or erased does not count."""
        ...
