"""The list of entries: filtered, paged, at any pair of instants."""

import pytest
from visiting import Visit, owner_of

from damals.bootstrap import open_home
from damals.interfaces.web.pages.listing import PAGE_ENTRIES
from damals.local import LocalDamals

LINES = "main article.line h3 a"


@pytest.fixture
def filled(home: LocalDamals) -> LocalDamals:
    """Addresses that change, a plan, and a possible fact."""
    home.remember("Sitz in Lemgo", "Am Markt 1", valid_from="2020-01-01", valid_to="2023-01-01",
                  type="fact", tags=["ort/alt", "sitz"])  # fmt: skip
    home.remember("Sitz in Detmold", "Industriestraße 7", valid_from="2023-01-01", type="fact",
                  tags=["ort/neu", "sitz"])  # fmt: skip
    home.remember("Umzug", "geplant", valid_from="2021-01-01", type="plan", tags=["ort"])
    home.remember("Vielleicht", "wann, weiß niemand", type="note", valid_from="2024-06")
    return home


@pytest.fixture
def many(home: LocalDamals) -> LocalDamals:
    with home.transaction("viele"):
        for number in range(PAGE_ENTRIES + 3):
            home.remember(f"Eintrag {number:03}", "x", valid_from="2020-01-01", tags=["viele"])
    return home


def test_what_holds_now_is_listed_with_a_link_to_each_entry(pages: Visit, filled: LocalDamals):
    shown = pages.get("entries")
    titles = {node.text: node["href"] for node in shown.all(LINES)}
    assert set(titles) == {"Sitz in Detmold", "Umzug", "Vielleicht"}
    entry = next(one for one in filled.entries() if one.title == "Umzug")
    assert titles["Umzug"] == f"/w/default/entries/{entry.id}"


def test_another_day_shows_what_held_then_says_so_and_stays_in_each_link(
    pages: Visit, filled: LocalDamals
):
    del filled
    shown = pages.get("entries", as_of="01.06.2021", status="")
    assert "Sitz in Lemgo" in shown.texts(LINES)
    assert "Sitz in Detmold" not in shown.texts(LINES)
    assert "2021-06-01 00:00:00 CEST" in shown.one("p.read-back").text
    assert "Europe/Berlin" in shown.one("p.read-back").text
    assert all("as_of=01.06.2021" in node["href"] for node in shown.all(LINES))
    assert all("as_of=01.06.2021" in node["href"] for node in shown.all(".facets a"))
    assert shown.form("#type").fields["as_of"] == ["01.06.2021"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"type": "plan"}, {"Umzug"}),
        ({"type": "plan, note"}, {"Umzug", "Vielleicht"}),
        ({"tag": "ort"}, {"Umzug", "Sitz in Detmold"}),
        ({"tag": "ort, sitz"}, {"Sitz in Detmold"}),
        ({"as_of": "2024-06-15"}, {"Umzug", "Sitz in Detmold", "Vielleicht"}),
        ({"as_of": "2024-06-15", "certain": "yes"}, {"Umzug", "Sitz in Detmold"}),
        ({"status": "archived"}, set()),
        ({"status": "", "type": "", "tag": " , "}, {"Umzug", "Sitz in Detmold", "Vielleicht"}),
    ],
)
def test_filters_narrow_the_list_and_empty_ones_do_not(
    pages: Visit, filled: LocalDamals, asked: dict[str, str], found: set[str]
):
    del filled
    assert set(pages.get("entries", **asked).texts(LINES)) == found


def test_each_type_and_tag_of_the_list_is_a_link_that_keeps_to_it(
    pages: Visit, filled: LocalDamals
):
    del filled
    shown = pages.get("entries")
    [link] = [node for node in shown.all(".facets a") if node.text.startswith("plan")]
    assert pages.get(link["href"]).texts(LINES) == ["Umzug"]


def test_a_long_list_comes_in_pages_that_show_each_entry_once(pages: Visit, many: LocalDamals):
    del many
    first = pages.get("entries", tag="viele")
    second = pages.get(first.one("main a[rel=next]")["href"])
    titles = [*first.texts(LINES), *second.texts(LINES)]
    assert len(first.all(LINES)) == PAGE_ENTRIES
    assert len(set(titles)) == PAGE_ENTRIES + 3
    assert not second.all("a[rel=next]")
    assert pages.get(second.one("a[rel=first]")["href"]).texts(LINES) == first.texts(LINES)


@pytest.mark.parametrize(
    "asked", [{"as_of": "irgendwann"}, {"status": "müde"}, {"cursor": "ä"}, {"known_at": "x"}]
)
def test_what_cannot_be_read_is_told_and_stays_as_it_was_typed(
    pages: Visit, filled: LocalDamals, asked: dict[str, str]
):
    del filled
    shown = pages.get("entries", type="plan", **asked)
    assert shown.status == 400
    assert shown.problem
    kept = shown.form("#type").fields
    assert kept["type"] == ["plan"]
    assert all(
        kept[name] == [value] for name, value in asked.items() if name.endswith(("of", "at"))
    )


def test_the_list_teaches_where_nothing_is_and_how_to_widen_it_where_nothing_fits(
    pages: Visit, home: LocalDamals
):
    assert "damals import" in pages.get("entries").one(".empty").text
    home.remember("Etwas", valid_from="2020-01-01")
    empty = pages.get("entries", tag="gibtesnicht").one(".empty")
    assert "damals import" not in empty.text
    assert pages.get(empty.one("a")["href"]).texts(LINES) == ["Etwas"]


def test_htmx_gets_the_list_alone(pages: Visit, filled: LocalDamals):
    del filled
    part = pages.part("entries", type="plan")
    assert part.texts("article.line h3 a") == ["Umzug"]
    assert not part.all("html, form, nav.main")


def test_a_reader_is_not_offered_a_new_entry(pages: Visit, filled: LocalDamals):
    del filled
    here = "main a[href=/w/default/new]"
    assert pages.get("entries").all(here)
    assert not pages.as_("lea", "reader").get("entries").all(here)


def test_a_home_that_is_not_there_yet_is_no_error_on_any_page(tmp_path):
    missing = open_home(tmp_path / "nowhere", embedder="none", brief=True)
    assert isinstance(missing, LocalDamals)
    visit = owner_of(missing)
    try:
        below = [f"settings/{name}" for name in ("sources", "keys", "health", "backups")]
        for path in ("entries", "graph", "imports", "settings", *below, "workspaces"):
            shown = visit.get(path)
            assert (path, shown.status) == (path, 200)
        assert "damals import" in visit.get("entries").one(".empty").text
    finally:
        missing.close()


def test_an_unknown_workspace_is_unknown_on_every_page(pages: Visit):
    for path in ("entries", "graph", "imports", "settings/sources"):
        assert pages.get(f"/w/nirgends/{path}").status == 404
