"""What a text about time means, before a zone turns it into instants."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final, assert_never
from zoneinfo import ZoneInfo

from damals.domain.errors import InvalidInput
from damals.domain.instants import FOREVER, format_instant
from damals.domain.zones import first_instant_from, format_local, local_instant, start_of_day

DECEMBER: Final = 12
_DAYS_OF_WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar day: exactly its first instant."""

    day: date


@dataclass(frozen=True, slots=True)
class Span:
    """Somewhere in whole days, ``first`` to ``last``, both included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock reading in the asker's zone."""

    naive: datetime


@dataclass(frozen=True, slots=True)
class Exactly:
    """An instant, UTC microseconds."""

    instant: int


Reading = Day | Span | Clock | Exactly


def first_instant(reading: Reading, zone: ZoneInfo) -> int:
    """The first instant that ``reading`` can mean in ``zone``.

    Raises:
        InvalidInput: ``time.gap``, ``time.fold``, ``time.day_missing``, ``time.out_of_range``.
    """
    match reading:
        case Day(day):
            return start_of_day(day, zone)
        case Span():
            return span_range(reading, zone)[0]
        case Clock(naive):
            return local_instant(naive, zone)
        case Exactly(instant):
            return instant
        case _:
            assert_never(reading)


def span_range(span: Span, zone: ZoneInfo) -> tuple[int, int]:
    """The first instant of ``span`` and the first one behind it.

    Behind the year 9999 there is none; the last instant there is stands for it.

    Raises:
        InvalidInput: ``time.day_missing`` when ``zone`` skipped all its days;
            ``time.out_of_range``.
    """
    begin = first_instant_from(span.first, zone)
    end = FOREVER
    if span.last != date.max:
        end = first_instant_from(date.fromordinal(span.last.toordinal() + 1), zone)
    if begin == end:
        raise InvalidInput("time.day_missing", text=_span_text(span), zone=zone.key)
    return begin, end


def iso_text(reading: Reading, zone: ZoneInfo) -> str:
    """A text that means the same whenever it is read again in ``zone``."""
    match reading:
        case Day(day):
            return day.isoformat()
        case Span():
            return _span_text(reading)
        case Clock(naive):
            return format_local(local_instant(naive, zone), zone)
        case Exactly(instant):
            return format_instant(instant)
        case _:
            assert_never(reading)


def midnight_after(day: date) -> Clock:
    """``24:00``: the midnight at the end of a day.

    Raises:
        OverflowError: on the last day there is.
    """
    return Clock(datetime.combine(day + timedelta(days=1), time.min))


def year_span(year: int) -> Span:
    """All days of a year.

    Raises:
        ValueError: there is no such year.
    """
    return Span(date(year, 1, 1), date(year, DECEMBER, 31))


def month_span(year: int, month: int) -> Span:
    """All days of a month.

    Raises:
        ValueError: there is no such month.
    """
    first = date(year, month, 1)
    return Span(first, first.replace(day=monthrange(year, month)[1]))


def week_span(day: date) -> Span:
    """The days of the ISO week (Monday to Sunday) that holds ``day``, as far as dates reach."""
    monday = day.toordinal() - day.weekday()
    last = min(monday + _DAYS_OF_WEEK - 1, date.max.toordinal())
    return Span(date.fromordinal(monday), date.fromordinal(last))


def months_later(day: date, months: int) -> date:
    """The same day of another month, or that month's last day when it is shorter.

    Raises:
        OverflowError: the year is not 1 to 9999, as when days are added to a date.
    """
    year, month = divmod(day.year * DECEMBER + day.month - 1 + months, DECEMBER)
    if not date.min.year <= year <= date.max.year:
        raise OverflowError
    first = date(year, month + 1, 1)
    return first.replace(day=min(day.day, monthrange(year, month + 1)[1]))


def _span_text(span: Span) -> str:
    first, last = span.first, span.last
    if span == year_span(first.year):
        return f"{first.year:04}"
    if span == month_span(first.year, first.month):
        return first.isoformat()[:7]
    if span == week_span(first):
        week = first.isocalendar()
        return f"{week.year:04}-W{week.week:02}"
    if first.day == 1 and last == month_span(last.year, last.month).last:
        return f"{first.isoformat()[:7]}/{last.isoformat()[:7]}"
    return f"{first.isoformat()}/{last.isoformat()}"
