"""Which backups are kept: the rules of ``restic forget``, over days of the user's zone."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damals.domain.errors import InvalidInput
from damals.domain.instants import DAY, from_datetime
from damals.domain.retention import Keep, kept

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> int:
    return from_datetime(datetime.fromisoformat(text).replace(tzinfo=BERLIN))


def days(times: list[str], keep: Keep) -> list[str]:
    found = kept([at(one) for one in times], keep, BERLIN)
    return [times[place] for place in sorted(found)]


def test_the_last_ones_are_kept_whenever_they_were_made():
    times = ["2026-01-01T08:00", "2026-01-01T09:00", "2026-03-01T08:00"]
    assert days(times, Keep(last=2)) == times[1:]


def test_of_each_day_the_newest_is_kept_and_days_without_any_do_not_count():
    times = [
        *("2026-01-01T08:00", "2026-01-01T20:00", "2026-01-05T08:00", "2026-01-05T09:00"),
        *("2026-01-09T08:00", "2026-01-10T08:00"),
    ]
    assert days(times, Keep(daily=3)) == [times[3], times[4], times[5]]


def test_a_day_is_one_of_the_users_zone():
    times = ["2026-01-01T23:30", "2026-01-02T00:30", "2026-01-02T23:30"]
    assert days(times, Keep(daily=2)) == [times[0], times[2]]


def test_weeks_begin_on_monday_also_around_the_new_year():
    times = ["2025-12-28T12:00", "2025-12-29T12:00", "2026-01-04T12:00", "2026-01-05T12:00"]
    assert days(times, Keep(weekly=2)) == [times[2], times[3]]


def test_what_one_rule_keeps_is_kept_and_every_rule_is_told():
    times = ["2026-01-31T12:00", "2026-02-01T12:00", "2026-02-02T12:00"]
    found = kept([at(one) for one in times], Keep(last=1, daily=1, monthly=2), BERLIN)
    assert found == {0: ("monthly",), 2: ("last", "daily", "monthly")}


def test_a_rule_that_has_not_found_enough_keeps_the_oldest_too():
    times = ["2026-01-02T12:00", "2026-01-03T12:00", "2026-01-04T12:00"]
    assert days(times, Keep(monthly=4)) == [times[0], times[2]]
    assert days(times, Keep(monthly=1)) == [times[2]]


@pytest.mark.parametrize("rules", [{}, {"last": 0, "daily": 0}])
def test_without_a_rule_nothing_is_decided(rules):
    with pytest.raises(InvalidInput) as refused:
        Keep(**rules)
    assert refused.value.key == "backup.keep_nothing"


@pytest.mark.parametrize("count", [-1, 1.5, True, "3", None])
def test_a_count_is_a_whole_number(count):
    with pytest.raises(InvalidInput) as refused:
        Keep(daily=count)
    assert refused.value.key == "backup.keep"


@given(
    st.lists(st.integers(at("2024-01-01T00:00"), at("2026-12-31T00:00")), min_size=1, unique=True),
    st.integers(0, 3),
    st.integers(0, 8),
    st.integers(1, 14),
)
def test_the_newest_always_stays_and_no_rule_keeps_more_than_it_says(made, last, weekly, monthly):
    keep = Keep(last=last, weekly=weekly, monthly=monthly)
    found = kept(made, keep, BERLIN)
    assert made.index(max(made)) in found
    for name, most in (("last", last), ("weekly", weekly), ("monthly", monthly)):
        assert sum(name in rules for rules in found.values()) <= most


@given(st.integers(1, 40), st.integers(1, 12))
def test_pruning_each_day_keeps_as_many_days_as_were_asked_for(length, daily):
    keep, there = Keep(daily=daily), list[int]()
    for day in range(length):
        there.append(at("2026-01-01T12:00") + day * DAY)
        there = [there[place] for place in sorted(kept(there, keep, BERLIN))]
    assert len(there) == min(length, daily)
