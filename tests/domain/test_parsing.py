"""One parser for every path into the system: what it reads, and what it refuses and how."""

import contextlib
import tomllib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import damals
from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER, format_instant, from_datetime
from damals.domain.parsing import parse_end, parse_instant, parse_moment, parse_start
from damals.domain.periods import (
    OPEN_END,
    Bound,
    BoundKind,
    Period,
    exact,
    unknown_end,
    unknown_start,
)
from damals.domain.zones import format_local, load_zone

BERLIN = load_zone("Europe/Berlin")
UTC_ZONE = load_zone("UTC")
NOW = from_datetime(datetime(2024, 9, 15, 12, tzinfo=UTC))

DAYS = [
    "2024-09-01",
    "20240901",
    "2024-W35-7",
    "2024W357",
    "2024-245",
    "2024245",
    "01.09.2024",
    "1.9.2024",
]
CLOCKS = [
    "2024-09-01T08:30",
    "2024-09-01T08:30:00",
    "20240901T0830",
    "20240901T083000",
    "2024-W35-7T08:30",
    "2024-245T0830",
    "2024-09-01t08:30",
    "2024-09-01T08:30:00.000",
    "2024-09-01T08:30:00,0000000",
    "2024-09-01T08:30+02:00",
    "2024-09-01T08:30+0200",
    "2024-09-01T08:30+02",
    "2024-09-01T06:30Z",
    "2024-09-01T06:30z",
    "20240901T063000Z",
    "2024-09-01T06:30+00:00",
    "2024-09-01T06:30-00:00",
    "2024-09-01T01:00:30-05:29:30",
    "2024-08-31T24:00-06:30",
    "2024-09-01T06:30UTC",
    "2024-09-01T08:30UTC+02:00",
    "2024-09-01T00:30−06:00",
    "2024-09-01 08:30",
    "2024-09-01 08:30:00 +02:00",
    "2024-09-01 06:30 UTC",
    "01.09.2024 08:30",
    "1.9.2024 8:30",
    "1. 9. 2024 um 8:30 Uhr",
    "1. September 2024, 08:30",
    "September 1, 2024 at 8:30",
]
RANGES = [
    "2024-09",
    "2024",
    "2024-W36",
    "2024W36",
    "09.2024",
    "9.2024",
    "2024-06/2024-08",
    "2024-09-01/2024-09-03",
    "0002",
    "9999",
    "9999-12",
    "9999-W52",
    "2023/2024",
]
WORDS = ["gestern", "vor zwei Wochen", "last summer", "14. März", "in 2 weeks", "gestern 08:00"]
UNREADABLE_WORDS = """
2024-02-30 2024-13 2024-00 12:30 007 2024-W54 2024-W53 2024-W00 2024-W36-8 2024-366x 2023-366
2024-000 31.02.2024 1.13.2024 0000 0000-01-01 10000 10000-01-01 -2024 +2024 202409 2024-9-1 2024-9
2024/09 06/01/2026 01.06.26 24-09-01 2024-0901 202409-01 2024-W361 2024W36-1 2024-09-01T
2024-09-01T8 2024-09-01T08:3 2024-09-01T25:00 2024-09-01T24:01 2024-09-01T24:00:00.1
2024-09-01T08:60 2024-09-01T08:30:61 2024-09-01T08.5 2024-09-01T08:30.5 2024-09-01T08:30:00.
2024-09-01T08:30+24:00 2024-09-01T08:30+02:60 2024-09-01T08:30+2 2024-09-01Z 2024-09T08:00 2024T08
2024-09/2024-08 2024-09/ /2024-09 2024-01/2024-02/2024-03 ~ ? ~2024 2024~? 2024~~ ٢٠٢٤ ２０２４
null none nan 1e3 2024.0 T08:30 2024-09-01T08:30:00ZZ 2024-09-01T08:30Europe/Berlin
"""
UNREADABLE = [
    *UNREADABLE_WORDS.split(),
    "2024-09-01\0",
    "\0",
    "2024-09-01\n08:30",
    "2024 - 09",
    "2024-09-01  T08:30",
    "\ud800",
    "2" * 5000,
]


def start(value: object, zone: ZoneInfo = BERLIN) -> Bound:
    return parse_start(value, zone=zone, now=NOW)


def moment(text: str) -> int:
    return from_datetime(datetime.fromisoformat(text))


def refusal(
    value: object, parse: Callable[..., object] = parse_start, zone: ZoneInfo = BERLIN
) -> str:
    with pytest.raises(InvalidInput) as caught:
        parse(value, zone=zone, now=NOW)
    return caught.value.key


