"""Dates and times written in digits: ISO 8601, extended and basic, and the German ``01.06.2026``.

Every function returns ``None`` for what it cannot read and raises ``ValueError`` for what looks
right and does not exist (``2024-02-30``); ``parsing.py`` turns both into one refusal.
"""

import re
from datetime import date, datetime, time, timedelta
from typing import Final

from damals.domain.errors import InvalidInput
from damals.domain.instants import instant_of
from damals.domain.readings import (
    Clock,
    Day,
    Exactly,
    Reading,
    Span,
    midnight_after,
    month_span,
    week_span,
    year_span,
)
from damals.domain.zones import with_offset

_DATE: Final = re.compile(
    r"(?P<year>[0-9]{4})"
    r"(?:(?P<sep>-?)(?:(?P<month>[0-9]{2})(?P=sep)(?P<day>[0-9]{2})"
    r"|W(?P<week>[0-9]{2})(?P=sep)(?P<weekday>[1-7])"
    r"|(?P<ordinal>[0-9]{3})))"
)
_SPAN: Final = re.compile(r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})|-?W(?P<week>[0-9]{2}))?")
_GERMAN_DATE: Final = re.compile(
    r"(?P<day>[0-9]{1,2})\. ?(?P<month>[0-9]{1,2})\. ?(?P<year>[0-9]{4})"
)
_GERMAN_MONTH: Final = re.compile(r"(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})")
_MARK_OF_TIME: Final = re.compile("[Tt ]")
_TIME: Final = re.compile(
    r"(?P<hour>[0-9]{2})"
    r"(?:(?P<sep>:?)(?P<minute>[0-9]{2})(?:(?P=sep)(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]+))?)?)?"
    r"(?: ?(?P<zone>Z|(?:(?:UTC|GMT) ?)?[+\-−][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2})?)?|UTC|GMT))?",
    re.IGNORECASE,
)
_GERMAN_TIME: Final = re.compile(
    r",? (?:(?:um|at) )?(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?"
    r"(?: Uhr)?",
    re.IGNORECASE,
)
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{3}|\.[0-9]{6})?Z"
)
"""As instants are written here and by most programs: Python reads these several times faster."""
_OFFSET: Final = re.compile(r"(?P<sign>[+\-−])(?P<h>[0-9]{2}):?(?P<m>[0-9]{2})?:?(?P<s>[0-9]{2})?")

_DIGITS_OF_FRACTION: Final = 6
_MIDNIGHT_AFTER: Final = 24
_LEAP_SECOND: Final = 60


def read_iso(text: str) -> Reading | None:
    """Reads ISO 8601: ``2024-09-01``, ``2024-W36``, ``20240901T0830Z``, ``2024-06/2024-08``.

    Raises:
        ValueError: no such day, hour or offset.
        OverflowError: behind the last day there is.
        InvalidInput: ``time.leap_second``, ``time.too_fine``, ``time.out_of_range``.
    """
    instant = written_instant(text)
    if instant is not None:
        return Exactly(instant)
    first, slash, last = text.partition("/")
    if slash:
        return _between(read_days(first), read_days(last))
    days = read_days(text)
    if days is not None:
        return days
    day_text, *clock = _MARK_OF_TIME.split(text, maxsplit=1)
    day = read_days(day_text)
    if not (clock and isinstance(day, Day)):
        return None
    match = _TIME.fullmatch(clock[0])
    return None if match is None else _at(day.day, match.groupdict(), text)


def written_instant(text: str) -> int | None:
    """An instant as instants are written here and by most programs; ``None`` for all else.

    Raises:
        ValueError: no such day.
        InvalidInput: ``time.out_of_range``.
    """
    return instant_of(text) if _INSTANT.fullmatch(text) else None


def read_days(text: str) -> Day | Span | None:
    """Reads an ISO 8601 date, complete or reduced to a week, a month or a year.

    Raises:
        ValueError: no such day.
    """
    match = _DATE.fullmatch(text)
    if match is not None:
        return Day(_date(match.groupdict()))
    match = _SPAN.fullmatch(text)
    if match is None:
        return None
    year = int(match["year"])
    if match["week"]:
        return week_span(date.fromisocalendar(year, int(match["week"]), 1))
    return month_span(year, int(match["month"])) if match["month"] else year_span(year)


def read_german(text: str) -> Reading | None:
    """Reads ``01.06.2026``, ``1.6.2026 08:00`` and the month ``06.2026``.

    Raises:
        ValueError: no such day or hour.
        OverflowError: behind the last day there is.
        InvalidInput: ``time.leap_second``.
    """
    month = _GERMAN_MONTH.fullmatch(text)
    if month is not None:
        return month_span(int(month["year"]), int(month["month"]))
    match = _GERMAN_DATE.match(text)
    if match is None:
        return None
    day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    return read_time_of_day(day, text[match.end() :])


def read_time_of_day(day: date, text: str) -> Reading | None:
    """Reads what follows a day: nothing, ``08:00``, ``8:30:15 Uhr``, ``, um 08:00 Uhr``.

    Raises:
        ValueError: no such hour.
        OverflowError: behind the last day there is.
        InvalidInput: ``time.leap_second``.
    """
    if not text:
        return Day(day)
    match = _GERMAN_TIME.fullmatch(text)
    if match is None:
        return None
    return _at(day, {**match.groupdict(), "part": None, "zone": None}, f"{day}{text}")


def _between(first: Day | Span | None, last: Day | Span | None) -> Span | None:
    if first is None or last is None:
        return None
    begin = first.day if isinstance(first, Day) else first.first
    end = last.day if isinstance(last, Day) else last.last
    return Span(begin, end) if begin <= end else None


def _date(parts: dict[str, str | None]) -> date:
    year = int(parts["year"] or "")
    if parts["month"]:
        return date(year, int(parts["month"]), int(parts["day"] or ""))
    if parts["week"]:
        return date.fromisocalendar(year, int(parts["week"]), int(parts["weekday"] or ""))
    ordinal = int(parts["ordinal"] or "")
    day = date.fromordinal(date(year, 1, 1).toordinal() + ordinal - 1)
    if day.year != year:
        message = "no such day of the year"
        raise ValueError(message)
    return day


def _at(day: date, parts: dict[str, str | None], text: str) -> Reading:
    numbers = [int(parts[name] or 0) for name in ("hour", "minute", "second")]
    hour, minute, second = numbers
    if second == _LEAP_SECOND:
        raise InvalidInput("time.leap_second", text=text)
    part = _microseconds(parts["part"] or "", text)
    if (hour, minute, second, part) == (_MIDNIGHT_AFTER, 0, 0, 0):
        clock = midnight_after(day)
    else:
        clock = Clock(datetime.combine(day, time(hour, minute, second, part)))
    if parts["zone"] is None:
        return clock
    return Exactly(with_offset(clock.naive, _offset(parts["zone"])))


def _microseconds(digits: str, text: str) -> int:
    if digits[_DIGITS_OF_FRACTION:].strip("0"):
        raise InvalidInput("time.too_fine", text=text)
    return int(digits[:_DIGITS_OF_FRACTION].ljust(_DIGITS_OF_FRACTION, "0"))


def _offset(text: str) -> timedelta:
    match = _OFFSET.search(text)
    if match is None:
        return timedelta()
    size = time(int(match["h"]), int(match["m"] or 0), int(match["s"] or 0))
    offset = timedelta(hours=size.hour, minutes=size.minute, seconds=size.second)
    return offset if match["sign"] == "+" else -offset
