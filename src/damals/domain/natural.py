"""Dates in German and English words.

Two kinds: those that stand for themselves (``1. Juni 2026``, ``Sommer 2024``) and those that need
to know when they are said (``vor zwei Wochen``, ``last summer``, ``14. März``). "Today" is the day
on the calendar of the asker's zone, never of the machine's.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.instants import SECOND, in_range
from damals.domain.notation import read_time_of_day
from damals.domain.readings import (
    DECEMBER,
    Day,
    Exactly,
    Reading,
    Span,
    month_span,
    months_later,
    week_span,
    year_span,
)
from damals.domain.zones import to_local


def numbered(rows: tuple[str, ...], first: int = 1) -> dict[str, int]:
    """The words of each row with its number, counted from ``first``."""
    return {word: number for number, row in enumerate(rows, first) for word in row.split()}


MONTHS: Final = numbered(
    (
        "januar january jaenner jan",
        "februar february feber feb",
        "maerz march mrz maer mar",
        "april apr",
        "mai may",
        "juni june jun",
        "juli july jul",
        "august aug",
        "september sept sep",
        "oktober october okt oct",
        "november nov",
        "dezember december dez dec",
    )
)
WEEKDAYS: Final = numbered(
    (
        "montag monday",
        "dienstag tuesday",
        "mittwoch wednesday",
        "donnerstag thursday",
        "freitag friday",
        "samstag sonnabend saturday",
        "sonntag sunday",
    ),
    first=0,
)
SEASONS: Final = {
    "fruehling": 3,
    "fruehjahr": 3,
    "spring": 3,
    "sommer": 6,
    "summer": 6,
    "herbst": 9,
    "autumn": 9,
    "fall": 9,
    "winter": 12,
}
"""Meteorological seasons of the northern half, by the month in which they begin."""

_MONTHS_OF_SEASON: Final = 3
NUMBERS: Final = numbered(
    (
        "ein eine einem einen einer a an one",
        "zwei two",
        "drei three",
        "vier four",
        "fuenf five",
        "sechs six",
        "sieben seven",
        "acht eight",
        "neun nine",
        "zehn ten",
        "elf eleven",
        "zwoelf twelve",
        "dreizehn thirteen",
        "vierzehn fourteen",
        "fuenfzehn fifteen",
        "sechzehn sixteen",
        "siebzehn seventeen",
        "achtzehn eighteen",
        "neunzehn nineteen",
        "zwanzig twenty",
    )
)
UNITS: Final = {
    word: unit
    for unit, words in {
        "minute": "minute minuten minutes",
        "hour": "stunde stunden hour hours",
        "day": "tag tage tagen day days",
        "week": "woche wochen week weeks",
        "fortnight": "fortnight fortnights",
        "month": "monat monate monaten month months",
        "year": "jahr jahre jahren year years",
    }.items()
    for word in words.split()
}
_SECONDS: Final = {"minute": 60, "hour": 3600}
_DAYS: Final = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS_IN: Final = {"month": 1, "year": 12}
_WEEK: Final = timedelta(days=7)

DAY_WORDS: Final = numbered(
    (
        "vorgestern",
        "gestern yesterday",
        "heute today",
        "morgen tomorrow",
        "uebermorgen",
    ),
    first=-2,
)
_DIRECTIONS: Final = {"letzt": -1, "vorig": -1, "vergangen": -1, "last": -1, "past": -1} | {
    "dies": 0,
    "this": 0,
    "naechst": 1,
    "kommend": 1,
    "next": 1,
}
_LEAP_CYCLE_YEARS: Final = 8
"""29 February comes at least this often, even around a year like 1900."""


def any_of(words: dict[str, int] | dict[str, str]) -> str:
    """A pattern for any of these words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


