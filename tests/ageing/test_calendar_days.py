"""Days are those of the calendar in the workspace's zone: states change when a day begins there."""

import math
from contextlib import contextmanager
from datetime import date, datetime

import pytest
from ageing_home import Time
from hypothesis import given
from hypothesis import strategies as st

from damals.bootstrap import init_home, open_home
from damals.domain.ageing import (
    Checked,
    HalfLives,
    Life,
    effective_grounding,
    effective_importance,
    is_doubtful,
    lifecycle,
    overdue,
    research_age,
    status,
)
from damals.domain.entries import Attributes
from damals.domain.instants import BEGINNING, DAY, FOREVER, from_datetime
from damals.domain.planning import Today
from damals.domain.zones import days_between, load_zone, start_of_day

FAST = HalfLives("fast_decay", 60, 90, 30)


def instant(text: str, zone: str) -> int:
    return from_datetime(datetime.fromisoformat(text).replace(tzinfo=load_zone(zone)))


@pytest.mark.parametrize(
    ("zone", "since", "until", "days"),
    [
        ("Europe/Berlin", "2026-01-01", "2026-01-01T23:59:59", 0),
        ("Europe/Berlin", "2026-03-28T23:59", "2026-03-29", 1),
        ("Europe/Berlin", "2026-03-29", "2026-03-30", 1),
        ("Europe/Berlin", "2026-01-01", "2026-04-01", 90),
        ("Europe/Berlin", "2026-01-01", "2026-06-30", 180),
        ("Europe/Berlin", "2026-10-25", "2026-10-25T23:59:59", 0),
        ("Europe/Berlin", "2026-08-01", "2026-10-30", 90),
        ("Pacific/Apia", "2011-12-29T12:00", "2011-12-31", 2),
        ("Pacific/Apia", "2011-12-01", "2011-12-31", 30),
        ("Pacific/Apia", "2011-12-31", "2012-03-30", 90),
        ("Pacific/Apia", "2011-09-01", "2011-11-30", 90),
        ("UTC", "2026-01-02", "2026-01-01", 0),
    ],
)
def test_days_are_counted_by_their_dates(zone: str, since: str, until: str, days: int):
    there = load_zone(zone)
    assert days_between(instant(since, zone), instant(until, zone), there) == days


def test_days_are_counted_to_both_ends_of_time():
    for zone in map(load_zone, ("Pacific/Apia", "America/Los_Angeles")):
        assert days_between(BEGINNING, FOREVER, zone) == (date.max - date.min).days


@given(
    st.sampled_from(["Europe/Berlin", "Pacific/Apia", "UTC", "America/New_York"]),
    st.integers(instant("2000-01-01", "UTC"), instant("2030-01-01", "UTC")),
    st.integers(0, 1000 * DAY),
)
def test_planning_counts_the_same_days(zone: str, since: int, passed: int):
    there = load_zone(zone)
    dates = [Today(one, there).day for one in (since, since + passed)]
    assert days_between(since, since + passed, there) == max((dates[1] - dates[0]).days, 0)


CASES = [
    pytest.param("Europe/Berlin", date(2026, 3, 1), id="Berlin into summer time"),
    pytest.param("Europe/Berlin", date(2026, 10, 1), id="Berlin out of summer time"),
    pytest.param("Pacific/Apia", date(2011, 12, 10), id="Apia over the day that it skipped"),
    pytest.param("Pacific/Apia", date(2011, 9, 10), id="Apia into summer time"),
]


@pytest.mark.parametrize(("zone", "day"), CASES)
@pytest.mark.parametrize("hour", [0, 1, 12, 23])
def test_each_derived_state_changes_when_its_day_begins(zone: str, day: date, hour: int):
    there = load_zone(zone)
    since = from_datetime(datetime(day.year, day.month, day.day, hour, tzinfo=there))
    has = Attributes("t", retrieved_at=since)
    one = Life(has, since, since, zone=there)
    checked = Life(has, since, since, (Checked(since, 1.0),), zone=there)

    def midnight(days: int) -> int:
        return start_of_day(date.fromordinal(day.toordinal() + days), there)

    def doubtful(at: int) -> bool:
        pinned = Life(Attributes("t", pinned=True), since, since, zone=there)
        return is_doubtful(pinned, FAST, at, status(pinned, FAST, at))

    changes = [
        (30, lambda at: lifecycle(one, FAST, at) == "decayed"),
        (31, lambda at: overdue(one, FAST, at)),
        (31, doubtful),
        (90, lambda at: research_age(one, FAST, at).severity == "LOW"),
        (181, lambda at: research_age(one, FAST, at).severity == "MEDIUM"),
        (30, lambda at: effective_grounding(checked, FAST, at) <= 0.5),
        (60, lambda at: effective_importance(one, FAST, at) <= 1.5),
    ]
    for days, holds in changes:
        begins = midnight(days)
        assert not holds(begins - 1), days
        assert holds(begins), days


@contextmanager
def berlin(folder, time: Time):
    init_home(folder, timezone="Europe/Berlin")
    with open_home(folder, clock=time, index_mode="inline", embedder="none") as opened:
        yield opened


def test_a_home_counts_the_days_of_its_zone(tmp_path):
    """From a day in winter to one in summer there are 90 days, not 89.96."""
    time = Time("2026-01-01T09:00:00")
    with berlin(tmp_path / "home", time) as home:
        home.remember("HNSW", "Gilt.", external_id="g", domain="ai_ml", retrieved_at="2026-01-01")
        time.to("2026-12-01")

        def told(as_of: str) -> list[tuple[str, float]]:
            return [(one.severity, one.age_days) for one in home.gate("g", as_of=as_of).findings]

        assert told("2026-03-31T23:59:59") == []
        assert told("2026-04-01") == [("LOW", 90)]
        assert told("2026-06-30") == [("LOW", 180)]
        assert told("2026-06-30T23:59:59") == [("LOW", 180)]
        assert told("2026-07-01") == [("MEDIUM", 181)]
        standing = {day: home.get("g", as_of=day).status for day in ("2026-01-30", "2026-01-31")}
        assert standing == {"2026-01-30": "active", "2026-01-31": "decayed"}
        [below] = home.hygiene(kind="decayed", as_of="2026-05-01").findings
        assert "120" in below.message


def test_what_never_ages_has_no_day_on_which_it_changes():
    endless = HalfLives("stable", math.inf, math.inf, math.inf)
    one = Life(Attributes("t"), 0, 0, zone=load_zone("Europe/Berlin"))
    assert lifecycle(one, endless, FOREVER) == "active"
    assert research_age(one, endless, FOREVER).severity is None
