"""The part of ``RemoteDamals`` that is about how entries stand to each other."""

from collections.abc import Sequence

from damals.api.params import Instant
from damals.app.graph_results import DeriveReport, Graph, People
from damals.remote.asking import Asking
from damals.remote.encoding import all_or, named


class RemoteGraphs(Asking):
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
        asked = {
            "depth": depth, "as_of": as_of, "known_at": known_at, "type": type,
            "limit": all_or(limit), "degree": degree,
        }  # fmt: skip
        return self._read(Graph, self._get(self._path("graph", named(id)), asked))

    def people(self) -> People:
        """See :meth:`damals.api.graph.Graphs.people`."""
        return self._read(People, self._get(self._path("people")))

    def derive(self, *, dry_run: bool = False) -> DeriveReport:
        """See :meth:`damals.api.graph.Graphs.derive`."""
        with self._alone():
            told = self._post(self._path("derive"), {"dry_run": dry_run}).document
        return self._read(DeriveReport, told)
