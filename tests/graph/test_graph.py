"""The graph around an entry, at any pair of instants."""

import pytest

from damals.domain.access import Principal
from damals.errors import InvalidInput, NotFound


def remember(memory, *names, **fields):
    for name in names:
        memory.remember(name, external_id=name, valid_from="2020-01-01", **fields)


def titles(found):
    return [(node.hops, node.title) for node in found.nodes]


def edges(found):
    names = {node.id: node.title for node in found.nodes}
    return [(names[one.src_id], one.type, names[one.dst_id]) for one in found.edges]


@pytest.fixture
def chain(memory):
    """A is part of B, B of C, C of D; E depends on A."""
    remember(memory, "A", "B", "C", "D", "E")
    for src, dst in ("AB", "BC", "CD"):
        memory.relate(src, "part_of", dst)
    memory.relate("E", "depends_on", "A", confidence=0.5)
    return memory


def test_one_hop_shows_what_an_entry_says_and_what_is_said_of_it(chain):
    found = chain.graph("A")
    assert titles(found) == [(0, "A"), (1, "B"), (1, "E")]
    assert edges(found) == [("A", "part_of", "B"), ("E", "depends_on", "A")]
    assert [edge.confidence for edge in found.edges] == [1.0, 0.5]


def test_each_hop_goes_on_from_what_the_one_before_reached(chain):
    assert titles(chain.graph("A", depth=2)) == [(0, "A"), (1, "B"), (1, "E"), (2, "C")]
    assert titles(chain.graph("A", depth=3))[-1] == (3, "D")


def test_only_relations_of_the_asked_types_are_followed(chain):
    assert titles(chain.graph("A", depth=3, type="Depends on")) == [(0, "A"), (1, "E")]


def test_a_circle_is_walked_once(chain):
    chain.relate("D", "part_of", "A")
    found = chain.graph("A", depth=10)
    assert len(found.nodes) == 5
    assert len(found.edges) == 5


def test_a_limit_is_said_and_leaves_no_edge_without_its_ends(chain):
    found = chain.graph("A", depth=3, limit=2)
    assert titles(found) == [(0, "A"), (1, "B")]
    assert edges(found) == [("A", "part_of", "B")]
    assert found.truncated
    assert not chain.graph("A", depth=3, limit=5).truncated
    assert not chain.graph("A", depth=3, limit=None).truncated


def test_of_many_neighbours_as_many_are_shown_as_the_limit_allows(memory):
    remember(memory, "Nabe")
    with memory.transaction():
        for number in range(450):
            remember(memory, f"Speiche {number}", relations=[{"type": "part_of", "dst": "Nabe"}])
    found = memory.graph("Nabe", limit=300)
    assert len(found.nodes) == 300
    assert len(found.edges) == 299
    assert found.truncated
    again = memory.graph("Nabe", limit=300)
    assert (found.nodes, found.edges) == (again.nodes, again.edges)


def test_no_entry_shows_more_neighbours_than_its_degree_and_each_says_what_it_leaves_out(memory):
    remember(memory, "Nabe", "Achse")
    memory.relate("Achse", "depends_on", "Nabe")
    with memory.transaction():
        for number in range(30):
            remember(memory, f"Speiche {number}", relations=[{"type": "part_of", "dst": "Nabe"}])
    around = memory.graph("Achse", depth=2, degree=5, limit=100)
    assert [(node.title, node.left_out) for node in around.nodes[:2]] == [
        ("Achse", 0),
        ("Nabe", 25),
    ]
    assert len(around.nodes) == 1 + 1 + 5
    assert {node.left_out for node in around.nodes[2:]} == {None}
    assert around.truncated
    everything = memory.graph("Achse", depth=2, degree=31)
    assert len(everything.nodes) == 32
    assert not everything.truncated


def test_a_limit_is_counted_as_left_out_like_a_degree(memory):
    remember(memory, "Nabe")
    with memory.transaction():
        for number in range(450):
            remember(memory, f"Speiche {number}", relations=[{"type": "part_of", "dst": "Nabe"}])
    found = memory.graph("Nabe", limit=300)
    assert found.nodes[0].left_out == 451 - 300
    again = memory.graph("Nabe", degree=20)
    assert (len(again.nodes), again.nodes[0].left_out) == (21, 430)


