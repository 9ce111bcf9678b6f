"""The bitemporal plane as geometry: what is drawn where, and what is written beside it."""

from dataclasses import replace
from itertools import combinations
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from damals.domain.instants import BEGINNING, DAY, FOREVER, instant_of
from damals.interfaces.web.drawing.marks import LINE, Mark
from damals.interfaces.web.drawing.plane import (
    NARROW,
    WIDE,
    Asked,
    Box,
    Extent,
    Plane,
    Shape,
    Size,
    plane,
)
from damals.interfaces.web.drawing.scale import calendar, scale, told
from damals.interfaces.web.drawing.wrapping import wrapped

BERLIN = ZoneInfo("Europe/Berlin")
UTC = ZoneInfo("UTC")
NOW = instant_of("2026-06-01T12:00:00Z")
SLACK = 1e-6


def at(text: str) -> int:
    return instant_of(f"{text}T00:00:00Z")


def asked(as_of: int = NOW, known_at: int = NOW) -> Asked:
    return Asked(as_of, known_at, NOW, UTC)


def one(extent: Extent, size: Size = WIDE) -> tuple[Plane, Shape]:
    made = plane([extent], asked(), size)
    return made, made.shapes[0]


def version(
    start: str | None = "2024-01-01", end: str | None = None, known: str = "2024-02-01"
) -> Extent:
    begin = (BEGINNING, at(known)) if start is None else (at(start),) * 2
    stop = (FOREVER,) * 2 if end is None else (at(end),) * 2
    return Extent(begin, stop, (at(known), FOREVER), label="1 what it says")