_DAY_OF_MONTH: Final = r"(?P<day>[0-9]{1,2})(?:\.|st|nd|rd|th)?"
_MONTH: Final = rf"(?P<month>{any_of(MONTHS)})\.?"
_CLOCK: Final = r"(?P<clock>(?:,? (?:um |at )?)[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: uhr)?)?"
_DAY_MONTH: Final = re.compile(
    rf"{_DAY_OF_MONTH}(?: of)? ?{_MONTH},?(?: (?P<year>[0-9]{{4}}))?{_CLOCK}"
)
_MONTH_DAY: Final = re.compile(rf"{_MONTH} {_DAY_OF_MONTH}(?:,? (?P<year>[0-9]{{4}}))?{_CLOCK}")
_MONTH_YEAR: Final = re.compile(rf"{_MONTH},? (?P<year>[0-9]{{4}})")
_SEASON_YEAR: Final = re.compile(
    rf"(?P<season>{any_of(SEASONS)}) (?P<year>[0-9]{{4}})(?:/(?P<next>[0-9]{{4}}|[0-9]{{2}}))?"
)
_PREPOSITION: Final = re.compile(r"(?:im|am|in der|in the|on the|on|the|der|die|das|den) ")
_DAY_WORD: Final = re.compile(rf"(?P<word>{any_of(DAY_WORDS)}){_CLOCK}")
_COUNT: Final = rf"(?:[0-9]{{1,4}}|{any_of(NUMBERS)}) (?:{any_of(UNITS)})"
COUNTS: Final = rf"{_COUNT}(?:(?:,|,? und|,? and) {_COUNT}){{0,3}}"
"""How long ago: ``einem Monat und zwei Tagen``."""

_COUNTED: Final = re.compile(rf"(?P<count>[0-9]+|{any_of(NUMBERS)}) (?P<unit>{any_of(UNITS)})")
_AGO: Final = re.compile(rf"vor (?P<counts>{COUNTS})")
_AGO_ENGLISH: Final = re.compile(rf"(?P<counts>{COUNTS}) ago")
_AHEAD: Final = re.compile(rf"in (?P<counts>{COUNTS})")
_AHEAD_ENGLISH: Final = re.compile(rf"(?P<counts>{COUNTS}) from now")
_POINTED: Final = re.compile(
    r"(?:in |im |am |on )?(?:the |der |die |das |den |dem )?"
    r"(?:(?P<german>letzt|vorig|vergangen|dies|naechst|kommend)(?:e|en|er|es|em)"
    r"|(?P<english>last|past|this|next)) (?P<what>[a-z]+)"
)


