"""The part of ``LocalDamals`` that looks after what is known."""

from collections.abc import Sequence

from damals.api_params import Instant
from damals.app import looking
from damals.app.hygiene import asking
from damals.app.hygiene.asking import Order, Tools
from damals.app.hygiene.report import LIMIT
from damals.app.hygiene.results import HygieneReport
from damals.app.looking import Asked
from damals.local_home import OpenHome


class LocalUpkeep(OpenHome):
    """Hygiene and the linter; see :class:`damals.api_hygiene.Upkeep`."""

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
        kinds = looking.several(kind)
        return self._looked_after(Order(Asked(as_of, known_at), topic, kinds, limit))

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
        kinds = looking.several(kind)
        order = Order(Asked(as_of, known_at), None, kinds, limit, linter=True, due=due)
        return self._looked_after(order)

    def _looked_after(self, order: Order) -> HygieneReport:
        parts = self._parts
        with self._reader() as reader:
            tools = Tools(parts.clock, parts.words, parts.ages, parts.accesses)
            return asking.look(reader, tools, order)
