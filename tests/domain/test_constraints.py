"""What follows from constraints between intervals is found exactly, and so is what contradicts."""

from functools import cache
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.domain.allen import ALL_RELATIONS, AllenRelation, AllenSet, inverse, relation_between
from damals.domain.allen_network import Search, propagate, unconstrained
from damals.domain.constraints import (
    MAX_INTERVALS,
    MAX_INTERVALS_OF_PATHS,
    Closure,
    Constraint,
    Inconsistency,
    closure,
    path_closure,
)
from damals.domain.errors import InvalidInput, NotFound

A = AllenRelation
RELATIONS = list(AllenRelation)
NAMES = "abcd"

Intervals = tuple[tuple[int, int], ...]


def says(first: str, relations: AllenSet | set[AllenRelation], second: str) -> Constraint:
    return Constraint(first, second, frozenset(relations))


@cache
def arrangements(count: int) -> frozenset[Intervals]:
    """Every way in which so many intervals can lie to each other, once."""
    if count == 0:
        return frozenset({()})
    found: set[Intervals] = set()
    for intervals in arrangements(count - 1):
        # Between two bounds there is room for a whole interval.
        wide = [(3 * start, 3 * end) for start, end in intervals]
        top = max((end for _, end in wide), default=0)
        for added in combinations(range(-2, top + 3), 2):
            ranks = {at: n for n, at in enumerate(sorted({at for i in (*wide, added) for at in i}))}
            found.add(tuple((ranks[start], ranks[end]) for start, end in (*wide, added)))
    return frozenset(found)


@cache
def related(count: int) -> tuple[dict[tuple[str, str], AllenRelation], ...]:
    return tuple(
        {
            (one, other): relation_between(first, second)
            for (one, first), (other, second) in product(
                zip(NAMES, intervals, strict=False), repeat=2
            )
        }
        for intervals in arrangements(count)
    )


def solutions(constraints: list[Constraint]) -> list[dict[tuple[str, str], AllenRelation]]:
    """All arrangements of ``a``, ``b``, … that satisfy the constraints."""
    names = {name for c in constraints for name in (c.first, c.second)}
    count = 1 + max((NAMES.index(name) for name in names), default=-1)
    return [
        between
        for between in related(count)
        if all(between[c.first, c.second] in c.relations for c in constraints)
    ]


@st.composite
def constraints(draw: st.DrawFn) -> list[Constraint]:
    names = NAMES[: draw(st.integers(3, 4))]
    few = st.frozensets(st.sampled_from(RELATIONS), min_size=1, max_size=3)
    many = st.frozensets(st.sampled_from(RELATIONS), min_size=1, max_size=8)
    pairs = draw(st.lists(st.sampled_from(list(product(names, repeat=2))), max_size=8))
    proper = [pair for pair in pairs if pair[0] != pair[1]]
    every = draw(st.booleans())
    chosen = [*combinations(names, 2)] if every else proper
    return [Constraint(one, other, draw(few | many)) for one, other in chosen]


def assert_satisfied(found: Closure, given_constraints: list[Constraint]) -> None:
    for c in given_constraints:
        at = found.scenario
        assert relation_between(at[c.first], at[c.second]) in c.relations, str(c)


def test_the_brute_force_here_knows_all_arrangements():
    # 1, 13, 409, 23917: the published numbers.
    assert [len(arrangements(count)) for count in (1, 2, 3, 4)] == [1, 13, 409, 23917]


@settings(max_examples=60, deadline=None)
@given(constraints())
def test_the_closure_is_exactly_what_all_solutions_show(given_constraints: list[Constraint]):
    every = solutions(given_constraints)
    found = closure(given_constraints)
    assert isinstance(found, Closure) == bool(every)
    if isinstance(found, Closure):
        for pair in product(found.intervals, repeat=2):
            assert found.between(*pair) == {between[pair] for between in every}
        assert_satisfied(found, given_constraints)


@settings(max_examples=60, deadline=None)
@given(constraints())
def test_a_conflict_is_minimal(given_constraints: list[Constraint]):
    found = closure(given_constraints)
    if isinstance(found, Closure):
        return
    conflict = list(found.conflict)
    assert solutions(conflict) == []
    for n in range(len(conflict)):
        assert solutions([*conflict[:n], *conflict[n + 1 :]]) != []
    positions = [given_constraints.index(c) for c in conflict]
    assert positions == sorted(positions)


@settings(max_examples=40, deadline=None)
@given(constraints())
def test_paths_are_sound_and_lose_no_solution(given_constraints: list[Constraint]):
    found, tight = closure(given_constraints), path_closure(given_constraints)
    if tight is None:
        assert isinstance(found, Inconsistency)
    elif isinstance(found, Closure):
        for pair in product(found.intervals, repeat=2):
            assert found.between(*pair) <= tight.between(*pair)
    for c in given_constraints:
        assert tight is None or tight.between(c.first, c.second) <= c.relations


KAUTZ = [
    says("a", {A.FINISHES, A.FINISHED_BY}, "b"),
    says("c", {A.MEETS, A.STARTS}, "a"),
    says("c", {A.MEETS, A.STARTS}, "b"),
    says("a", {A.DURING, A.CONTAINS}, "d"),
    says("b", {A.DURING, A.CONTAINS}, "d"),
    says("c", {A.OVERLAPS}, "d"),
]
"""Allen 1983 shows a network of this kind, due to Kautz: each three intervals agree, all do not."""


