"""Instants are whole microseconds of UTC in the years 1 to 9999; none is lost or rounded."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from damals.domain.errors import InvalidInput
from damals.domain.instants import (
    BEGINNING,
    FOREVER,
    format_instant,
    from_datetime,
    in_range,
    to_datetime,
)

FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)


@settings(max_examples=200)
@given(st.datetimes(timezones=st.just(UTC)))
@example(FIRST)
@example(LAST)
@example(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))
def test_a_datetime_comes_back_to_the_microsecond(moment: datetime):
    assert to_datetime(from_datetime(moment)) == moment


@settings(max_examples=200)
@given(st.integers(BEGINNING, FOREVER))
@example(BEGINNING)
@example(FOREVER)
@example(-1)
def test_an_instant_comes_back_to_the_microsecond(instant: int):
    assert from_datetime(to_datetime(instant)) == instant


def test_floating_point_would_have_been_wrong_where_we_are_not():
    step = 137
    start = datetime(1900, 6, 1, tzinfo=UTC)
    moments = [start + timedelta(microseconds=n * step) for n in range(2000)]
    assert any(int(moment.timestamp() * 1e6) != from_datetime(moment) for moment in moments)
    assert [from_datetime(m) - from_datetime(start) for m in moments] == [
        n * step for n in range(2000)
    ]


def test_the_sentinels_are_the_first_and_the_last_instant():
    assert to_datetime(BEGINNING) == FIRST
    assert to_datetime(FOREVER) == LAST


def test_a_naive_datetime_is_refused_instead_of_guessed():
    with pytest.raises(InvalidInput) as caught:
        from_datetime(datetime.fromisoformat("2026-06-01"))
    assert caught.value.key == "instant.naive"


@pytest.mark.parametrize(
    "moment",
    [
        FIRST.replace(tzinfo=timezone(timedelta(hours=1))),
        LAST.replace(tzinfo=timezone(timedelta(hours=-1))),
    ],
)
def test_an_offset_that_leaves_the_years_is_refused(moment: datetime):
    with pytest.raises(InvalidInput) as caught:
        from_datetime(moment)
    assert caught.value.key == "time.out_of_range"


@pytest.mark.parametrize("instant", [BEGINNING - 1, FOREVER + 1, 10**30])
def test_an_instant_outside_the_years_is_refused_not_an_overflow(instant: int):
    for use in (to_datetime, format_instant, lambda i: in_range(i, "it")):
        with pytest.raises(InvalidInput) as caught:
            use(instant)
        assert caught.value.key == "time.out_of_range"


def test_texts_have_one_length_and_sort_like_their_instants():
    instants = [BEGINNING, -1, 0, 1, 500_000, FOREVER]
    texts = [format_instant(instant) for instant in instants]
    assert texts[0] == "0001-01-01T00:00:00.000000Z"
    assert texts[-1] == "9999-12-31T23:59:59.999999Z"
    assert {len(text) for text in texts} == {27}
    assert texts == sorted(texts)
