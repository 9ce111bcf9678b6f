"""Accesses: what was returned to someone and when, and what else the life of an entry is made of.

An access is what a question or ``show`` gave to somebody. What was only looked at on the way is
none, and neither are listings, exports and reports. Of an entry and a channel one is kept for each
hour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol
from uuid import UUID

from damals.app.ledger_model import At
from damals.domain.entries import Verification
from damals.domain.instants import SECOND

HOUR: Final = 3600 * SECOND

Channel = Literal["recall", "ask", "show"]


@dataclass(frozen=True, slots=True)
class AccessNote:
    """That some entries were returned to someone.

    Attributes:
        entries: their ids.
        accessed_at: when.
        channel: how.
        principal: to whom; ``None`` for the owner.
    """

    entries: tuple[UUID, ...]
    accessed_at: int
    channel: Channel
    principal: str | None = None

    @property
    def hour(self) -> int:
        """The instant at which the hour of the access began."""
        return self.accessed_at - self.accessed_at % HOUR


class Accesses(Protocol):
    """The accesses of a ledger. Any thread may use it.

    A thread that is inside :meth:`~damals.app.ledger_port.Ledger.write` must not write here.
    """

    def note(self, workspace: str, note: AccessNote) -> None:
        """Note an access, in a write of its own; what was erased meanwhile is left out.

        Of the same entry, channel and person in the same hour the first one stays.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy`` when others write: it does not wait for them.
        """
        ...

    def of(self, workspace: str, entry_id: UUID) -> Sequence[AccessNote]:
        """The accesses of an entry, each with that entry alone, oldest first."""
        ...


class LifeLedger(Protocol):
    """The part of a reader that gives what the life of an entry is derived from."""

    def verifications_at(
        self, entry_ids: Sequence[UUID], at: At
    ) -> Mapping[UUID, tuple[Verification, ...]]:
        """The verifications of each entry at instants that both clocks have reached, in order."""
        ...

    def accessed_at(self, entry_ids: Sequence[UUID], at: At) -> Mapping[UUID, int]:
        """When each entry was last returned to someone, at an instant both clocks have reached."""
        ...

    def lately_accessed(self, since: int, limit: int) -> Sequence[UUID]:
        """The entries that were returned to someone last, at or after an instant, newest first."""
        ...

    def worded_since(self, recorded: Mapping[UUID, int]) -> Mapping[UUID, int]:
        """Since when the words of some entries are recorded.

        Args:
            recorded: of each entry, the recorded start of the version whose title and content are
                meant.
        """
        ...

    def logged_at(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, int]:
        """When the first transaction of each entry was really logged."""
        ...
