"""What a calibration tells; conventions as in ``results.py``."""

from dataclasses import dataclass

from damals.app.results import Result, Understood


@dataclass(frozen=True, slots=True)
class CalibrationReading(Result):
    """A measured value.

    Attributes:
        at: from when on it surely holds.
        recorded_from: since when it is known.
        unit: ``None`` when it names none.
        uncertain: when it began to hold is not known exactly.
    """

    entry_id: str
    title: str
    at: str
    value: float
    recorded_from: str
    uncertain: bool
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Drift(Result):
    """How the value differs between two instants.

    Attributes:
        axis: ``valid`` when the instants are such at which it holds, as known at the asked pair;
            ``known`` when they are such at which it was known, of the asked instant.
        start, end: the instants.
        before, after: the readings that count there; ``None`` where there is none yet.
        change: of the value; ``None`` where one of both is missing.
    """

    axis: str
    start: str
    end: str
    before: CalibrationReading | None
    after: CalibrationReading | None
    change: float | None


@dataclass(frozen=True, slots=True)
class Trend(Result):
    """The line of least squares through the readings.

    Attributes:
        count: of the readings.
        slope: in units a day.
        standard_error: of the slope.
        low, high: between them the slope lies with 95 % confidence, by Student's t.
        degrees: of freedom.
        direction: ``rising`` or ``falling`` when zero lies outside of that, else ``none``.
    """

    count: int
    slope: float
    standard_error: float
    low: float
    high: float
    degrees: int
    direction: str


@dataclass(frozen=True, slots=True)
class LeftOut(Result):
    """A calibration that gives no number, or one in a unit that cannot be compared."""

    entry_id: str
    title: str


@dataclass(frozen=True, slots=True)
class Calibration(Result):
    """What was measured under a name, as known at a pair of instants.

    Attributes:
        readings: up to the asked instant, in order.
        drift: ``None`` without any reading.
        trend: ``None`` where there is none to be known, which a caveat explains.
        left_out: calibrations of that name without a number, or in another unit.
    """

    name: str
    unit: str | None
    understood: Understood
    readings: tuple[CalibrationReading, ...]
    drift: Drift | None
    trend: Trend | None
    left_out: tuple[LeftOut, ...]
    caveats: tuple[str, ...]
