"""German and English words for time, read on the asker's calendar and kept as what they meant."""

import unicodedata
from datetime import date

import pytest

from damals.domain.errors import InvalidInput
from damals.domain.instants import format_instant
from damals.domain.parsing import parse_end, parse_instant, parse_moment, parse_start
from damals.domain.periods import BoundKind
from damals.domain.zones import load_zone, start_of_day

BERLIN = load_zone("Europe/Berlin")
NOW = parse_moment("2024-09-15T12:00:00Z", zone=BERLIN)  # a Sunday
FORMS = ("NFC", "NFD")


def day_of(text: str, now: int = NOW) -> int:
    return parse_instant(text, zone=BERLIN, now=now)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Juni 2026", "2026-06-01"),
        ("1 Juni 2026", "2026-06-01"),
        ("1 June 2026", "2026-06-01"),
        ("1st of June 2026", "2026-06-01"),
        ("June 1, 2026", "2026-06-01"),
        ("june 1st 2026", "2026-06-01"),
        ("am 1. JUNI 2026", "2026-06-01"),
        ("14. März 2024", "2024-03-14"),
        ("14. Maerz 2024", "2024-03-14"),
        ("14. Mrz. 2024", "2024-03-14"),
        ("14\N{NO-BREAK SPACE}March\N{NO-BREAK SPACE}2024", "2024-03-14"),
        ("3. Okt. 2024", "2024-10-03"),
        ("Sept. 3, 2024", "2024-09-03"),
        ("6. Jänner 2024", "2024-01-06"),
    ],
)
def test_a_day_with_its_month_in_words(text: str, expected: str, form: str):
    written = unicodedata.normalize(form, text)
    assert parse_moment(written, zone=BERLIN) == start_of_day(date.fromisoformat(expected), BERLIN)
    bound = parse_start(written, zone=BERLIN, now=NOW)
    assert (bound.kind, bound.text) == (BoundKind.EXACT, written)


@pytest.mark.parametrize("text", ["Juni 2026", "June 2026", "im Juni 2026", "Jun. 2026"])
def test_a_month_in_words_is_a_range(text: str):
    bound = parse_start(text, zone=BERLIN, now=NOW)
    assert bound.same_as(parse_start("2026-06", zone=BERLIN, now=NOW))
    assert bound.text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sommer 2024", "2024-06/2024-08"),
        ("fall 2024", "2024-09/2024-11"),
        ("Winter 2024/25", "2024-12/2025-02"),
        ("winter 2024/2025", "2024-12/2025-02"),
    ],
)
def test_a_season_of_a_year_is_a_range(text: str, expected: str):
    assert parse_start(text, zone=BERLIN, now=NOW).same_as(
        parse_start(expected, zone=BERLIN, now=NOW)
    )


@pytest.mark.parametrize("text", ["Winter 2024", "Winter 2024/26", "Sommer 2024/25"])
def test_a_season_whose_year_is_not_clear_is_refused(text: str):
    with pytest.raises(InvalidInput):
        parse_start(text, zone=BERLIN, now=NOW)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("heute", "2024-09-15"),
        ("today", "2024-09-15"),
        ("gestern", "2024-09-14"),
        ("Yesterday", "2024-09-14"),
        ("vorgestern", "2024-09-13"),
        ("morgen", "2024-09-16"),
        ("tomorrow", "2024-09-16"),
        ("übermorgen", "2024-09-17"),
        ("uebermorgen", "2024-09-17"),
        ("vor zwei Wochen", "2024-09-01"),
        ("two weeks ago", "2024-09-01"),
        ("vor 3 Tagen", "2024-09-12"),
        ("3 days ago", "2024-09-12"),
        ("vor einem Monat", "2024-08-15"),
        ("vor fünf Monaten", "2024-04-15"),
        ("a year ago", "2023-09-15"),
        ("vor 10 Jahren", "2014-09-15"),
        ("in zwei Wochen", "2024-09-29"),
        ("in 2 weeks", "2024-09-29"),
        ("two months from now", "2024-11-15"),
        ("letzten Montag", "2024-09-09"),
        ("last Sunday", "2024-09-08"),
        ("next Sunday", "2024-09-22"),
        ("diesen Freitag", "2024-09-13"),
        ("14. März", "2024-03-14"),
        ("March 14", "2024-03-14"),
        ("15. September", "2024-09-15"),
        ("16. September", "2023-09-16"),
        ("29. Februar", "2024-02-29"),
    ],
)
def test_words_about_a_day_give_its_start_and_are_kept_resolved(
    text: str, resolved: str, form: str
):
    written = unicodedata.normalize(form, text)
    expected = start_of_day(date.fromisoformat(resolved), BERLIN)
    assert day_of(written) == expected
    for parse in (parse_start, parse_end):
        bound = parse(written, zone=BERLIN, now=NOW)
        assert (bound.earliest, bound.latest) == (expected, expected)
        assert (bound.kind, bound.text) == (BoundKind.EXACT, resolved)


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("last week", "2024-W36"),
        ("letzte Woche", "2024-W36"),
        ("diese Woche", "2024-W37"),
        ("nächste Woche", "2024-W38"),
        ("in der letzten Woche", "2024-W36"),
        ("last month", "2024-08"),
        ("im vergangenen Monat", "2024-08"),
        ("nächsten Monat", "2024-10"),
        ("this year", "2024"),
        ("letztes Jahr", "2023"),
        ("im nächsten Jahr", "2025"),
        ("last summer", "2024-06/2024-08"),
        ("letzten Sommer", "2024-06/2024-08"),
        ("next summer", "2025-06/2025-08"),
        ("this autumn", "2024-09/2024-11"),
        ("last autumn", "2023-09/2023-11"),
        ("letzter Winter", "2023-12/2024-02"),
        ("dieser Winter", "2024-12/2025-02"),
        ("last March", "2024-03"),
        ("letzten Dezember", "2023-12"),
        ("next March", "2025-03"),
    ],
)
def test_words_about_a_longer_time_give_a_range_and_are_kept_resolved(text: str, resolved: str):
    bound = parse_start(text, zone=BERLIN, now=NOW)
    assert bound.kind is BoundKind.RANGE
    assert bound.text == resolved
    assert bound.same_as(parse_start(resolved, zone=BERLIN, now=0))
    assert day_of(text) == bound.earliest


