"""Calibrations: measured values over time, how they drift and where they tend to."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal
from uuid import UUID

from damals.domain.entries import Json, Version
from damals.domain.errors import InvalidInput
from damals.domain.instants import DAY
from damals.domain.least_squares import Line, fit
from damals.domain.measures import UNITS
from damals.domain.names import fold
from damals.domain.periods import BoundKind

TYPE: Final = "calibration"
NAME: Final = "name"
VALUE: Final = "value"
UNIT: Final = "unit"

LARGEST: Final = Fraction(10) ** 100
"""A measured value beyond this is a mistake, and would not fit into a number of JSON."""

_NUMBER: Final = re.compile(r"[+-]?\d{1,100}(\.\d{0,100})?([eE][+-]?\d{1,3})?", re.ASCII)
_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_MINUS: Final = "\N{MINUS SIGN}"

Direction = Literal["rising", "falling", "none"]
Fault = Literal["none", "comma", "size"]
FAULTS: Final[Sequence[Fault]] = ("none", "comma", "size")
"""Why a value gives no reading: it is no number, its comma may part thousands, it is too large."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A measured value.

    Attributes:
        at: from when on it surely holds, UTC microseconds.
        unit: ``None`` when it names none.
        recorded_from: since when it is known.
        uncertain: when it began to hold is not known exactly.
    """

    entry_id: UUID
    title: str
    at: int
    value: Fraction
    unit: str | None
    recorded_from: int
    uncertain: bool = False

    @property
    def place(self) -> tuple[int, int, UUID]:
        """Where it stands among others."""
        return (self.at, self.recorded_from, self.entry_id)


def name_of(version: Version) -> str:
    """What a calibration is called: as its property says, else as its title does."""
    said = version.attributes.properties.get(NAME)
    return said if isinstance(said, str) and said.strip() else version.attributes.title


def same_name(one: str, other: str) -> bool:
    """Whether two names of calibrations are the same, however they are written."""
    return fold(one.strip()) == fold(other.strip())


def read(version: Version) -> Reading | None:
    """The value that a version gives; ``None`` when it gives none, see :func:`fault`."""
    has, start = version.attributes, version.period.start
    value = number(has.properties.get(VALUE))
    if value is None:
        return None
    unit = has.properties.get(UNIT)
    unit = None if unit is None else str(unit).strip() or None
    exact = start.kind is BoundKind.EXACT and not start.uncertain
    return Reading(
        version.entry_id, has.title, start.latest, value, unit, version.recorded_from, not exact
    )


def fault(version: Version) -> Fault:
    """Why a version gives no value that can be compared."""
    found = _number(version.attributes.properties.get(VALUE))
    return "size" if isinstance(found, Fraction) else found


def number(value: Json) -> Fraction | None:
    """The number that a value is, exactly as it is written; ``None`` when it is none.

    A comma stands before decimals, as in German. Where it may as well part thousands (``1,500``),
    nobody knows which. What is larger than :data:`LARGEST` is refused.
    """
    found = _number(value)
    return found if isinstance(found, Fraction) and abs(found) <= LARGEST else None


def _number(value: Json) -> Fraction | Literal["none", "comma"]:
    """The number that a value is, of any size, or what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return "none"
    text = str(value).strip().replace(_MINUS, "-")
    if _THOUSANDS.fullmatch(text):
        return "comma"
    if "." not in text:
        text = text.replace(",", ".", 1)
    return Fraction(Decimal(text)) if _NUMBER.fullmatch(text) else "none"


def firsts(versions: Iterable[Version]) -> Sequence[Version]:
    """Of each entry the version that holds first: a cut makes no second measurement."""
    found: dict[UUID, Version] = {}
    for one in versions:
        known = found.get(one.entry_id)
        if known is None or _starts(one) < _starts(known):
            found[one.entry_id] = one
    return [found[entry_id] for entry_id in sorted(found)]


def _starts(version: Version) -> tuple[int, int]:
    start = version.period.start
    return (start.latest, start.earliest)


def unit_of(name: str, readings: Sequence[Reading]) -> str | None:
    """The unit in which most readings are, or can be told; the latest of them decides between two.

    Raises:
        InvalidInput: ``calibration.units`` when not even half of them agree; none is one of its
            own.
    """
    if not readings:
        return None
    units = [one.unit for one in sorted(readings, key=lambda one: one.place)]
    counts = Counter(_base(unit) for unit in units)
    base, count = counts.most_common(1)[0]
    if len(counts) > 1 and 2 * count <= len(units):
        raise several_units(name, readings)
    fitting = [unit for unit in units if _base(unit) == base]
    often = Counter(fitting)
    return max(reversed(fitting), key=lambda unit: often[unit])


def several_units(name: str, readings: Iterable[Reading]) -> InvalidInput:
    """What is said of readings that cannot be compared."""
    listed = ", ".join(sorted({one.unit or "-" for one in readings}))
    return InvalidInput("calibration.units", name=name, units=listed)


def in_unit(one: Reading, unit: str | None) -> Reading | None:
    """A reading in another unit of the same measure; ``None`` when it is of another one."""
    if one.unit == unit:
        return one
    known, wanted = _measure(one.unit), _measure(unit)
    if known is None or wanted is None or known[0] != wanted[0]:
        return None
    return replace(one, value=one.value * known[1] / wanted[1], unit=unit)


_CAPITAL: Final = frozenset({"Mg", "Ml", "Mm", "Ms"})
"""A mega is no milli, and nothing is known of it."""


def _measure(unit: str | None) -> tuple[str, Fraction] | None:
    """What a unit measures, and how much of its base it is."""
    return None if unit is None or unit in _CAPITAL else UNITS.get(unit.casefold())


def _base(unit: str | None) -> str | None:
    """What is the same of two units that can be told in each other."""
    measure = _measure(unit)
    return unit if measure is None else f"\0{measure[0]}"


def in_force(readings: Sequence[Reading], at: int) -> Reading | None:
    """The reading that counts at an instant: the last one up to it."""
    return max((one for one in readings if one.at <= at), key=lambda one: one.place, default=None)


def line(readings: Sequence[Reading]) -> Line | None:
    """The line through the readings: days since the first against values."""
    if not readings:
        return None
    first = min(one.at for one in readings)
    return fit([(Fraction(one.at - first, DAY), one.value) for one in readings])


def direction(found: Line) -> Direction:
    """Where a line leads: nowhere while its 95 % interval includes a slope of zero."""
    slope, margin = float(found.slope), found.margin
    if abs(slope) <= margin or not slope:
        return "none"
    return "rising" if slope > 0 else "falling"
