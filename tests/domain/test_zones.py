"""A calendar day and a clock reading mean one instant in a zone, or are refused with a reason."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER, SECOND, from_datetime
from damals.domain.zones import (
    first_instant_from,
    format_local,
    load_zone,
    local_instant,
    start_of_day,
    to_local,
)

ODD_ZONES = [
    "Europe/Berlin",
    "Pacific/Apia",
    "Africa/Cairo",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "UTC",
    "America/Sao_Paulo",
    "Africa/Monrovia",
    "America/Juneau",
    "Asia/Manila",
    "Pacific/Kwajalein",
    "America/Toronto",
]
QUARTER = 15 * 60 * SECOND


def instant(text: str) -> int:
    return from_datetime(datetime.fromisoformat(text))


def naive(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Berlin",
        "Europe",
        "Europe/Berlin/",
        "../Europe/Berlin",
        "/etc/passwd",
        "a\0b",
        "\ud800",
        "x" * 5000,
        "tzdata.zi",
        "localtime",
        "posixrules",
        "right/UTC",
        "Factory",
    ],
)
def test_what_is_no_zone_is_refused_by_name(name: str):
    with pytest.raises(InvalidInput) as caught:
        load_zone(name)
    assert caught.value.key == "time.zone_unknown"


def test_a_zone_is_loaded_by_its_name():
    assert load_zone("Europe/Berlin").key == "Europe/Berlin"


def days_around_changes(zone: ZoneInfo) -> Iterator[date]:
    """The days next to each change of offset from 1840 to 2040."""
    day = date(1840, 1, 1)
    before = None
    while day.year < 2040:
        offset = datetime.combine(day, time(12), tzinfo=zone).utcoffset()
        if before is not None and offset != before:
            yield from (day + timedelta(days=n) for n in (-2, -1, 0, 1))
        before = offset
        day += timedelta(days=1)


@pytest.mark.parametrize("name", ODD_ZONES)
def test_the_start_of_a_day_is_the_first_instant_whose_local_date_it_is(name: str):
    zone = load_zone(name)
    for day in [date(2024, 2, 29), *days_around_changes(zone)]:
        middle = from_datetime(datetime.combine(day, time(12), tzinfo=UTC))
        around = range(middle - 200 * QUARTER, middle + 200 * QUARTER, QUARTER)
        seen = [i for i in around if to_local(i, zone).date() == day]
        if not seen:
            with pytest.raises(InvalidInput) as caught:
                start_of_day(day, zone)
            assert caught.value.key == "time.day_missing"
            continue
        start = start_of_day(day, zone)
        assert to_local(start, zone).date() == day
        assert to_local(start - 1, zone).date() < day
        assert seen[0] - QUARTER < start <= seen[0], day


@pytest.mark.parametrize(
    ("zone", "day", "expected"),
    [
        ("UTC", date(2024, 9, 1), "2024-09-01T00:00Z"),
        ("Europe/Berlin", date(2024, 9, 1), "2024-08-31T22:00Z"),
        ("Africa/Cairo", date(2024, 4, 26), "2024-04-25T22:00Z"),
        ("America/Sao_Paulo", date(2018, 11, 4), "2018-11-04T03:00Z"),
        # Clocks went back from 00:01 to 23:01: this midnight was seen twice.
        ("America/St_Johns", date(2006, 10, 29), "2006-10-29T02:30Z"),
        # The fold ends at midnight: it is seen once, after the repeated hour.
        ("America/Sao_Paulo", date(2019, 2, 17), "2019-02-17T03:00Z"),
        # Clocks jumped from 23:30 to 00:30.
        ("America/Toronto", date(1919, 3, 31), "1919-03-31T04:30Z"),
    ],
)
def test_midnights_that_are_missing_or_doubled_have_one_first_instant(
    zone: str, day: date, expected: str
):
    assert start_of_day(day, load_zone(zone)) == instant(expected)


def test_a_day_that_a_zone_skipped_does_not_exist_and_the_next_one_stands_for_it():
    apia = load_zone("Pacific/Apia")
    with pytest.raises(InvalidInput) as caught:
        start_of_day(date(2011, 12, 30), apia)
    assert caught.value.key == "time.day_missing"
    assert caught.value.values == {"text": "2011-12-30", "zone": "Pacific/Apia"}
    assert first_instant_from(date(2011, 12, 30), apia) == start_of_day(date(2011, 12, 31), apia)


def test_a_reading_in_a_gap_is_refused_with_both_sides_and_both_readings():
    with pytest.raises(InvalidInput) as caught:
        local_instant(naive("2025-03-30T02:30"), load_zone("Europe/Berlin"))
    assert caught.value.key == "time.gap"
    assert caught.value.values == {
        "text": "2025-03-30T02:30:00",
        "zone": "Europe/Berlin",
        "jumps_from": "2025-03-30T02:00:00+01:00",
        "jumps_to": "2025-03-30T03:00:00+02:00",
        "first": "2025-03-30T01:30:00+01:00",
        "second": "2025-03-30T03:30:00+02:00",
    }


def test_a_reading_in_a_fold_is_refused_with_both_readings():
    with pytest.raises(InvalidInput) as caught:
        local_instant(naive("2025-10-26T02:30"), load_zone("Europe/Berlin"))
    assert caught.value.key == "time.fold"
    assert caught.value.values["first"] == "2025-10-26T02:30:00+02:00"
    assert caught.value.values["second"] == "2025-10-26T02:30:00+01:00"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2025-03-30T01:59:59.999999", None),
        ("2025-03-30T02:00:00", "time.gap"),
        ("2025-03-30T02:59:59.999999", "time.gap"),
        ("2025-03-30T03:00:00", None),
        ("2025-10-26T01:59:59.999999", None),
        ("2025-10-26T02:00:00", "time.fold"),
        ("2025-10-26T02:59:59.999999", "time.fold"),
        ("2025-10-26T03:00:00", None),
    ],
)
def test_gaps_and_folds_are_half_open(text: str, key: str | None):
    zone = load_zone("Europe/Berlin")
    if key is None:
        assert to_local(local_instant(naive(text), zone), zone).replace(tzinfo=None) == naive(text)
    else:
        with pytest.raises(InvalidInput) as caught:
            local_instant(naive(text), zone)
        assert caught.value.key == key


@settings(max_examples=150)
@given(st.sampled_from(ODD_ZONES), st.datetimes())
def test_a_local_reading_comes_back_or_is_refused_with_a_known_reason(name: str, reading: datetime):
    zone = load_zone(name)
    reason = None
    try:
        found = local_instant(reading, zone)
    except InvalidInput as error:
        reason = error.key
    if reason is None:
        assert to_local(found, zone).replace(tzinfo=None) == reading
    else:
        assert reason in {"time.gap", "time.fold", "time.out_of_range"}


@pytest.mark.parametrize(
    ("zone", "text", "expected"),
    [
        ("Europe/Berlin", "2026-06-01T08:00Z", "2026-06-01T10:00:00+02:00"),
        ("Europe/Berlin", "2026-06-01T08:00:00.5Z", "2026-06-01T10:00:00.500000+02:00"),
        ("UTC", "2026-06-01T08:00:00.000001Z", "2026-06-01T08:00:00.000001+00:00"),
        ("Africa/Monrovia", "1971-01-01T00:44:30Z", "1971-01-01T00:00:00-00:44:30"),
    ],
)
def test_an_instant_is_shown_with_its_offset_and_a_fraction_only_when_it_has_one(
    zone: str, text: str, expected: str
):
    assert format_local(instant(text), load_zone(zone)) == expected


@pytest.mark.parametrize(
    "use",
    [
        lambda: start_of_day(date.min, load_zone("Asia/Tokyo")),
        lambda: local_instant(naive("0001-01-01T00:00"), load_zone("Europe/Berlin")),
        lambda: local_instant(naive("9999-12-31T23:00"), load_zone("America/New_York")),
        lambda: to_local(BEGINNING, load_zone("America/New_York")),
        lambda: format_local(FOREVER, load_zone("Europe/Berlin")),
    ],
)
def test_the_edges_of_the_calendar_are_refused_clearly(use: Callable[[], object]):
    with pytest.raises(InvalidInput) as caught:
        use()
    assert caught.value.key == "time.out_of_range"


def test_the_last_day_of_the_calendar_has_a_start_west_of_utc():
    assert start_of_day(date.max, load_zone("America/New_York")) == instant("9999-12-31T05:00Z")
