"""What holds of every page: each is looked at, well made, leads on, and costs little."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from all_pages import NOT_KNOWN_YET, UNREADABLE, Archive, routes
from page_tree import Node
from visiting import Shown, Visit, below

from damals.interfaces.web.assets import NAMES, asset

Filled = tuple[Visit, Archive]
LIMIT_BYTES = 300_000
NO_PAGES = ("graph.json",)
FIELDS = "input, select, textarea"
ANSWERS = {
    "nowhere": 404, "entries/nowhere": 404, "/w/nothing": 404,
    "hygiene?view=due&kind=conflict": 400,
}  # fmt: skip
"""Pages that tell what went wrong, beside those of the instants below."""


@pytest.fixture(scope="module", params=["en", "de"])
def every(request, filled: Filled) -> dict[str, Shown]:
    """Each page by its address, in each language."""
    pages, archive = filled
    paths = [*archive.addresses(), *archive.repairs(pages)]
    assert len(paths) > 60
    spoken = {"Accept-Language": request.param}
    shown = {path: pages.get(path, spoken) for path in paths}
    return {path: one for path, one in shown.items() if not path.startswith(NO_PAGES)}


def each(every: dict[str, Shown]) -> Iterator[tuple[str, Node]]:
    for path, shown in every.items():
        yield path, shown.tree


def test_every_page_is_looked_at(filled: Filled):
    pages, archive = filled
    paths = [
        below(path).partition("?")[0] for path in (*archive.addresses(), *archive.repairs(pages))
    ]
    missed = [
        route.path
        for route in routes()
        if "GET" in route.methods and not any(route.path_regex.match(path) for path in paths)
    ]
    assert missed == []


def test_every_page_answers_as_it_should(every):
    told = {path: shown.status for path, shown in every.items()}
    wanted = {path: ANSWERS.get(path, 200) for path in every}
    wanted |= {path: 400 for path in every if UNREADABLE in path or path.endswith("/unrelate")}
    wanted |= {path: 404 for path in every if NOT_KNOWN_YET in path}
    assert {path: one for path, one in told.items() if one != wanted[path]} == {}


def test_every_page_has_one_heading_one_main_part_a_title_and_says_its_language(every):
    titles = {}
    for path, tree in each(every):
        (main,) = tree.all("main")
        assert len(main.all("h1")) == len(tree.all("h1")) == 1, path
        assert tree.one("html")["lang"] == every[path].headers["content-language"], path
        titles[path] = tree.one("head title").text
        assert tree.one("a.skip")["href"] == "#main"
    assert all(title.endswith("· damals") and len(title) > 10 for title in titles.values())


def test_headings_go_down_one_step_at_a_time(every):
    for path, tree in each(every):
        levels = [int(one.tag[1]) for one in tree.one("main").all("h1, h2, h3, h4, h5, h6")]
        jumps = [pair for pair in pairwise(levels) if pair[1] - pair[0] > 1]
        assert not jumps, f"{path}: {levels}"


def test_every_field_has_a_name_that_is_read_aloud(every):
    for path, tree in each(every):
        named = {one["for"] for one in tree.all("label[for]")}
        for one in tree.all(FIELDS):
            if one.attrs.get("type") in ("hidden", "submit"):
                continue
            inside = any(above.tag == "label" for above in above_of(one))
            assert inside or "aria-label" in one or one.attrs.get("id") in named, (path, one.attrs)


def above_of(node: Node) -> Iterator[Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def test_what_is_pointed_at_by_its_id_is_there_once(every):
    for path, tree in each(every):
        ids = [one["id"] for one in tree.all("[id]")]
        assert sorted(set(ids)) == sorted(ids), path
        pointed = [one["for"] for one in tree.all("label[for]")]
        for name in ("aria-describedby", "aria-labelledby", "aria-controls"):
            pointed += [word for one in tree.all(f"[{name}]") for word in one[name].split()]
        here = [one["href"][1:] for one in tree.all("a[href^=#]") if len(one["href"]) > 1]
        assert {*pointed, *here} <= set(ids), path


def test_nothing_in_a_page_is_refused_by_the_policy_that_it_comes_with(every):
    for path, tree in each(every):
        for one in tree.walk():
            loud = [name for name in one.attrs if name == "style" or name.startswith("on")]
            assert not loud, (path, one.tag, one.attrs)
            if one.tag == "script":
                assert one["src"].startswith("/assets/"), path
                assert not one.text, path
        assert tree.all("style, iframe, object, embed, base, frame") == [], path


def test_nothing_is_loaded_from_elsewhere(every):
    for path, tree in each(every):
        for one in tree.all("script, link, img, source, use, image, video, audio"):
            for name in ("src", "href", "srcset", "xlink:href"):
                told = one.attrs.get(name, "/assets/")
                assert told.startswith(("/assets/", "#")), (path, one.attrs)


def test_every_form_that_changes_something_is_known_as_the_sessions_own(every):
    for path, tree in each(every):
        for form in tree.all("form"):
            method = form.attrs.get("method", "get").lower()
            assert form.attrs.get("action", "/").startswith("/"), (path, form.attrs)
            assert not form.attrs.get("action", "/").startswith("//")
            assert bool(form.all("input[name=csrf]")) == (method == "post"), (path, form.attrs)


def test_every_button_says_what_it_does(every):
    for path, tree in each(every):
        for one in tree.all("button, a[href]"):
            if any("hidden" in above for above in above_of(one)):
                continue  # filled in before it is shown
            said = one.text or one.attrs.get("aria-label") or one.attrs.get("title")
            assert said or one.all("[aria-label], title"), (path, one.tag, one.attrs)


def test_no_page_shows_the_name_of_a_text_instead_of_the_text(every):
    for path, tree in each(every):
        assert not re.search(r"\bweb\.[a-z_]+[.a-z_]*\b", tree.one("body").text), path


def test_the_pages_of_both_languages_are_the_same_pages(filled: Filled):
    pages, archive = filled
    for path in ("settings", "hygiene", "", "entries", "new", f"entries/{archive.new}"):
        both = [pages.get(path, {"Accept-Language": lang}) for lang in ("de", "en")]
        parts = "h1, h2, h3, form, input, select, textarea, button, table, dl"
        shapes = [[one.tag for one in shown.main.all(parts)] for shown in both]
        assert shapes[0] == shapes[1], path


def test_every_link_leads_somewhere(filled: Filled, every):
    pages, _ = filled
    links = {
        one["href"].partition("#")[0]
        for path, tree in each(every)
        if every[path].status < 400
        for one in tree.all("a[href^=/]")
    }  # fmt: skip
    kinds: dict[str, str] = {}
    for link in sorted(links):
        kinds.setdefault(_kind(link), link)
    dead = {link: pages.client.get(link).status_code for link in kinds.values() if link}
    assert {link: status for link, status in dead.items() if status >= 400} == {}


def _kind(link: str) -> str:
    """Links that differ in ids and values only lead to the same page."""
    path, _, query = link.partition("?")
    names = sorted(one.partition("=")[0] for one in query.split("&"))
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", path) + "?" + "&".join(names)


def test_links_out_of_pages_tell_nothing_to_where_they_lead(every):
    for path, tree in each(every):
        for one in tree.all("a[href]"):
            assert one["href"].startswith(("/", "#", "http://", "https://", "mailto:")), path
            if one["href"].startswith("http"):
                assert {"noopener", "noreferrer"} <= set(one.attrs.get("rel", "").split()), path


def test_a_page_weighs_little_with_all_that_it_loads(every):
    weights = {path: _weight(shown) for path, shown in every.items()}
    heaviest = max(weights, key=weights.__getitem__)
    assert weights[heaviest] < LIMIT_BYTES, (heaviest, weights[heaviest])


def _weight(shown: Shown) -> int:
    """Bytes of a page and of what it loads, but for the library that draws graphs."""
    loaded = [one["src"] for one in shown.all("script")]
    loaded += [one["href"] for one in shown.all("link[href]")]
    names = {one.rpartition("/")[2] for one in loaded} - {"cytoscape.js"}
    return len(shown.answer.content) + sum(len(asset(name)[1]) for name in names)


def test_all_files_of_pages_are_in_the_package_and_known():
    folder = Path(asset.__wrapped__.__code__.co_filename).parent
    there = {
        str(one.relative_to(folder))
        for one in folder.rglob("*")
        if one.is_file() and one.suffix in (".js", ".css", ".svg")
    }
    assert there == set(NAMES.values())


def test_the_data_of_a_graph_is_what_the_list_beside_it_says(filled: Filled):
    pages, archive = filled
    data = json.loads(pages.get(f"graph.json?id={archive.claim}&depth=1").answer.text)
    listed = pages.get(f"graph?id={archive.claim}&depth=1").text
    assert len(data["nodes"]) >= 3
    for node in data["nodes"]:
        assert node["title"] in listed
