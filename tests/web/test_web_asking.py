"""Asking on a page: answers with citations at two clocks, results with their reasons, receipts."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

QUESTION = "Wo ist der Sitz der Müller GmbH?"
OLD = "Die Müller GmbH hat ihren Sitz in der Hauptstraße 12."
NEW = "Die Müller GmbH hat ihren Sitz im Industriepark 3."


@pytest.fixture
def firm(home):
    """A firm that moved on 1 June 2024."""
    note = "Allgemeines zur Firma.\n\n"
    home.remember("Sitz der Müller GmbH", note + OLD, valid_from="2020-01-01", external_id="sitz")
    home.update("sitz", "Sitz der Müller GmbH", note + NEW, valid_from="2024-06-01", reason="Umzug")
    return home


def number(text: str) -> float:
    return float(text.replace(",", "."))


def bar(node) -> list[tuple[float, float]]:
    """Where the pieces of a bar begin and end."""
    pieces = node.all("rect.part")
    return [(float(one["x"]), float(one["x"]) + float(one["width"])) for one in pieces]


# --- the question


def test_where_nothing_is_known_the_page_teaches_what_fills_it(pages):
    shown = pages.get("")

    assert shown.status == 200
    assert "damals import" in shown.one("section.empty").text
    assert shown.all("section.empty a[href=/w/default/imports]")
    assert shown.all("section.empty a[href=/w/default/new]")
    assert not shown.all("input[type=range]")


@pytest.mark.usefixtures("firm")
def test_without_a_question_the_page_teaches_both_clocks(pages):
    shown = pages.get("")

    assert len(shown.texts(".tips h3")) == 3
    assert shown.form("#q").labels.keys() >= {"q", "as_of", "known_at"}
    assert not shown.all("section.empty")


@pytest.mark.usefixtures("firm")
def test_an_unknown_workspace_is_a_page_of_its_own(pages):
    shown = pages.get("/w/nirgends")

    assert shown.status == 404
    assert "nirgends" in shown.heading


@pytest.mark.usefixtures("firm")
def test_what_cannot_be_read_is_told_and_what_was_typed_stays(pages):
    shown = pages.get("", q=QUESTION, as_of="gestern oder so")

    assert shown.status == 400
    assert "gestern oder so" in shown.problem
    fields = shown.form("#q").fields
    assert (fields["q"], fields["as_of"]) == ([QUESTION], ["gestern oder so"])


# --- the answer


@pytest.mark.usefixtures("firm")
def test_each_mark_of_an_answer_leads_to_its_citation_and_that_to_the_line_in_the_source(pages):
    shown = pages.get("", q=QUESTION)

    assert NEW in shown.one(".answer .said").text
    mark = shown.one(".answer .said a")
    cited = shown.one(f"li{mark['href']}")
    assert cited.one("blockquote").text == NEW
    link = cited.one("p.meta a")["href"]
    assert link.endswith("#L3")
    source = pages.get(link.partition("#")[0])
    assert source.one("mark").text == NEW
    assert source.one("#L3").all("mark")


@pytest.mark.parametrize(("as_of", "answer"), [("2023-05-01", OLD), ("2024-07", NEW), ("", NEW)])
@pytest.mark.usefixtures("firm")
def test_the_first_clock_chooses_what_held(pages, as_of, answer):
    shown = pages.get("", q=QUESTION, as_of=as_of)

    assert shown.texts("blockquote") == [answer]
    links = [one["href"] for one in shown.all("ol.finds h3 a, .citations p.meta a")]
    assert links
    assert all((f"as_of={as_of}" in one) == bool(as_of) for one in links)


@pytest.mark.usefixtures("firm")
def test_the_second_clock_chooses_what_was_known(pages):
    before = datetime.now(UTC) - timedelta(days=2)
    shown = pages.get("", q=QUESTION, known_at=before.isoformat())

    assert shown.one(".answer h2").text == "No answer"
    assert shown.all("section.empty")


@pytest.mark.usefixtures("firm")
def test_a_time_in_the_question_sets_the_clock_of_its_links_as_well(pages):
    shown = pages.get("", q="Wo war der Sitz der Müller GmbH im Mai 2023?")

    assert shown.texts("blockquote") == [OLD]
    assert "Mai 2023" in shown.one(".understood-pair").text
    assert "as_of=2023-0" in shown.one(".citations p.meta a")["href"]


@pytest.mark.usefixtures("firm")
def test_what_was_understood_is_told_with_its_zone(pages):
    told = (
        pages.get("", q=QUESTION, as_of="2024-07-01", known_at="now").one(".understood-pair").text
    )

    assert "2024-07-01 00:00:00 CEST" in told
    assert "Europe/Berlin" in told


@pytest.mark.usefixtures("firm")
def test_where_nothing_answers_it_says_so_and_shows_what_comes_closest(pages):
    shown = pages.get("", q="Wie viele Beschäftigte hat die Müller GmbH?")

    assert shown.one(".answer h2").text == "No answer"
    assert not shown.all("blockquote")
    assert shown.texts("ol.finds h3") == ["Sitz der Müller GmbH"]


# --- results and their reasons


def test_the_parts_of_a_score_stand_side_by_side_and_add_up_to_it(pages, firm):
    firm.remember("Müller", "Anderes über Müller.")
    shown = pages.get("", q="Müller GmbH Sitz", mode="recall")

    finds = shown.all("li.find")
    assert len(finds) == 2
    for one in finds:
        score = number(one.one(".scored .num").text)
        pieces = bar(one.one(".scored svg"))
        assert pieces[0][0] == 0
        assert all(left[1] == pytest.approx(right[0], abs=0.01) for left, right in pairwise(pieces))
        assert pieces[-1][1] == pytest.approx(score * 100, abs=0.51)
        parts = [number(value.text) for value in one.all("table.parts tbody td.num")]
        total = number(one.one("table.parts tfoot td.num").text)
        assert sum(parts) == pytest.approx(total, abs=0.003)
        assert len(parts) == len(pieces)


@pytest.mark.usefixtures("firm")
def test_a_result_tells_words_provenance_and_line(pages):
    why = pages.get("", q="Müller Sitz", mode="recall").one("li.find details").text

    assert all(
        word in why for word in ("Words found", "Müller", "entered directly", "line 1", "Recorded")
    )


def test_a_way_through_the_graph_is_told_entry_by_entry(pages, firm):
    person = firm.remember("Sabine Krüger", "Leitet die IT der Müller GmbH.")
    plant = firm.remember("Werk Nord", "Ein Werk der Müller GmbH.")
    firm.relate(person.id, "works_for", plant.id, confidence=0.8)
    ways = pages.get("", q="Sabine Krüger und Werk Nord", mode="recall").all("ol.way")

    assert ways
    assert {"Sabine Krüger", "Werk Nord"} <= set(ways[0].texts("a"))
    assert "works_for" in ways[0].text
    assert "0.80" in ways[0].text


def test_contradictions_are_marked_on_both_sides_and_lead_to_each_other(pages, home):
    home.remember("Beschäftigte", "Die Müller GmbH hat 140 Beschäftigte.", external_id="a")
    home.remember("Register", "Die Müller GmbH hat 155 Beschäftigte.", external_id="b")
    home.contradict("a", "b", reason="zwei Zahlen")
    for mode in ("ask", "recall"):
        shown = pages.get("", q="Wie viele Beschäftigte hat die Müller GmbH?", mode=mode)
        marks = {one.one("h3").text: one.one(".contradicts a").text for one in shown.all("li.find")}
        assert marks == {"Beschäftigte": "Register", "Register": "Beschäftigte"}


def test_what_may_have_held_is_marked_as_possible(pages, home):
    home.remember("Ungefähr", "Das Lager stand in Alsfeld.", valid_from="2020", valid_to="2021")
    possible = pages.get("", q="Lager Alsfeld", mode="recall", as_of="2020-06-01")
    certain = pages.get("", q="Lager Alsfeld", mode="recall", as_of="2020-06-01", certain="1")

    assert possible.texts("li.find .badge.possible") == ["possibly"]
    assert not certain.all("li.find")
    assert certain.form("#q").fields["certain"] == ["1"]


def test_results_are_narrowed_by_type_and_tag(pages, home):
    home.remember("Eins", "Über Müller.", type="fact", tags=["firma/metall"])
    home.remember("Zwei", "Über Müller.", type="decision", tags=["firma"])
    asked = {"q": "Müller", "mode": "recall"}

    assert pages.get("", **asked, type="fact").texts("li.find h3") == ["Eins"]
    assert set(pages.get("", **asked, type="fact, decision").texts("li.find h3")) == {
        "Eins",
        "Zwei",
    }
    assert pages.get("", **asked, tag="firma/metall").texts("li.find h3") == ["Eins"]


def test_the_person_that_a_question_is_seen_from_is_chosen_from_those_that_are_known(pages, firm):
    ada = firm.remember("Ada", "Eine Person.", type="person").id
    form = pages.get("", more="1").form("#persona")
    shown = pages.send(form, q="Müller", persona=ada)

    assert shown.status == 200
    assert shown.form("#persona").fields["persona"] == [ada]


def test_more_results_are_behind_the_first(pages, home):
    with home.transaction():
        for place in range(12):
            home.remember(f"Notiz {place}", f"Über Müller, Nummer {place}.")
    first = pages.get("", q="Müller", mode="recall")
    more = pages.get(first.one("nav.pager a")["href"])

    assert (len(first.all("li.find")), len(more.all("li.find"))) == (10, 12)
    assert not more.all("nav.pager")


@pytest.mark.usefixtures("firm")
def test_a_part_of_the_page_is_what_was_found_and_nothing_around_it(pages):
    part = pages.part("", q=QUESTION)

    assert part.status == 200
    assert part.texts("blockquote") == [NEW]
    assert not part.all("form, header, h1")
    assert pages.part("", q=QUESTION, as_of="quer").status == 400


# --- receipts


def test_a_receipt_tells_the_same_whatever_was_learned_since(pages, firm):
    shown = pages.get("", q=QUESTION)
    receipt = shown.one("aside a.button")["href"]
    firm.correct("sitz", content="Alles war anders.", reason="Irrtum")
    firm.end(shown_entry(shown), "2024-08-01", reason="zugezogen")
    again = pages.get(receipt)

    assert again.heading == QUESTION
    assert again.one(".answer .said").text == shown.one(".answer .said").text
    assert again.texts("blockquote") == [NEW]
    assert again.texts("li.find h3") == shown.texts("li.find h3")
    assert not again.all("#differences")


def shown_entry(shown) -> str:
    found = re.search(r"/entries/([^?#]+)", shown.one(".citations p.meta a")["href"])
    assert found
    return found[1]


def test_the_citations_of_a_receipt_open_the_source_as_it_was(pages, firm):
    receipt = pages.get("", q=QUESTION).one("aside a.button")["href"]
    entry = shown_entry(pages.get(receipt))
    firm.correct(entry, content="Ganz anderer Text.", reason="Irrtum")
    link = pages.get(receipt).one(".citations p.meta a")["href"]

    assert pages.get(link.partition("#")[0]).one("mark").text == NEW


@pytest.mark.usefixtures("firm")
def test_a_receipt_computed_again_says_that_nothing_differs(pages):
    receipt = pages.get("", q=QUESTION).one("aside a.button")["href"]
    same = pages.get(pages.get(receipt).one(".actions a.second")["href"].partition("#")[0])

    assert same.one("#differences .notice").text
    assert same.texts("blockquote") == [NEW]


def test_a_ranking_has_a_receipt_with_all_reasons_also_one_kept_without_them(pages, firm):
    bare = firm.recall("Müller Sitz").receipt
    shown = pages.get(f"answers/{bare}")

    assert shown.texts("li.find h3") == ["Sitz der Müller GmbH"]
    assert "Words found" in shown.one("li.find details").text
    assert not shown.all(".answer")
    assert "mode=recall" in shown.all(".actions a.button")[0]["href"]


def test_a_receipt_of_somebody_else_is_as_unknown_as_none(pages, firm):
    receipt = firm.ask(QUESTION).receipt
    bob = pages.as_("bob", "reader")

    assert bob.get(f"answers/{receipt}").status == 404
    assert bob.get("answers/01a22e99-3139-7193-9892-d0b8889f5ae0").status == 404
    assert bob.get("answers/quer").status == 404


def test_who_asks_sees_what_they_may_see(pages, firm):
    firm.remember("Geheim", "Die Müller GmbH hat auch einen Sitz in Bern.", sensitivity=3)
    bob = pages.as_("bob", "reader")
    for mode in ("ask", "recall"):
        assert bob.get("", q=QUESTION, mode=mode).texts("li.find h3") == ["Sitz der Müller GmbH"]


# --- in a browser


def test_moving_a_slider_answers_anew(browser_page):
    home = browser_page.home
    home.remember("Sitz der Müller GmbH", OLD, valid_from="2020-01-01", external_id="sitz")
    home.update("sitz", "Sitz der Müller GmbH", NEW, valid_from="2024-06-01", reason="Umzug")
    page = browser_page.go("?q=Wo+ist+der+Sitz+der+M%C3%BCller+GmbH")
    page.locator("blockquote", has_text="Industriepark").wait_for()
    page.locator("input.slider[data-for=as_of]").focus()
    page.keyboard.press("Home")
    page.locator("blockquote", has_text="Hauptstraße").wait_for()

    assert page.input_value("#as_of") == "2020-01-01"
    assert "as_of=2020-01-01" in page.url
    assert browser_page.mischief == []
