"""Allen's relations are what their names say, and their algebra is what intervals do."""

import operator
from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from damals.domain.allen import (
    ALL_RELATIONS,
    AllenRelation,
    AllenSet,
    allen,
    compose,
    inverse,
    listed,
    places,
    possible_relations,
    relation_between,
)
from damals.domain.allen_masks import (
    bits,
    compose_masks,
    inverse_mask,
    is_tractable,
    mask_of,
    relations_of,
    tractable_parts,
)
from damals.domain.errors import Conflict, InvalidInput
from damals.domain.periods import (
    OPEN_END,
    Bound,
    BoundKind,
    Period,
    exact,
    unknown_end,
    unknown_start,
)

A = AllenRelation
RELATIONS = list(AllenRelation)
SETS = st.frozensets(st.sampled_from(RELATIONS))
SMALL = list(combinations(range(7), 2))
LOW = -4
"""Behind it lie all exact bounds here; before it nothing new can be read."""


def meanings(first: tuple[int, int], second: tuple[int, int]) -> dict[str, bool]:
    """What each name means for ``[a, b)`` and ``[c, d)``, in the words of Allen's paper."""
    (a, b), (c, d) = first, second
    return {
        "before": b < c,
        "meets": b == c,
        "overlaps": a < c < b < d,
        "starts": a == c and b < d,
        "during": c < a and b < d,
        "finishes": c < a and b == d,
        "equals": a == c and b == d,
        "finished-by": a < c and b == d,
        "contains": a < c and d < b,
        "started-by": a == c and d < b,
        "overlapped-by": c < a < d < b,
        "met-by": d == a,
        "after": d < a,
    }


def meant(first: tuple[int, int], second: tuple[int, int]) -> AllenRelation:
    (name,) = [name for name, holds in meanings(first, second).items() if holds]
    return AllenRelation(name)


def period(start: int, end: int | None) -> Period:
    return Period(exact(start), OPEN_END if end is None else exact(end))


def span(earliest: int, latest: int, text: str = "range") -> Bound:
    return Bound(earliest, latest, BoundKind.RANGE, text)


# The thirteen relations


def test_the_relations_have_the_names_of_the_field():
    assert {str(relation) for relation in AllenRelation} == meanings((0, 1), (0, 1)).keys()
    assert len(ALL_RELATIONS) == 13


def test_of_two_intervals_exactly_the_relation_holds_that_is_meant():
    found = Counter(relation_between(a, b) for a, b in product(SMALL, SMALL))
    assert found.keys() == ALL_RELATIONS
    for a, b in product(SMALL, SMALL):
        assert relation_between(a, b) is meant(a, b)
        assert allen(period(*a), period(*b)) is meant(a, b)
        assert possible_relations(period(*a), period(*b)) == {meant(a, b)}


def test_periods_are_half_open_so_the_end_of_one_may_be_the_start_of_the_next():
    assert allen(period(1, 3), period(3, 5)) is A.MEETS
    assert allen(period(1, 3), period(4, 5)) is A.BEFORE
    assert allen(period(1, 4), period(3, 5)) is A.OVERLAPS


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((1, None), (1, None), A.EQUALS),
        ((1, None), (2, None), A.FINISHED_BY),
        ((2, None), (1, None), A.FINISHES),
        ((1, None), (1, 5), A.STARTED_BY),
        ((1, None), (2, 5), A.CONTAINS),
        ((1, 3), (2, None), A.OVERLAPS),
        ((1, 3), (3, None), A.MEETS),
        ((1, 2), (3, None), A.BEFORE),
        ((3, None), (1, 2), A.AFTER),
    ],
)
def test_an_open_end_lies_behind_everything_and_equals_another(first, second, expected):
    assert allen(period(*first), period(*second)) is expected


# Inverse and composition