def test_a_winter_that_is_under_way_is_this_winter():
    january = parse_moment("2024-01-10", zone=BERLIN)
    assert parse_start("this winter", zone=BERLIN, now=january).text == "2023-12/2024-02"
    assert parse_start("last winter", zone=BERLIN, now=january).text == "2022-12/2023-02"
    assert parse_start("next winter", zone=BERLIN, now=january).text == "2024-12/2025-02"


def test_yesterday_is_yesterday_in_the_zone_that_asks():
    now = parse_moment("2024-09-15T23:30:00Z", zone=BERLIN)
    found = {
        name: format_instant(parse_instant("gestern", zone=load_zone(name), now=now))
        for name in ("UTC", "Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago")
    }
    assert found == {
        "UTC": "2024-09-14T00:00:00.000000Z",
        "Europe/Berlin": "2024-09-14T22:00:00.000000Z",
        "Pacific/Kiritimati": "2024-09-14T10:00:00.000000Z",
        "Pacific/Pago_Pago": "2024-09-14T11:00:00.000000Z",
    }


def test_two_weeks_ago_is_the_same_local_day_across_a_change_of_clocks():
    now = parse_moment("2024-04-07T00:30", zone=BERLIN)
    assert day_of("vor zwei Wochen", now) == parse_moment("2024-03-24", zone=BERLIN)


@pytest.mark.parametrize(
    ("now", "text", "expected"),
    [
        ("2024-03-31", "vor einem Monat", "2024-02-29"),
        ("2023-03-31", "a month ago", "2023-02-28"),
        ("2024-02-29", "vor einem Jahr", "2023-02-28"),
        ("2024-08-31", "in 6 months", "2025-02-28"),
        ("2024-03-31", "last month", "2024-02-01"),
    ],
)
def test_months_are_cut_to_their_last_day(now: str, text: str, expected: str):
    at = parse_moment(now, zone=BERLIN)
    assert day_of(text, at) == parse_moment(expected, zone=BERLIN)


def test_hours_and_minutes_are_counted_from_now_itself():
    assert day_of("vor 2 Stunden") == NOW - 2 * 3600 * 10**6
    assert day_of("in 90 minutes") == NOW + 90 * 60 * 10**6
    assert parse_start("an hour ago", zone=BERLIN, now=NOW).text == "2024-09-15T11:00:00.000000Z"


@pytest.mark.parametrize(
    "text", ["gestern 08:30", "gestern um 8:30 Uhr", "yesterday at 8:30", "14 September, 08:30"]
)
def test_a_day_in_words_can_have_a_clock_reading(text: str):
    assert day_of(text) == parse_moment("2024-09-14T08:30", zone=BERLIN)
    assert parse_start(text, zone=BERLIN, now=NOW).text == "2024-09-14T08:30:00+02:00"


def test_now_is_the_instant_of_the_transaction():
    assert day_of("now") == day_of("jetzt") == NOW
    bound = parse_end("now~", zone=BERLIN, now=NOW)
    assert (bound.earliest, bound.latest, bound.uncertain) == (NOW, NOW, True)
    assert bound.text == "2024-09-15T12:00:00.000000Z~"


@pytest.mark.parametrize(
    "text", ["now", "heute", "gestern", "vor zwei Wochen", "last summer", "14. März", "next year"]
)
def test_nothing_in_a_file_depends_on_when_it_is_read(text: str):
    with pytest.raises(InvalidInput) as caught:
        parse_moment(text, zone=BERLIN)
    assert caught.value.key == "time.unreadable"


@pytest.mark.parametrize(
    "text",
    [
        "30. Februar",
        "32. März",
        "0. Mai",
        "31. Juni 2024",
        "vor Wochen",
        "vor zwei",
        "zwei Wochen",
        "last",
        "last day",
        "letzte Weihnachten",
        "bald",
        "May",
        "Montag",
        "gestern 25:00",
        "vor 99999 Tagen",
        "vor -1 Tagen",
    ],
)
def test_words_that_mean_no_instant_are_refused(text: str):
    with pytest.raises(InvalidInput) as caught:
        day_of(text)
    assert caught.value.key == "time.unreadable"


@pytest.mark.parametrize("text", ["vor 9999 Jahren", "in 9999 years", "in 9999 Jahren"])
def test_words_that_leave_the_calendar_are_refused(text: str):
    with pytest.raises(InvalidInput) as caught:
        day_of(text)
    assert caught.value.key == "time.out_of_range"


def test_a_relative_day_that_the_zone_skipped_is_refused():
    apia = load_zone("Pacific/Apia")
    now = parse_moment("2011-12-31T12:00", zone=apia)
    with pytest.raises(InvalidInput) as caught:
        parse_instant("yesterday", zone=apia, now=now)
    assert caught.value.key == "time.day_missing"
