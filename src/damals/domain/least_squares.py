"""A straight line through points, and how sure its slope is.

Ordinary least squares of ``y = intercept + slope · x`` with independent, equally spread errors in
``y``: ::

    slope     = Sxy / Sxx
    intercept = mean(y) − slope · mean(x)
    s²        = Σ (y − intercept − slope · x)² / (n − 2)
    error     = √(s² / Sxx)
    interval  = slope ± t(0.975, n − 2) · error

Sums are exact fractions, so nothing cancels out. Source: N. R. Draper & H. Smith, "Applied
Regression Analysis", 3rd edition, 1998, chapter 1 (slope, standard error, interval). Student's
distribution for whole degrees of freedom has a finite form: M. Abramowitz & I. Stegun, "Handbook of
Mathematical Functions", 1964, 26.7.3 and 26.7.4.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

Point = tuple[Fraction, Fraction]

FEWEST: Final = 3
"""A line through two points always fits, so nothing is known of its error."""

CONFIDENCE: Final = 0.95
_HALVINGS: Final = 100
_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points.

    Attributes:
        count: of the points.
        slope, intercept: exact.
        spread: sum of the squared distances of all ``x`` from their mean.
        residual: sum of the squared distances of all ``y`` from the line.
    """

    count: int
    slope: Fraction
    intercept: Fraction
    spread: Fraction
    residual: Fraction

    @property
    def degrees(self) -> int:
        """Degrees of freedom of what is left."""
        return self.count - 2

    @property
    def slope_error(self) -> float:
        """Standard error of the slope."""
        return root(self.residual / self.degrees / self.spread)

    @property
    def margin(self) -> float:
        """Half of the interval in which the slope lies with 95 % confidence."""
        return student(self.degrees) * self.slope_error


def fit(points: Sequence[Point]) -> Line | None:
    """The line of least squares; ``None`` for fewer than three points or one ``x`` alone."""
    count = len(points)
    if count < FEWEST:
        return None
    mean_x = sum((x for x, _ in points), Fraction()) / count
    mean_y = sum((y for _, y in points), Fraction()) / count
    spread = sum(((x - mean_x) ** 2 for x, _ in points), Fraction())
    if not spread:
        return None
    together = sum(((x - mean_x) * (y - mean_y) for x, y in points), Fraction())
    slope = together / spread
    intercept = mean_y - slope * mean_x
    residual = sum(((y - intercept - slope * x) ** 2 for x, y in points), Fraction())
    return Line(count, slope, intercept, spread, residual)


def root(square: Fraction) -> float:
    """The square root of a fraction that is not negative, as near as a float can be."""
    top, bottom = square.numerator, square.denominator
    bits = max(0, _BITS - (top.bit_length() - bottom.bit_length()) // 2)
    return float(Fraction(math.isqrt((top << 2 * bits) // bottom), 1 << bits))


@lru_cache(maxsize=1024)
def student(degrees: int, confidence: float = CONFIDENCE) -> float:
    """How many standard errors wide half of a two-sided interval of Student's distribution is.

    Args:
        degrees: of freedom, 1 or more.
        confidence: share of the distribution between both sides.
    """
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _between(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
    return math.sqrt(degrees) * math.tan((low + high) / 2)


def _between(angle: float, degrees: int) -> float:
    """The share of Student's distribution between −t and t, where t = √degrees · tan(angle)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    terms = [term] if degrees > 1 else []
    for number in range(2 + odd, degrees - 1, 2):
        term *= cosine * cosine * (number - 1) / number
        terms.append(term)
    total = sine * math.fsum(terms)
    return 2 / math.pi * (angle + total) if odd else total