def test_a_contradiction_that_no_three_intervals_show_is_found():
    tight = path_closure(KAUTZ)
    assert tight is not None
    assert all(tight.between(c.first, c.second) == c.relations for c in KAUTZ)
    assert solutions(KAUTZ) == []
    assert closure(KAUTZ) == Inconsistency(tuple(KAUTZ))


def test_a_conflict_leaves_out_what_has_no_part_in_it():
    circle = [says(*c) for c in (("a", {A.BEFORE}, "b"), ("b", {A.MEETS}, "c"))]
    closing = says("a", {A.AFTER, A.DURING}, "c")
    found = closure(
        [says("c", {A.BEFORE}, "d"), circle[0], says("x", {A.MEETS}, "y"), circle[1], closing]
    )
    assert found == Inconsistency((*circle, closing))


def test_what_follows_is_found_over_several_steps():
    found = closure(
        [
            says("Kanzlei", {A.STARTS, A.STARTED_BY}, "Mietvertrag"),
            says("Mietvertrag", {A.BEFORE, A.MEETS}, "Umbau"),
            says("Umbau", {A.MEETS}, "Neubau"),
        ]
    )
    assert isinstance(found, Closure)
    assert found.between("Mietvertrag", "Neubau") == {A.BEFORE}
    assert found.between("Kanzlei", "Neubau") == {
        A.BEFORE,
        A.MEETS,
        A.OVERLAPS,
        A.FINISHED_BY,
        (A.CONTAINS),
    }
    assert found.between("Neubau", "Kanzlei") == inverse(found.between("Kanzlei", "Neubau"))


def test_constraints_on_one_pair_add_up_from_both_sides():
    found = closure([says("a", {A.BEFORE, A.MEETS}, "b"), says("b", {A.MET_BY, A.CONTAINS}, "a")])
    assert isinstance(found, Closure)
    assert found.between("a", "b") == {A.MEETS}


def test_an_interval_equals_itself():
    found = closure([says("a", {A.EQUALS, A.BEFORE}, "a")])
    assert isinstance(found, Closure)
    assert found.between("a", "a") == {A.EQUALS}
    odd = says("a", {A.BEFORE}, "a")
    assert closure([says("a", {A.BEFORE}, "b"), odd]) == Inconsistency((odd,))


def test_a_constraint_that_leaves_nothing_is_a_conflict_of_its_own():
    nothing = says("a", set(), "b")
    assert closure([says("a", {A.BEFORE}, "b"), nothing]) == Inconsistency((nothing,))
    assert path_closure([nothing]) is None


def test_nothing_given_is_consistent():
    assert closure([]) == Closure((), (), {})


def test_unrelated_intervals_may_lie_anyhow():
    found = closure([says("a", {A.MEETS}, "b"), says("x", {A.MEETS}, "y")])
    assert isinstance(found, Closure)
    assert found.between("a", "x") == ALL_RELATIONS


def test_a_name_that_no_constraint_has_is_not_found():
    found = path_closure([says("a", {A.MEETS}, "b")])
    assert found is not None
    with pytest.raises(NotFound) as caught:
        found.between("a", "z")
    assert (caught.value.key, caught.value.values) == ("constraints.no_interval", {"name": "z"})


def test_a_constraint_reads_as_a_sentence():
    assert str(says("a", {A.MEETS, A.BEFORE}, "b")) == "a (before, meets) b"


def planted(count: int, seed: int) -> tuple[list[Constraint], dict[str, tuple[int, int]]]:
    """Constraints that known intervals satisfy, weakened at random."""
    random = Random(seed)
    at = {f"i{n}": tuple(sorted(random.sample(range(2 * count), 2))) for n in range(count)}
    found = [
        says(one, {relation_between(at[one], at[other]), *random.sample(RELATIONS, 4)}, other)
        for one, other in combinations(at, 2)
        if random.random() < 0.6
    ]
    return found, at


@pytest.mark.parametrize("seed", range(3))
def test_larger_networks_keep_what_is_known_to_be_possible(seed: int):
    given_constraints, at = planted(9, seed)
    found = closure(given_constraints)
    assert isinstance(found, Closure)
    assert_satisfied(found, given_constraints)
    for one, other in product(found.intervals, repeat=2):
        assert relation_between(at[one], at[other]) in found.between(one, other)


def test_the_same_constraints_give_the_same_answer():
    given_constraints, _ = planted(7, 11)
    assert closure(given_constraints) == closure(given_constraints)


@pytest.mark.parametrize(
    ("find", "limit"), [(closure, MAX_INTERVALS), (path_closure, MAX_INTERVALS_OF_PATHS)]
)
def test_too_many_intervals_are_refused_with_their_number(find, limit: int):
    chain = [says(f"i{n}", {A.MEETS}, f"i{n + 1}") for n in range(limit)]
    with pytest.raises(InvalidInput) as caught:
        find(chain)
    assert caught.value.key == "constraints.too_many"
    assert caught.value.values == {"count": limit + 1, "limit": limit}
    at_limit = find(chain[:-1])
    assert at_limit.between("i0", f"i{limit - 1}") == {A.BEFORE}


def test_a_search_that_takes_too_long_says_so():
    edges = unconstrained(5)
    assert propagate(edges, [])
    with pytest.raises(InvalidInput) as caught:
        Search(max_steps=3).minimal(edges)
    assert (caught.value.key, caught.value.values) == ("constraints.too_hard", {"steps": 3})
