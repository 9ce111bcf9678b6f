"""The part of ``LocalDamals`` that is about how entries stand to each other."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from damals import messages
from damals.api.params import Instant
from damals.app import deriving, graph, looking, people
from damals.app.deriving_types import types_of
from damals.app.graph_results import DeriveReport, Graph, People
from damals.app.looking import Asked
from damals.domain.access import Right
from damals.domain.types import TypeCatalogue
from damals.local.home import OpenHome

_TRIALS: Final = 3
"""So often others may change something meanwhile before they are made to wait."""


class LocalGraphs(OpenHome):
    """The graph, persons and derived edges; see :class:`damals.api.graph.Graphs`."""

    def graph(  # noqa: PLR0913 -- the documented parameters of a graph
        self,
        id: str,
        *,
        depth: int = 1,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        type: Sequence[str] | str | None = None,
        limit: int | None = 100,
        degree: int | None = None,
    ) -> Graph:
        """See :meth:`damals.api.graph.Graphs.graph`."""
        around = graph.Around(depth, looking.several(type), limit, degree)
        with self._reader() as reader:
            at, parts = Asked(as_of, known_at), self._parts
            return graph.graph(reader, parts.clock, id, at, around, parts.ages)

    def people(self) -> People:
        """See :meth:`damals.api.graph.Graphs.people`."""
        with self._reader() as reader:
            found = people.people(reader, self._parts.clock, self._parts.persona)
        said = tuple(messages.text(key, None, **values) for key, values in found.caveats)
        return People(found.people, found.persona, said)

    def derive(self, *, dry_run: bool = False) -> DeriveReport:
        """See :meth:`damals.api.graph.Graphs.derive`."""
        self._require(Right.ADMINISTER)
        clock = self._parts.clock
        started = clock()
        with self._alone():
            types = self._types_to_derive()
        # What is derived follows from everything; what is counted is what the asker sees.
        seen = self._seen_to_derive(types) if dry_run or not self._asker.owns else None
        done = None if dry_run else self._derived(types)
        report = seen or done
        if seen and done:
            numbers = done.transactions if seen.added or seen.ended else ()
            last = numbers[-1] if numbers else None
            report = replace(seen, transaction=last, transactions=numbers, dry_run=False)
        spent = max(clock() - started, 0) / 1_000_000
        return replace(cast("DeriveReport", report), seconds=round(spent, 3))

    def _types_to_derive(self) -> TypeCatalogue:
        with self._reader() as reader:
            return types_of(reader.unrestricted(), self._parts.vaults.types)

    def _derived(self, types: TypeCatalogue) -> DeriveReport:
        """Work out what follows while others may write, and record it where none of them did."""
        course = deriving.Course(self._parts.tools, deriving.Wanted(types, self._asker.name))
        trials, left = 0, True
        with self._ledger().read(self._workspace) as reader:
            course.look(reader)
        while left:
            with self._alone(), self._ledger().write(self._workspace) as writer:
                stale = not course.fits(writer)
                if stale and trials == _TRIALS:
                    course.look(writer)
                if not stale or trials == _TRIALS:
                    left = course.step(writer)
                    continue
            trials += 1
            with self._ledger().read(self._workspace) as reader:
                course.look(reader)
        return course.report()

    def _seen_to_derive(self, types: TypeCatalogue) -> DeriveReport:
        with self._reader() as reader:
            return deriving.would(reader, types)
