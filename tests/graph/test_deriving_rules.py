"""The rules that derive edges, against a reading of each that tries everything."""

import math
from itertools import combinations, product
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damals.domain.derived_parts import Part
from damals.domain.deriving import MAX_MENTIONS, Edge, derived
from damals.domain.errors import InvalidInput
from damals.domain.periods import (
    OPEN_END,
    Period,
    exact,
)
from damals.domain.reserve import Reserve, reserve_of
from damals.domain.types import DeriveRule, RelationType, TypeCatalogue

A, B, C, D, E = (UUID(int=number) for number in range(1, 6))
ALL = (A, B, C, D, E)
RELATIONS = {
    one.name: one
    for one in (
        RelationType("links_to"),
        RelationType("linked_from"),
        RelationType("part_of", transitive=True, inverse="has_part"),
        RelationType("has_part", transitive=True, inverse="part_of"),
        RelationType("same_as", symmetric=True, transitive=True, inverse="same_as"),
        RelationType("related_to", symmetric=True, inverse="related_to"),
        RelationType("inspired_by"),
    )
}
GRID = range(7)


def during(start, end=None):
    return Period(exact(start), OPEN_END if end is None else exact(end))


ALWAYS = during(0)


def catalogue(*rules):
    return TypeCatalogue(relations=RELATIONS, derive=rules)


def edge(src, relation, dst, *periods, confidence=1.0, **more):
    return Edge(src, relation, dst, periods or (ALWAYS,), confidence, **more)


def names(found):
    return [(src.int, relation, dst.int, rule) for src, relation, dst, rule in found]


def at(found, instant):
    """The confidence of each edge that may hold at an instant, without its rule."""
    best = {}
    for (src, relation, dst, _), parts in found.items():
        for part in parts:
            if part.period.possible_at(instant):
                key = (src, relation, dst)
                best[key] = max(best.get(key, 0.0), part.confidence)
    return best


# --- what each rule gives

CLOSURE = DeriveRule("closure", ("part_of",), max_hops=3, confidence=0.5)
INVERSE = DeriveRule("inverse", ("part_of",), confidence=0.5)
BACKLINK = DeriveRule("backlink", ("links_to",), gives="linked_from")
QUOTE = DeriveRule("quote", ("links_to",), gives="inspired_by", confidence=0.8)
TOGETHER = DeriveRule("co_mention", ("links_to",), gives="related_to", confidence=0.4)


def test_an_inverse_is_the_edge_from_its_other_end():
    found = derived([edge(A, "part_of", B, confidence=0.5)], catalogue(INVERSE))
    assert names(found) == [(2, "has_part", 1, "inverse")]
    assert found[B, "has_part", A, "inverse"] == (Part(ALWAYS, 0.25),)


def test_a_backlink_leads_back():
    found = derived([edge(A, "links_to", B)], catalogue(BACKLINK))
    assert names(found) == [(2, "linked_from", 1, "backlink")]


def test_a_closure_joins_chains_up_to_its_length():
    chain = [edge(one, "part_of", two) for one, two in ((A, B), (B, C), (C, D), (D, E))]
    found = derived(chain, catalogue(CLOSURE))
    assert names(found) == [
        (1, "part_of", 3, "closure"),
        (1, "part_of", 4, "closure"),
        (2, "part_of", 4, "closure"),
        (2, "part_of", 5, "closure"),
        (3, "part_of", 5, "closure"),
    ]


def test_the_confidence_of_a_chain_is_the_product_of_its_edges_and_the_rule():
    chain = [edge(A, "part_of", B, confidence=0.9), edge(B, "part_of", C, confidence=0.8)]
    [part] = derived(chain, catalogue(CLOSURE))[A, "part_of", C, "closure"]
    assert math.isclose(part.confidence, 0.9 * 0.8 * 0.5)


def test_of_several_chains_the_surest_counts():
    chains = [
        edge(A, "part_of", B, confidence=0.5),
        edge(B, "part_of", D),
        edge(A, "part_of", C, confidence=0.9),
        edge(C, "part_of", D),
    ]
    [part] = derived(chains, catalogue(CLOSURE))[A, "part_of", D, "closure"]
    assert math.isclose(part.confidence, 0.45)


def test_where_a_surer_chain_does_not_hold_the_other_does():
    chains = [
        edge(A, "part_of", B, confidence=0.5),
        edge(B, "part_of", D),
        edge(A, "part_of", C, during(2, 4)),
        edge(C, "part_of", D),
    ]
    found = derived(chains, catalogue(CLOSURE))[A, "part_of", D, "closure"]
    assert set(found) == {
        Part(during(2, 4), 0.5, premises=(C,)),
        Part(during(0, 2), 0.25, premises=(B,)),
        Part(during(4), 0.25, premises=(B,)),
    }


