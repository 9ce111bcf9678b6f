"""The page of an entry: at two clocks, with its plane, its text, its history and differences."""

from pathlib import Path
from typing import Any

import pytest
from visiting import Shown, Visit

from damals.interfaces.web.reading import blocks, lines, quote_of
from damals.local import LocalDamals

TEXT = "# Address\n\nThe office is in *Detmold*.\n\n- second floor\n- bell: Müller\n"


@pytest.fixture
def moved(home: LocalDamals) -> str:
    """An address that was corrected once and superseded later; its id."""
    first = home.remember(
        "Address", "Hauptstraße 1", valid_from="2024-09-01", key="mueller/address", tags=["a"]
    )
    home.correct(first.id, content="Hauptstraße 1a", reason="house number")
    home.update(
        first.id, "Address", "Industriestraße 7", valid_from="2025-06-01", reason="they moved"
    )
    return first.id


def facts(shown: Shown) -> dict[str, str]:
    """What the list of facts says, by its terms."""
    terms = shown.texts("aside dl.facts dt")
    return dict(zip(terms, shown.texts("aside dl.facts dd"), strict=True))


def shapes(shown: Shown) -> list[str]:
    """What is told of each version on the wide plane."""
    return [one["aria-label"] for one in shown.all("svg.only-wide a.hit")]


def text_of(shown: Shown) -> str:
    return " ".join(shown.texts(".prose .body, ol.lines li"))


# --- the pair


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        ({"as_of": "2024-10-01"}, "Hauptstraße 1a"),
        ({"as_of": "2025-05-31"}, "Hauptstraße 1a"),
    ],
)
def test_an_entry_says_what_holds_at_the_pair(
    pages: Visit, moved: str, pair: dict[str, str], says: str
):
    shown = pages.get(f"entries/{moved}", **pair)
    assert (shown.status, shown.heading) == (200, "Address")
    assert says in text_of(shown)
    assert shown.texts("#says") == ["What it says there"]


def test_an_entry_at_a_pair_at_which_it_does_not_hold_tells_so_and_what_it_said_last(
    pages: Visit, moved: str
):
    shown = pages.get(f"entries/{moved}", as_of="2025-06-01")
    assert shown.status == 404
    assert "2025-05-31T22:00:00" in shown.problem
    assert shown.texts("#says") == ["What it said last"]
    assert len(shapes(shown)) == 4, "the plane still shows where it does"


def test_without_a_pair_the_latest_is_shown_and_that_nothing_holds_now(pages: Visit, moved: str):
    shown = pages.get(f"entries/{moved}")
    assert shown.status == 200
    assert shown.texts("#says") == ["What it said last"]
    assert shown.texts("svg.only-wide .tip.usual text") == [
        "Nothing is known of this entry where the lines cross."
    ]


def test_an_instant_that_cannot_be_read_keeps_what_was_typed(pages: Visit, moved: str):
    shown = pages.get(f"entries/{moved}", as_of="when pigs fly", known_at="2026")
    assert shown.status == 400
    assert "when pigs fly" in shown.problem
    assert shown.form("#as_of").fields == {"as_of": ["when pigs fly"], "known_at": ["2026"]}


def test_what_was_understood_is_told_with_the_zone(pages: Visit, moved: str):
    told = pages.get(f"entries/{moved}", as_of="2024-10").texts(".understood")[0]
    assert "2024-10-01 00:00:00" in told
    assert "Europe/Berlin" in told


def test_links_keep_the_pair(pages: Visit, home: LocalDamals, moved: str):
    other = home.remember("Office", "x", valid_from="2020")
    home.relate(moved, "part_of", other.id)
    shown = pages.get(f"entries/{moved}", as_of="2024-10-01", known_at="2999")
    assert shown.one(f"aside a[href^=/w/default/entries/{other.id}]")["href"].endswith(
        "?as_of=2024-10-01&known_at=2999"
    )


def test_htmx_gets_the_state_alone(pages: Visit, moved: str):
    part = pages.part(f"entries/{moved}", as_of="2024-10-01")
    assert part.tree.one("#state")
    assert not part.tree.all("h1, form, header")


