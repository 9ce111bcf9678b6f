"""The part of ``AttachedDamals`` that looks after what is known."""

from typing import Unpack

from damals.api.hygiene import ReportOptions
from damals.app.hygiene.results import HygieneReport
from damals.attached.owning import Ownership
from damals.remote.transactions import FarChanges


class AttachedUpkeep(FarChanges):
    """Hygiene and the linter; see :class:`damals.api.hygiene.Upkeep`."""

    _home: Ownership

    def hygiene(self, topic: str | None = None, **options: Unpack[ReportOptions]) -> HygieneReport:
        """See :meth:`damals.api.hygiene.Upkeep.hygiene`."""
        return self._home.call(lambda memory: memory.hygiene(topic, **options))

    def lint(self, due: bool = False, **options: Unpack[ReportOptions]) -> HygieneReport:
        """See :meth:`damals.api.hygiene.Upkeep.lint`."""
        return self._home.call(lambda memory: memory.lint(due, **options))
