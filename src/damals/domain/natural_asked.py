"""Words for an instant that is asked for, beyond those that can bound a period.

``Ende Juni`` or ``am Montag`` is clear enough to look at something then, and too vague to say when
something began: bounds of periods do not take these words, asked instants and questions do.
What comes every year, and names none, is the latest that is not after today.
"""

import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.natural import (
    MONTHS,
    SEASONS,
    WEEKDAYS,
    any_of,
    numbered,
    read_relative,
    read_words,
    season_span,
)
from damals.domain.natural_compound import in_one_step
from damals.domain.natural_feasts import feast_of, named_feast
from damals.domain.notation import read_german, read_iso
from damals.domain.readings import (
    DECEMBER,
    Day,
    Exactly,
    Reading,
    Span,
    month_span,
    months_later,
    span_range,
    week_span,
    year_span,
)
from damals.domain.zones import to_local

PRESENT: Final = (
    *("now", "right now", "jetzt", "currently", "presently", "at present", "at the moment"),
    *("nowadays", "aktuell", "derzeit", "derzeitig", "momentan", "gegenwaertig", "zurzeit"),
    *("heutzutage", "im moment", "im augenblick"),
)
"""Folded words for now."""

_ORDINALS: Final = {
    **{f"{number}{dot}": number for number in range(1, 5) for dot in (".", "")},
    **numbered(("1st first erst", "2nd second zweit", "3rd third dritt", "4th fourth viert")),
}
_ORDINAL: Final = (
    r"(?P<ordinal>[1-4]\.|1st|2nd|3rd|4th|first|second|third|fourth"
    r"|(?:erst|zweit|dritt|viert)(?=e[nrsm]? ))(?:e[nrsm]?)?"
)
_YEAR: Final = r"(?P<year>[0-9]{4})"
_OF: Final = r"(?: (?:of|of the year|des jahres|im jahr|im jahre|in))?,? "
_TURNS: Final = r"letzt|vorletzt|vorig|vergangen|dies|naechst|kommend"
WHICH_YEAR: Final = (
    rf"(?:(?:{_TURNS})e[nsr]? (?:jahre?s|jahr)|(?:of )?(?:last|past|this|next) year)"
)
"""A year that is named from today: ``letzten Jahres``, ``last year``."""

DAYS_OF_MONTH: Final = numbered(
    (
        *("ersten first", "zweiten second", "dritten third", "vierten fourth", "fuenften fifth"),
        *("sechsten sixth", "siebten siebenten seventh", "achten eighth", "neunten ninth"),
        *("zehnten tenth", "elften eleventh", "zwoelften twelfth", "dreizehnten thirteenth"),
        *("vierzehnten fourteenth", "fuenfzehnten fifteenth", "sechzehnten sixteenth"),
        *("siebzehnten seventeenth", "achtzehnten eighteenth", "neunzehnten nineteenth"),
        *("zwanzigsten twentieth", "einundzwanzigsten twenty-first"),
        *("zweiundzwanzigsten twenty-second", "dreiundzwanzigsten twenty-third"),
        *("vierundzwanzigsten twenty-fourth", "fuenfundzwanzigsten twenty-fifth"),
        *("sechsundzwanzigsten twenty-sixth", "siebenundzwanzigsten twenty-seventh"),
        *("achtundzwanzigsten twenty-eighth", "neunundzwanzigsten twenty-ninth"),
        *("dreissigsten thirtieth", "einunddreissigsten thirty-first"),
    )
)
"""``am vierzehnten März``, ``the fourteenth of March``."""

