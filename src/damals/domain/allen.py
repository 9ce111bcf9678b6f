"""Allen's interval algebra: how two periods can lie to each other, exactly.

Of two half-open periods exactly one of thirteen *base relations* holds. Where their bounds are
imprecise, or where only relations are known, a *set* of base relations stands for "one of these".

Nothing here is a table from a book. A relation is defined by where the first period starts and
ends, seen from the second; inverses and compositions are computed from these places.

Sources: J. F. Allen, "Maintaining knowledge about temporal intervals", 1983, for relations,
inverse and composition; G. Ligozat, "A new proof of tractability for ORD-Horn relations", 1996,
for the places.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from itertools import combinations, product
from typing import Final, overload

from damals.domain.errors import Conflict, InvalidInput
from damals.domain.instants import BEGINNING
from damals.domain.periods import Bound, Period


class AllenRelation(StrEnum):
    """How the first of two periods lies to the second."""

    BEFORE = "before"
    MEETS = "meets"
    OVERLAPS = "overlaps"
    STARTS = "starts"
    DURING = "during"
    FINISHES = "finishes"
    EQUALS = "equals"
    FINISHED_BY = "finished-by"
    CONTAINS = "contains"
    STARTED_BY = "started-by"
    OVERLAPPED_BY = "overlapped-by"
    MET_BY = "met-by"
    AFTER = "after"


AllenSet = frozenset[AllenRelation]
"""One of these holds. The empty set: nothing can."""

ALL_RELATIONS: Final[AllenSet] = frozenset(AllenRelation)
"""Nothing is known."""

Interval = tuple[int, int]
"""Start and end, exclusive: ``start < end``."""

_Places = tuple[int, int]

_BEFORE, AT_START, _INSIDE, AT_END, _BEHIND = range(5)
"""Places of an instant, seen from a period."""

_PLACES: Final[dict[AllenRelation, _Places]] = {
    AllenRelation.BEFORE: (_BEFORE, _BEFORE),
    AllenRelation.MEETS: (_BEFORE, AT_START),
    AllenRelation.OVERLAPS: (_BEFORE, _INSIDE),
    AllenRelation.STARTS: (AT_START, _INSIDE),
    AllenRelation.DURING: (_INSIDE, _INSIDE),
    AllenRelation.FINISHES: (_INSIDE, AT_END),
    AllenRelation.EQUALS: (AT_START, AT_END),
    AllenRelation.FINISHED_BY: (_BEFORE, AT_END),
    AllenRelation.CONTAINS: (_BEFORE, _BEHIND),
    AllenRelation.STARTED_BY: (AT_START, _BEHIND),
    AllenRelation.OVERLAPPED_BY: (_INSIDE, _BEHIND),
    AllenRelation.MET_BY: (AT_END, _BEHIND),
    AllenRelation.AFTER: (_BEHIND, _BEHIND),
}
"""Where the first period starts and ends, seen from the second. This defines the relations."""

_BY_PLACES: Final = {places: relation for relation, places in _PLACES.items()}


def allen(first: Period, second: Period) -> AllenRelation:
    """The relation of ``first`` to ``second``.

    Periods with exact bounds always have one. An open end is one instant like any other, behind
    all that can be given; two open ends are the same.

    Raises:
        InvalidInput: ``allen.several`` when the bounds are so imprecise that more than one
            relation is possible; ``possible_relations`` gives them all.
        Conflict: ``allen.none`` when no reading of the bounds fits both periods.
    """
    possible = possible_relations(first, second)
    if not possible:
        raise Conflict("allen.none")
    if len(possible) > 1:
        raise InvalidInput("allen.several", relations=listed(possible))
    return next(iter(possible))


def possible_relations(first: Period, second: Period) -> AllenSet:
    """The relations that hold in some reading of the bounds, and no other.

    A reading puts every bound at one instant (a whole microsecond) of its range, so that both
    periods are not empty. Bounds of the two periods that are the very same (``Bound.same_as``)
    are at the very same instant in every reading, however imprecise they are. Only where a period
    starts and ends in the very same bound (from ``2024-09`` to ``2024-09``) does this bound name
    two instants, and nothing follows from meeting it again; except that periods whose bounds are
    all the same are the same period.

    Returns:
        One relation when all bounds are exact. Empty only when sharing bounds makes both periods
        impossible together, as in ``[a, b)`` and ``[b, a)``.
    """
    if first.same_as(second):
        return frozenset({AllenRelation.EQUALS})
    bounds = (first.start, first.end, second.start, second.end)
    same = _same_bounds(first, second)
    return frozenset(
        relation
        for relation, ranks in _RANKS.items()
        if all(ranks[one] == ranks[other] for one, other in same) and _has_reading(bounds, ranks)
    )


@overload
def inverse(relation: AllenRelation) -> AllenRelation: ...
@overload
def inverse(relation: AllenSet) -> AllenSet: ...
def inverse(relation: AllenRelation | AllenSet) -> AllenRelation | AllenSet:
    """The relation of the second to the first; of a set, those of all its members."""
    if isinstance(relation, AllenRelation):
        return _inverses()[relation]
    return frozenset(_inverses()[member] for member in relation)


def compose(first: AllenRelation | AllenSet, second: AllenRelation | AllenSet) -> AllenSet:
    """The relations of *a* to *c* that are left when two others are known.

    Args:
        first: of *a* to *b*; a base relation, or a set of which one holds.
        second: of *b* to *c*; as ``first``.
    """
    pairs = product(_members(first), _members(second))
    return frozenset[AllenRelation]().union(*(_compositions()[pair] for pair in pairs))


def relation_between(first: Interval, second: Interval) -> AllenRelation:
    """The relation of two intervals of whole numbers."""
    return _BY_PLACES[_place(first[0], second), _place(first[1], second)]


def places(relation: AllenRelation) -> tuple[int, int]:
    """Where the first period starts and ends, seen from the second.

    Returns:
        Two of: 0 before it, 1 at its start, 2 inside, 3 at its end, 4 behind.
    """
    return _PLACES[relation]


def listed(relations: Iterable[AllenRelation]) -> str:
    """``before, meets``: relations in their fixed order, for people."""
    wanted = frozenset(relations)
    return ", ".join(relation for relation in AllenRelation if relation in wanted)


def _members(relation: AllenRelation | AllenSet) -> AllenSet:
    return frozenset({relation}) if isinstance(relation, AllenRelation) else relation


def _place(instant: int, interval: Interval) -> int:
    start, end = interval
    if instant <= start:
        return AT_START if instant == start else _BEFORE
    if instant >= end:
        return AT_END if instant == end else _BEHIND
    return _INSIDE


def _small_intervals(bounds: int) -> tuple[Interval, ...]:
    """All intervals on ``bounds`` points: every order of that many bounds occurs among them."""
    return tuple(combinations(range(bounds), 2))


@cache
def _inverses() -> dict[AllenRelation, AllenRelation]:
    pairs = product(_small_intervals(4), repeat=2)
    return {relation_between(a, b): relation_between(b, a) for a, b in pairs}


@cache
def _compositions() -> dict[tuple[AllenRelation, AllenRelation], AllenSet]:
    relations = tuple(AllenRelation)
    table = {pair: frozenset[AllenRelation]() for pair in product(relations, relations)}
    intervals = _small_intervals(6)
    between = {pair: relation_between(*pair) for pair in product(intervals, repeat=2)}
    for a, b, c in product(intervals, repeat=3):
        table[between[a, b], between[b, c]] |= {between[a, c]}
    return table


def _ranks(start: int, end: int) -> tuple[int, int, int, int]:
    """The order of the four bounds (start and end of the first, then of the second)."""
    # Twice the places leave room for an end behind a start in the same place.
    at = (2 * start, 2 * end + (start == end), 2 * AT_START, 2 * AT_END)
    order = sorted(set(at))
    return (order.index(at[0]), order.index(at[1]), order.index(at[2]), order.index(at[3]))


_RANKS: Final = {relation: _ranks(*found) for relation, found in _PLACES.items()}


def _same_bounds(first: Period, second: Period) -> list[tuple[int, int]]:
    """Which bounds are at one instant in every reading, as positions among all four."""
    if first.start.same_as(first.end) or second.start.same_as(second.end):
        return []
    ours, theirs = enumerate((first.start, first.end)), ((2, second.start), (3, second.end))
    return [(i, j) for (i, one), (j, other) in product(ours, theirs) if one.same_as(other)]


def _has_reading(bounds: tuple[Bound, ...], ranks: tuple[int, ...]) -> bool:
    """Whether the bounds can lie in this order: each rank as early as it can."""
    at = BEGINNING - 1
    for rank in range(max(ranks) + 1):
        group = [bound for bound, own in zip(bounds, ranks, strict=True) if own == rank]
        at = max(at + 1, *(bound.earliest for bound in group))
        if at > min(bound.latest for bound in group):
            return False
    return True
