"""The graph: drawn with JavaScript, and as a list without it, never as a hairball."""

import re

import pytest
from served_pages import Look
from visiting import Visit

from damals.interfaces.web.pages.graph import MOST_NEIGHBOURS, MOST_NODES
from damals.local import LocalDamals

NAMES = ".nodes .name"
TITLES = ".nodes .name > a"


@pytest.fixture
def chain(home: LocalDamals) -> LocalDamals:
    """A is part of B, B of C; D depends on A since 2024; A was part of E until 2022."""
    for name in "ABCDE":
        home.remember(name, external_id=name, valid_from="2020-01-01")
    home.relate("A", "part_of", "B")
    home.relate("B", "part_of", "C")
    home.relate("D", "depends_on", "A", valid_from="2024-01-01", confidence=0.5)
    home.relate("A", "part_of", "E", valid_to="2022-01-01")
    return home


@pytest.fixture
def hub(home: LocalDamals) -> LocalDamals:
    """An axis that depends on a hub with hundreds of spokes."""
    home.remember("Nabe", external_id="Nabe", valid_from="2020-01-01")
    home.remember("Achse", external_id="Achse", valid_from="2020-01-01",
                  relations=[{"type": "depends_on", "dst": "Nabe"}])  # fmt: skip
    with home.transaction("Speichen"):
        for number in range(300):
            home.remember(f"Speiche {number}", valid_from="2020-01-01",
                          relations=[{"type": "part_of", "dst": "Nabe"}])  # fmt: skip
    return home


def titles(shown) -> list[str]:
    return [node.all("a, span")[0].text for node in shown.all(NAMES)]


def edges(shown) -> list[str]:
    return shown.texts(".nodes .edge")


def test_the_list_says_how_entries_stand_to_each_other_each_edge_once(
    pages: Visit, chain: LocalDamals
):
    del chain
    shown = pages.get("graph", id="A", depth="2")
    assert shown.one("main h2").text == "A"
    assert (titles(shown)[0], sorted(titles(shown)[1:3]), titles(shown)[3:]) == (
        "A",
        ["B", "D"],
        ["C"],
    )
    told = edges(shown)
    assert len(told) == 3
    assert any("depends_on" in one and "50" in one for one in told)
    assert [node.text for node in shown.all(".hops [aria-hidden=true]")] == ["0", "1", "1", "2"]


def test_the_graph_is_that_of_the_asked_pair_and_its_links_keep_it(
    pages: Visit, chain: LocalDamals
):
    del chain
    shown = pages.get("graph", id="A", as_of="2021-06-01")
    assert (titles(shown)[0], sorted(titles(shown)[1:])) == ("A", ["B", "E"])
    assert "2021-06-01" in shown.one("p.read-back").text
    assert all("as_of=2021-06-01" in node["href"] for node in shown.all(".nodes a"))


def test_only_relations_of_the_asked_types_are_shown(pages: Visit, chain: LocalDamals):
    del chain
    shown = pages.get("graph", id="A", depth="2", type="depends on")
    assert titles(shown) == ["A", "D"]


def test_the_drawing_is_told_the_same_as_the_list(pages: Visit, chain: LocalDamals):
    del chain
    shown = pages.get("graph", id="A", depth="2", as_of="2025-01-01")
    document = pages.get(shown.one("[data-graph]")["data-graph"]).answer.json()
    assert [node["title"] for node in document["nodes"]] == titles(shown)
    assert len(document["edges"]) == len(edges(shown))
    pages_of = [node["page"] for node in document["nodes"]]
    assert pages_of == [
        node["href"] for node in shown.all(".nodes .name a") if "entries" in node["href"]
    ]
    assert all("as_of=2025-01-01" in node["centre"] for node in document["nodes"])


def test_a_hub_leaves_room_for_others_and_says_what_is_left_out(pages: Visit, hub: LocalDamals):
    del hub
    shown = pages.get("graph", id="Achse", depth="3")
    assert titles(shown)[:2] == ["Achse", "Nabe"]
    assert len(titles(shown)) == 2 + MOST_NEIGHBOURS
    assert str(300 - MOST_NEIGHBOURS) in shown.one(".nodes .hint").text
    assert shown.one("[role=status] strong").text