_SPELLED_DAY: Final = re.compile(
    rf"(?P<day>{any_of(DAYS_OF_MONTH)})(?= (?:of )?(?:{any_of(MONTHS)})\b)"
    rf"|(?<= )(?P<last>{any_of(DAYS_OF_MONTH)})$"
)
_QUARTER: Final = re.compile(rf"{_ORDINAL} (?:quartal|quarter)s?(?:{_OF}{_YEAR})?")
_SHORT_QUARTER: Final = re.compile(
    r"(?:(?P<first>[0-9]{4})[ /-]?)?q(?P<number>[1-4])(?:[ /-]?(?P<last>[0-9]{4}))?"
)
_HALF: Final = re.compile(rf"{_ORDINAL} (?:halbjahr|half|haelfte)e?s?(?:{_OF}{_YEAR})?")
_SHORT_HALF: Final = re.compile(r"h(?P<number>[12])[ /-]?(?P<year>[0-9]{4})")
_WEEK: Final = re.compile(
    r"(?:(?:kw|calendar week|week|kalenderwoche|woche) ?(?P<number>[0-9]{1,2})"
    rf"|(?P<counted>[0-9]{{1,2}})\. ?(?:kw|kalenderwoche))(?:(?:{_OF}|/){_YEAR})?"
)
_PART: Final = re.compile(
    r"(?:the )?(?P<part>anfang|beginn|mitte|ende|(?:beginning|start|middle|end) of"
    r"|early|mid|late)(?: in)?[ -](?:(?:des|der|the|dem) )?(?:(?:jahre?s?|year) (?=[0-9]))?"
    r"(?P<what>.+)"
)
_LAST: Final = ("ende", "end of", "late")
_MIDDLE: Final = ("mitte", "middle of", "mid")
_PREPOSITION: Final = re.compile(r"(?:im|in|am|an|on|at|zum|vom|der|den|dem|des|das|die|the|of) ")
_TURNED: Final = re.compile(rf"(?P<what>.+?),? (?P<when>{WHICH_YEAR})")
_BEFORE_LAST: Final = re.compile(r"vorletzt(?:e|en|er|es|em) (?P<what>woche|monate?s?|jahre?s?)")
_THE_YEAR: Final = re.compile(r"^(?:jahre?|year) (?=[0-9]{4}$)")
_OF_YEAR: Final = re.compile(r",? (?:of|of the year|des jahr|im jahre?)(?= [0-9]{4}$)")
_GENITIVE: Final = re.compile(
    r"\b(jahr|monat|quartal|sommer|winter|herbst|fruehling|fruehjahr)e?s\b"
)
_POINTED_QUARTER: Final = re.compile(
    r"(?:(?P<back>letzt|vorig|vergangen)e[nsmr]?|(?P<ahead>naechst|kommend)e[nsmr]?|diese[sm]?"
    r"|(?P<last>last|past)|(?P<next>next)|this) (?:quartal|quarter)"
)
_SHORT_DATE: Final = re.compile(
    r"(?P<day>[0-9]{1,2})\. ?(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{2})?"
)
_HOUR: Final = re.compile(
    r",? ?(?:(?:um|at|gegen) )?(?:(?P<hour>[0-9]{1,2})(?:[:.](?P<minute>[0-9]{2}))? ?"
    r"(?:uhr|(?P<half>[ap])\.?m\.?|h\b)(?: (?P<more>[0-9]{2}))?)"
)
HALVES: Final = {
    "vor einem halben jahr": 6,
    "half a year ago": 6,
    "vor anderthalb jahren": 18,
    "vor eineinhalb jahren": 18,
    "a year and a half ago": 18,
    "one and a half years ago": 18,
}
"""Months that these words go back."""

BEFORE_THIS: Final = {
    "vorjahr": "letztes jahr",
    "vormonat": "letzter monat",
    "vorwoche": "letzte woche",
    "vorquartal": "letztes quartal",
}
_UNITS: Final = ("jahr", "monat", "quartal", "woche", "year", "month", "quarter", "week")
_NOON: Final = 12
_MONTHS_OF_QUARTER: Final = 3
_MONTHS_OF_HALF: Final = 6
_MIDDLE_OF_MONTH: Final = 15
_YEARS_AHEAD: Final = 10
"""Two digits of a year mean one at most this far ahead."""

_CENTURY: Final = 100
_RARE_YEARS: Final = 8
"""A week 53 comes at least this often."""


def read_asked(
    text: str, *, now: int, zone: ZoneInfo, bare: bool = False, ahead: bool = False
) -> Reading | None:
    """Reads folded words for an instant that is asked for.

    Args:
        text: folded words.
        now: the instant at which they are said.
        zone: whose calendar "today" is on.
        bare: take ``Mai`` or ``Montag`` for a time although no word before it says that it is one.
        ahead: of what comes every year, the next one is meant and not the latest.

    Raises:
        ValueError: no such day or hour.
        OverflowError, InvalidInput: outside the years 1 to 9999.
    """
    if text in PRESENT:
        return Exactly(now)
    reader = _Reader(to_local(now, zone).date(), now, zone, ahead)
    text = _GENITIVE.sub(r"\1", text)
    led = _PREPOSITION.match(text)
    while led is not None:
        text, bare = text[led.end() :], True
        led = _PREPOSITION.match(text)
    text = in_one_step(text, reader.today)
    part = _PART.fullmatch(text)
    if part is not None:
        return reader.part(part["part"], part["what"])
    return reader.read(text, bare=bare)


