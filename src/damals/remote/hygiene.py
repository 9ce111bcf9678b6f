"""The part of ``RemoteDamals`` that looks after what is known."""

from collections.abc import Mapping
from typing import Unpack

from damals.api.hygiene import ReportOptions
from damals.app.hygiene.report import LIMIT
from damals.app.hygiene.results import HygieneReport
from damals.remote.asking import Asking
from damals.remote.encoding import all_or


class RemoteUpkeep(Asking):
    """Hygiene and the linter; see :class:`damals.api.hygiene.Upkeep`."""

    def hygiene(self, topic: str | None = None, **options: Unpack[ReportOptions]) -> HygieneReport:
        """See :meth:`damals.api.hygiene.Upkeep.hygiene`."""
        return self._report("hygiene", {"topic": topic}, options)

    def lint(self, due: bool = False, **options: Unpack[ReportOptions]) -> HygieneReport:
        """See :meth:`damals.api.hygiene.Upkeep.lint`."""
        return self._report("lint", {"due": due}, options)

    def _report(
        self, name: str, said: Mapping[str, object], options: ReportOptions
    ) -> HygieneReport:
        limit = all_or(options.get("limit", LIMIT))
        asked = {**said, **options, "limit": limit}
        return self._read(HygieneReport, self._get(self._path(name), asked))