def test_what_nobody_knows_has_no_page(pages: Visit):
    assert pages.get("entries/nobody").status == 404


# --- the plane


def test_each_version_is_a_rectangle_that_tells_when_it_holds_and_was_known(
    pages: Visit, moved: str
):
    first, second, third = sorted(
        told for told in shapes(pages.get(f"entries/{moved}")) if told[0].isdigit()
    )
    assert first.startswith("1 · Address – Hauptstraße 1 – Holds 2024-09-01 to open.")
    assert "Remembered by owner in transaction 1" in first
    assert second.endswith("Corrected by owner in transaction 2: house number")
    assert "Holds 2024-09-01 to 2025-06-01." in third
    assert "to today." in third


def test_what_took_its_place_stands_beside_it(pages: Visit, moved: str):
    shown = pages.get(f"entries/{moved}")
    others = [told for told in shapes(shown) if told.startswith("another entry")]
    assert len(others) == 1
    assert "Industriestraße 7" in others[0]


def test_a_rectangle_leads_to_a_pair_at_which_its_version_is_what_holds(pages: Visit, moved: str):
    shown = pages.get(f"entries/{moved}")
    for link in shown.all("svg.only-wide a.hit"):
        there = pages.get(link["href"])
        assert there.status == 200
        assert there.texts("svg.only-wide .tip.usual text")[0] in link["aria-label"].replace(
            "another entry · ", "1 · "
        )


@pytest.mark.parametrize(
    "bounds",
    [
        {"valid_from": None, "valid_to": "unknown"},
        {"valid_from": None, "valid_to": "1984"},
        {"valid_from": "2024-09", "valid_to": "2024-10"},
        {"valid_from": "2024-09", "valid_to": "2024-09"},
        {"valid_from": "0001-01-02"},
        {"valid_from": "9999-12-30"},
        {"valid_from": "2024-03-01T10:00:00.000001Z", "valid_to": "2024-03-01T10:00:00.000002Z"},
    ],
)
def test_every_kind_of_bound_can_be_drawn_and_visited(
    pages: Visit, home: LocalDamals, bounds: dict[str, Any]
):
    made = home.remember("Bounds", "x", **bounds)
    shown = pages.get(f"entries/{made.id}")
    (link,) = shown.all("svg.only-wide a.hit")
    there = pages.get(link["href"])
    assert there.status == 200
    assert there.all("svg.only-wide .version.asked")
    assert there.texts("#says") == ["What it says there"]


def test_only_the_newest_of_many_versions_are_drawn_and_it_says_so(pages: Visit, home: LocalDamals):
    made = home.remember("Counter", "0", valid_from="2024")
    for number in range(1, 64):
        home.correct(made.id, content=str(number), reason="count")
    shown = pages.get(f"entries/{made.id}")
    assert len(shapes(shown)) == 60
    assert "4 further versions are not drawn" in shown.text
    assert len(shown.all(".history tbody tr")) == 50
    assert text_of(shown) == "63"
    earlier = pages.get(shown.one(".history a[rel=next]")["href"])
    assert len(earlier.all(".history tbody tr")) == 14


# --- the text


def test_a_text_is_read_in_blocks_that_know_the_lines_of_their_source(
    pages: Visit, home: LocalDamals
):
    made = home.remember("Office", TEXT, source={"kind": "vault", "path": "a.md", "line": 8})
    shown = pages.get(f"entries/{made.id}")
    assert [one["id"] for one in shown.all(".block")] == ["L8", "L10", "L12"]
    assert shown.one("#L13"), "each line can be led to"
    assert shown.texts("#L8 h3") == ["Address"]
    assert shown.texts("#L10 em") == ["Detmold"]