class _Reader:
    """Reads seen from one instant."""

    def __init__(self, today: date, now: int, zone: ZoneInfo, ahead: bool) -> None:
        self.today = today
        self.now = now
        self.zone = zone
        self.ahead = ahead

    def read(self, text: str, *, bare: bool) -> Reading | None:
        clocked = _HOUR.search(text)
        if clocked is not None:
            text = _with_hour(text, clocked)
        text = _OF_YEAR.sub("", _THE_YEAR.sub("", text))
        text = _SPELLED_DAY.sub(lambda day: f"{DAYS_OF_MONTH[day[0]]}.", text)
        if text in HALVES:
            return Day(months_later(self.today, -HALVES[text]))
        text = BEFORE_THIS.get(re.sub("(?<=jahr|onat)e?s$|(?<=tal)s$", "", text), text)
        known = read_iso(text) or read_german(text) or read_words(text) or self._next_day(text)
        known = known or read_relative(text, now=self.now, zone=self.zone)
        known = known or self._turned(text) or self._before_last(text) or self._numbered(text)
        known = known or self._feast(text, bare=bare)
        if known is None and bare:
            return self._short(text) or self._yearly(text)
        return known

    def part(self, part: str, text: str) -> Reading | None:
        """The beginning, the middle or the very end of something longer than a day."""
        if text in _UNITS:
            text = f"{'dieses' if text in _UNITS[:4] else 'this'} {text}"
        whole = self.read(text, bare=True)
        if not isinstance(whole, Span):
            return None
        if part in _LAST:
            return Exactly(span_range(whole, self.zone)[1] - 1)
        if part not in _MIDDLE:
            return Day(whole.first)
        if whole == year_span(whole.first.year):
            return Day(date(whole.first.year, 7, 1))
        if whole == month_span(whole.first.year, whole.first.month):
            return Day(whole.first.replace(day=_MIDDLE_OF_MONTH))
        return Day(whole.first + (whole.last - whole.first) // 2)

    def _next_day(self, text: str) -> Reading | None:
        """``14. März`` ahead: the next such day."""
        if not self.ahead:
            return None
        for year in (self.today.year, self.today.year + 1):
            day = read_words(f"{text} {year:04}")
            if isinstance(day, Day) and day.day >= self.today:
                return day
        return None

    def _turned(self, text: str) -> Reading | None:
        """``März letzten Jahres``."""
        match = _TURNED.fullmatch(text)
        if match is None:
            return None
        when = match["when"].removeprefix("of ")
        year = self._before_last(when) or read_relative(
            re.sub("jahre?s", "jahr", when), now=self.now, zone=self.zone
        )
        if not isinstance(year, Span):
            return None
        named = f"{match['what'].removesuffix(' des')} {year.first.year:04}"
        return read_words(named) or self._numbered(named) or self._feast(named, bare=False)

    def _feast(self, text: str, *, bare: bool) -> Reading | None:
        """``Weihnachten 2024``; without a year the nearest, where a name alone is a time."""
        name, year = named_feast(text) or ("", None)
        if year is not None:
            return Day(feast_of(name, year))
        if not name or not bare:
            return None
        return Day(self._nearest(lambda each: Span(*[feast_of(name, each)] * 2)).first)

    def _before_last(self, text: str) -> Span | None:
        match = _BEFORE_LAST.fullmatch(text)
        if match is None:
            return None
        if match["what"] == "woche":
            return week_span(self.today - timedelta(weeks=2))
        if match["what"].startswith("monat"):
            there = months_later(self.today, -2)
            return month_span(there.year, there.month)
        return year_span(months_later(self.today, -2 * DECEMBER).year)

    def _numbered(self, text: str) -> Span | None:
        """Quarters, half years and weeks, by their numbers."""
        match = _QUARTER.fullmatch(text)
        if match is not None:
            return self._months(_MONTHS_OF_QUARTER, _ORDINALS[match["ordinal"]], match["year"])
        match = _SHORT_QUARTER.fullmatch(text)
        if match is not None and not (match["first"] and match["last"]):
            year = match["first"] or match["last"]
            return self._months(_MONTHS_OF_QUARTER, int(match["number"]), year)
        match = _HALF.fullmatch(text)
        if match is not None:
            return self._months(_MONTHS_OF_HALF, _ORDINALS[match["ordinal"]], match["year"])
        match = _SHORT_HALF.fullmatch(text)
        if match is not None:
            return self._months(_MONTHS_OF_HALF, int(match["number"]), match["year"])
        match = _WEEK.fullmatch(text)
        if match is not None:
            number = int(match["number"] or match["counted"])
            return self._in(match["year"], lambda y: week_span(date.fromisocalendar(y, number, 1)))
        return self._quarter_from_now(text)

    def _quarter_from_now(self, text: str) -> Span | None:
        match = _POINTED_QUARTER.fullmatch(text)
        if match is None:
            return None
        back, ahead = match["back"] or match["last"], match["ahead"] or match["next"]
        moved = -_MONTHS_OF_QUARTER if back else _MONTHS_OF_QUARTER if ahead else 0
        there = months_later(self.today.replace(day=1), moved)
        return _months_of(there.year, (there.month - 1) // 3 * 3 + 1, _MONTHS_OF_QUARTER)

    def _months(self, size: int, number: int, year: str | None) -> Span:
        if number * size > DECEMBER:
            raise ValueError(number)
        return self._in(year, lambda y: _months_of(y, (number - 1) * size + 1, size))

    def _in(self, year: str | None, span_of: Callable[[int], Span]) -> Span:
        return span_of(int(year)) if year else self._nearest(span_of)

    def _nearest(self, span_of: Callable[[int], Span]) -> Span:
        """The latest that has begun, or the first that is not over."""
        spans = [span_of(year) for year in _around(self.today.year) if _exists(span_of, year)]
        if self.ahead:
            fitting = [span for span in spans if span.last >= self.today]
        else:
            fitting = [span for span in reversed(spans) if span.first <= self.today]
        if not fitting:
            raise ValueError
        return fitting[0]

    def _short(self, text: str) -> Reading | None:
        """``14.3.`` and ``14.3.26``."""
        match = _SHORT_DATE.match(text)
        if match is None:
            return None
        rest, day, month = text[match.end() :], int(match["day"]), int(match["month"])
        if match["year"]:
            century = self.today.year // _CENTURY * _CENTURY
            year = century + int(match["year"])
            if year > self.today.year + _YEARS_AHEAD:
                year -= _CENTURY
            return read_german(f"{day}.{month}.{year}{rest}")
        names = {number: name for name, number in MONTHS.items()}
        named = f"{day}. {names.get(month, '')}{rest}"
        return self._next_day(named) or read_relative(named, now=self.now, zone=self.zone)

    def _yearly(self, text: str) -> Reading | None:
        """A month, a season or a day of the week, by name alone."""
        name = text.removesuffix(".")
        if name in MONTHS:
            return self._nearest(lambda year: month_span(year, MONTHS[name]))
        if name in SEASONS:
            return self._nearest(lambda year: season_span(year, SEASONS[name]))
        if name in WEEKDAYS:
            away = (WEEKDAYS[name] - self.today.weekday()) % 7
            return Day(self.today + timedelta(days=away if self.ahead or not away else away - 7))
        return None


def _around(year: int) -> Iterable[int]:
    return range(max(year - _RARE_YEARS, 1), min(year + 1, 9998) + 1)


def _exists(span_of: Callable[[int], Span], year: int) -> bool:
    """Whether there is one in this year: not each has a week 53."""
    try:
        span_of(year)
    except ValueError:
        return False
    return True


def _months_of(year: int, month: int, count: int) -> Span:
    first = date(year, month, 1)
    return Span(first, month_span(year, month + count - 1).last)


def _with_hour(text: str, match: re.Match[str]) -> str:
    """The same day with the hour behind it and as ``HH:MM``."""
    hour, minute = int(match["hour"]), match["minute"] or match["more"] or "00"
    if match["half"]:
        hour = hour % _NOON + (_NOON if match["half"] == "p" else 0)
    day = (text[: match.start()] + text[match.end() :]).strip(" ,")
    led = _PREPOSITION.match(day)
    return f"{day[led.end() :] if led else day} {hour:02}:{minute}"


MONTH: Final = any_of(MONTHS)
SEASON: Final = any_of(SEASONS)
WEEKDAY: Final = any_of(WEEKDAYS)
"""Patterns of the names."""
