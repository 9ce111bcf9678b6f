"""The part of ``Damals`` that is about how entries stand to each other."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from damals.api.params import Instant
from damals.app.graph_results import DeriveReport, Graph, People


class Graphs(ABC):
    """The graph of relations, the persons in it, and edges that follow from others."""

    @abstractmethod
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
        """What lies around an entry at a pair of instants: nodes and edges, in a fixed order.

        Args:
            id: id or external id.
            depth: so many edges away at most, 1 to 10.
            as_of: when it holds; now by default.
            known_at: what was known by then; all by default.
            type: only relations of any of these types.
            limit: nodes at most, the entry itself included; ``None`` for all.
            degree: neighbours of each entry at most, so that one with thousands hides no others;
                ``None`` for all.

        Raises:
            NotFound: ``entry.unknown``, ``entry.erased``, ``entry.not_then``.
            InvalidInput: ``field.range``, ``limit.invalid``.
        """

    @abstractmethod
    def people(self) -> People:
        """The persons that hold now: of type ``person``, or notes in a folder ``person``.

        The default persona is the one that the setting ``persona`` names, else the only one that
        says ``relation_to_owner: self``.
        """

    @abstractmethod
    def derive(self, *, dry_run: bool = False) -> DeriveReport:
        """Add the edges that follow from others by the rules of ``types.yaml``.

        Edges that the rules give no longer end. What is said is never replaced or hidden, and
        doing it twice changes nothing.

        Args:
            dry_run: say what would be done, and do nothing.

        Raises:
            InvalidInput: ``derive.too_many``, ``transaction.open``.
            Denied: ``access.right`` for whoever may not administer.
        """