def test_the_inverse_is_the_relation_read_from_the_other_side():
    for a, b in product(SMALL, SMALL):
        assert inverse(meant(a, b)) is meant(b, a)
    assert inverse(A.MEETS) is A.MET_BY


@settings(max_examples=100, deadline=None)
@given(SETS, SETS)
def test_the_inverse_undoes_itself_and_turns_a_composition_around(r: AllenSet, s: AllenSet):
    assert inverse(inverse(r)) == r
    assert inverse(r | s) == inverse(r) | inverse(s)
    assert inverse(compose(r, s)) == compose(inverse(s), inverse(r))


def test_the_composition_table_is_what_all_small_intervals_show():
    table = {pair: set() for pair in product(RELATIONS, RELATIONS)}
    between = {(a, b): meant(a, b) for a, b in product(SMALL, SMALL)}
    for a, b, c in product(SMALL, SMALL, SMALL):
        table[between[a, b], between[b, c]].add(between[a, c])
    for (r, s), expected in table.items():
        assert compose(r, s) == expected, (r, s)


def test_the_composition_table_has_the_published_shape():
    sizes = Counter(len(compose(r, s)) for r, s in product(RELATIONS, RELATIONS))
    assert sizes == {1: 97, 3: 42, 5: 24, 9: 3, 13: 3}
    assert compose(A.OVERLAPS, A.DURING) == {A.OVERLAPS, A.STARTS, A.DURING}
    assert compose(A.BEFORE, A.AFTER) == ALL_RELATIONS


@settings(max_examples=50, deadline=None)
@given(SETS, SETS, SETS)
def test_sets_compose_member_by_member_with_equals_as_one(r: AllenSet, s: AllenSet, t: AllenSet):
    assert compose(r, s | t) == compose(r, s) | compose(r, t)
    assert compose(compose(r, s), t) == compose(r, compose(s, t))
    assert compose(r, A.EQUALS) == r == compose(frozenset({A.EQUALS}), r)
    assert compose(r, frozenset()) == frozenset()


def test_relations_are_listed_in_a_fixed_order():
    assert listed({A.MET_BY, A.BEFORE, A.EQUALS}) == "before, equals, met-by"


# Imprecise bounds

INSTANTS = st.integers(0, 6)
RANGES = st.builds(lambda at, width: span(at, at + width), INSTANTS, st.integers(1, 3))
STARTS = st.one_of(INSTANTS.map(exact), RANGES, INSTANTS.map(unknown_start))
ENDS = st.one_of(INSTANTS.map(exact), RANGES, INSTANTS.map(unknown_end), st.just(OPEN_END))


@st.composite
def periods(draw: st.DrawFn) -> Period:
    start, end = draw(st.tuples(STARTS, ENDS).filter(lambda b: b[0].earliest < b[1].latest))
    return Period(start, end)


def readings(bound: Bound) -> range:
    return range(max(bound.earliest, LOW), bound.latest + 1)


def brute_force(first: Period, second: Period) -> set[AllenRelation]:
    bounds = (first.start, first.end, second.start, second.end)
    across = [(0, 2), (0, 3), (1, 2), (1, 3)]
    if first.same_as(second):
        same = [(0, 2), (1, 3)]
    elif first.start.same_as(first.end) or second.start.same_as(second.end):
        same = []
    else:
        same = [(i, j) for i, j in across if bounds[i].same_as(bounds[j])]
    return {
        meant(at[:2], at[2:])
        for at in product(*map(readings, bounds))
        if at[0] < at[1] and at[2] < at[3] and all(at[i] == at[j] for i, j in same)
    }


R = span(2, 5)


@settings(max_examples=150, deadline=None)
@given(periods(), periods())
@example(Period(R, exact(9)), Period(R, exact(7)))
@example(Period(R, R), Period(R, R))
@example(Period(R, R), Period(R, exact(9)))
@example(Period(R, span(3, 6)), Period(span(3, 6), R))
@example(Period(unknown_start(3), unknown_end(3)), Period(exact(1), exact(3)))
def test_imprecise_bounds_leave_the_relations_of_all_their_readings(one: Period, other: Period):
    assert possible_relations(one, other) == brute_force(one, other)


