"""Nearness is the best path, walked both ways, damped with every edge."""

from itertools import pairwise, permutations
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damals.domain.nearness import (
    DAMPING,
    HOPS,
    UNDECLARED,
    Anchor,
    Edge,
    Web,
    graph_context,
    strengths,
)
from damals.domain.types import RelationType, TypeCatalogue


def node(name: str) -> UUID:
    return uuid5(NAMESPACE_OID, name)


def edge(src: str, dst: str, confidence: float = 1.0, relation: str = "r") -> Edge:
    name = f"{src}-{relation}-{dst}-{confidence}"
    return Edge(node(name), relation, node(src), node(dst), confidence)


def web(*edges: Edge) -> Web:
    return Web(edges, lambda one: one.confidence)


def nearness(found: Web, start: str, anchor: str) -> float:
    near = found.nearest([node(start)], [Anchor(node(anchor), "named")])
    return near[node(start)].value if near else 0.0


def test_a_direct_edge_counts_in_full_and_each_further_one_is_damped():
    line = web(edge("a", "b", 0.9), edge("c", "b", 0.8), edge("c", "d"), edge("d", "e"))
    assert nearness(line, "a", "b") == pytest.approx(0.9)
    assert nearness(line, "a", "c") == pytest.approx(0.9 * 0.8 * DAMPING)
    assert nearness(line, "a", "d") == pytest.approx(0.9 * 0.8 * DAMPING**2)
    assert nearness(line, "a", "e") == 0.0, "that is four edges away"


def test_the_path_leads_from_the_entry_to_the_anchor():
    line = web(edge("a", "b"), edge("c", "b"))
    near = line.nearest([node("a")], [Anchor(node("c"), "named")])[node("a")]
    assert near.path == (edge("a", "b"), edge("c", "b"))
    assert near.anchor.entry == node("c")


def test_nothing_is_its_own_anchor():
    line = web(edge("a", "b"))
    near = line.nearest([node("a"), node("b")], [Anchor(node("a"), "candidate", 0.5)])
    assert near.keys() == {node("b")}
    assert near[node("b")].value == 0.5


def test_the_strongest_of_several_edges_counts():
    twice = web(edge("a", "b", 0.2), edge("b", "a", 0.7), edge("a", "b", 0.7, "s"))
    assert nearness(twice, "a", "b") == 0.7
    assert twice.degree(node("a")) == 1


def test_an_edge_that_is_worth_nothing_is_no_edge():
    worth = strengths(
        TypeCatalogue(relations={"dull": RelationType("dull", weight=0.9, scoring=0.0)})
    )
    nothing = Web([edge("a", "b", 1.0, "dull")], worth)
    assert nothing.degree(node("a")) == 0
    assert nearness(nothing, "a", "b") == 0.0


def test_weight_confidence_and_scoring_of_a_relation_are_multiplied():
    known = RelationType("inspired_by", weight=0.6, scoring=0.5)
    worth = strengths(TypeCatalogue(relations={"inspired_by": known}))
    assert worth(edge("a", "b", 0.8, "inspired_by")) == pytest.approx(0.6 * 0.8 * 0.5)
    assert worth(edge("a", "b", 0.8, "unheard_of")) == pytest.approx(UNDECLARED * 0.8)


def test_degree_alone_counts_little_and_ever_less():
    assert graph_context(0.0, 0) == 0.0
    assert graph_context(1.0, 10**6) == pytest.approx(1.0)
    few, many = graph_context(0.0, 5), graph_context(0.0, 50)
    assert 0 < few < many <= 0.1
    assert graph_context(0.0, 55) - many < graph_context(0.0, 10) - few


NAMES = "abcdef"


@given(
    st.dictionaries(
        st.sampled_from([(a, b) for a in NAMES for b in NAMES if a < b]), st.floats(0.05, 1)
    )
)
def test_the_best_path_is_the_best_of_all_paths(weights):
    found = web(*(edge(a, b, worth) for (a, b), worth in weights.items()))

    def brute(start: str, end: str) -> float:
        best = 0.0
        between = [name for name in NAMES if name not in (start, end)]
        for size in range(HOPS):
            for inner in permutations(between, size):
                value = DAMPING**size
                for a, b in pairwise([start, *inner, end]):
                    value *= weights.get((min(a, b), max(a, b)), 0.0)
                best = max(best, value)
        return best

    for end in NAMES[1:]:
        assert nearness(found, "a", end) == pytest.approx(brute("a", end))
