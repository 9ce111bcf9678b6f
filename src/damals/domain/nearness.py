"""How near entries stand to each other in the graph, and along which edges.

::

    nearness(c) = max over anchors a ≠ c and paths from c to a of at most 3 edges of
                  strength(a) · Π (weight · confidence · scoring) · damping^(edges − 1)
    graph(c)    = (1 − δ) · nearness(c) + δ · min(1, ln(1 + degree) / ln(1 + full))

One path, the best, decides, so that the path that is shown is the whole reason. A direct edge
counts in full, each further one halves. Degree alone counts little. Source: the project's
knowledge design, sections 11 and 16.3 ("degree, path hops to the anchor").
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from damals.domain.types import TypeCatalogue

HOPS: Final = 3
DAMPING: Final = 0.5
DEGREE_SHARE: Final = 0.1
FULL_DEGREE: Final = 100
"""From so many neighbours on the part of the degree does not grow."""

AnchorKind = Literal["persona", "named", "candidate"]


@dataclass(frozen=True, slots=True)
class EdgeKinds:
    """Which relations of some entries are asked for; ``None`` for all of that direction.

    Attributes:
        leading: names of those that lead from them.
        coming: names of those that come to them.
    """

    leading: frozenset[str] | None = None
    coming: frozenset[str] | None = None


EVERY_KIND: Final = EdgeKinds()


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two entries that both hold where it does.

    Attributes:
        premises: the entries that it follows from beside its ends, where they are known.
    """

    id: UUID
    relation: str
    src: UUID
    dst: UUID
    confidence: float
    premises: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Anchor:
    """An entry that nearness is measured to.

    Attributes:
        strength: how much nearness to it counts, 0 to 1.
    """

    entry: UUID
    kind: AnchorKind
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Near:
    """The best path from an entry to an anchor.

    Attributes:
        value: nearness, 0 to 1.
        path: its edges, from the entry on.
    """

    value: float
    path: tuple[Edge, ...]
    anchor: Anchor


def strengths(types: TypeCatalogue) -> Callable[[Edge], float]:
    """What an edge is worth: the weight and the scoring of its type times its confidence."""
    by_name: dict[str, float] = {}

    def strength(edge: Edge) -> float:
        found = by_name.get(edge.relation)
        if found is None:
            declared = types.find_relation(edge.relation)
            found = declared.weight * declared.scoring if declared else UNDECLARED
            by_name[edge.relation] = found
        return found * edge.confidence

    return strength


UNDECLARED: Final = 0.5
"""Worth of a relation whose type is declared no more."""


class Web:
    """Edges around some entries, and the paths along them. Edges are walked both ways."""

    def __init__(self, edges: Iterable[Edge], strength: Callable[[Edge], float]) -> None:
        """Of several edges between two entries the strongest counts, of those the first by id."""
        self._next: dict[UUID, dict[UUID, tuple[float, Edge]]] = {}
        for edge in edges:
            worth = strength(edge)
            if worth > 0.0 and edge.src != edge.dst:
                self._keep(edge.src, edge.dst, worth, edge)
                self._keep(edge.dst, edge.src, worth, edge)

    def _keep(self, near: UUID, far: UUID, worth: float, edge: Edge) -> None:
        known = self._next.setdefault(near, {})
        there = known.get(far)
        if there is None or (-worth, edge.id) < (-there[0], there[1].id):
            known[far] = (worth, edge)

    def degree(self, entry: UUID) -> int:
        """To how many other entries an entry stands in some relation."""
        return len(self._next.get(entry, ()))

    def neighbours(self, entries: Collection[UUID], most: int) -> list[UUID]:
        """What is one edge away from some entries, the strongest first, at most so many."""
        best: dict[UUID, float] = {}
        for entry in entries:
            for far, (worth, _) in self._next.get(entry, {}).items():
                best[far] = max(worth, best.get(far, 0.0))
        ordered = sorted(best, key=lambda far: (-best[far], far))
        return ordered[:most]

    def reached(self, anchor: Anchor) -> Mapping[UUID, Near]:
        """What lies within :data:`HOPS` edges of an anchor, each with its best path to it."""
        best: dict[UUID, Near] = {anchor.entry: Near(anchor.strength, (), anchor)}
        front: dict[UUID, Near] = dict(best)
        for hop in range(HOPS):
            damping = 1.0 if hop == 0 else DAMPING
            step: dict[UUID, Near] = {}
            for entry, near in front.items():
                for far, (worth, edge) in self._next.get(entry, {}).items():
                    found = Near(near.value * worth * damping, (edge, *near.path), anchor)
                    if _better(found, step.get(far)) and _better(found, best.get(far)):
                        step[far] = found
            best |= step
            front = step
        del best[anchor.entry]
        return best

    def nearest(self, entries: Collection[UUID], anchors: Sequence[Anchor]) -> dict[UUID, Near]:
        """The best path of each entry to another that is an anchor; none for what has none."""
        best: dict[UUID, Near] = {}
        wanted = frozenset(entries)
        for anchor in anchors:
            for entry, found in self.reached(anchor).items():
                if entry in wanted and _better(found, best.get(entry)):
                    best[entry] = found
        return best


def graph_context(nearness: float, degree: int) -> float:
    """The graph part of a score before its weight, 0 to 1."""
    linked = min(1.0, math.log1p(degree) / math.log1p(FULL_DEGREE))
    return (1.0 - DEGREE_SHARE) * nearness + DEGREE_SHARE * linked


def _better(one: Near, than: Near | None) -> bool:
    """Whether a path counts more; the shorter of two that count the same, then by its edges."""
    if than is None:
        return True
    return _order(one) < _order(than)


def _order(near: Near) -> tuple[float, int, tuple[UUID, ...]]:
    return -near.value, len(near.path), tuple(edge.id for edge in near.path)