def test_never_are_more_entries_shown_than_can_be_read(pages: Visit, home: LocalDamals):
    with home.transaction("Baum"):
        home.remember("0", external_id="0", valid_from="2020-01-01")
        for number in range(1, 400):
            above = [{"type": "part_of", "dst": str((number - 1) // 12)}]
            name = str(number)
            home.remember(name, external_id=name, valid_from="2020-01-01", relations=above)
    shown = pages.get("graph", id="0", depth="4")
    assert len(titles(shown)) == MOST_NODES
    assert str(MOST_NODES) in shown.one("[role=status] strong").text


def test_without_an_entry_some_are_offered_to_begin_with(pages: Visit, chain: LocalDamals):
    del chain
    shown = pages.get("graph")
    first = shown.all("main .cards a")[0]
    assert first.text == "A"  # it has the most relations
    assert titles(pages.get(first["href"]))[0] == "A"


def test_words_that_are_no_id_find_entries_to_choose_from(pages: Visit, home: LocalDamals):
    home.remember("Müller GmbH", "Metallbau in Lemgo", valid_from="2020-01-01")
    shown = pages.get("graph", id="Metallbau")
    assert shown.status == 200
    assert shown.texts("main .cards a") == ["Müller GmbH"]


def test_an_entry_without_relations_is_told_to_stand_alone(pages: Visit, home: LocalDamals):
    home.remember("Allein", external_id="allein", valid_from="2020-01-01")
    shown = pages.get("graph", id="allein")
    assert titles(shown) == ["Allein"]
    assert shown.one(".empty").text
    assert not shown.all("[data-graph]")


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"id": "zzz"}, 404),
        ({"id": "A", "depth": "99"}, 400),
        ({"id": "A", "depth": "weit"}, 400),
        ({"id": "A", "as_of": "irgendwann"}, 400),
        ({"id": "A", "as_of": "1999-01-01"}, 404),
        ({"as_of": "irgendwann"}, 400),
    ],
)
def test_what_cannot_be_shown_is_told_and_what_was_typed_stays(
    pages: Visit, chain: LocalDamals, asked: dict[str, str], status: int
):
    del chain
    shown = pages.get("graph", **asked)
    assert shown.status == status
    assert shown.problem
    kept = shown.form("#id").fields
    assert kept["id"] == [asked.get("id", "")]
    assert kept["as_of"] == [asked.get("as_of", "")]


def test_hidden_entries_are_neither_nodes_nor_counted(pages: Visit, hub: LocalDamals):
    for entry in hub.entries(limit=None):
        if entry.title.startswith("Speiche") and int(entry.title.split()[1]) >= 5:
            hub.correct(entry.id, reason="geheim", visibility="restricted")
    shown = pages.as_("lea", "reader").get("graph", id="Achse", depth="2")
    assert len(titles(shown)) == 2 + 5
    assert not shown.all(".nodes .hint, [role=status] strong")


def test_a_choice_without_a_pointer_unfolds_the_neighbours_of_an_entry(
    browser_page: Look, chain: LocalDamals
):
    del chain
    page = browser_page.go("graph?id=D&depth=1")
    graph = page.locator("[data-graph][data-nodes='2']")
    graph.wait_for()
    page.get_by_label("Entry in the drawing").select_option(label="A")
    page.get_by_role("button", name="Unfold neighbours").press("Enter")
    page.locator("[data-graph][data-nodes='3']").wait_for()
    options = page.locator("#graph-choice option").all_inner_texts()
    assert sorted(options[1:]) == ["A", "B", "D"]
    assert page.get_by_role("button", name="Unfold neighbours").is_hidden()
    assert browser_page.mischief == []


def test_another_depth_is_drawn_without_leaving_the_page(browser_page: Look, chain: LocalDamals):
    del chain
    page = browser_page.go("graph?id=D&depth=1")
    page.locator("[data-graph][data-nodes='2']").wait_for()
    page.get_by_label("How far").select_option("3")
    page.locator("[data-graph][data-nodes='4']").wait_for()
    assert "depth=3" in page.url
    assert browser_page.mischief == []


def test_without_javascript_the_list_is_all_there_is_and_says_it_all(tab, chain: LocalDamals):
    del chain
    page = tab(java_script_enabled=False).go("graph?id=A&depth=2")
    assert page.locator(".graph").is_hidden()
    assert page.locator(TITLES).all_inner_texts().count("B") == 1
    page.get_by_role("link", name=re.compile("^Into the middle.*D$")).click()
    assert page.locator("main h2").inner_text() == "D"
