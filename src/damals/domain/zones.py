"""Instants and local time: what a calendar day or a clock reading means in a zone.

Offsets are whole microseconds and all arithmetic is on integers. A clock reading that never
happened (a gap) or that happened twice (a fold) is told apart as PEP 495 says: the offsets with
``fold=0`` and ``fold=1`` differ, growing over a gap and shrinking over a fold.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.errors import InvalidInput
from damals.domain.instants import (
    BEGINNING,
    FOREVER,
    SECOND,
    from_datetime,
    in_range,
    to_datetime,
)

_MICROSECOND: Final = timedelta(microseconds=1)

_MEANINGLESS: Final = ("localtime", "posixrules", "right/", "posix/", "Factory")
"""Files beside the zones: the server's own zone under another name, and clocks that count leap
seconds. Stored with a value, the first would mean something else on the next machine."""


@lru_cache(maxsize=64)
def load_zone(name: str) -> ZoneInfo:
    """The zone of an IANA name such as ``Europe/Berlin``.

    Raises:
        InvalidInput: ``time.zone_unknown``.
    """
    try:
        if name.startswith(_MEANINGLESS):
            raise InvalidInput("time.zone_unknown", name=name)
        return ZoneInfo(name)
    except (ValueError, LookupError, OSError) as error:
        raise InvalidInput("time.zone_unknown", name=name[:80]) from error


def to_local(instant: int, zone: ZoneInfo) -> datetime:
    """The aware ``datetime`` that clocks in ``zone`` show at ``instant``.

    Raises:
        InvalidInput: ``time.out_of_range`` when the local year is not 1 to 9999.
    """
    moment = to_datetime(instant)
    try:
        return moment.astimezone(zone)
    except OverflowError as error:
        raise InvalidInput("time.out_of_range", text=moment.isoformat()) from error


def format_local(instant: int, zone: ZoneInfo) -> str:
    """``2026-06-01T10:00:00+02:00``; a fraction (six digits) only when it is not zero."""
    return to_local(instant, zone).isoformat()


def with_offset(naive: datetime, offset: timedelta) -> int:
    """The instant of a clock reading whose offset from UTC is known.

    Raises:
        InvalidInput: ``time.out_of_range``.
    """
    instant = from_datetime(naive.replace(tzinfo=UTC)) - offset // _MICROSECOND
    return instant if BEGINNING <= instant <= FOREVER else in_range(instant, naive.isoformat())


def local_instant(naive: datetime, zone: ZoneInfo) -> int:
    """The instant at which clocks in ``zone`` show ``naive``.

    Raises:
        InvalidInput: ``time.gap`` when they never do, naming both sides of the gap and the two
            possible readings; ``time.fold`` when they do twice, naming both; ``time.out_of_range``.
    """
    before, after = _offsets(naive, zone)
    if before == after:
        return with_offset(naive, before)
    readings = sorted((with_offset(naive, before), with_offset(naive, after)))
    values: dict[str, object] = {
        "text": naive.isoformat(),
        "zone": zone.key,
        "first": format_local(readings[0], zone),
        "second": format_local(readings[1], zone),
    }
    if before > after:
        raise InvalidInput("time.fold", **values)
    jump = _jump(readings[0], readings[1], zone)
    from_ = (to_local(jump - 1, zone) + _MICROSECOND).isoformat()
    raise InvalidInput("time.gap", **values, jumps_from=from_, jumps_to=format_local(jump, zone))


def days_between(since: int, until: int, zone: tzinfo) -> int:
    """The days of the calendar in ``zone`` from one instant to another; 0 when it lies behind.

    This is how damals counts days wherever something happens on a day: neither a summer time nor
    the hour of either instant moves it. A day that the zone skipped counts, as its date does.
    """
    return max((_date(until, zone) - _date(since, zone)).days, 0)


def _date(instant: int, zone: tzinfo) -> date:
    moment = to_datetime(instant)
    try:
        return moment.astimezone(zone).date()
    except OverflowError:  # within a day of the end of time
        return moment.date()


def start_of_day(day: date, zone: ZoneInfo) -> int:
    """The first instant of a calendar day in ``zone``.

    Where midnight does not exist it is the first instant after the gap; of a midnight that
    happens twice it is the first.

    Raises:
        InvalidInput: ``time.day_missing`` when the zone skipped the whole day (Pacific/Apia,
            2011-12-30); ``time.out_of_range``.
    """
    instant = first_instant_from(day, zone)
    if to_local(instant, zone).date() != day:
        raise InvalidInput("time.day_missing", text=day.isoformat(), zone=zone.key)
    return instant


def first_instant_from(day: date, zone: ZoneInfo) -> int:
    """The first instant of ``day`` in ``zone`` or, when there is no such day, of the next one.

    Raises:
        InvalidInput: ``time.out_of_range``.
    """
    midnight = datetime.combine(day, time.min)
    before, after = _offsets(midnight, zone)
    if before >= after:
        return with_offset(midnight, before)
    return _jump(with_offset(midnight, after), with_offset(midnight, before), zone)


def _offsets(naive: datetime, zone: ZoneInfo) -> tuple[timedelta, timedelta]:
    first = naive.replace(tzinfo=zone, fold=0).utcoffset()
    second = naive.replace(tzinfo=zone, fold=1).utcoffset()
    if first is None or second is None:  # a zone without offsets is no zone
        raise InvalidInput("time.zone_unknown", name=zone.key)
    return first, second


def _jump(low: int, high: int, zone: ZoneInfo) -> int:
    """The first instant in ``(low, high]`` with another offset than at ``low``.

    Transitions lie on whole seconds of UTC.
    """
    old = to_local(low, zone).utcoffset()
    first, last = low // SECOND, high // SECOND
    while last - first > 1:
        middle = (first + last) // 2
        if to_local(middle * SECOND, zone).utcoffset() == old:
            first = middle
        else:
            last = middle
    return last * SECOND
