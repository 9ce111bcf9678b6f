"""The part of ``AttachedDamals`` that looks after what is known."""

from collections.abc import Sequence

from damals.api_params import Instant
from damals.app.hygiene.report import LIMIT
from damals.app.hygiene.results import HygieneReport
from damals.attaching import Ownership
from damals.remote.transactions import FarChanges


class AttachedUpkeep(FarChanges):
    """Hygiene and the linter; see :class:`damals.api_hygiene.Upkeep`."""

    _home: Ownership

    def hygiene(
        self,
        topic: str | None = None,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        kind: Sequence[str] | str | None = None,
        limit: int | None = LIMIT,
    ) -> HygieneReport:
        """See :meth:`damals.api_hygiene.Upkeep.hygiene`."""
        return self._home.call(
            lambda memory: memory.hygiene(
                topic, as_of=as_of, known_at=known_at, kind=kind, limit=limit
            )
        )

    def lint(
        self,
        due: bool = False,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        kind: Sequence[str] | str | None = None,
        limit: int | None = LIMIT,
    ) -> HygieneReport:
        """See :meth:`damals.api_hygiene.Upkeep.lint`."""
        return self._home.call(
            lambda memory: memory.lint(due, as_of=as_of, known_at=known_at, kind=kind, limit=limit)
        )
