"""Calibration: what was measured under a name, how it drifts, where it tends to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from damals import messages
from damals.app import known
from damals.app.calibration_results import (
    Calibration,
    CalibrationReading,
    Drift,
    LeftOut,
    Trend,
)
from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, pair, present, understood
from damals.app.ports import Clock
from damals.domain import calibration
from damals.domain.calibration import Reading
from damals.domain.entries import Version
from damals.domain.errors import NotFound
from damals.domain.fields import choice, needed_text, nullable_text
from damals.domain.instants import BEGINNING, format_instant
from damals.domain.least_squares import FEWEST, Line
from damals.domain.parsing import parse_instant
from damals.domain.zones import load_zone

AXES: Final = ("valid", "known")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a calibration.

    Attributes:
        name: however it is written.
        unit: only readings in this unit.
        start, end: instants of the drift, as asked for.
        axis: see :class:`Drift`.
    """

    name: object
    unit: object = None
    start: object = None
    end: object = None
    axis: str | None = None


def calibration_of(reader: LedgerReader, clock: Clock, wanted: Wanted, asked: Asked) -> Calibration:
    """What was measured under a name.

    Raises:
        NotFound: ``calibration.unknown``.
        InvalidInput: ``calibration.units``, ``field.choice`` for the axis, ``field.empty``.
    """
    name = needed_text("name", wanted.name)
    axis = "valid" if wanted.axis is None else choice("axis", wanted.axis, AXES)
    now = present(reader, clock)
    at = pair(reader, now, asked)
    series = _Series(reader, name, nullable_text("unit", wanted.unit))
    series.choose(at)
    said = series.at(at)
    if not (said.readings or said.left_out):
        raise _unknown(name, known.versions_at(reader, at.known_at, of_type=calibration.TYPE))
    line = calibration.line(said.readings)
    ends = _Ends(reader, wanted, now)
    return Calibration(
        name=name,
        unit=series.unit if said.readings else None,
        understood=understood(reader, at, now),
        readings=tuple(map(_view, said.readings)),
        drift=ends.drift(series, axis, at) if said.readings else None,
        trend=None if line is None else _trend(line),
        left_out=(
            *(LeftOut(str(one.entry_id), one.attributes.title) for one in said.left_out),
            *(LeftOut(str(one.entry_id), one.title) for one in said.strangers),
        ),
        caveats=(*_caveats(said), *_units(said, series.unit)),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """What the calibrations of a name say by an instant.

    Attributes:
        readings: in the unit of the series.
        left_out: versions without a number.
        strangers: readings that cannot be told in that unit.
        converted: titles of readings that were in another one.
    """

    readings: Sequence[Reading]
    left_out: Sequence[Version]
    strangers: Sequence[Reading] = ()
    converted: Sequence[str] = ()


class _Series:
    """The calibrations of a name, as they were known at one recorded instant or another."""

    def __init__(self, reader: LedgerReader, name: str, unit: str | None) -> None:
        self._reader = reader
        self.name = name
        self.unit = unit
        self.asked = unit is not None
        self._known: dict[int, _Said] = {}

    def choose(self, at: At) -> None:
        """Take the unit that most readings of a pair are in, where none was asked for.

        Raises:
            InvalidInput: ``calibration.units``.
        """
        if not self.asked:
            self.unit = calibration.unit_of(self.name, self._all_at(at).readings)

    def at(self, at: At) -> _Said:
        """Those that hold from the asked instant on or from an earlier one, in its unit."""
        said = self._all_at(at)
        told = [(one, calibration.in_unit(one, self.unit)) for one in said.readings]
        return _Said(
            [made for _, made in told if made is not None],
            said.left_out,
            [one for one, made in told if made is None],
            [one.title for one, made in told if made is not None and made.unit != one.unit],
        )

    def _all_at(self, at: At) -> _Said:
        if at.known_at not in self._known:
            self._known[at.known_at] = self._said(at.known_at)
        said = self._known[at.known_at]
        begun = [one for one in said.readings if one.at <= at.as_of]
        left = [one for one in said.left_out if one.period.start.earliest <= at.as_of]
        return _Said(begun, left)

    def _said(self, known_at: int) -> _Said:
        versions = [
            one
            for one in known.versions_at(self._reader, known_at, of_type=calibration.TYPE)
            if calibration.same_name(calibration.name_of(one), self.name)
        ]
        readings: list[Reading] = []
        left_out: list[Version] = []
        for one in calibration.firsts(versions):
            found = calibration.read(one)
            if found is None:
                left_out.append(one)
            else:
                readings.append(found)
        return _Said(sorted(readings, key=lambda one: one.place), left_out)


class _Ends:
    """The two instants of a drift."""

    def __init__(self, reader: LedgerReader, wanted: Wanted, now: int) -> None:
        zone = load_zone(reader.workspace().zone)

        def read(value: object) -> int | None:
            return None if value is None else parse_instant(value, zone=zone, now=now)

        self._start, self._end = read(wanted.start), read(wanted.end)
        self._reader = reader
        self._now = now

    def drift(self, series: _Series, axis: str, at: At) -> Drift:
        """How the value differs between both: by default from the first reading to the pair."""
        readings = series.at(at).readings
        if axis == "valid":
            first, last = readings[0].at, at.as_of
        else:
            first, last = self._first_known(readings, at), min(at.known_at, self._now)
        start = first if self._start is None else self._start
        end = last if self._end is None else self._end
        before, after = (self._in_force(series, axis, at, one) for one in (start, end))
        change = None
        if before is not None and after is not None:
            change = float(after.value - before.value)
        return Drift(
            axis=axis,
            start=format_instant(start),
            end=format_instant(end),
            before=None if before is None else _view(before),
            after=None if after is None else _view(after),
            change=change,
        )

    def _first_known(self, readings: Sequence[Reading], at: At) -> int:
        """When the first of some values was recorded, whatever became of it since."""
        ids = [one.entry_id for one in readings]
        rows = self._reader.versions_between(ids, BEGINNING, at.known_at)
        return min(one.recorded_from for one in rows)

    @staticmethod
    def _in_force(series: _Series, axis: str, at: At, instant: int) -> Reading | None:
        place = At(instant, at.known_at) if axis == "valid" else At(at.as_of, instant)
        said = series.at(place)
        if said.strangers and not said.readings and not series.asked:
            here = series.at(at).readings
            raise calibration.several_units(series.name, (*said.strangers, *here))
        return calibration.in_force(said.readings, place.as_of)


def _view(one: Reading) -> CalibrationReading:
    return CalibrationReading(
        entry_id=str(one.entry_id),
        title=one.title,
        at=format_instant(one.at),
        value=float(one.value),
        recorded_from=format_instant(one.recorded_from),
        uncertain=one.uncertain,
        unit=one.unit,
    )


def _trend(line: Line) -> Trend:
    slope, margin = float(line.slope), line.margin
    return Trend(
        count=line.count,
        slope=slope,
        standard_error=line.slope_error,
        low=slope - margin,
        high=slope + margin,
        degrees=line.degrees,
        direction=calibration.direction(line),
    )


def _caveats(said: _Said) -> Iterable[str]:
    count = len(said.readings)
    if 0 < count < FEWEST:
        yield messages.text("calibration.few", None, count=count)
    elif count and len({one.at for one in said.readings}) == 1:
        yield messages.text("calibration.one_instant", None)
    for fault in calibration.FAULTS:
        left = [one.attributes.title for one in said.left_out if calibration.fault(one) == fault]
        if left:
            key = f"calibration.left_out.{fault}"
            yield messages.text(key, None, count=len(left), titles=", ".join(left))
    if any(one.uncertain for one in said.readings):
        yield messages.text("calibration.uncertain", None)


def _units(said: _Said, unit: str | None) -> Iterable[str]:
    """What became of values in other units than the one that is told."""
    if said.converted:
        titles = ", ".join(said.converted)
        count = len(said.converted)
        yield messages.text("calibration.converted", None, count=count, unit=unit, titles=titles)
    if said.strangers:
        titles = ", ".join(f"{one.title} ({one.unit or '-'})" for one in said.strangers)
        values = {"count": len(said.strangers), "unit": unit or "-", "titles": titles}
        yield messages.text("calibration.left_out.unit", None, **values)


def _unknown(name: str, versions: Iterable[Version]) -> NotFound:
    names = {calibration.name_of(one).strip() for one in versions}
    return NotFound("calibration.unknown", name=name, known=", ".join(sorted(names)) or "-")
