"""The part of ``Damals`` that looks after what is known: hygiene and the linter."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypedDict, Unpack

from damals.api.params import Instant
from damals.app.hygiene.results import HygieneReport


class ReportOptions(TypedDict, total=False):
    """Which findings a report tells, and of when.

    Attributes:
        as_of: the day that counts as today; now by default.
        known_at: what was known by then; all by default.
        kind: only findings of any of these kinds.
        limit: so many findings of each kind, 10 by default; ``None`` for all. All of them are
            counted.
    """

    as_of: Instant | None
    known_at: Instant | None
    kind: Sequence[str] | str | None
    limit: int | None


class Upkeep(ABC):
    """What is to be looked at in a workspace, why, and the command that repairs it."""

    @abstractmethod
    def hygiene(self, topic: str | None = None, **options: Unpack[ReportOptions]) -> HygieneReport:
        """Findings about a whole workspace, grouped by kind and ranked by effective importance.

        Nothing is changed by it, and nothing is an access.

        Args:
            topic: words that an entry of each finding must all say; ``None`` for everything.
            options: which findings are told, and of when.

        Raises:
            InvalidInput: ``field.choice`` for a kind, ``limit.invalid``, ``diff.topic_empty``.
        """

    @abstractmethod
    def lint(self, due: bool = False, **options: Unpack[ReportOptions]) -> HygieneReport:
        """Fields that do not fit each other, and what is past its window: REVIEW.

        Args:
            due: look at what is due by its risk, and at nothing else: weekly, monthly or
                quarterly since its last verification, or its recorded start.
            options: which findings are told, and of when.

        Raises:
            InvalidInput: ``field.choice`` for a kind, ``limit.invalid``.
        """