@settings(max_examples=150, deadline=None)
@given(periods(), periods())
def test_seen_from_the_other_side_the_inverses_are_possible(one: Period, other: Period):
    assert possible_relations(other, one) == inverse(possible_relations(one, other))


@settings(max_examples=150, deadline=None)
@given(periods(), periods())
def test_periods_overlap_when_a_relation_with_a_shared_instant_is_possible(
    one: Period, other: Period
):
    if one.start.same_as(one.end) or other.start.same_as(other.end):
        return
    apart = {A.BEFORE, A.MEETS, A.MET_BY, A.AFTER}
    assert one.overlaps(other) == bool(possible_relations(one, other) - apart)


def test_the_very_same_bound_is_one_instant_however_imprecise_it_is():
    assert allen(Period(exact(0), R), Period(R, OPEN_END)) is A.MEETS
    assert allen(Period(R, exact(8)), Period(span(2, 5, "as written elsewhere"), OPEN_END)) is (
        A.STARTS
    )
    assert possible_relations(Period(exact(0), R), Period(span(2, 6), OPEN_END)) == {
        A.BEFORE,
        A.MEETS,
        A.OVERLAPS,
    }


def test_imprecise_bounds_may_leave_one_relation_all_the_same():
    assert allen(Period(span(0, 2), span(3, 4)), Period(span(5, 6), OPEN_END)) is A.BEFORE


def test_a_mark_of_uncertainty_changes_no_relation():
    marked = Period(Bound(1, 1, BoundKind.EXACT, "1~", uncertain=True), exact(3))
    assert allen(marked, period(1, 3)) is A.EQUALS


def test_several_possible_relations_are_refused_where_one_is_asked_for():
    with pytest.raises(InvalidInput) as caught:
        allen(Period(exact(0), R), Period(span(2, 6), OPEN_END))
    assert caught.value.key == "allen.several"
    assert caught.value.values == {"relations": "before, meets, overlaps"}


def test_shared_bounds_that_contradict_each_other_leave_no_relation():
    one, other = Period(R, span(3, 6)), Period(span(3, 6), R)
    assert possible_relations(one, other) == frozenset()
    with pytest.raises(Conflict) as caught:
        allen(one, other)
    assert caught.value.key == "allen.none"


# Masks and the tractable subclass


@settings(max_examples=100, deadline=None)
@given(SETS, SETS)
def test_masks_calculate_as_sets_do(r: AllenSet, s: AllenSet):
    assert relations_of(mask_of(r)) == r
    assert relations_of(inverse_mask(mask_of(r))) == inverse(r)
    assert relations_of(compose_masks(mask_of(r), mask_of(s))) == compose(r, s)
    assert sum(bits(mask_of(r))) == mask_of(r)


TRACTABLE = [mask for mask in range(1, 1 << 13) if is_tractable(mask)]


def test_the_tractable_sets_are_as_many_as_published():
    # 868 with the empty set: Nebel & Bürckert 1995.
    assert len(TRACTABLE) == 867


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TRACTABLE), st.sampled_from(TRACTABLE))
def test_the_tractable_sets_are_closed(r: int, s: int):
    for mask in (inverse_mask(r), compose_masks(r, s), r & s):
        assert mask == 0 or is_tractable(mask)


def test_every_set_is_split_into_tractable_parts():
    for mask in range(1 << 13):
        parts = tractable_parts(mask)
        assert all(map(is_tractable, parts))
        assert sum(parts) == mask
        assert not any(operator.and_(*pair) for pair in combinations(parts, 2))


def test_places_are_seen_from_the_second_period():
    assert (places(A.MEETS), places(A.STARTED_BY)) == ((0, 1), (1, 4))