# What is written in different notations means the same


@pytest.mark.parametrize("text", DAYS)
def test_a_day_is_exactly_its_local_midnight_in_every_notation(text: str):
    assert start(text) == exact(moment("2024-08-31T22:00Z"), text)


@pytest.mark.parametrize("text", CLOCKS)
def test_a_date_time_is_the_same_instant_in_every_notation(text: str):
    assert start(text) == exact(moment("2024-09-01T06:30Z"), text)


@pytest.mark.parametrize(
    ("text", "first", "behind"),
    [
        ("2024-09", "2024-08-31T22:00Z", "2024-09-30T22:00Z"),
        ("09.2024", "2024-08-31T22:00Z", "2024-09-30T22:00Z"),
        ("2024", "2023-12-31T23:00Z", "2024-12-31T23:00Z"),
        ("2024-W36", "2024-09-01T22:00Z", "2024-09-08T22:00Z"),
        ("2024W36", "2024-09-01T22:00Z", "2024-09-08T22:00Z"),
        ("2024-06/2024-08", "2024-05-31T22:00Z", "2024-08-31T22:00Z"),
        ("2024-12", "2024-11-30T23:00Z", "2024-12-31T23:00Z"),
    ],
)
def test_a_week_a_month_or_a_year_is_a_range_as_a_bound(text: str, first: str, behind: str):
    for parse in (parse_start, parse_end):
        bound = parse(text, zone=BERLIN, now=NOW)
        assert (bound.earliest, bound.latest) == (moment(first), moment(behind))
        assert (bound.kind, bound.text) == (BoundKind.RANGE, text)
    assert parse_instant(text, zone=BERLIN, now=NOW) == moment(first)
    assert parse_moment(text, zone=BERLIN) == moment(first)


@pytest.mark.parametrize("number", [2024, 20240901])
def test_a_number_that_looks_like_a_date_is_read_as_its_digits(number: int):
    assert start(number) == start(str(number))


def test_dates_and_aware_datetimes_are_taken_as_they_are():
    assert start(date(2024, 9, 1)) == start("2024-09-01")
    aware = datetime(2024, 9, 1, 8, 30, tzinfo=timezone(timedelta(hours=2)))
    assert start(aware) == exact(moment("2024-09-01T06:30Z"), "2024-09-01T06:30:00.000000Z")


def test_a_naive_datetime_is_refused_whatever_the_zone():
    assert refusal(datetime.fromisoformat("2024-09-01")) == "instant.naive"


@pytest.mark.parametrize("value", [True, 2024.0, 7, -2024, 10**20, b"2024", [2024], object()])
def test_other_values_are_refused(value: object):
    assert refusal(value) == "time.unreadable"


def test_a_number_too_long_to_write_is_refused_all_the_same():
    assert refusal(10**5000) == "time.unreadable"


# Ends that are open, unknown or uncertain


@pytest.mark.parametrize("value", [None, "", "  ", "unknown", "Unknown"])
def test_a_start_left_empty_is_unknown(value: object):
    assert start(value) == unknown_start(NOW)


@pytest.mark.parametrize("value", [None, "", "open", " OPEN "])
def test_an_end_left_empty_is_open(value: object):
    assert parse_end(value, zone=BERLIN, now=NOW) == OPEN_END


def test_an_unknown_end_lies_somewhere_up_to_its_recording():
    assert parse_end("unknown", zone=BERLIN, now=NOW) == unknown_end(NOW)


def test_a_start_cannot_be_open():
    assert refusal("open") == "time.unreadable"


@pytest.mark.parametrize("value", [None, "", " ", "open", "unknown", "unknown?"])
def test_what_is_open_or_unknown_cannot_be_asked_for(value: object):
    assert refusal(value, parse_instant) == "time.unreadable"
    with pytest.raises(InvalidInput):
        parse_moment(value, zone=BERLIN)


@pytest.mark.parametrize("mark", ["~", "?", " ~"])
@pytest.mark.parametrize("text", ["2024-09-01", "2024-09", "2024-09-01T08:30Z", "01.09.2024"])
def test_a_mark_makes_a_bound_uncertain_and_changes_nothing_else(text: str, mark: str):
    marked, plain = start(text + mark), start(text)
    assert marked.same_as(plain)
    assert (marked.uncertain, plain.uncertain) == (True, False)
    assert marked.text == text + mark
    assert parse_instant(text + mark, zone=BERLIN, now=NOW) == plain.earliest


