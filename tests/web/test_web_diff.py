"""The page that compares two pairs of instants."""

import pytest


@pytest.fixture
def price(home):
    """A price that was corrected, and one that began later."""
    one = home.remember("Preis Brot", "Ein Brot kostet 3 Euro im Laden.", valid_from="2023-01-01")
    home.remember("Preis Milch", "1 Euro", valid_from="2024-03-01")
    home.correct(one.id, content="Ein Brot kostet 4 Euro im Laden.", reason="verlesen")
    return one


def recorded(home) -> list[str]:
    """When each transaction was recorded."""
    return [one.recorded_at for one in home.log().transactions]


@pytest.mark.usefixtures("price")
def test_without_instants_the_page_teaches_and_offers_the_last_days(pages):
    shown = pages.get("diff")

    ways = [one["href"] for one in shown.all("section.empty a")]
    assert len(ways) == 3
    for way in ways:
        assert pages.get(way).status == 200


@pytest.mark.usefixtures("price")
def test_changes_stand_by_phase_with_before_and_after(pages, home):
    learned = recorded(home)[1]

    shown = pages.get(
        "diff", **{"from": "2024-01-01", "to": "now", "known_from": learned, "known_to": "now"}
    )

    world, knowledge = shown.all("section.phase")
    assert world.texts("h3") == ["began Preis Milch"]
    assert knowledge.texts("h3") == ["corrected Preis Brot"]
    assert "verlesen" in knowledge.texts("p.meta")[0]
    assert [one.attrs["class"] for one in knowledge.all("div.side")] == [
        "side before",
        "side after",
    ]


@pytest.mark.usefixtures("price")
def test_what_is_different_in_a_text_is_marked_word_by_word(pages, home):
    learned = recorded(home)[0]

    shown = pages.get("diff", **{"from": learned, "topic": "Brot"})

    worded = shown.one("p.worded")
    assert (worded.texts("del"), worded.texts("ins")) == (["3"], ["4"])
    assert "Ein Brot kostet" in worded.text


@pytest.mark.usefixtures("price")
def test_each_end_may_have_instants_of_its_own_on_both_clocks(pages, home):
    first = recorded(home)[0]

    same = pages.get("diff", **{"from": "2024-06-01", "known_from": first, "known_to": first})
    known = pages.get("diff", **{"from": "now", "known_from": first})

    assert [one["class"] for one in same.all("section.phase")] == []
    told = sorted(known.texts("section.phase h3"))
    assert told == ["corrected Preis Brot", "learned Preis Milch"]


@pytest.mark.usefixtures("price")
def test_the_way_that_was_understood_is_told_with_its_zone(pages):
    shown = pages.get("diff", **{"from": "2024-01-01", "to": "2024-06-01"})

    way = shown.one("p.went").text
    assert "2024-01-01 00:00:00" in way
    assert "2024-06-01 00:00:00" in way


@pytest.mark.usefixtures("price")
def test_the_form_keeps_what_was_typed(pages):
    asked = {
        "from": "2024-01-01", "to": "2024-06-01", "known_from": "now", "known_to": "now",
        "topic": "Brot", "type": "fact", "tag": "laden",
    }  # fmt: skip

    fields = pages.get("diff", **asked).form("#from").fields

    assert {name: fields[name] for name in asked} == {name: [text] for name, text in asked.items()}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"from": "irgendwann einmal"}, "irgendwann einmal"),
        ({"from": "2024", "to": "irgendwann einmal"}, "irgendwann einmal"),
        ({"from": "2024", "axis": "quer"}, "quer"),
        ({"from": "2024", "axis": "valid", "known_from": "2024"}, "valid"),
        ({"from": "2024", "topic": "der und"}, "der und"),
    ],
)
@pytest.mark.usefixtures("price")
def test_what_cannot_be_compared_is_told(pages, asked, told):
    shown = pages.get("diff", **asked)

    assert shown.status == 400
    assert told in shown.problem
    assert shown.one("#from")["value"] == asked["from"]


def test_many_changes_are_shown_in_pages(pages, home):
    for number in range(50):
        home.remember(f"Regal {number}", valid_from="2023-01-01")

    first = pages.get("diff", **{"from": "2022-06-01", "to": "now", "axis": "valid"})
    second = pages.get(first.one("a[rel=next]")["href"])

    assert len(first.all("article.change")) == 40
    assert len(second.all("article.change")) == 10
    assert second.one("a[rel=prev]")


@pytest.mark.usefixtures("price")
def test_nothing_that_changed_is_told_as_such(pages):
    shown = pages.get("diff", **{"from": "1990", "to": "1991"})

    assert shown.status == 200
    assert "Nothing has changed" in shown.one("section.empty").text