def test_a_quotation_is_marked_to_the_character_in_the_lines_of_the_source(
    pages: Visit, home: LocalDamals
):
    made = home.remember("Office", TEXT, source={"kind": "vault", "path": "a.md", "line": 8})
    start = TEXT.index("Detmold")
    end = TEXT.index("second") + len("second")
    shown = pages.get(f"entries/{made.id}", quote=f"{start}-{end}")
    assert [one.raw for one in shown.all("mark")] == ["Detmold*.", "- second"]
    assert shown.one("#L10 mark")
    assert shown.one("#L12 mark")
    assert [one["value"] for one in shown.all("ol.lines li")] == [str(n) for n in range(8, 15)]


@pytest.mark.parametrize("quote", ["", "x", "5-2", "9999-99999", "-3-4", "1-", "٣-٤", "1-2-3"])
def test_a_quotation_that_is_none_marks_nothing(quote: str):
    assert quote_of(quote, TEXT) is None


def test_lines_give_the_text_back_whatever_is_marked():
    for start in range(0, len(TEXT), 3):
        for end in range(start + 1, len(TEXT), 5):
            shown = lines(TEXT, 1, quote_of(f"{start}-{end}", TEXT))
            assert "\n".join(one.before + one.marked + one.after for one in shown) == TEXT
            assert "".join(one.marked for one in shown) == TEXT[start:end].replace("\n", "")


def test_names_in_double_brackets_lead_to_the_entries_they_name(home: LocalDamals, pages: Visit):
    other = home.remember("Müller GmbH", "x", valid_from="2020")
    made = home.remember("Note", "See [[Müller GmbH|them]] and [[nobody]].", valid_from="2020")
    home.relate(made.id, "links_to", other.id)
    shown = pages.get(f"entries/{made.id}")
    (link,) = shown.all(".prose a[href^=/w/]")
    assert (link.text, link["href"]) == ("them", f"/w/default/entries/{other.id}")
    assert "[[nobody]]" in text_of(shown)


def test_a_name_that_nothing_is_known_under_is_no_link(
    home: LocalDamals, pages: Visit, tmp_path: Path
):
    notes = tmp_path / "in"
    notes.mkdir()
    (notes / "Note.md").write_text("# Note\n\nSee [[Nobody]].\n", encoding="utf-8")
    home.import_(notes)
    (made,) = home.entries()
    assert [one.unresolved for one in made.relations] == [True]
    shown = pages.get(f"entries/{made.id}")
    assert not shown.all(".body a")
    assert [one["href"] for one in shown.all(".relations a") if "change" not in one["href"]] == []
    assert "Nobody not known yet" in shown.one(".relations li").text


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "[x](//elsewhere.example/)",
        "[x](/sign-out)",
        "[x](data:text/html,1)",
        "<a href='/sign-out'>x</a>",
        "[[javascript:alert(1)]]",
        "[x]: javascript:alert(1)\n\n[x]",
    ],
)
def test_a_text_has_no_links_but_to_pages_mail_and_entries(text: str):
    html = "".join(block.html for block in blocks(text, 1, {"a": "/w/default/entries/1"}))
    assert "href" not in html.replace("&lt;a href", "")


def test_a_text_that_is_too_long_to_be_rendered_is_shown_as_it_stands():
    (block,) = blocks("<b>\n" * 60_000, 3, {})
    assert block.html.startswith("<pre>&lt;b&gt;")
    assert (block.first, block.last) == (3, 60_003)


# --- around it


def test_facts_say_where_an_entry_comes_from_and_how_it_stands(pages: Visit, home: LocalDamals):
    made = home.remember(
        "Fact", "x", valid_from="2024-09", key="k", importance=5, properties={"room": [1, 2]}
    )
    home.verify(made.id, score=0.5)
    told = facts(pages.get(f"entries/{made.id}"))
    assert told["Holds"] == "2024-09 to open"
    assert told["Key"] == "k"
    assert told["Importance"] == "5 / 5"
    assert told["Verified"].startswith("50 %")
    assert told["Source"] == "told directly"
    assert told["room"] == "[1, 2]"


