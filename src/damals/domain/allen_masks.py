"""Sets of Allen's relations as bit masks: the arithmetic under ``allen_network.py``.

Bit *n* stands for the *n*-th member of ``AllenRelation``.
"""

from functools import cache, lru_cache
from itertools import product
from typing import Final

from damals.domain.allen import AllenRelation, AllenSet, compose, inverse, places

_ORDER: Final = tuple(AllenRelation)
_BITS: Final = {relation: 1 << n for n, relation in enumerate(_ORDER)}

ANY: Final = (1 << len(_ORDER)) - 1
SAME: Final = _BITS[AllenRelation.EQUALS]

_CACHED_COMPOSITIONS: Final = 1 << 16


def mask_of(relations: AllenSet) -> int:
    """The mask of a set."""
    return sum(_BITS[relation] for relation in relations)


def relations_of(mask: int) -> AllenSet:
    """The set of a mask."""
    return frozenset(_ORDER[bit.bit_length() - 1] for bit in bits(mask))


@cache
def bits(mask: int) -> tuple[int, ...]:
    """The masks of the single relations of ``mask``, in their fixed order."""
    return tuple(bit for bit in _BITS.values() if mask & bit)


def mask_of_relation(relation: AllenRelation) -> int:
    """The mask of a single relation."""
    return _BITS[relation]


@cache
def extent(mask: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The least and the greatest place of the start, and of the end (see ``allen.places``)."""
    starts, ends = zip(*(places(relation) for relation in relations_of(mask)), strict=True)
    return (min(starts), max(starts)), (min(ends), max(ends))


@cache
def inverse_mask(mask: int) -> int:
    """As ``allen.inverse``."""
    return mask_of(inverse(relations_of(mask)))


@lru_cache(_CACHED_COMPOSITIONS)
def compose_masks(first: int, second: int) -> int:
    """As ``allen.compose``."""
    found = 0
    for bit in bits(first):
        found |= _compose_one(bit, second)
        if found == ANY:
            break
    return found


@cache
def is_tractable(mask: int) -> bool:
    """Whether ``mask`` belongs to the ORD-Horn subclass, on which path consistency is exact.

    Asked as Ligozat's equivalent property: a set is *pre-convex* when what its convex hull adds to
    it has more coinciding bounds than some member of it has. 867 of the 8191 sets that are not
    empty are; those are asked for here.

    Sources: Nebel & Bürckert, "Reasoning about temporal relations: a maximal tractable subclass
    of Allen's interval algebra", 1995; Ligozat 1996 (see ``allen.py``).
    """
    added = _convex_hull(mask) & ~mask
    freedom = max(_freedom(bit) for bit in bits(mask))
    return all(_freedom(bit) < freedom for bit in bits(added))


@cache
def tractable_parts(mask: int) -> tuple[int, ...]:
    """``mask`` split into few disjoint parts, each ``is_tractable``."""
    parts: list[int] = []
    while mask:
        part = mask
        while not is_tractable(part):
            part = max((part & ~bit for bit in bits(part)), key=_promise)
        parts.append(part)
        mask &= ~part
    return tuple(parts)


def _promise(mask: int) -> tuple[bool, int]:
    """What makes a mask a good next step to a large tractable one: few holes in its hull."""
    return is_tractable(mask), -(_convex_hull(mask) & ~mask).bit_count()


@lru_cache(_CACHED_COMPOSITIONS)
def _compose_one(bit: int, second: int) -> int:
    table = _compositions()
    found = 0
    for other in bits(second):
        found |= table[bit, other]
    return found


@cache
def _compositions() -> dict[tuple[int, int], int]:
    return {
        (_BITS[one], _BITS[other]): mask_of(compose(one, other))
        for one, other in product(_ORDER, repeat=2)
    }


def _freedom(bit: int) -> int:
    """How many of both bounds coincide with no bound of the other period: 0, 1 or 2."""
    return sum(place % 2 == 0 for place in places(_ORDER[bit.bit_length() - 1]))


def _convex_hull(mask: int) -> int:
    """All relations between the least and the greatest places that occur in ``mask``."""
    (low, high), (left, right) = extent(mask)
    return sum(
        bit
        for relation, bit in _BITS.items()
        if low <= places(relation)[0] <= high and left <= places(relation)[1] <= right
    )
