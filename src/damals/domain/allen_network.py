"""Networks of numbered intervals: tightening, and the search that makes it exact.

A network is a square matrix of masks (``allen_masks.py``): ``edges[i][j]`` holds what interval *i*
can be to interval *j*, ``edges[j][i]`` its inverse.

*Path consistency* removes from each edge what no third interval allows. That costs
O(intervals³) and is sound, but leaves some contradictions unseen (Allen 1983). It is exact on the
ORD-Horn subclass, so the search splits other edges into parts of that subclass and tries them with
backtracking (Nebel & Bürckert 1995; Nebel, "Solving hard qualitative temporal reasoning problems",
1997). Deciding consistency is NP-complete: a search stops at a fixed number of steps.
"""

from collections.abc import Iterable
from itertools import combinations, product
from typing import Final

from damals.domain.allen import AT_END, AT_START, Interval, relation_between
from damals.domain.allen_masks import (
    ANY,
    SAME,
    bits,
    compose_masks,
    extent,
    inverse_mask,
    is_tractable,
    mask_of_relation,
    tractable_parts,
)
from damals.domain.errors import InvalidInput

Matrix = list[list[int]]
Edge = tuple[int, int]

MAX_STEPS: Final = 5_000
"""How often one search tightens a network. Most networks of 16 intervals need 1,000 to 3,500."""


def unconstrained(count: int) -> Matrix:
    """A network of ``count`` intervals of which nothing is known."""
    return [[SAME if i == j else ANY for j in range(count)] for i in range(count)]


def restrict(edges: Matrix, edge: Edge, mask: int) -> bool:
    """Leaves only ``mask`` on an edge, without looking further; whether that changed it."""
    i, j = edge
    kept = edges[i][j] & mask
    if kept == edges[i][j]:
        return False
    edges[i][j] = kept
    edges[j][i] = inverse_mask(kept)
    return True


def propagate(edges: Matrix, changed: Iterable[Edge]) -> bool:
    """Makes a network path-consistent in place, starting from the edges that changed.

    Returns:
        Whether every edge has something left. If not, the network is inconsistent and the matrix
        is left half-way.
    """
    queue = dict.fromkeys(changed)
    if any(edges[i][j] == 0 for i, j in queue):
        return False
    while queue:
        (i, j), _ = queue.popitem()
        for k in range(len(edges)):
            # An edge that meets itself composes to what it already was: k may be i or j.
            for far, mask in (
                ((i, k), compose_masks(edges[i][j], edges[j][k])),
                ((k, j), compose_masks(edges[k][i], edges[i][j])),
            ):
                if edges[far[0]][far[1]] & ~mask:
                    restrict(edges, far, mask)
                    if edges[far[0]][far[1]] == 0:
                        return False
                    queue[min(far), max(far)] = None
    return True


def generic_solution(edges: Matrix) -> list[Interval]:
    """Intervals that satisfy a tractable, path-consistent network, with few coinciding bounds.

    In such a network all relations with the most freedom that the convex hull of each edge allows
    can hold at once, and a pre-convex edge contains them (Ligozat 1996). So bounds coincide only
    where they must; everything else follows the partial order of the hulls.
    """
    sides = tuple(product(range(len(edges)), (0, 1)))
    below = {side: [other for other in sides if _is_below(edges, other, side)] for side in sides}
    order = sorted(sides, key=lambda side: len(below[side]))
    rank = {side: n for n, side in enumerate(order)}
    at = {side: min(rank[other] for other in below[side] if side in below[other]) for side in sides}
    return [(at[i, 0], at[i, 1]) for i in range(len(edges))]


def _is_below(edges: Matrix, lower: tuple[int, int], upper: tuple[int, int]) -> bool:
    """Whether one bound (number of the interval, 0 start or 1 end) is never behind another."""
    (i, side), (j, upper_side) = lower, upper
    return extent(edges[i][j])[side][1] <= (AT_START, AT_END)[upper_side]


class Search:
    """One exact question to a path-consistent network, with its budget of steps."""

    def __init__(self, max_steps: int = MAX_STEPS) -> None:
        self._left = self._budget = max_steps

    def is_consistent(self, edges: Matrix) -> bool:
        """Whether some intervals satisfy all edges.

        Raises:
            InvalidInput: ``constraints.too_hard``, as every method here.
        """
        return self._tractable(edges) is not None

    def minimal(self, edges: Matrix) -> tuple[Matrix, list[Interval]] | None:
        """The network with nothing left on any edge that cannot be, and one solution.

        A relation stays when a solution with it was found. Every solution shows one relation of
        each edge, so most need no search of their own.

        Returns:
            The minimal network and intervals that satisfy it; ``None`` when there are none.
        """
        found = self._tractable(edges)
        if found is None:
            return None
        seen = [[0] * len(edges) for _ in edges]
        self._look(found, seen)
        solution = generic_solution(found)
        for i, j in combinations(range(len(edges)), 2):
            for bit in bits(edges[i][j] & ~seen[i][j]):
                if bit & seen[i][j]:
                    continue
                refined = self._refined(edges, (i, j), bit)
                found = None if refined is None else self._tractable(refined)
                if found is not None:
                    self._look(found, seen)
        return seen, solution

    def _look(self, edges: Matrix, seen: Matrix) -> None:
        """Adds to ``seen`` the relations of solutions of a tractable, path-consistent network.

        Such a network stays tractable when one edge is set to one relation, so each relation
        takes one step to be decided within it.
        """
        _add(generic_solution(edges), seen)
        for i, j in combinations(range(len(edges)), 2):
            for bit in bits(edges[i][j]):
                refined = None if bit & seen[i][j] else self._refined(edges, (i, j), bit)
                if refined is not None:
                    _add(generic_solution(refined), seen)

    def _tractable(self, edges: Matrix) -> Matrix | None:
        """A consistent refinement all of whose edges are tractable."""
        edge = _edge_to_split(edges)
        if edge is None:
            return edges
        for part in tractable_parts(edges[edge[0]][edge[1]]):
            refined = self._refined(edges, edge, part)
            found = None if refined is None else self._tractable(refined)
            if found is not None:
                return found
        return None

    def _refined(self, edges: Matrix, edge: Edge, mask: int) -> Matrix | None:
        """A tighter copy, path-consistent, or ``None`` when that empties an edge."""
        if self._left == 0:
            raise InvalidInput("constraints.too_hard", steps=self._budget)
        self._left -= 1
        copy = [row[:] for row in edges]
        if restrict(copy, edge, mask) and not propagate(copy, [edge]):
            return None
        return copy


def _add(solution: list[Interval], seen: Matrix) -> None:
    for (i, one), (j, other) in product(enumerate(solution), repeat=2):
        seen[i][j] |= mask_of_relation(relation_between(one, other))


def _edge_to_split(edges: Matrix) -> Edge | None:
    """The edge with the fewest parts among those that are not tractable."""
    open_edges = [
        (len(tractable_parts(edges[i][j])), i, j)
        for i, j in combinations(range(len(edges)), 2)
        if not is_tractable(edges[i][j])
    ]
    return min(open_edges)[1:] if open_edges else None
