"""Notes, edges and persons on the server, for other programs (port ``Beside``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from damals.adapters.qdrant import engine
from damals.adapters.qdrant.batching import batches, bytes_beside, light_batches
from damals.adapters.qdrant.index import BATCH_POINTS
from damals.adapters.qdrant.server import Server
from damals.app.beside_model import ENDS, KINDS, BesidePoint, Kind

ENTRIES: Final = 1_000
"""How many entries one filter names."""


class QdrantBeside:
    """The three collections beside the chunks, which are there already.

    Args:
        server: what is asked.
        names: of the collections, by kind.
    """

    def __init__(self, server: Server, names: Mapping[Kind, str]) -> None:
        self._server = server
        self._names = names

    def put(self, points: Sequence[BesidePoint]) -> None:
        """Write points, replacing those of the same id."""
        for kind in KINDS:
            its = {point.id: point for point in points if point.kind == kind}
            for batch in light_batches(its.values(), BATCH_POINTS, bytes_beside):
                new = [engine.beside_point(point) for point in batch]
                self._do(kind, "upsert", points=new)

    def forget(self, workspace: str, entry_ids: Iterable[UUID]) -> None:
        """Remove every point of entries, and every edge from or to them."""
        for batch in batches(map(str, entry_ids), ENTRIES):
            for kind in KINDS:
                named = engine.ends_filter(workspace, ENDS[kind], batch)
                self._do(kind, "delete", points_selector=named)

    def count(self, kind: Kind) -> int:
        """How many points a collection holds."""
        name = self._names[kind]
        return self._server.ask(lambda client: client.count(name, exact=True)).count

    def _do(self, kind: Kind, write: str, **given: object) -> None:
        given |= {"wait": True, "ordering": engine.ORDERED}
        name = self._names[kind]
        self._server.ask(lambda client: getattr(client, write)(name, **given))
