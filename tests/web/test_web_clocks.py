"""The sliders of both clocks: from the first to the last day that the visitor may know of."""

from datetime import datetime


def slider(shown, clock: str):
    return shown.one(f"input[type=range][data-for={clock}]")


def days(start: str, end: str) -> int:
    first, last = (datetime.fromisoformat(one) for one in (start, end))
    return (last - first).days


def test_valid_time_slides_from_the_first_known_day_to_now(pages, home):
    home.remember("A", "Text.", valid_from="2020-01-01")
    it = slider(pages.get(""), "as_of")

    assert it["data-first"] == "2020-01-01"
    assert int(it["max"]) == days("2020-01-01", it["data-now"])
    assert it["value"] == it["max"]


def test_a_typed_instant_however_it_is_said_stands_on_the_slider(pages, home):
    home.remember("A", "Text.", valid_from="2020-01-01")
    for typed in ("2021-03-05", "5. März 2021", "05.03.2021", "2021-03-05T12:00"):
        it = slider(pages.get("", as_of=typed), "as_of")
        assert int(it["value"]) == days("2020-01-01", "2021-03-05")
    for typed, at in (("1900", 0), ("quer", None), ("now", None)):
        it = slider(pages.get("", as_of=typed), "as_of")
        assert int(it["value"]) == (int(it["max"]) if at is None else at)


def test_plans_lie_beyond_now_but_not_the_end_of_time(pages, home):
    home.remember("A", "Text.", valid_from="2020-01-01", valid_to="9000-01-01")
    it = slider(pages.get(""), "as_of")
    behind = int(it["max"]) - int(it["value"])

    assert int(it["value"]) == days("2020-01-01", it["data-now"])
    assert 3650 < behind < 3670


def test_a_clock_with_a_single_day_has_no_slider(pages, home):
    home.remember("A", "Text.", valid_from="2020-01-01")
    shown = pages.get("")

    assert not shown.all("input[type=range][data-for=known_at]")
    assert shown.all("#known_at")


def test_the_span_follows_each_change(home):
    assert home.span().valid.first is None
    home.remember("A", "Text.", valid_from="2020-01-01", external_id="a")
    assert home.span().valid.first_day == "2020-01-01"
    home.remember("B", "Text.", valid_from="1950-01-01", external_id="b")
    assert home.span().valid.first_day == "1950-01-01"
    home.erase("entry", "b")
    assert home.span().valid.first_day == "2020-01-01"


def test_days_are_those_of_the_workspace(home):
    home.remember("A", "Text.", valid_from="2020-01-01")
    told = home.span()

    assert told.zone == "Europe/Berlin"
    assert told.valid.first == "2019-12-31T23:00:00.000000Z"
    assert told.valid.first_day == "2020-01-01"
    assert told.recorded.first is not None
    assert told.recorded.first <= told.now


def test_hidden_entries_move_no_slider_whoever_looked_before(pages, home):
    home.remember("Alt", "Text.", valid_from="1950-01-01", sensitivity=3)
    home.remember("A", "Text.", valid_from="2020-01-01")
    assert slider(pages.get(""), "as_of")["data-first"] == "1950-01-01"
    bob = pages.as_("bob", "reader")
    assert slider(bob.get(""), "as_of")["data-first"] == "2020-01-01"
    home.remember("B", "Text.", valid_from="1960-01-01", visibility="restricted")
    assert slider(bob.get(""), "as_of")["data-first"] == "2020-01-01"
