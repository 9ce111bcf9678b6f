"""Every rule for values of time, in five zones that differ where it hurts.

Berlin has gaps and folds by night; Apia skipped a day, lived one twice and changed its clocks at
midnight; Cairo's gap is the first hour of a day and its fold the last; Kathmandu's offset has
quarters, once also seconds, and a year there began at 00:15; UTC has nothing of all that.

What is expected is written by hand (``zone_tables.py``) or found by trying every minute.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from zone_tables import (
    CLOCKS,
    DAYS,
    NOTATIONS,
    OFFSETS,
    REFUSED,
    SEPTEMBER,
    SPANS,
    ZONES,
    by_zone,
    from_epoch,
    utc,
)

from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.parsing import parse_end, parse_instant, parse_moment, parse_start
from damals.domain.periods import OPEN_END, Bound, BoundKind, Period
from damals.domain.zones import load_zone

NOW = utc("2026-03-01T12:00")


def start(value: object, zone: str) -> Bound:
    return parse_start(value, zone=load_zone(zone), now=NOW)


def end(value: object, zone: str) -> Bound:
    return parse_end(value, zone=load_zone(zone), now=NOW)


def asked(value: object, zone: str) -> int:
    return parse_instant(value, zone=load_zone(zone), now=NOW)


def assert_refused(text: str, zone: str, key: str) -> InvalidInput:
    """Whatever the path, and naming the text."""
    refusals: list[InvalidInput] = []
    for parse in (start, end, asked):
        with pytest.raises(InvalidInput) as caught:
            parse(text, zone)
        refusals.append(caught.value)
    assert [(r.key, r.values) for r in refusals] == [(key, refusals[0].values)] * 3
    return refusals[0]


# A date without a time is the first instant of that day in the zone

MISSING = "time.day_missing"
EARLY = "time.out_of_range"


@pytest.mark.parametrize(("text", "zone", "expected"), by_zone(DAYS))
def test_a_day_is_its_first_instant_in_the_zone(text: str, zone: str, expected: int | str):
    for value in (text, *NOTATIONS.get(text, ())):
        if isinstance(expected, str):
            assert_refused(str(value), zone, expected)
            continue
        for bound in (start(value, zone), end(value, zone)):
            assert (bound.earliest, bound.latest) == (expected, expected)
            assert (bound.kind, bound.uncertain) == (BoundKind.EXACT, False)
            assert bound.text == str(value)
        assert asked(value, zone) == expected
        assert parse_moment(value, zone=load_zone(zone)) == expected


def test_a_missing_day_is_named_with_its_zone():
    refusal = assert_refused("2011-12-30", "Pacific/Apia", MISSING)
    assert refusal.values == {"text": "2011-12-30", "zone": "Pacific/Apia"}


def first_minute(day: date, zone: ZoneInfo) -> int | None:
    """The first minute whose local date is ``day``, found by trying all that are near."""
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=15)
    for _ in range(40 * 60):
        if at.astimezone(zone).date() == day:
            return from_epoch(at)
        at += timedelta(minutes=1)
    return None


@pytest.mark.parametrize("name", ZONES)
def test_days_begin_with_the_first_minute_that_has_their_date(name: str):
    zone = ZoneInfo(name)
    days = [date(year, month, 1) for year in (1986, 2010, 2011, 2024) for month in range(1, 13)]
    days += [date(2011, 12, 28) + timedelta(days=n) for n in range(5)]
    days += [date(2024, 4, 25) + timedelta(days=n) for n in range(3)]
    for day in days:
        expected = first_minute(day, zone)
        if expected is None:
            assert_refused(day.isoformat(), name, MISSING)
        else:
            assert asked(day.isoformat(), name) == expected


# A date-time without offset is read in the zone, and refused in a gap or a fold


@pytest.mark.parametrize(("text", "zone", "expected"), by_zone(CLOCKS))
def test_a_clock_reading_is_read_in_the_zone_or_refused(text: str, zone: str, expected: int | str):
    compact = text.replace("-", "").replace(":", "")
    for value in (text, f"{text}:00", text.replace("T", " "), compact):
        if isinstance(expected, str):
            assert_refused(value, zone, expected)
            continue
        for bound in (start(value, zone), end(value, zone)):
            assert (bound.earliest, bound.latest) == (expected, expected)
        assert asked(value, zone) == expected


def moments(texts: Iterable[object]) -> list[datetime]:
    return [datetime.fromisoformat(str(text)) for text in texts]


@pytest.mark.parametrize(("zone", "text", "jump", "readings"), REFUSED)
def test_a_refusal_names_both_readings_and_each_can_be_given_instead(
    zone: str, text: str, jump: str, readings: str
):
    named = assert_refused(text, zone, "time.gap" if jump else "time.fold").values
    assert (named["text"], named["zone"]) == (f"{text}:00", zone)
    if jump:
        assert moments((named["jumps_from"], named["jumps_to"])) == moments(jump.split())
    shown = (str(named["first"]), str(named["second"]))
    assert moments(shown) == moments(readings.split())
    for reading, moment in zip(shown, moments(shown), strict=True):
        assert asked(reading, zone) == from_epoch(moment)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("text", "expected"), OFFSETS)
def test_a_given_offset_decides_in_folds_and_gaps_whatever_the_zone(
    zone: str, text: str, expected: str
):
    for bound in (start(text, zone), end(text, zone)):
        assert (bound.earliest, bound.latest, bound.text) == (utc(expected), utc(expected), text)
    assert asked(text, zone) == utc(expected)


# Months, years and weeks as bounds lie somewhere inside


@pytest.mark.parametrize(
    ("text", "zone", "first", "behind"),
    SPANS,
)
def test_a_span_as_a_bound_reaches_to_the_next_one_and_is_asked_at_its_first_instant(
    text: str, zone: str, first: int, behind: int
):
    for bound in (start(text, zone), end(text, zone)):
        assert (bound.earliest, bound.latest) == (first, behind)
        assert (bound.kind, bound.text, bound.uncertain) == (BoundKind.RANGE, text, False)
    assert asked(text, zone) == first
    assert parse_moment(text, zone=load_zone(zone)) == first


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("text", ["0001", "0001-01", "0001-W01"])
def test_the_first_year_can_be_meant_only_where_it_lies_within_utc(zone: str, text: str):
    if zone == "UTC":
        assert start(text, zone).earliest == BEGINNING == asked(text, zone)
    else:
        assert_refused(text, zone, EARLY)


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_given_as_a_number_is_that_year(zone: str):
    assert start(2024, zone) == start("2024", zone)
    assert end(2024, zone) == end("2024", zone)


def test_a_range_of_nothing_but_a_missing_day_is_refused():
    for zone in ZONES:
        text = "2011-12-30/2011-12-30"
        if zone == "Pacific/Apia":
            assert_refused(text, zone, MISSING)
        else:
            assert start(text, zone).earliest == asked("2011-12-30", zone)


# Marks, and bounds that are unknown or open


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("text", ["2024-09-01", "2024-09", "2024", "2024-09-01T08:30", "20240901"])
@pytest.mark.parametrize("mark", ["~", "?"])
def test_a_mark_sets_uncertain_and_changes_nothing_else(zone: str, text: str, mark: str):
    for parse in (start, end):
        plain, marked = parse(text, zone), parse(text + mark, zone)
        assert (marked.uncertain, plain.uncertain) == (True, False)
        assert (marked.earliest, marked.latest) == (plain.earliest, plain.latest)
        assert (marked.kind, marked.text) == (plain.kind, text + mark)
    assert asked(text + mark, zone) == asked(text, zone)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("mark", ["~", "?"])
def test_a_mark_does_not_let_through_what_is_refused_without(zone: str, mark: str):
    for table in (DAYS, CLOCKS):
        for text, row in table.items():
            expected = row[ZONES.index(zone)]
            if isinstance(expected, str):
                assert_refused(text + mark, zone, expected)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("value", [None, "", " ", "unknown", "UNKNOWN"])
def test_a_start_that_is_empty_or_unknown_lies_anywhere_up_to_its_recording(
    zone: str, value: object
):
    bound = start(value, zone)
    assert (bound.earliest, bound.latest, bound.kind) == (BEGINNING, NOW, BoundKind.UNKNOWN)
    period = Period(bound, OPEN_END)
    seen = [period.certainty_at(at) for at in (BEGINNING, NOW - 1, NOW, FOREVER - 1)]
    assert seen == ["possible", "possible", "certain", "certain"]


@pytest.mark.parametrize("zone", ZONES)
def test_an_end_that_is_empty_is_open_and_one_unknown_lies_up_to_its_recording(zone: str):
    for value in (None, "", " ", "open", "OPEN"):
        assert end(value, zone) == OPEN_END
    bound = end("unknown", zone)
    assert (bound.earliest, bound.latest, bound.kind) == (BEGINNING, NOW, BoundKind.UNKNOWN)
    since = Period(start("2024-09-01", zone), bound)
    assert since.certainty_at(NOW - 1) == "possible"
    assert since.certainty_at(NOW) is None


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("value", [None, "", "open", "unknown"])
def test_nothing_can_be_asked_at_an_open_or_unknown_instant(zone: str, value: object):
    with pytest.raises(InvalidInput) as caught:
        asked(value, zone)
    assert caught.value.key == "time.unreadable"


# What holds certainly and what possibly


@pytest.mark.parametrize(("zone", "first", "behind"), SEPTEMBER)
def test_from_an_imprecise_start_on_it_is_possible_and_behind_it_certain(
    zone: str, first: int, behind: int
):
    period = Period(start("2024-09", zone), OPEN_END)
    instants = (first - 1, first, behind - 1, behind)
    seen = [period.certainty_at(at) for at in instants]
    assert seen == [None, "possible", "possible", "certain"]


@pytest.mark.parametrize(("zone", "first", "behind"), SEPTEMBER)
def test_up_to_an_imprecise_end_it_is_certain_and_within_it_possible(
    zone: str, first: int, behind: int
):
    period = Period(start("2020-01-01", zone), end("2024-09", zone))
    instants = (first - 1, first, behind - 1, behind)
    seen = [period.certainty_at(at) for at in instants]
    assert seen == ["certain", "possible", "possible", None]


@pytest.mark.parametrize("zone", ZONES)
def test_what_ended_is_possible_before_when_its_start_is_unknown(zone: str):
    period = Period(start(None, zone), end("1984-01-01", zone))
    assert period.certainty_at(utc("1970-01-01T00:00")) == "possible"
    assert period.certainty_at(asked("1984-01-01", zone)) is None


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2024-09-01", "20240901"),
        ("2024-09-02", "2024-09-01"),
        ("2024-10", "2024-09"),
        ("2024-09-01T08:30", "2024-09-01T08:30:00"),
    ],
)
def test_empty_and_reversed_bounds_are_refused_in_every_zone(zone: str, first: str, last: str):
    with pytest.raises(InvalidInput) as caught:
        Period(start(first, zone), end(last, zone))
    assert caught.value.key == "period.empty"
