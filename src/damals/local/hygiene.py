"""The part of ``LocalDamals`` that looks after what is known."""

from dataclasses import replace
from typing import Unpack

from damals.api.hygiene import ReportOptions
from damals.app.hygiene import asking
from damals.app.hygiene.asking import Order, Tools
from damals.app.hygiene.report import LIMIT
from damals.app.hygiene.results import HygieneReport
from damals.app.looking import Asked, several
from damals.app.stages import stage, tell
from damals.local.home import OpenHome


class LocalUpkeep(OpenHome):
    """Hygiene and the linter; see :class:`damals.api.hygiene.Upkeep`."""

    def hygiene(self, topic: str | None = None, **options: Unpack[ReportOptions]) -> HygieneReport:
        """See :meth:`damals.api.hygiene.Upkeep.hygiene`."""
        return self._looked_after(replace(_order(options), topic=topic))

    def lint(self, due: bool = False, **options: Unpack[ReportOptions]) -> HygieneReport:
        """See :meth:`damals.api.hygiene.Upkeep.lint`."""
        return self._looked_after(replace(_order(options), linter=True, due=due))

    def _looked_after(self, order: Order) -> HygieneReport:
        parts = self._parts
        with stage("hygiene"), self._reader() as reader:
            tools = Tools(parts.clock, parts.words, parts.ages, parts.accesses, self._asker.owns)
            found = asking.look(reader, tools, order)
        if self._asker.owns and not (order.linter or order.topic or order.kinds):
            tell("hygiene", {one.kind: one.count for one in found.kinds})
        return found


def _order(options: ReportOptions) -> Order:
    asked = Asked(options.get("as_of"), options.get("known_at"))
    kinds, limit = several(options.get("kind")), options.get("limit", LIMIT)
    return Order(asked, kinds=kinds, limit=limit)
