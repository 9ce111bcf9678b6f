"""Periods are half-open; what is known of their ends decides what is certain and what possible."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.domain.errors import Conflict, InvalidInput
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.periods import (
    OPEN_END,
    Bound,
    BoundKind,
    Period,
    exact,
    period_or_none,
    unknown_end,
    unknown_start,
)

INSTANTS = st.integers(0, 8)
RANGES = st.builds(
    lambda start, width: Bound(start, start + width, BoundKind.RANGE, "range"),
    INSTANTS,
    st.integers(1, 3),
)
STARTS = st.one_of(INSTANTS.map(exact), RANGES, INSTANTS.map(unknown_start))
ENDS = st.one_of(INSTANTS.map(exact), RANGES, INSTANTS.map(unknown_end), st.just(OPEN_END))
GRID = [BEGINNING, *range(-1, 13), FOREVER]


@st.composite
def periods(draw: st.DrawFn) -> Period:
    start, end = draw(st.tuples(STARTS, ENDS).filter(lambda b: b[0].earliest < b[1].latest))
    return Period(start, end)


@st.composite
def exact_periods(draw: st.DrawFn) -> Period:
    start = draw(INSTANTS)
    end = draw(st.integers(start + 1, 10).map(exact) | st.just(OPEN_END))
    return Period(exact(start), end)


@settings(max_examples=200)
@given(periods(), st.sampled_from(GRID))
def test_what_is_certain_is_possible(period: Period, at: int):
    assert period.possible_at(at) or not period.certain_at(at)
    expected = {(True, True): "certain", (False, True): "possible", (False, False): None}
    assert period.certainty_at(at) == expected[period.certain_at(at), period.possible_at(at)]


@settings(max_examples=200)
@given(periods(), periods())
def test_overlap_is_symmetric(one: Period, other: Period):
    assert one.overlaps(other) == other.overlaps(one)


@settings(max_examples=200)
@given(periods())
def test_a_period_overlaps_itself_and_taking_it_out_leaves_nothing(period: Period):
    assert period.overlaps(period)
    assert period.without(period) == ()


@settings(max_examples=200)
@given(exact_periods(), exact_periods())
def test_exact_periods_overlap_when_they_share_an_instant(one: Period, other: Period):
    shared = any(one.certain_at(at) and other.certain_at(at) for at in range(12))
    assert one.overlaps(other) == shared


@settings(max_examples=300)
@given(exact_periods(), exact_periods())
def test_taking_a_portion_out_partitions_the_period(whole: Period, portion: Period):
    rest = whole.without(portion)
    for at in range(12):
        holders = [part for part in rest if part.certain_at(at)]
        inside = whole.certain_at(at) and portion.certain_at(at)
        assert len(holders) + inside == whole.certain_at(at)


@settings(max_examples=300)
@given(periods(), periods())
def test_what_is_left_lies_inside_and_apart_or_the_cut_is_too_imprecise(
    whole: Period, portion: Period
):
    try:
        rest = whole.without(portion)
    except Conflict as refusal:
        assert refusal.key == "cut.imprecise"
        edges = (whole.start, whole.end, portion.start, portion.end)
        assert any(edge.earliest != edge.latest for edge in edges)
        return
    for part in rest:
        assert all(whole.possible_at(at) for at in GRID if part.possible_at(at))
        assert all(whole.certain_at(at) for at in GRID if part.certain_at(at))
    apart = [portion, *rest] if whole.overlaps(portion) else [whole]
    assert not any(a.overlaps(b) for n, a in enumerate(apart) for b in apart[n + 1 :])


def test_from_is_included_and_to_is_excluded():
    period = Period(exact(3), exact(5))
    assert [period.certainty_at(at) for at in (2, 3, 4, 5)] == [None, "certain", "certain", None]


@pytest.mark.parametrize("end", [3, 2])
def test_an_empty_or_reversed_period_is_refused_never_swapped(end: int):
    with pytest.raises(InvalidInput) as caught:
        Period(exact(3, "three"), exact(end, "end"))
    assert caught.value.key == "period.empty"
    assert caught.value.values == {"start": "three", "end": "end"}
    assert period_or_none(exact(3), exact(end)) is None


def test_the_refusal_names_instants_where_no_text_was_given():
    with pytest.raises(InvalidInput) as caught:
        Period(exact(0), exact(0))
    assert caught.value.values["start"] == "1970-01-01T00:00:00.000000Z"


def test_imprecise_bounds_are_refused_only_when_no_reading_leaves_an_instant():
    month = Bound(3, 6, BoundKind.RANGE, "month")
    assert Period(month, month).possible_at(4)
    assert Period(exact(5), month).possible_at(5)
    with pytest.raises(InvalidInput):
        Period(exact(6), month)


def test_periods_that_meet_at_the_very_same_imprecise_bound_do_not_overlap():
    month = Bound(3, 6, BoundKind.RANGE, "2024-09")
    same = replace(month, text="09.2024", uncertain=True)
    assert not Period(exact(0), month).overlaps(Period(same, OPEN_END))
    other = Bound(4, 6, BoundKind.RANGE, "later")
    assert Period(exact(0), month).overlaps(Period(other, OPEN_END))


def test_an_unknown_end_and_an_unknown_start_of_one_instant_are_two_bounds():
    ended = Period(exact(0), unknown_end(5))
    began = Period(unknown_start(5), OPEN_END)
    assert ended.overlaps(began)
    assert not ended.overlaps(Period(ended.end, OPEN_END)), "cut at the very same unknown end"


def test_an_unknown_start_is_possible_before_it_was_recorded_and_certain_from_then_on():
    period = Period(unknown_start(5), OPEN_END)
    assert [period.certainty_at(at) for at in (BEGINNING, 4, 5, 6)] == [
        "possible",
        "possible",
        "certain",
        "certain",
    ]


def test_an_unknown_end_is_never_certain_and_possible_until_it_was_recorded():
    period = Period(exact(0), unknown_end(5))
    assert [period.certainty_at(at) for at in (-1, 0, 4, 5)] == [None, "possible", "possible", None]


def test_the_mark_of_uncertainty_changes_no_comparison():
    plain, marked = Period(exact(1), exact(5)), Period(replace(exact(1), uncertain=True), exact(5))
    assert marked.uncertain
    assert not plain.uncertain
    assert marked.same_as(plain)
    assert all(marked.certainty_at(at) == plain.certainty_at(at) for at in GRID)