def test_the_text_is_kept_as_given_without_blanks_around_it():
    assert start(" 1.9.2024\n").text == "1.9.2024"


@pytest.mark.parametrize("text", [*DAYS, *CLOCKS, *RANGES, *WORDS, "2024-09~", "gestern?", "now"])
def test_a_stored_text_read_again_later_is_the_same_bound(text: str):
    first = start(text)
    again = parse_start(first.text, zone=BERLIN, now=NOW + 10**15)
    assert again == first


@settings(max_examples=150)
@given(
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from(["UTC", "Africa/Monrovia", "Asia/Kathmandu"]),
)
@example(datetime(1900, 1, 1, tzinfo=UTC), "Africa/Monrovia")
def test_what_is_shown_can_be_read_again(when: datetime, name: str):
    instant = from_datetime(when)
    assert parse_moment(format_instant(instant), zone=BERLIN) == instant
    try:
        shown = format_local(instant, load_zone(name))
    except InvalidInput:
        return
    assert parse_moment(shown, zone=BERLIN) == instant


# What is refused


@pytest.mark.parametrize("text", UNREADABLE)
def test_everything_else_is_refused(text: str):
    for parse in (parse_start, parse_end, parse_instant):
        assert refusal(text, parse) == "time.unreadable"


def test_a_refusal_names_the_text_and_keeps_it_short():
    with pytest.raises(InvalidInput) as caught:
        start("2024-02-30 ")
    assert caught.value.values == {"text": "2024-02-30"}
    with pytest.raises(InvalidInput) as caught:
        start("x" * 10_000)
    assert len(str(caught.value.values["text"])) < 100


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2016-12-31T23:59:60Z", "time.leap_second"),
        ("20161231T235960", "time.leap_second"),
        ("31.12.2016 23:59:60", "time.leap_second"),
        ("2024-09-01T08:30:00.1234567Z", "time.too_fine"),
        ("0001-01-01", "time.out_of_range"),
        ("0001", "time.out_of_range"),
        ("0001-01-01T00:00+00:01", "time.out_of_range"),
        ("9999-12-31T23:59-00:01", "time.out_of_range"),
        ("9999-12-31T24:00", "time.out_of_range"),
    ],
)
def test_some_refusals_say_more(text: str, key: str):
    assert refusal(text) == key


def test_the_seventh_digit_may_be_zero():
    assert parse_moment("2024-09-01T00:00:00.1234560000Z", zone=BERLIN) == parse_moment(
        "2024-09-01T00:00:00.123456Z", zone=BERLIN
    )


def test_the_calendar_can_be_used_from_edge_to_edge():
    assert start("0001-01-01", UTC_ZONE).earliest == BEGINNING
    assert start("9999-12-31T23:59:59.999999", UTC_ZONE).earliest == FOREVER
    assert start("9999", UTC_ZONE).latest == FOREVER
    assert refusal("9999-12-31T20:00", zone=load_zone("America/New_York")) == "time.out_of_range"


# Nothing but a refusal, whatever the text

VALID = st.sampled_from([*DAYS, *CLOCKS, *RANGES, *WORDS, "now", "2024~", "Winter 2024/25"])
CHARACTERS = st.sampled_from([*"0123456789-:.,/TWZ+~? äMm\0\n", "̈", "−", "٣"])


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(VALID)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(CHARACTERS | st.just("")) + text[at + draw(st.integers(0, 1)) :]
    return text


@settings(max_examples=400)
@given(st.text() | mutated(), st.sampled_from(["Europe/Berlin", "Pacific/Apia", "UTC"]))
@example("\ud800", "UTC")
@example("0001-W01", "Europe/Berlin")
@example("9999-W52-7", "UTC")
@example("2011-12-30/2011-12-30", "Pacific/Apia")
def test_no_text_raises_anything_but_a_refusal(text: str, name: str):
    zone = load_zone(name)
    for parse in (parse_start, parse_end, parse_instant):
        with contextlib.suppress(InvalidInput):
            parse(text, zone=zone, now=NOW)


@settings(max_examples=100)
@given(mutated(), st.sampled_from([BEGINNING, BEGINNING + 1, FOREVER - 1, FOREVER, 0]))
@example("this week", BEGINNING)
@example("next week", FOREVER)
@example("last winter", BEGINNING)
@example("this winter", FOREVER)
@example("29. Februar", BEGINNING)
@example("vor 2 Stunden", BEGINNING)
@example("tomorrow", FOREVER)
def test_no_now_raises_anything_but_a_refusal(text: str, now: int):
    for name in ("Asia/Tokyo", "America/New_York"):
        try:
            bound = parse_start(text, zone=load_zone(name), now=now)
        except InvalidInput:
            continue
        assert BEGINNING <= bound.earliest <= bound.latest <= FOREVER