def test_what_comes_in_by_another_way_keeps_its_edge_to_an_entry_that_had_no_room_for_it(memory):
    remember(memory, "A", "B", "C")
    for src, dst in ("AB", "AC", "BC"):
        memory.relate(src, "related_to", dst)
    found = memory.graph("A", depth=2, degree=1)
    assert [node.hops for node in found.nodes] == [0, 1, 2]
    assert len(found.edges) == 3
    assert [node.left_out for node in found.nodes] == [0, 0, None]
    assert not found.truncated


@pytest.mark.parametrize("degree", [0, -1, 10_001, True, "viele"])
def test_a_degree_that_is_none_is_refused(chain, degree):
    with pytest.raises(InvalidInput):
        chain.graph("A", degree=degree)


def test_the_graph_is_that_of_the_asked_pair(chain):
    number = chain.log().transactions[-1].recorded_at
    chain.unrelate("A", "part_of", "B")
    chain.end("E", "2022-01-01", reason="vorbei")
    assert titles(chain.graph("A", as_of="2023-01-01")) == [(0, "A")]
    assert titles(chain.graph("A", as_of="2021-01-01")) == [(0, "A"), (1, "E")]
    assert titles(chain.graph("A", as_of="2023-01-01", known_at=number)) == [
        (0, "A"),
        (1, "B"),
        (1, "E"),
    ]


def test_what_was_superseded_is_shown_and_not_walked_from(chain):
    chain.update("B", "B neu", "x", reason="r", external_id="B2", valid_from="2023-01-01")
    found = chain.graph("A", depth=2, as_of="2024-01-01")
    assert [(node.title, node.status, node.certainty) for node in found.nodes[:2]] == [
        ("A", "active", "certain"),
        ("B", "superseded", None),
    ]
    assert (2, "C") not in titles(found)
    assert titles(chain.graph("A", depth=2, as_of="2021-01-01"))[-1] == (2, "C")


def test_what_is_archived_is_shown_and_not_walked_from(chain):
    chain.archive("B", reason="r")
    found = chain.graph("A", depth=3)
    assert ("B", "archived") in [(node.title, node.status) for node in found.nodes]
    assert (2, "C") not in titles(found)


def test_an_entry_that_does_not_hold_says_nothing(chain):
    chain.end("E", "2022-01-01", reason="vorbei")
    assert titles(chain.graph("E")) == [(0, "E")]
    with pytest.raises(NotFound, match=r"E"):
        chain.graph("E", as_of="2023-01-01")


def test_a_link_to_nothing_is_shown_as_such(memory, tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nSiehe [[Nirgends]] und [[b]].\n", encoding="utf-8")
    (folder / "b.md").write_text("# B\n", encoding="utf-8")
    memory.import_(folder)
    [a] = [one for one in memory.entries() if one.title == "A"]
    found = memory.graph(a.id, depth=2)
    shown = {node.title: (node.unresolved, node.type, node.status) for node in found.nodes}
    assert shown == {
        "A": (False, "note", "active"),
        "B": (False, "note", "active"),
        "Nirgends": (True, None, None),
    }


def test_who_may_not_see_an_entry_sees_neither_it_nor_its_edges(chain):
    chain.correct("B", visibility="restricted", reason="r")
    seen = chain.under(Principal("gast", visibility="internal"))
    assert titles(seen.graph("A", depth=3)) == [(0, "A"), (1, "E")]
    with pytest.raises(NotFound):
        seen.graph("B")


def test_relations_that_ask_for_a_higher_ceiling_are_hidden(memory):
    remember(memory, "A", "B", visibility="public")
    memory.relate("A", "friend_of", "B")
    memory.relate("A", "part_of", "B")
    seen = memory.under(Principal("gast", visibility="public"))
    assert edges(seen.graph("A")) == [("A", "part_of", "B")]
    seen = memory.under(Principal("gast", visibility="internal"))
    assert len(seen.graph("A").edges) == 2


@pytest.mark.parametrize("depth", [0, 11, -1, True, "zwei"])
def test_a_depth_that_means_nothing_is_refused(chain, depth):
    with pytest.raises(InvalidInput):
        chain.graph("A", depth=depth)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_shows_nothing_is_refused(chain, limit):
    with pytest.raises(InvalidInput):
        chain.graph("A", limit=limit)


def test_unknown_and_erased_entries_have_no_graph(chain):
    chain.erase("entry", "D")
    for name in ("D", "nirgends"):
        with pytest.raises(NotFound):
            chain.graph(name)
    assert (3, "D") not in titles(chain.graph("A", depth=3))
