"""Instants: integers, UTC microseconds since 1970-01-01, years 1 to 9999.

Floating point never touches them: ``int(dt.timestamp() * 1e6)`` is wrong for about one instant in
a hundred.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from damals.domain.errors import InvalidInput

SECOND: Final = 1_000_000
DAY: Final = 86_400 * SECOND

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH: Final = _EPOCH.replace(tzinfo=None)
_MICROSECOND: Final = timedelta(microseconds=1)

BEGINNING: Final = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
"""Sentinel of an unknown start: 0001-01-01T00:00:00Z."""

FOREVER: Final = (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) - _EPOCH) // _MICROSECOND
"""Sentinel of an open end: 9999-12-31T23:59:59.999999Z."""


def from_datetime(moment: datetime) -> int:
    """The instant of an aware ``datetime``, exactly.

    Raises:
        InvalidInput: ``instant.naive`` for a ``datetime`` without offset; ``time.out_of_range``
            when its offset takes it out of the years 1 to 9999 in UTC.
    """
    if moment.utcoffset() is None:
        raise InvalidInput("instant.naive", value=moment.isoformat())
    instant = (moment - _EPOCH) // _MICROSECOND
    return instant if BEGINNING <= instant <= FOREVER else in_range(instant, moment.isoformat())


def in_range(instant: int, text: str) -> int:
    """The instant itself, if it lies in the years 1 to 9999 in UTC.

    Args:
        instant: UTC microseconds.
        text: what to call it when it does not.

    Raises:
        InvalidInput: ``time.out_of_range``.
    """
    if not BEGINNING <= instant <= FOREVER:
        raise InvalidInput("time.out_of_range", text=text)
    return instant


def to_datetime(instant: int) -> datetime:
    """The aware UTC ``datetime`` of an instant.

    Raises:
        InvalidInput: ``time.out_of_range`` outside the years 1 to 9999.
    """
    return _EPOCH + timedelta(microseconds=in_range(instant, f"{instant} µs"))


def instant_of(text: str) -> int:
    """The instant of a date-time with an offset, as :func:`format_instant` and others write it.

    Raises:
        ValueError: it is none.
        InvalidInput: as :func:`from_datetime`.
    """
    return from_datetime(datetime.fromisoformat(text))


def format_instant(instant: int) -> str:
    """``2026-06-01T08:00:00.000000Z``: UTC with microseconds, always the same length."""
    if not BEGINNING <= instant <= FOREVER:
        in_range(instant, f"{instant} µs")
    moment = _NAIVE_EPOCH + timedelta(microseconds=instant)
    return moment.isoformat(timespec="microseconds") + "Z"
