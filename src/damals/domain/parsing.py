"""The one parser: every text that means a time enters damals here.

Whatever the path (command line, REST, MCP, frontmatter, an import), a value becomes instants by
these three functions and no other: ``parse_start`` and ``parse_end`` for the bounds of a period,
``parse_instant`` for an instant that is asked for. ``parse_moment`` is the same for instants that
stand in files, where nothing may depend on when the file is read.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, format_instant, from_datetime
from damals.domain.natural import fold_words, read_relative, read_words
from damals.domain.natural_asked import read_asked
from damals.domain.notation import read_german, read_iso, written_instant
from damals.domain.periods import (
    OPEN_END,
    Bound,
    BoundKind,
    between,
    unknown_end,
    unknown_start,
)
from damals.domain.readings import Exactly, Reading, Span, first_instant, iso_text, span_range
from damals.domain.values import frozen

_LONGEST_TEXT: Final = 100
_SHOWN_CHARACTERS: Final = 80
_WHOLE_NUMBERS: Final = range(1000, 100_000_000)
"""``2024`` and ``20240901`` without quotes are numbers in YAML and JSON."""

_SPACES: Final = re.compile(r"[ \t\u00a0\u2009\u202f]+")
_UNKNOWN: Final = ("unknown", "unbekannt")
_OPEN: Final = ("open", "offen")
_BETWEEN: Final = re.compile(r"((?:[^/\s]+Z)?)/([^/\s]+Z)")


@frozen
class _Given:
    """A value as text, and what was cut off its end."""

    text: str
    stem: str
    mark: str

    @property
    def is_empty(self) -> bool:
        return not self.text

    def says(self, words: tuple[str, ...]) -> bool:
        return self.stem.casefold() in words


def parse_start(value: object, *, zone: ZoneInfo, now: int) -> Bound:
    """The start of a period.

    A day is exact, a week, month or year is a range, a trailing ``~`` or ``?`` marks the bound as
    uncertain. The text is kept as given; words that depend on ``now`` are kept resolved.

    Args:
        value: text, ``date``, aware ``datetime``, a year as a number; ``None``, empty or
            ``unknown`` for a start nobody knows.
        zone: whose days and clocks are meant where the text does not say.
        now: recorded instant of the transaction, UTC microseconds.

    Raises:
        InvalidInput: ``time.unreadable``, ``time.gap``, ``time.fold``, ``time.day_missing``,
            ``time.leap_second``, ``time.too_fine``, ``time.out_of_range``, ``instant.naive``.
    """
    given = _given(value)
    if given.is_empty or given.says(_UNKNOWN):
        return replace(unknown_start(now), uncertain=bool(given.mark))
    return _bound(given, zone, now)


def parse_end(value: object, *, zone: ZoneInfo, now: int) -> Bound:
    """The end of a period, exclusive.

    Args:
        value: as for ``parse_start``, but ``None``, empty or ``open`` mean that it still holds
            and ``unknown`` that it ended at some instant up to ``now``.
        zone: as for ``parse_start``.
        now: as for ``parse_start``.

    Raises:
        InvalidInput: as ``parse_start``.
    """
    given = _given(value)
    if given.is_empty or given.says(_OPEN):
        return replace(OPEN_END, uncertain=bool(given.mark))
    if given.says(_UNKNOWN):
        return replace(unknown_end(now), uncertain=bool(given.mark))
    return _bound(given, zone, now)


def parse_instant(value: object, *, zone: ZoneInfo, now: int) -> int:
    """An instant that is asked for: the first one that ``value`` can mean.

    Args:
        value: as for ``parse_start``; neither empty nor ``open`` nor ``unknown``.
        zone: as for ``parse_start``.
        now: what ``now`` and ``yesterday`` refer to, UTC microseconds.

    Returns:
        UTC microseconds.

    Raises:
        InvalidInput: as ``parse_start``.
    """
    return first_instant(read_instant(value, zone=zone, now=now), zone)


def read_instant(
    value: object, *, zone: ZoneInfo, now: int, bare: bool = False, ahead: bool = False
) -> Reading:
    """What an instant that is asked for means, as whole as it was said.

    Args:
        value: as for ``parse_instant``.
        zone: as for ``parse_start``.
        now: as for ``parse_instant``.
        bare: names of months and weekdays are times, whatever stands before them.
        ahead: of what comes every year the next one is meant, not the latest.

    Raises:
        InvalidInput: as ``parse_start``.
    """
    given = _given(value)
    reading = _read_absolute(given)
    if reading is None and not ahead:
        reading = _said(given, lambda words: read_relative(words, now=now, zone=zone))
    if reading is None:
        reading = _said(
            given, lambda words: read_asked(words, now=now, zone=zone, bare=bare, ahead=ahead)
        )
    if reading is None:
        raise _unreadable(given.text)
    return reading


def parse_moment(value: object, *, zone: ZoneInfo) -> int:
    """An instant that stands in a file (``recorded_at``).

    As ``parse_instant``, but without words whose meaning depends on when they are read.

    Raises:
        InvalidInput: as ``parse_start``.
    """
    written = written_instant(value) if isinstance(value, str) else None
    return first_instant(_read(_given(value), zone, None), zone) if written is None else written


def _given(value: object) -> _Given:
    text = _text_of(value)
    if text.endswith(("~", "?")) and text[:-1].strip():
        return _Given(text, text[:-1].rstrip(), text[-1])
    return _Given(text, text, "")


def _text_of(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return value.strip()
        case datetime():
            return format_instant(from_datetime(value))
        case date():
            return value.isoformat()
        case int() if value in _WHOLE_NUMBERS and not isinstance(value, bool):
            return str(value)
        case _:
            raise _unreadable(f"{value:#x}" if isinstance(value, int) else repr(value))


def _bound(given: _Given, zone: ZoneInfo, now: int) -> Bound:
    bound = _absolute_bound(given, zone) or _between(given)
    if bound is not None:
        return bound
    reading = _read(given, zone, now)
    return _bound_of(reading, given, zone, iso_text(reading, zone) + given.mark)


def _between(given: _Given) -> Bound | None:
    """The range that a cut inside imprecise bounds leaves, as it is shown; else ``None``."""
    found = _BETWEEN.fullmatch(given.stem)
    if found is None:
        return None
    first, last = (text and _read_absolute(_Given(text, text, "")) for text in found.groups())
    if isinstance(first, str):
        first = Exactly(BEGINNING)
    if not (isinstance(first, Exactly) and isinstance(last, Exactly)):
        return None
    if first.instant >= last.instant:
        return None
    return replace(between(first.instant, last.instant), uncertain=bool(given.mark))


@lru_cache(maxsize=4_096)
def _absolute_bound(given: _Given, zone: ZoneInfo) -> Bound | None:
    """The bound, unless it depends on now. The same few days come again and again in imports."""
    reading = _read_absolute(given)
    return None if reading is None else _bound_of(reading, given, zone, given.text)


def _bound_of(reading: Reading, given: _Given, zone: ZoneInfo, text: str) -> Bound:
    uncertain = bool(given.mark)
    if isinstance(reading, Span):
        return Bound(*span_range(reading, zone), BoundKind.RANGE, text, uncertain)
    instant = first_instant(reading, zone)
    return Bound(instant, instant, BoundKind.EXACT, text, uncertain)


def _read(given: _Given, zone: ZoneInfo, now: int | None) -> Reading:
    """What it means; without ``now`` nothing may depend on that."""
    reading = _read_absolute(given)
    if reading is None and now is not None:
        reading = _said(given, lambda words: read_relative(words, now=now, zone=zone))
    if reading is None:
        raise _unreadable(given.text)
    return reading


def _said(given: _Given, read: Callable[[str], Reading | None]) -> Reading | None:
    try:
        return read(fold_words(_spaced(given)))
    except (ValueError, OverflowError) as error:
        raise _refusal(given, error) from error


def _read_absolute(given: _Given) -> Reading | None:
    """What it means, if that does not depend on now."""
    if len(given.stem) > _LONGEST_TEXT:
        raise _unreadable(given.text)
    text = _spaced(given)
    try:
        return read_iso(text) or read_german(text) or read_words(fold_words(text))
    except (ValueError, OverflowError) as error:
        raise _refusal(given, error) from error


def _spaced(given: _Given) -> str:
    stem = given.stem
    if stem.isascii() and " " not in stem and "\t" not in stem:  # as instants in files
        return stem
    return _SPACES.sub(" ", stem)


def _refusal(given: _Given, error: Exception) -> InvalidInput:
    """What looks right and does not exist, or lies behind the last day there is."""
    if isinstance(error, OverflowError):
        return InvalidInput("time.out_of_range", text=given.text)
    return _unreadable(given.text)


def _unreadable(text: str) -> InvalidInput:
    shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return InvalidInput("time.unreadable", text=shown)
