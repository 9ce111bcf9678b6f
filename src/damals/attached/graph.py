"""The part of ``AttachedDamals`` that is about how entries stand to each other."""

from collections.abc import Sequence

from damals.api.params import Instant
from damals.app.graph_results import DeriveReport, Graph, People
from damals.attached.owning import Ownership
from damals.remote.transactions import FarChanges


class AttachedGraphs(FarChanges):
    """The graph, persons and derived edges; see :class:`damals.api.graph.Graphs`."""

    _home: Ownership

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
        return self._home.call(
            lambda memory: memory.graph(
                id,
                depth=depth,
                as_of=as_of,
                known_at=known_at,
                type=type,
                limit=limit,
                degree=degree,
            )
        )

    def people(self) -> People:
        """See :meth:`damals.api.graph.Graphs.people`."""
        return self._home.call(lambda memory: memory.people())

    def derive(self, *, dry_run: bool = False) -> DeriveReport:
        """See :meth:`damals.api.graph.Graphs.derive`."""
        with self._alone():
            return self._home.call(lambda memory: memory.derive(dry_run=dry_run))