def fold_words(text: str) -> str:
    """Text in the one spelling this grammar knows: lower case, umlauts as two letters.

    Composed and decomposed umlauts, ``März`` and ``Maerz`` meet here.
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    return folded.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


def read_words(text: str) -> Reading | None:
    """Reads folded words that stand for themselves; ``None`` when they do not.

    Raises:
        ValueError: no such day or hour.
        OverflowError: behind the last day there is.
    """
    words = _PREPOSITION.sub("", text, count=1) if _PREPOSITION.match(text) else text
    match = _MONTH_YEAR.fullmatch(words)
    if match is not None:
        return month_span(int(match["year"]), MONTHS[match["month"]])
    match = _SEASON_YEAR.fullmatch(words)
    if match is not None:
        return _season_of(match)
    match = _DAY_MONTH.fullmatch(words) or _MONTH_DAY.fullmatch(words)
    if match is None or match["year"] is None:
        return None
    day = date(int(match["year"]), MONTHS[match["month"]], int(match["day"]))
    return _with_clock(day, match)


def read_relative(text: str, *, now: int, zone: ZoneInfo) -> Reading | None:
    """Reads folded words that depend on when and where they are said.

    Args:
        text: folded words.
        now: the instant at which they are said.
        zone: whose calendar "today" is on.

    Raises:
        ValueError: no such day or hour.
        OverflowError, InvalidInput: outside the years 1 to 9999.
    """
    if text in ("now", "jetzt"):
        return Exactly(now)
    today = to_local(now, zone).date()
    match = _DAY_WORD.fullmatch(text)
    if match is not None:
        return _with_clock(today + timedelta(days=DAY_WORDS[match["word"]]), match)
    for pattern, sign in ((_AGO, -1), (_AGO_ENGLISH, -1), (_AHEAD, 1), (_AHEAD_ENGLISH, 1)):
        match = pattern.fullmatch(text)
        if match is not None:
            return _moved(match, sign, today, now)
    match = _POINTED.fullmatch(text)
    if match is not None:
        direction = _DIRECTIONS[match["german"] or match["english"]]
        return _pointed(match["what"], direction, today)
    return _latest_day(text, today)


def _with_clock(day: date, match: re.Match[str]) -> Reading | None:
    return read_time_of_day(day, match["clock"] or "")


def _season_of(match: re.Match[str]) -> Span | None:
    """A winter lies in two years: ``Winter 2024/25`` is readable, ``Winter 2024`` is not."""
    year, begins = int(match["year"]), SEASONS[match["season"]]
    following = match["next"]
    if (begins == DECEMBER) != (following is not None):
        return None
    if following is not None and not f"{year + 1:04}".endswith(following):
        return None
    return season_span(year, begins)


def season_span(year: int, begins: int) -> Span:
    """All days of the season that begins with a month of a year.

    Raises:
        OverflowError: it ends behind the year 9999.
    """
    first = date(year, begins, 1)
    end = months_later(first, _MONTHS_OF_SEASON - 1)
    return Span(first, month_span(end.year, end.month).last)


def _moved(match: re.Match[str], sign: int, today: date, now: int) -> Reading | None:
    """So far away: first the months, then the days, as a calendar is read.

    Hours and minutes are not counted with these: to whose clock they lead nobody can say.
    """
    months = days = seconds = 0
    for part in _COUNTED.finditer(match["counts"]):
        word, unit = part["count"], UNITS[part["unit"]]
        count = sign * (NUMBERS[word] if word in NUMBERS else int(word))
        months += count * _MONTHS_IN.get(unit, 0)
        days += count * _DAYS.get(unit, 0)
        seconds += count * _SECONDS.get(unit, 0)
    if not seconds:
        return Day(months_later(today, months) + timedelta(days=days))
    return None if months or days else Exactly(in_range(now + seconds * SECOND, match[0]))


def _pointed(what: str, direction: int, today: date) -> Reading | None:
    """What "last", "this" or "next" points at, seen from ``today``."""
    if what in UNITS:
        return _whole_unit(UNITS[what], direction, today)
    if what in WEEKDAYS:
        return Day(_weekday(WEEKDAYS[what], direction, today))
    if what in SEASONS:
        begins = SEASONS[what]
        return _nearest(lambda year: season_span(year, begins), direction, today)
    if what in MONTHS:
        month = MONTHS[what]
        return _nearest(lambda year: month_span(year, month), direction, today)
    return None


def _whole_unit(unit: str, direction: int, today: date) -> Span | None:
    if unit == "week":
        return week_span(today + direction * _WEEK)
    if unit == "month":
        there = months_later(today, direction)
        return month_span(there.year, there.month)
    if unit == "year":
        return year_span(months_later(today, direction * DECEMBER).year)
    return None


def _weekday(weekday: int, direction: int, today: date) -> date:
    """The latest one before today, the one in this week, or the first one after today."""
    away = weekday - today.weekday()
    if direction < 0 <= away or direction > 0 >= away:
        away += 7 * direction
    return today + timedelta(days=away)


def _nearest(span_of: Callable[[int], Span], direction: int, today: date) -> Span | None:
    """Of a span that comes every year: the latest that is over, this year's, or the first to come.

    "This" is the one that is under way, if one is (a winter in January).
    """
    year = today.year
    spans = [span_of(each) for each in (year - 2, year - 1, year, year + 1) if each > 0]
    if direction < 0:
        return max((span for span in spans if span.last < today), key=_first, default=None)
    if direction > 0:
        return min((span for span in spans if span.first > today), key=_first, default=None)
    under_way = [span for span in spans if span.first <= today <= span.last]
    return under_way[0] if under_way else span_of(year)


def _first(span: Span) -> date:
    return span.first


def _latest_day(text: str, today: date) -> Reading | None:
    """``14. März``: the latest such day that is not after ``today``."""
    words = _PREPOSITION.sub("", text, count=1) if _PREPOSITION.match(text) else text
    match = _DAY_MONTH.fullmatch(words) or _MONTH_DAY.fullmatch(words)
    if match is None or match["year"] is not None:
        return None
    month, number = MONTHS[match["month"]], int(match["day"])
    for year in range(today.year, max(today.year - _LEAP_CYCLE_YEARS, 1) - 1, -1):
        last = month_span(year, month).last
        if number <= last.day and last.replace(day=number) <= today:
            return _with_clock(last.replace(day=number), match)
    return None
