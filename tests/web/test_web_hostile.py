"""Texts from anywhere are shown, and do nothing: in every page, in a real browser."""

import re
from collections.abc import Iterator
from itertools import cycle
from urllib.parse import quote

import pytest
from all_pages import routes
from hostile import VECTORS, Stored, filled_with_vectors, harm_in
from playwright.sync_api import Browser
from served_pages import Look, looking, opened, serving
from visiting import Visit, owner_of

from damals.interfaces.rest.options import ServerOptions

Hostile = tuple[Visit, Stored]
OVER = (
    "", "?q={0}", "?q={0}&mode=recall&limit=100", "entries", "entries?tag={0}",
    "timeline?topic={0}", "timeline", "diff?from=2020-01-01&to=now&axis=known", "hygiene",
    "hygiene?view=lint",
    "settings/sources", "imports", "graph", "graph?id={1}&depth=2", "settings",
)  # fmt: skip
OF_EACH = ("entries/{0}", "entries/{0}/log", "entries/{0}/compare")
ASKED = (
    ("", "q as_of known_at mode certain persona type tag limit more"),
    ("entries", "as_of known_at type tag status certain cursor"),
    ("timeline", "topic axis step after as_of"),
    ("diff", "from to known_from known_to axis topic type tag entry after"),
    ("hygiene", "view topic kind severity limit done as_of"),
    ("hygiene/repair", "view kind entry part choice"),
    ("graph", "id depth type as_of known_at"),
    ("imports", "after path"),
    ("new", "title content tags key type"),
    ("/sign-in", "next"),
    ("entries/{0}", "as_of known_at quote view before done"),
    ("entries/{0}/compare", "a b as_of"),
    ("entries/{0}/log", "after as_of"),
    ("entries/{0}/change/relate", "find type other way dst reason"),
    ("entries/{0}/change/correct", "title content reason"),
)
"""What addresses may say; it is shown again in fields and in errors."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    folder = tmp_path_factory.mktemp("hostile")
    home = opened(folder / "home")
    stored = filled_with_vectors(home, folder)
    pages = owner_of(home, ServerOptions(roots=(folder / "in",)))
    yield pages, stored
    pages.close()
    home.close()


@pytest.fixture(scope="module")
def look(chromium: Browser, hostile: Hostile) -> Iterator[Look]:
    home = hostile[0].home
    with serving(home) as url, looking(chromium, url, home) as made:
        yield made


def test_there_are_enough_of_them_and_they_got_in(hostile: Hostile):
    _, stored = hostile
    assert len(set(VECTORS)) == len(VECTORS) >= 60
    assert len(stored.each) == len(VECTORS)
    assert len(stored.notes) >= 60
    assert len(stored.receipts) == 2


def test_what_an_entry_says_is_shown_as_it_is_and_as_nothing_else(hostile: Hostile):
    pages, stored = hostile
    for number, (one, vector) in enumerate(zip(stored.each, VECTORS, strict=True)):
        shown = pages.get(f"entries/{one}")
        assert shown.heading == " ".join(vector.split()), vector
        assert harm_in(shown.tree) == [], vector
        if number % 8 == 0:
            assert harm_in(pages.get(f"entries/{one}", view="lines").tree) == [], vector


def test_no_page_about_such_entries_has_anything_that_acts(hostile: Hostile):
    pages, stored = hostile
    paths = [one.format(quote(VECTORS[0], safe=""), stored.all[0]) for one in OVER]
    paths += [kind.format(one) for one in stored.all for kind in OF_EACH]
    paths += [f"entries/{one}" for one in stored.notes[::4]]
    paths += [f"answers/{one}" for one in stored.receipts]
    for path in paths:
        shown = pages.get(path)
        assert shown.status == 200, (path, shown.text[:200])
        assert harm_in(shown.tree) == [], path


def test_what_an_address_says_is_not_believed_either(hostile: Hostile):
    pages, stored = hostile
    vectors = cycle(VECTORS)
    for place, fields in ASKED:
        path = place.format(stored.all[0])
        for name in fields.split():
            vector = next(vectors)
            assert harm_in(pages.get(path, **{name: vector}).tree) == [], (path, name, vector)


def test_nor_is_what_stands_in_its_path(hostile: Hostile):
    pages, _ = hostile
    paths = [one.path for one in routes() if "GET" in one.methods and "{" in one.path]
    assert len(paths) > 10
    vectors = cycle(quote(one, safe="") for one in VECTORS)
    for path in paths:
        if path.endswith(".json"):
            continue
        anywhere = re.sub(r"{\w+}", next(vectors), path)
        here = re.sub(r"{\w+}", next(vectors), path.replace("{workspace}", "default"))
        for whole in (anywhere, here):
            assert harm_in(pages.get(whole).tree) == [], whole


def test_what_was_typed_comes_back_harmless_when_it_is_refused(hostile: Hostile):
    pages, stored = hostile
    forms = [
        ("new", {"title": "", "content": "{0}", "tags": "{0}", "valid_from": "{0}", "key": "{0}"}),
        (f"entries/{stored.all[0]}/change/correct", {"title": "{0}", "valid_from": "{0}"}),
        (f"entries/{stored.all[0]}/change/relate", {"dst": "{0}", "type": "{0}", "reason": "{0}"}),
        (f"entries/{stored.all[0]}/change/erase", {"confirm": "{0}", "reason": "{0}"}),
        ("imports", {"path": "{0}", "name": "{0}", "source": "{0}"}),
        ("settings/keys", {"name": "{0}", "roles": "{0}", "visibility": "{0}"}),
        ("workspaces", {"name": "{0}", "timezone": "{0}"}),
        ("hygiene/repair", {"view": "{0}", "kind": "{0}", "entry": "{0}", "choice": "{0}"}),
        ("/sign-in", {"key": "{0}", "next": "{0}"}),
    ]
    for path, fields in forms:
        for vector in VECTORS[::13]:
            sent = {name: one.format(vector) for name, one in fields.items()}
            assert harm_in(pages.post(path, **sent).tree) == [], (path, vector)


def test_in_a_real_browser_nothing_runs_nothing_is_loaded_and_nothing_was_even_tried(
    hostile: Hostile, look: Look
):
    _, stored = hostile
    paths = [one.format(quote(VECTORS[6], safe=""), stored.all[0]) for one in OVER]
    paths += [f"entries/{one}" for one in stored.all]
    paths += [f"entries/{stored.all[0]}/compare", f"entries/{stored.all[1]}/log"]
    paths += [f"entries/{stored.notes[0]}?view=lines", f"answers/{stored.receipts[0]}"]
    for path in paths:
        page = look.go(path)
        assert look.mischief == [], path
        assert page.url.startswith(look.url), path
        assert page.locator("main h1").count() == 1, path


def test_the_drawing_of_a_graph_takes_names_as_names(hostile: Hostile, look: Look):
    _, stored = hostile
    page = look.go(f"graph?id={stored.each[0]}&depth=2")
    page.wait_for_load_state("networkidle")
    assert look.mischief == []


def test_an_answer_that_htmx_puts_into_a_page_is_as_harmless(look: Look):
    page = look.go("")
    page.fill("#q", VECTORS[7])
    page.keyboard.press("Enter")
    page.wait_for_load_state("networkidle")
    assert look.mischief == []
    assert page.input_value("#q") == VECTORS[7]