def test_an_open_contradiction_stands_at_the_top_with_the_way_to_decide_it(
    pages: Visit, home: LocalDamals
):
    a, b = (home.remember(name, name, valid_from="2024") for name in ("Monday", "Tuesday"))
    home.contradict(a.id, b.id, reason="one day only")
    shown = pages.get(f"entries/{a.id}")
    box = shown.one("main .problem")
    assert "Tuesday" in box.text
    assert shown.one(f".problem a[href^=/w/default/entries/{a.id}/change/resolve]")


def test_a_retracted_entry_is_called_so(pages: Visit, home: LocalDamals):
    made = home.remember("Wrong", "x", valid_from="2024")
    seen = home.get(made.id).recorded_from
    home.retract(made.id, reason="never true")
    assert pages.get(f"entries/{made.id}").one(".entry-head .badge").text == "retracted"
    before = pages.get(f"entries/{made.id}", known_at=seen)
    assert before.one(".entry-head .badge").text == "active"


def test_history_names_what_changed_why_and_by_whom(pages: Visit, moved: str):
    rows = pages.get(f"entries/{moved}").all(".history tbody tr")
    cells = [[cell.text for cell in row.all("td")] for row in rows]
    assert [row[0] for row in cells] == ["3", "2", "1"]
    assert cells[1][3:5] == ["CorrectedText", "house numberowner, Transaction 2"]
    assert cells[0][3] == "UpdatedHolds until"


def test_the_log_tells_also_what_left_no_version(pages: Visit, home: LocalDamals):
    made = home.remember("Wrong", "x", valid_from="2024")
    home.verify(made.id, evidence="a letter")
    home.retract(made.id, reason="never true")
    shown = pages.get(f"entries/{made.id}/log")
    assert shown.texts("details summary") == [
        "Remembered · Wrong",
        "Verified",
        "Retracted – never true",
    ]
    assert "a letter" in shown.text


# --- differences


def test_two_versions_are_compared_word_by_word(pages: Visit, home: LocalDamals):
    made = home.remember("Lead", "Mr Sommer leads the team", valid_from="2024", tags=["a"])
    home.correct(made.id, content="Ms Winter leads the big team", tags=["b"], reason="mixed up")
    shown = pages.get(f"entries/{made.id}/compare", a="1", b="2")
    content = shown.one("pre.difference")
    assert [one.text for one in content.all("del")] == ["Mr Sommer"]
    assert [one.text for one in content.all("ins")] == ["Ms Winter", "big"]
    assert ["Tags", "a", "b"] in [
        [cell.text for cell in row.all("th, td")] for row in shown.all("tbody tr")
    ]


def test_a_version_is_compared_with_what_took_its_place(pages: Visit, moved: str):
    shown = pages.get(f"entries/{moved}/compare", a="1", b="3")
    (other,) = [one["value"] for one in shown.all("#b option") if "@" in one["value"]]
    told = pages.get(f"entries/{moved}/compare", a="3", b=other).one("pre.difference")
    assert [one.text for one in told.all("del")] == ["Hauptstraße 1a"]
    assert [one.text for one in told.all("ins")] == ["Industriestraße 7"]


def test_versions_that_are_not_there_are_not_compared(pages: Visit, moved: str):
    shown = pages.get(f"entries/{moved}/compare", a="1", b="17")
    assert shown.status == 404
    assert "17" in shown.text


def test_who_may_only_read_is_shown_no_forms(pages: Visit, moved: str):
    reader = pages.as_("rita")
    shown = reader.get(f"entries/{moved}")
    assert shown.status == 200
    assert not shown.all("a[href*=/change/]")
    assert not reader.get(f"entries/{moved}/log").all("a[href*=/change/]")


def test_versions_of_entries_that_somebody_may_not_see_are_not_on_the_plane(
    pages: Visit, home: LocalDamals, moved: str
):
    taken_by = home.entries(as_of="2025-07-01").entries[0]
    home.correct(taken_by.id, visibility="restricted", reason="secret")
    shown = pages.as_("rita").get(f"entries/{moved}")
    assert not [told for told in shapes(shown) if "Industriestraße" in told]
    assert len(shapes(shown)) == 3
    assert "Industriestraße" not in shown.answer.text