# Acceptance


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-09-01", "2024-08-31T22:00Z"),
        ("2024-01-01", "2023-12-31T23:00Z"),
        ("20240901", "2024-08-31T22:00Z"),
        ("2024-W36-1", "2024-09-01T22:00Z"),
    ],
)
def test_case_17_days_in_berlin(text: str, expected: str):
    assert start(text).earliest == moment(expected)


def test_case_11_empty_and_reversed_bounds():
    for first, last in (("2024-09-01", "20240901"), ("2024-09-02", "2024-09-01")):
        with pytest.raises(InvalidInput) as caught:
            Period(start(first), parse_end(last, zone=BERLIN, now=NOW))
        assert caught.value.key == "period.empty"


def test_case_18_gap_and_fold_in_berlin():
    assert refusal("2025-03-30T02:30") == "time.gap"
    assert refusal("30.03.2025 02:30") == "time.gap"
    assert refusal("2025-10-26T02:30") == "time.fold"
    assert start("2025-10-26T02:30+02:00").earliest == moment("2025-10-26T00:30Z")
    assert start("2025-10-26T02:30+01:00").earliest == moment("2025-10-26T01:30Z")


def test_case_19_a_missing_day_and_a_missing_midnight():
    apia, cairo = load_zone("Pacific/Apia"), load_zone("Africa/Cairo")
    assert refusal("2011-12-30", zone=apia) == "time.day_missing"
    assert refusal("2011-12-30/2011-12-30", zone=apia) == "time.day_missing"
    assert start("2011-12-29/2011-12-29", apia).latest == start("2011-12-31", apia).earliest
    assert start("2024-04-26", cairo).earliest == moment("2024-04-25T22:00Z")


def test_case_20_an_unknown_start():
    period = Period(start(None), parse_end("1984-01-01", zone=UTC_ZONE, now=NOW))
    assert period.certainty_at(moment("1970-01-01T00:00Z")) == "possible"


def test_case_21_a_month_as_start():
    period = Period(start("2024-09", UTC_ZONE), OPEN_END)
    assert period.certainty_at(moment("2024-08-31T00:00Z")) is None
    assert period.certainty_at(moment("2024-09-15T00:00Z")) == "possible"
    assert period.certainty_at(moment("2024-10-01T00:00Z")) == "certain"


# The texts of the refusals


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_refusal_has_a_text_and_a_hint_that_its_values_fill(language: str):
    path = Path(damals.__file__).parent / "messages" / language / "time.toml"
    texts = tomllib.loads(path.read_text("utf-8"))
    raised: dict[str, InvalidInput] = {}
    for act in (
        lambda: start("x"),
        lambda: start("2016-12-31T23:59:60Z"),
        lambda: start("2024-09-01T08:30:00.1234567Z"),
        lambda: start("0001"),
        lambda: start("2025-03-30T02:30"),
        lambda: start("2025-10-26T02:30"),
        lambda: start("2011-12-30", load_zone("Pacific/Apia")),
        lambda: start(datetime.fromisoformat("2024-09-01")),
        lambda: load_zone("x"),
        lambda: Period(exact(0), exact(0)),
    ):
        with pytest.raises(InvalidInput) as caught:
            act()
        raised[caught.value.key] = caught.value
    assert set(texts) == {name for key in raised for name in (key, f"{key}.hint")}
    for key, error in raised.items():
        for text in (texts[key], texts[f"{key}.hint"]):
            assert "{" not in text.format(**error.values)


@settings(max_examples=100)
@given(
    st.datetimes(min_value=datetime(1, 1, 1)),  # noqa: DTZ001 - a clock reading
    st.sampled_from(["seconds", "milliseconds", "microseconds"]),
    st.sampled_from(["", "24:00:00", "23:59:60", "12:60:00", "25:00:00"]),
)
def test_an_instant_in_utc_is_read_alike_in_every_spelling(moment: datetime, part: str, clock: str):
    day, _, time = moment.isoformat(timespec=part).partition("T")
    time = clock or time

    def read(text: str) -> object:
        try:
            return parse_moment(text, zone=BERLIN)
        except InvalidInput as refused:
            return refused.key

    assert read(f"{day}T{time}Z") == read(f"{day} {time}+00:00") == read(f"{day}T{time}z")