def test_a_chain_holds_where_all_of_its_edges_hold():
    chain = [edge(A, "part_of", B, during(1, 5)), edge(B, "part_of", C, during(3, 9))]
    [part] = derived(chain, catalogue(CLOSURE))[A, "part_of", C, "closure"]
    assert part.period == during(3, 5)
    apart = [edge(A, "part_of", B, during(1, 3)), edge(B, "part_of", C, during(3, 9))]
    assert derived(apart, catalogue(CLOSURE)) == {}


def test_no_edge_leads_back_to_its_start():
    circle = [edge(one, "part_of", two) for one, two in ((A, B), (B, C), (C, A))]
    found = derived(circle, catalogue(CLOSURE))
    assert names(found) == [
        (1, "part_of", 3, "closure"),
        (2, "part_of", 1, "closure"),
        (3, "part_of", 2, "closure"),
    ]


def test_a_symmetric_relation_is_walked_both_ways_and_given_once():
    found = derived(
        [edge(A, "same_as", B), edge(C, "same_as", B)],
        catalogue(DeriveRule("closure", ("same_as",))),
    )
    assert names(found) == [(1, "same_as", 3, "closure")]


def test_what_is_said_is_not_given_again():
    said = [edge(A, "part_of", B), edge(B, "part_of", C), edge(A, "part_of", C, during(2, 4))]
    found = derived(said, catalogue(CLOSURE))[A, "part_of", C, "closure"]
    assert [part.period for part in found] == [during(0, 2), during(4)]
    both = [edge(A, "part_of", B), edge(B, "has_part", A)]
    assert derived(both, catalogue(INVERSE)) == {}


def test_a_rule_sees_what_the_rules_before_it_gave():
    said = [edge(A, "part_of", B), edge(B, "part_of", C)]
    after = names(derived(said, catalogue(CLOSURE, INVERSE)))
    assert (3, "has_part", 1, "inverse") in after
    before = names(derived(said, catalogue(INVERSE, CLOSURE)))
    assert (3, "has_part", 1, "inverse") not in before


def test_only_what_is_quoted_inspires():
    said = [edge(A, "links_to", B, quoted=True), edge(A, "links_to", C)]
    found = derived(said, catalogue(QUOTE))
    assert found == {(A, "inspired_by", B, "quote"): (Part(ALWAYS, 0.8),)}


def chunk(number):
    return UUID(int=1000 + number)


def mention(number, *mentioned, by=E, period=ALWAYS):
    return [edge(by, "links_to", one, period, evidence=(chunk(number),)) for one in mentioned]


def test_two_that_enough_chunks_mention_together_are_related():
    said = [*mention(1, A, B, C), *mention(2, A, B), *mention(3, A), *mention(4, C)]
    found = derived(said, catalogue(TOGETHER))
    part = Part(ALWAYS, 0.4, (chunk(1), chunk(2)), (E,))
    assert found == {(A, "related_to", B, "co_mention"): (part,)}


def test_they_are_related_from_when_enough_chunks_hold():
    said = [*mention(1, A, B, period=during(1, 9)), *mention(2, A, B, period=during(3, 5))]
    [part] = derived(said, catalogue(TOGETHER))[A, "related_to", B, "co_mention"]
    assert part.period == during(3, 5)


def test_a_chunk_that_lists_too_much_says_nothing():
    many = [UUID(int=number) for number in range(100, 101 + MAX_MENTIONS)]
    said = [*mention(1, *many), *mention(2, *many)]
    assert derived(said, catalogue(TOGETHER)) == {}
    fewer = [*mention(1, *many[1:]), *mention(2, *many[1:])]
    assert len(derived(fewer, catalogue(TOGETHER))) == MAX_MENTIONS * (MAX_MENTIONS - 1) // 2


def test_too_many_edges_are_refused_by_name_of_the_rule():
    hub = [edge(UUID(int=number), "links_to", A) for number in range(10, 30)]
    assert len(derived(hub, catalogue(BACKLINK), limit=20)) == 20
    with pytest.raises(InvalidInput) as error:
        derived(hub, catalogue(BACKLINK), limit=19)
    assert error.value.values == {"rule": "backlink", "limit": 19}


def test_a_dense_net_takes_no_more_steps_than_the_limit_allows():
    net = [edge(one, "part_of", two) for one, two in product(ALL, ALL) if one != two]
    rule = DeriveRule("closure", ("part_of",), max_hops=10)
    assert derived(net, catalogue(rule), limit=100) == {}
    with pytest.raises(InvalidInput):
        derived(net, catalogue(rule), limit=5)


# --- nobody learns of what they may not see

RESTRICTED = reserve_of("restricted", 0, ())


def test_a_chain_over_something_more_reserved_than_its_ends_is_not_told():
    chain = [edge(A, "part_of", B), edge(B, "part_of", C)]
    assert derived(chain, catalogue(CLOSURE), {B: RESTRICTED}) == {}
    assert derived(chain, catalogue(CLOSURE), {B: reserve_of("public", 1, ())}) == {}
    assert derived(chain, catalogue(CLOSURE), {B: reserve_of("public", 0, ("eva",))}) == {}
    assert len(derived(chain, catalogue(CLOSURE), {B: RESTRICTED, A: RESTRICTED})) == 1
    assert len(derived(chain, catalogue(CLOSURE), {C: RESTRICTED})) == 1


