"""The line of least squares: exact against another way to it, and against tables of a book."""

import math
import os
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.domain.least_squares import fit, root, student

EXAMPLES = 300 if os.environ.get("DAMALS_TEST_PROFILE") == "nightly" else 25
fractions = st.builds(Fraction, st.integers(-(10**6), 10**6), st.sampled_from([1, 3, 1000]))
points = st.lists(st.tuples(fractions, fractions), min_size=3, max_size=12)


def normal_equations(data):
    """Slope, intercept and residual by Cramer's rule on the normal equations."""
    n = len(data)
    sx, sy = sum(x for x, _ in data), sum(y for _, y in data)
    sxx, sxy = sum(x * x for x, _ in data), sum(x * y for x, y in data)
    determinant = n * sxx - sx * sx
    slope = Fraction(n * sxy - sx * sy) / determinant
    intercept = Fraction(sxx * sy - sx * sxy) / determinant
    residual = sum((y - intercept - slope * x) ** 2 for x, y in data)
    return slope, intercept, residual, Fraction(determinant, n)


@settings(max_examples=EXAMPLES)
@given(points)
def test_the_line_is_that_of_the_normal_equations_exactly(data):
    found = fit(data)
    if len({x for x, _ in data}) == 1:
        assert found is None
        return
    slope, intercept, residual, spread = normal_equations(data)
    assert (found.slope, found.intercept, found.residual) == (slope, intercept, residual)
    assert found.spread == spread
    expected = math.sqrt(residual / (len(data) - 2) / spread)
    assert found.slope_error == pytest.approx(expected, rel=1e-9, abs=1e-300)


@settings(max_examples=EXAMPLES)
@given(points, fractions, fractions)
def test_moving_and_stretching_all_values_moves_and_stretches_the_line(data, by, up):
    found, moved = fit(data), fit([(x + by, y + up) for x, y in data])
    doubled = fit([(x, 2 * y) for x, y in data])
    if found is None:
        assert moved is doubled is None
        return
    assert (moved.slope, moved.residual) == (found.slope, found.residual)
    assert (doubled.slope, doubled.residual) == (2 * found.slope, 4 * found.residual)


@settings(max_examples=EXAMPLES)
@given(fractions, fractions, st.lists(fractions, min_size=3, max_size=9, unique=True))
def test_points_on_a_line_leave_nothing_over(slope, intercept, places):
    found = fit([(x, intercept + slope * x) for x in places])
    assert (found.slope, found.intercept, found.residual) == (slope, intercept, 0)
    assert (found.slope_error, found.margin) == (0.0, 0.0)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_points_have_no_line(count):
    assert fit([(Fraction(n), Fraction(n)) for n in range(count)]) is None


QUANTILES = {
    1: 12.706204736, 2: 4.302652730, 3: 3.182446305, 4: 2.776445105, 5: 2.570581836,
    6: 2.446911851, 7: 2.364624252, 8: 2.306004135, 9: 2.262157163, 10: 2.228138852,
    15: 2.131449546, 20: 2.085963447, 30: 2.042272456, 60: 2.000297822, 120: 1.979930405,
}  # fmt: skip
"""Student's t at 0.975, as printed in every table."""


@pytest.mark.parametrize(("degrees", "expected"), QUANTILES.items())
def test_the_quantiles_are_those_of_the_tables(degrees, expected):
    assert student(degrees) == pytest.approx(expected, abs=5e-9)


@pytest.mark.parametrize(
    ("degrees", "confidence", "expected"),
    [(1, 0.5, 1.0), (2, 0.5, 0.816496581), (10, 0.90, 1.812461123), (10, 0.99, 3.169272673)],
)
def test_other_intervals_are_right_as_well(degrees, confidence, expected):
    assert student(degrees, confidence) == pytest.approx(expected, abs=5e-9)


def test_with_many_degrees_it_is_the_normal_distribution():
    assert student(100_000) == pytest.approx(1.959963985, abs=5e-5)
    assert all(student(n) > student(n + 1) for n in range(1, 60))


def test_a_worked_example():
    # Five points: mean x 3, Sxx 10, Sxy 6, slope 0.6, intercept 2.2, residual 2.4.
    found = fit([(Fraction(x), Fraction(y)) for x, y in zip(range(1, 6), (2, 4, 5, 4, 5))])  # noqa: B905 -- both are five
    assert (found.slope, found.intercept) == (Fraction(3, 5), Fraction(11, 5))
    assert found.residual == Fraction(12, 5)
    assert found.slope_error == pytest.approx(math.sqrt(0.8 / 10))
    assert found.margin == pytest.approx(3.182446305 * 0.2828427125)


@settings(max_examples=EXAMPLES)
@given(st.fractions(min_value=0, max_value=10**30))
def test_a_root_is_as_near_as_a_float_can_be(square):
    assert root(square) == pytest.approx(math.sqrt(square), rel=1e-12, abs=1e-12)


def test_tiny_and_huge_values_have_roots():
    assert root(Fraction(1, 10**400)) == pytest.approx(1e-200)
    assert root(Fraction(10**400)) == pytest.approx(1e200)
