"""The one parser: every text that means a time enters damals here.

Whatever the path (command line, REST, MCP, frontmatter, an import), a value becomes instants by
these three functions and no other: ``parse_start`` and ``parse_end`` for the bounds of a period,
``parse_instant`` for an instant that is asked for. ``parse_moment`` is the same for instants that
stand in files, where nothing may depend on when the file is read.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.errors import InvalidInput
from damals.domain.instants import format_instant, from_datetime
from damals.domain.natural import fold_words, read_relative, read_words
from damals.domain.notation import read_german, read_iso
from damals.domain.periods import OPEN_END, Bound, BoundKind, exact, unknown_end, unknown_start
from damals.domain.readings import Reading, Span, first_instant, iso_text, span_range

_LONGEST_TEXT: Final = 100
_SHOWN_CHARACTERS: Final = 80
_WHOLE_NUMBERS: Final = range(1000, 100_000_000)
"""``2024`` and ``20240901`` without quotes are numbers in YAML and JSON."""

_SPACES: Final = re.compile(r"[ \t\u00a0\u2009\u202f]+")
_UNKNOWN: Final = ("unknown", "unbekannt")
_OPEN: Final = ("open", "offen")


@dataclass(frozen=True, slots=True)
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
    reading, _ = _read(_given(value), zone, now)
    return first_instant(reading, zone)


def parse_moment(value: object, *, zone: ZoneInfo) -> int:
    """An instant that stands in a file (``recorded_at``).

    As ``parse_instant``, but without words whose meaning depends on when they are read.

    Raises:
        InvalidInput: as ``parse_start``.
    """
    reading, _ = _read(_given(value), zone, None)
    return first_instant(reading, zone)


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
    reading, is_relative = _read(given, zone, now)
    text = iso_text(reading, zone) + given.mark if is_relative else given.text
    if isinstance(reading, Span):
        bound = Bound(*span_range(reading, zone), BoundKind.RANGE, text)
    else:
        bound = exact(first_instant(reading, zone), text)
    return replace(bound, uncertain=bool(given.mark))


def _read(given: _Given, zone: ZoneInfo, now: int | None) -> tuple[Reading, bool]:
    """What it means, and whether that depends on ``now``; without ``now`` nothing may."""
    if len(given.stem) > _LONGEST_TEXT:
        raise _unreadable(given.text)
    text = _SPACES.sub(" ", given.stem)
    try:
        reading = read_iso(text) or read_german(text)
        if reading is not None:
            return reading, False
        words = fold_words(text)
        reading = read_words(words)
        if reading is not None:
            return reading, False
        reading = None if now is None else read_relative(words, now=now, zone=zone)
    except ValueError as error:
        raise _unreadable(given.text) from error
    except OverflowError as error:
        raise InvalidInput("time.out_of_range", text=given.text) from error
    if reading is None:
        raise _unreadable(given.text)
    return reading, True


def _unreadable(text: str) -> InvalidInput:
    shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return InvalidInput("time.unreadable", text=shown)
