"""Where derived edges hold: enough periods together, and as they are written into the log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damals.domain.derived_parts import Part, read, written
from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.overlapping import at_least
from damals.domain.periods import (
    OPEN_END,
    Bound,
    BoundKind,
    Period,
    exact,
    unknown_end,
    unknown_start,
)

BOUNDED = st.builds(
    lambda first, more, length, last: Period(
        Bound(first, first + more, BoundKind.RANGE if more else BoundKind.EXACT),
        OPEN_END
        if length == 0
        else Bound(
            first + length, first + length + last, BoundKind.RANGE if last else BoundKind.EXACT
        ),
    ),
    st.integers(0, 6), st.integers(0, 3), st.integers(0, 5), st.integers(0, 3),
)  # fmt: skip


@given(st.lists(BOUNDED, max_size=7), st.integers(1, 4))
def test_enough_periods_hold_where_enough_may_and_surely_only_where_they_surely_do(periods, count):
    found = at_least(periods, count)
    for instant in range(16):
        certain = sum(one.certain_at(instant) for one in periods)
        possible = sum(one.possible_at(instant) for one in periods)
        assert any(one.possible_at(instant) for one in found) == (possible >= count)
        assert any(one.certain_at(instant) for one in found) == (certain >= count)


@given(BOUNDED)
def test_a_period_alone_stays_as_it_was_written(period):
    assert at_least([period], 1) == [period]
    assert at_least([period, period], 2) == [period]


# --- how they are written into the log

BOUNDS_FROM = st.one_of(
    st.builds(exact, st.integers(0, 10**15)),
    st.builds(unknown_start, st.integers(1, 10**15)),
    st.just(Bound(BEGINNING, BEGINNING, BoundKind.UNKNOWN)),
    st.just(Bound(5, 10**14, BoundKind.RANGE, "irgendwann", uncertain=True)),
)
BOUNDS_TO = st.one_of(
    st.builds(exact, st.integers(2 * 10**15, 10**16)),
    st.just(OPEN_END),
    st.builds(unknown_end, st.integers(2 * 10**15, 10**16)),
    st.just(Bound(2 * 10**15, FOREVER, BoundKind.RANGE, "später")),
)


@given(BOUNDS_FROM, BOUNDS_TO, st.floats(0, 1), st.lists(st.uuids(), max_size=3, unique=True))
def test_a_part_reads_as_it_was_written(start, end, confidence, evidence):
    part = Part(Period(start, end), confidence, tuple(evidence))
    assert read(written(part)) == part


@pytest.mark.parametrize(
    "value",
    [
        None,
        "part",
        {"from": {"kind": "exact"}, "to": {"kind": "open"}, "more": 1},
        {"from": {"kind": "sometime"}, "to": {"kind": "open"}},
        {"from": {"kind": "open"}, "to": {"kind": "open"}},
        {"from": {"kind": "exact", "earliest": "2024"}, "to": {"kind": "open"}},
        {"from": {"kind": "exact", "earliest": 3}, "to": {"kind": "open"}},
        {"to": {"kind": "open"}},
    ],
)
def test_what_is_no_part_is_refused(value):
    with pytest.raises(InvalidInput):
        read(value)