INSTANTS = st.integers(at("2020-01-01") // DAY, NOW // DAY - 1).map(lambda day: day * DAY)
CLOSE = st.integers(0, 8).map(lambda step: at("2024-01-01") + step)
"""Microseconds beside each other, so that edges collide."""


@st.composite
def extents(draw: st.DrawFn) -> Extent:
    """A version with bounds of any kind."""
    instants = draw(st.sampled_from((INSTANTS, CLOSE)))
    bounds = sorted(draw(st.lists(instants, min_size=4, max_size=4)))
    known = sorted(draw(st.lists(instants, min_size=2, max_size=2, unique=True)))
    start = draw(
        st.sampled_from(((bounds[0], bounds[1]), (bounds[0],) * 2, (BEGINNING, bounds[0])))
    )
    end = draw(st.sampled_from(((bounds[2], bounds[3]), (bounds[3],) * 2, (FOREVER,) * 2)))
    if start[0] >= end[1]:
        end = (end[1] + 1,) * 2 if end[1] < FOREVER else end
    to = draw(st.sampled_from((known[1], FOREVER)))
    return Extent(start, end, (known[0], to), draw(st.booleans()), label=draw(st.text(max_size=40)))


def holds(extent: Extent, as_of: int, known_at: int, *, surely: bool = False) -> bool:
    first, last = (extent.start[1], extent.end[0]) if surely else (extent.start[0], extent.end[1])
    return first <= as_of < last and extent.known[0] <= known_at < extent.known[1]


def covers(box: Box | None, x: float, y: float) -> bool:
    """Half open as periods are: the left and the lower edge belong to a rectangle."""
    if box is None:
        return False
    across = box.x - SLACK <= x < box.x + box.width - SLACK
    return across and box.y + SLACK < y <= box.y + box.height + SLACK


@given(st.lists(extents(), min_size=1, max_size=6), st.data())
def test_the_lines_cross_in_exactly_the_rectangles_that_hold_at_the_pair(
    some: list[Extent], data: st.DataObject
):
    instants = [i for extent in some for i in (*extent.bounds, extent.known[0])]
    as_of = data.draw(st.sampled_from([*instants, NOW, at("2019-05-05")]))
    known_at = data.draw(st.sampled_from([*(extent.known[0] for extent in some), NOW]))
    drawn = plane(some, asked(as_of, known_at))
    x, y = drawn.cross.valid.at, drawn.cross.known.at
    for extent, shape in zip(some, drawn.shapes, strict=True):
        assert covers(shape.whole, x, y) == holds(extent, as_of, known_at)
        assert covers(shape.certain, x, y) == holds(extent, as_of, known_at, surely=True)


@given(st.lists(extents(), min_size=1, max_size=6), st.sampled_from((WIDE, NARROW)))
def test_what_is_possible_and_what_is_certain_make_up_the_whole(some: list[Extent], size: Size):
    for shape in plane(some, asked(), size).shapes:
        parts = [*shape.possible, *([shape.certain] if shape.certain else [])]
        assert abs(sum(part.width for part in parts) - shape.whole.width) < SLACK
        assert all(part.x >= shape.whole.x - SLACK for part in parts)
        inside = size.plot
        assert shape.whole.x >= inside.x - SLACK
        assert shape.whole.x + shape.whole.width <= inside.x + inside.width + SLACK
        assert inside.y - SLACK <= shape.whole.y
        assert shape.whole.y + shape.whole.height <= inside.y + inside.height + SLACK


@given(st.lists(extents(), min_size=1, max_size=8), st.sampled_from((WIDE, NARROW)))
def test_texts_beside_the_axes_meet_no_other_and_stay_in_the_picture(
    some: list[Extent], size: Size
):
    drawn = plane(some, asked(), size)
    below = [mark for mark in (*drawn.valid, drawn.cross.valid) if mark.text]
    beside = [mark for mark in (*drawn.known, drawn.cross.known) if mark.text]

    def half(mark: Mark) -> float:
        return len(mark.text) * size.char / 2

    for first, second in combinations(below, 2):
        if first.text != second.text:
            assert abs(first.text_at - second.text_at) >= half(first) + half(second)
    for mark in below:
        assert half(mark) <= mark.text_at <= size.width - half(mark)
    for first, second in combinations(beside, 2):
        if first.text != second.text:
            assert abs(first.text_at - second.text_at) >= LINE - SLACK


@given(st.lists(extents(), min_size=1, max_size=6))
def test_every_instant_that_something_changes_at_is_marked(some: list[Extent]):
    drawn = plane(some, asked())
    valid = {round(mark.at, 3) for mark in drawn.valid if mark.change}
    known = {round(mark.at, 3) for mark in drawn.known if mark.change}
    for extent in some:
        assert {round(drawn.valid_scale.at(i), 3) for i in extent.bounds} <= valid
        assert round(drawn.known_scale.at(extent.known[0]), 3) in known


@given(st.sets(st.integers(0, 10**15), min_size=2, max_size=40), st.floats(1, 60))
def test_an_axis_keeps_order_and_gives_every_stretch_its_least_length(
    instants: set[int], least: float
):
    along = scale(instants, 10.0, 910.0, least)
    gaps = [b - a for a, b in zip(along.places, along.places[1:], strict=False)]
    assert (along.places[0], along.places[-1]) == (10.0, 910.0)
    assert min(gaps) >= min(least, 900 * 0.6 / len(gaps)) - 1e-3
    assert [along.at(i) for i in along.knots] == list(along.places)
    between = [(a + b) // 2 for a, b in zip(along.knots, along.knots[1:], strict=False)]
    assert all(
        low <= along.at(i) <= high
        for i, low, high in zip(between, along.places, along.places[1:], strict=False)
    )


def test_an_axis_with_room_for_all_is_true_to_scale():
    along = scale([0, 10, 30, 100], 0.0, 1000.0, 20.0)
    assert along.places == (0.0, 100.0, 300.0, 1000.0)


def test_an_axis_may_run_upwards():
    along = scale([0, 10, 20], 400.0, 0.0, 5.0)
    assert along.places == (400.0, 200.0, 0.0)


def test_an_open_end_runs_out_of_the_picture_and_has_no_edge():
    drawn, shape = one(version())
    rim = WIDE.plot.x + WIDE.plot.width
    assert shape.whole.x + shape.whole.width == rim
    assert drawn.valid_scale.places[-1] < rim, "there is room to fade out in"
    assert f"M{rim:.1f}" not in shape.edges
    assert shape.vague == ""


def test_an_unknown_start_runs_out_to_the_left_and_is_possible_until_it_was_recorded():
    drawn, shape = one(version(start=None, end="2025-01-01"))
    assert shape.whole.x == WIDE.plot.x
    (before,) = shape.possible
    assert before.x == WIDE.plot.x
    assert before.x + before.width == drawn.valid_scale.at(at("2024-02-01"))
    assert shape.certain is not None
    assert shape.certain.x == before.x + before.width


def test_an_imprecise_bound_is_a_hatched_stretch_between_dashed_lines():
    extent = replace(version(), start=(at("2024-09-01"), at("2024-10-01")))
    drawn, shape = one(extent)
    (september,) = shape.possible
    first, last = (drawn.valid_scale.at(at(day)) for day in ("2024-09-01", "2024-10-01"))
    assert (september.x, september.x + september.width) == (first, last)
    assert shape.vague.count("M") == 2
    assert f"M{first:.1f} {shape.whole.y:.1f}V" not in shape.edges


def test_a_version_that_surely_never_holds_is_possible_as_a_whole():
    extent = replace(version(), start=(at("2024-01-01"), at("2025-01-01")))
    extent = replace(extent, end=(at("2024-06-01"), at("2025-06-01")))
    _, shape = one(extent)
    assert shape.certain is None
    assert shape.possible == (shape.whole,)


def test_what_is_known_today_reaches_above_the_present_and_what_was_known_ends_below():
    past = replace(version(), known=(at("2024-02-01"), at("2025-02-01")))
    drawn = plane([past, version(known="2025-02-01")], asked())
    old, new = drawn.shapes
    assert new.whole.y == WIDE.plot.y
    assert new.whole.y < drawn.now < new.whole.y + new.whole.height
    assert old.whole.y == drawn.known_scale.at(at("2025-02-01"))
    assert abs(new.whole.y + new.whole.height - old.whole.y) < SLACK, "they touch"


def test_the_diagonal_is_where_both_clocks_say_the_same():
    drawn = plane([version(known="2024-03-01"), version("2025-01-01")], asked())
    points = [
        tuple(map(float, point.split())) for point in drawn.diagonal.removeprefix("M").split("L")
    ]
    for instant in (at("2024-03-01"), at("2025-01-01"), NOW):
        place = (drawn.valid_scale.at(instant), drawn.known_scale.at(instant))
        assert any(abs(x - place[0]) < 0.1 and abs(y - place[1]) < 0.1 for x, y in points)


def test_a_label_is_cut_to_its_rectangle_and_left_out_where_nothing_fits():
    long = replace(version(end="2024-01-20"), label="12 " + "word " * 40)
    drawn = plane([long, version(known="2020-01-01")], asked())
    label = drawn.shapes[0].label
    assert len(label) * WIDE.char <= drawn.shapes[0].whole.width
    _, shape = one(replace(version(), label="3 short"))
    assert shape.label == "3 short"


def test_days_are_told_in_the_zone_and_with_a_time_only_where_that_is_needed():
    midnight = instant_of("2024-09-01T00:00:00+02:00")
    assert told(midnight, BERLIN, whole=True) == "2024-09-01"
    assert told(midnight, UTC, whole=True) == "2024-08-31 22:00"
    assert told(midnight, UTC) == "2024-08-31"
    assert told(midnight, BERLIN, [midnight + 90 * 1_000_000]) == "2024-09-01 00:00"
    assert told(midnight, BERLIN, [midnight + 5 * 1_000_000]) == "2024-09-01 00:00:00"
    assert told(midnight, BERLIN, [midnight + 7]) == "2024-09-01 00:00:00.000000"


@given(st.sets(CLOSE | INSTANTS, min_size=2, max_size=12))
def test_two_instants_never_read_alike(instants: set[int]):
    texts = [told(one, BERLIN, instants) for one in instants]
    assert len(set(texts)) == len(texts)


def test_the_calendar_is_one_of_days_months_or_years_and_never_crowded():
    day, year = at("2024-01-05"), at("2030-01-01")
    assert [name for _, name in calendar(day, day + 5 * DAY, UTC, 14)][:2] == [
        "2024-01-06",
        "2024-01-07",
    ]
    assert [name for _, name in calendar(day, at("2024-05-20"), UTC, 14)] == [
        "2024-02",
        "2024-03",
        "2024-04",
        "2024-05",
    ]
    assert [name for _, name in calendar(day, year, UTC, 14)] == [f"{y}" for y in range(2025, 2031)]
    for last in (day + DAY, year, at("2300-01-01"), FOREVER - 1):
        assert len(calendar(day, last, BERLIN, 14)) <= 15


@given(st.text(max_size=200), st.integers(4, 40), st.integers(1, 4))
def test_wrapped_text_stays_within_its_lines_and_loses_nothing_unmarked(
    text: str, chars: int, most: int
):
    lines = wrapped(text, chars, most)
    assert len(lines) <= most
    assert all(len(line) <= chars for line in lines)
    whole = " ".join(text.split())
    if not (lines and lines[-1].endswith("…")):
        assert "".join(lines).replace(" ", "") == whole.replace(" ", "")
