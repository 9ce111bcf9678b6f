"""What follows from relations between named intervals, and what contradicts itself.

``closure`` is exact: it finds every relation that can still hold and nothing else, or the
constraints that contradict each other. ``path_closure`` is the cheaper, incomplete method of Allen
(1983), for networks beyond the limit of the exact one. How: ``allen_network.py``.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from damals.domain.allen import AllenSet, Interval, listed
from damals.domain.allen_masks import mask_of, relations_of
from damals.domain.allen_network import Edge, Matrix, Search, propagate, restrict, unconstrained
from damals.domain.errors import InvalidInput, NotFound

MAX_INTERVALS: Final = 16
"""How many intervals ``closure`` takes."""

MAX_INTERVALS_OF_PATHS: Final = 100
"""How many intervals ``path_closure`` takes."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One of ``relations`` holds between the intervals ``first`` and ``second``."""

    first: str
    second: str
    relations: AllenSet

    def __str__(self) -> str:
        return f"{self.first} ({listed(self.relations)}) {self.second}"


@dataclass(frozen=True, slots=True)
class Network:
    """What is known of every pair of intervals.

    Attributes:
        intervals: names, in the order in which constraints first name them.
        edges: ``edges[i][j]`` is the relation of ``intervals[i]`` to ``intervals[j]``.
    """

    intervals: tuple[str, ...]
    edges: tuple[tuple[AllenSet, ...], ...]

    def between(self, first: str, second: str) -> AllenSet:
        """The relations that ``first`` may have to ``second``.

        Raises:
            NotFound: ``constraints.no_interval``.
        """
        return self.edges[self._position(first)][self._position(second)]

    def _position(self, name: str) -> int:
        if name not in self.intervals:
            raise NotFound("constraints.no_interval", name=name)
        return self.intervals.index(name)


@dataclass(frozen=True, slots=True)
class Closure(Network):
    """A consistent network with exactly the relations that can hold, and a proof.

    Attributes:
        scenario: for each interval whole numbers ``(start, end)`` that satisfy all constraints;
            a model of the order of the bounds, no dates.
    """

    scenario: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Constraints that cannot hold together, although any of them left out lets the rest hold.

    Attributes:
        conflict: in the order given. There may be other conflicts.
    """

    conflict: tuple[Constraint, ...]


def closure(constraints: Iterable[Constraint]) -> Closure | Inconsistency:
    """All that follows from ``constraints``, exactly.

    Each edge of the closure is minimal: every relation on it holds in some solution. To decide
    that is NP-complete in the number of intervals, so their number and the steps of the search
    have limits; within them the answer is exact, and it is the same each time.

    Raises:
        InvalidInput: ``constraints.too_many`` above ``MAX_INTERVALS`` intervals;
            ``constraints.too_hard`` when the search takes too long.
    """
    given = tuple(dict.fromkeys(constraints))
    names = _names(given, MAX_INTERVALS)
    edges = _tightened(given, names)
    found = None if edges is None else Search().minimal(edges)
    if found is None:
        return Inconsistency(_conflict(given))
    minimal, solution = found
    return Closure(names, _sets(minimal), dict(zip(names, solution, strict=True)))


def path_closure(constraints: Iterable[Constraint]) -> Network | None:
    """What follows from looking at three intervals at a time (path consistency).

    Sound and incomplete: what it removes cannot hold, but what it leaves need not be possible.

    Returns:
        ``None`` when the constraints contradict each other; a network does not prove that they
        do not.

    Raises:
        InvalidInput: ``constraints.too_many`` above ``MAX_INTERVALS_OF_PATHS`` intervals.
    """
    given = tuple(constraints)
    names = _names(given, MAX_INTERVALS_OF_PATHS)
    edges = _tightened(given, names)
    return None if edges is None else Network(names, _sets(edges))


def _names(constraints: Sequence[Constraint], limit: int) -> tuple[str, ...]:
    names = dict.fromkeys(name for c in constraints for name in (c.first, c.second))
    if len(names) > limit:
        raise InvalidInput("constraints.too_many", count=len(names), limit=limit)
    return tuple(names)


def _tightened(constraints: Sequence[Constraint], names: Sequence[str]) -> Matrix | None:
    """The path-consistent network of ``constraints``, or ``None`` when there is none."""
    at = {name: n for n, name in enumerate(names)}
    edges = unconstrained(len(names))
    changed: list[Edge] = []
    for constraint in constraints:
        edge = at[constraint.first], at[constraint.second]
        if restrict(edges, edge, mask_of(constraint.relations)):
            changed.append(edge)
    return edges if propagate(edges, changed) else None


def _is_consistent(constraints: Sequence[Constraint]) -> bool:
    edges = _tightened(constraints, _names(constraints, MAX_INTERVALS))
    return edges is not None and Search().is_consistent(edges)


def _conflict(constraints: tuple[Constraint, ...]) -> tuple[Constraint, ...]:
    """A minimal conflict within inconsistent ``constraints``.

    The last constraint of the shortest inconsistent beginning belongs to every conflict within
    that beginning; it is kept and the rest is searched again, before it. Finding it by bisection
    takes O(log n) questions for each member of the conflict, where leaving out one constraint
    after the other takes n.
    """
    kept: list[Constraint] = []
    rest = constraints
    while _is_consistent(kept):
        length = bisect_left(
            range(len(rest) + 1),
            True,
            key=lambda n, rest=rest: not _is_consistent([*kept, *rest[:n]]),
        )
        kept.append(rest[length - 1])
        rest = rest[: length - 1]
    return tuple(sorted(kept, key=constraints.index))


def _sets(edges: Matrix) -> tuple[tuple[AllenSet, ...], ...]:
    return tuple(tuple(relations_of(mask) for mask in row) for row in edges)