def test_another_chain_over_what_everybody_sees_is_told():
    chains = [
        edge(A, "part_of", B),
        edge(B, "part_of", D),
        edge(A, "part_of", C, confidence=0.5),
        edge(C, "part_of", D),
    ]
    [part] = derived(chains, catalogue(CLOSURE), {B: RESTRICTED})[A, "part_of", D, "closure"]
    assert part.confidence == 0.25


def test_what_a_reserved_note_mentions_together_is_not_told():
    said = [*mention(1, A, B), *mention(2, A, B)]
    assert derived(said, catalogue(TOGETHER), {E: RESTRICTED}) == {}
    assert len(derived(said, catalogue(TOGETHER), {E: RESTRICTED, B: RESTRICTED})) == 1


RESERVES = st.builds(
    reserve_of,
    st.sampled_from(["public", "internal", "restricted"]),
    st.integers(0, 3),
    st.sets(st.sampled_from(["a", "b", "c"]), max_size=2),
)


@given(RESERVES, RESERVES, RESERVES)
def test_who_sees_what_is_beside_sees_what_is_within(one, two, three):
    """Against everybody there could be."""
    both = one.beside(two)
    if not three.within(both):
        return
    ceilings = product(["public", "internal", "restricted"], range(4))
    for (visibility, sensitivity), size in product(ceilings, range(4)):
        for own in combinations("abc", size):
            if sees(both, visibility, sensitivity, own):
                assert sees(three, visibility, sensitivity, own)


def sees(reserve: Reserve, visibility, sensitivity, own):
    order = ["public", "internal", "restricted"]
    within = order.index(reserve.visibility) <= order.index(visibility)
    listed = all(set(own) & set(acl) for acl in reserve.acls)
    return within and reserve.sensitivity <= sensitivity and listed


# --- against a reading that tries everything

PERIODS = st.builds(
    lambda start, length: during(start, start + length) if length else during(start),
    st.integers(0, 5), st.integers(0, 3),
)  # fmt: skip
EDGES = st.lists(
    st.builds(
        lambda ends, relation, period, confidence: edge(
            *ends[:1], relation, ends[1], period, confidence=confidence
        ),
        st.lists(st.sampled_from(ALL), min_size=2, max_size=2, unique=True),
        st.sampled_from(["part_of", "same_as"]),
        PERIODS,
        st.sampled_from([1.0, 0.5, 0.25]),
    ),
    max_size=9,
)


def chains(edges, relation, hops, instant):
    """The best confidence of each chain of so many edges, tried one by one."""
    ways = [one for one in edges if one.relation == relation and holds(one, instant)]
    steps = [(one.src, one.dst, one.confidence) for one in ways]
    if RELATIONS[relation].symmetric:
        steps += [(one.dst, one.src, one.confidence) for one in ways]
    best = {}
    for start in ALL:
        frontier = [((start,), 1.0)]
        for _ in range(hops):
            frontier = [
                ((*path, dst), confidence * more)
                for path, confidence in frontier
                for src, dst, more in steps
                if src == path[-1] and dst not in path
            ]
            for path, confidence in frontier:
                if len(path) > 2:
                    key = (path[0], relation, path[-1])
                    best[key] = max(best.get(key, 0.0), confidence)
    return best


def holds(one, instant):
    return any(period.possible_at(instant) for period in one.periods)


@given(EDGES, st.integers(2, 4))
def test_a_closure_is_all_chains_at_each_instant(edges, hops):
    rule = DeriveRule("closure", ("part_of", "same_as"), max_hops=hops)
    found = derived(edges, catalogue(rule))
    for instant in GRID:
        expected = chains(edges, "part_of", hops, instant)
        for (src, relation, dst), one in chains(edges, "same_as", hops, instant).items():
            if src < dst:
                expected[src, relation, dst] = one
        said = {(one.src, one.relation, one.dst) for one in edges if holds(one, instant)}
        said |= {(d, r, s) for s, r, d in said if RELATIONS[r].symmetric}
        left = {key: value for key, value in expected.items() if key not in said}
        assert at(found, instant) == pytest.approx(left)


@given(EDGES)
def test_the_order_of_what_is_said_changes_nothing(edges):
    rules = catalogue(CLOSURE, INVERSE, DeriveRule("closure", ("same_as", "has_part")))
    first, second = derived(edges, rules), derived(edges[::-1], rules)
    assert list(first) == list(second)
    for instant in GRID:
        assert at(first, instant) == at(second, instant)


@given(EDGES)
def test_parts_of_one_edge_do_not_overlap(edges):
    for parts in derived(edges, catalogue(CLOSURE, INVERSE)).values():
        assert parts
        for one, other in combinations(parts, 2):
            assert not one.period.overlaps(other.period)
