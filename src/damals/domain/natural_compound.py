"""Times that are said in two steps: ``im Mai vor zwei Jahren``, ``Monday last week``, ``Mai '24``.

Each is put into the plain words of one step, seen from the day on which it is said.
"""

import re
from datetime import date, timedelta
from typing import Final

from damals.domain.natural import MONTHS, NUMBERS, SEASONS, UNITS, WEEKDAYS, any_of
from damals.domain.readings import months_later

_COUNT: Final = rf"(?:[0-9]{{1,4}}|{any_of(NUMBERS)})"
_COUNTED: Final = rf"{_COUNT} (?:{any_of(UNITS)})"
_WEEKDAY: Final = any_of(WEEKDAYS)
_ITS_WEEK: Final = (
    r"(?:(?:letzt|vorletzt|vorig|vergangen|dies|naechst|kommend)e[nrsm]? woche|vorwoche"
    r"|(?:last|this|next) week|week before last)"
)
_UNKNOWN_YEAR: Final = (
    r"(?:(?:des|im|of the|in the|the) )?(?:(?:dar(?:auf)?folgenden|folgenden|vorherigen) jahre?s?"
    r"|folgejahre?s?|(?:following|previous) year|year (?:after|before)(?! last)"
    r"|jahre?s? (?:davor|danach|darauf|zuvor))|(?<!year )before last(?! [a-z])"
    r"|jenes jahres|in jenem jahr|(?:of|in) that year"
)
_BEFORE: Final = r"(?:(?:des|im) vorjahre?s?|(?:of |in )?the year before last)"
_YEARS_AGO: Final = rf"(?:vor {_COUNT} jahre?n?|{_COUNT} years? ago)"

CUT_YEAR: Final = r"['\u2018\u2019][0-9]{2}(?![0-9])"
"""``'24``."""

FROM_TODAY: Final = rf"(?:{_YEARS_AGO}|{_BEFORE}|{CUT_YEAR}|{_UNKNOWN_YEAR})"
"""Behind a month or a day, these say of which year it is, or that it is of one not known."""

DAY_OF_WEEK: Final = (
    rf"(?:{_WEEKDAY})(?: (?:of|in|in der|der|of the|the))? {_ITS_WEEK}"
    rf"|{_ITS_WEEK}(?:,? (?:am|on))? (?:{_WEEKDAY})"
    rf"|(?:{_WEEKDAY}) (?:vor {_COUNT} wochen?|{_COUNT} weeks? ago)"
)
"""``Montag letzter Woche``."""

_ONE: Final = r"(?:ein[a-z]*|an?|one|0*[01]) "
_MANY: Final = rf"(?!{_ONE}){_COUNT}"
WEEKDAYS_AGO: Final = rf"{_MANY} (?:{_WEEKDAY})s ago|vor {_MANY} (?:{_WEEKDAY})(?:en|s)?"
"""``three Fridays ago``."""

BEFORE_LAST: Final = r"(?:week|month|year) before last"
"""``the week before last``."""

_TURNS: Final = r"(?:vorletzt|letzt|vorig|vergangen|dies|naechst|kommend)e[nrsm]?"
_THAT_MONTH: Final = rf"(?:{_TURNS} monate?s?|(?:of )?(?:last|this|next) month)"
_THAT_YEAR: Final = rf"(?:{_TURNS} jahre?s?|(?:last|this|next) year)"


def day_of_month(day: str) -> str:
    """The pattern of ``am Ersten letzten Monats``, with that of a day."""
    return rf"{day},? {_THAT_MONTH}|{_THAT_MONTH},? (?:am|on)(?: the)? {day}"


def of_year(what: str) -> str:
    """The pattern of ``nächstes Jahr im März``, with that of a part of a year."""
    return rf"{_THAT_YEAR},? (?:im|in|am|on|an|at|zu)(?: (?:the|den|dem|der))? {what}"


_BACK: Final = rf"(?:vor {_COUNTED}|{_COUNTED} ago|vor einem halben jahr|half a year ago)"
DAY_AGO: Final = (
    rf"(?:heute|today|gestern|yesterday|morgen|tomorrow) {_BACK}"
    rf"|{_BACK} (?:today|heute|yesterday|gestern)|(?:the )?day before yesterday"
    r"|(?:the )?day after tomorrow|(?:at )?this time last year|letztes jahr um diese zeit"
)
"""``heute vor einem Jahr``."""

_MONTH: Final = rf"(?:{any_of(MONTHS)})\.?"
PART_OF_YEAR: Final = (
    r"(?:jahres(?:ende|anfang|beginn|mitte)|monats(?:ende|anfang|beginn|mitte)"
    r"|(?:the )?year[- ]end|(?:the )?close of)(?: (?:des jahres|von|of|im jahre?|the year))?"
    rf" (?:{_MONTH} )?[0-9]{{4}}"
)
"""``Jahresende 2024``."""

_SAME_DAY: Final = {
    "day before yesterday": "vorgestern",
    "day after tomorrow": "uebermorgen",
    "this time last year": "a year ago",
    "week before last": "vorletzte woche",
    "month before last": "vorletzter monat",
    "year before last": "vorletztes jahr",
    "letztes jahr um diese zeit": "a year ago",
}
_NAMED_PART: Final = re.compile(
    r"(?:(?:jahres|monats)(?P<part>ende|anfang|beginn|mitte)|(?:the )?(?:year[- ]end|close of))"
    r"(?: (?:des jahres|von|of|im jahre?|the year))? (?P<what>.+)"
)
_TODAY: Final = re.compile(
    rf"(?:heute|today) (?=(?:{_BACK}|in {_COUNTED})$)|(?<= ago) today$|(?<=[a-z]) heute$"
)
_OTHER_DAY: Final = re.compile(
    rf"(?:gestern|yesterday|morgen|tomorrow) {_BACK}|{_BACK} (?:yesterday|gestern)"
)
"""``gestern vor einem Jahr``: people do not agree on what it means."""

_YEAR_AGO: Final = re.compile(
    rf",? (?:vor (?P<de>{_COUNT}) jahre?n?|(?P<en>{_COUNT}) years? ago)(?![a-z])"
)
_YEAR_BEFORE: Final = re.compile(rf",? (?:{_BEFORE})(?![a-z])")
_YEAR_CUT: Final = re.compile(rf",? (?P<cut>{CUT_YEAR})")
_YEAR_UNKNOWN: Final = re.compile(rf" (?:{_UNKNOWN_YEAR})(?![a-z])")
_NAMED: Final = re.compile(
    rf"(?<![a-z])(?:{any_of(MONTHS)}|{any_of(SEASONS)}|quartals?|quarter|q[1-4]|halbjahre?s?)(?![a-z])"
)
_WEEKDAY_IN: Final = re.compile(rf"(?:{_WEEKDAY})")
_WEEKS_AGO: Final = re.compile(rf" (?:vor (?P<de>{_COUNT}) woche|(?P<en>{_COUNT}) weeks? ago)")
_NTH_WEEKDAY: Final = re.compile(WEEKDAYS_AGO)
_COUNT_IN: Final = re.compile(_COUNT)
_DAY_IN_MONTH: Final = re.compile(day_of_month(r"(?:[0-9]{1,2}(?:\.|st|nd|rd|th)?|[a-z-]+)"))
_MONTH_IN: Final = re.compile(rf",? ?{_THAT_MONTH},? ?(?:(?:am|on) )?(?:the )?")
_IN_YEAR: Final = re.compile(of_year("(?P<what>.+)"))
_YEAR_IN: Final = re.compile(_THAT_YEAR)
_NAMES_OF_MONTHS: Final = {number: name for name, number in MONTHS.items()}
_YEARS_AHEAD: Final = 10
_CENTURY: Final = 100


def in_one_step(text: str, today: date) -> str:
    """Folded words of a time in two steps, as words of one step; all others as they are.

    Args:
        text: folded words, without a preposition before them.
        today: the day on which they are said.

    Raises:
        ValueError: they are of a year that is not known.
        OverflowError: outside the years 1 to 9999.
    """
    known = _named_day(text, today)
    if known is not None:
        return known
    part = _NAMED_PART.fullmatch(text)
    if part is not None:
        return f"{part['part'] or 'ende'} {part['what']}"
    text = _TODAY.sub("", text)
    if _YEAR_UNKNOWN.search(text) or _OTHER_DAY.fullmatch(text):
        raise ValueError(text)
    for pattern in (_YEAR_AGO, _YEAR_BEFORE, _YEAR_CUT):
        match = pattern.search(text)
        if match is not None and _NAMED.search(text, 0, match.start()):
            return f"{text[: match.start()]} {_year(match, today):04}{text[match.end() :]}"
    return text


def _named_day(text: str, today: date) -> str | None:
    """A day or a longer time that is named by another one."""
    same = _SAME_DAY.get(text.removeprefix("the "))
    in_year = _IN_YEAR.fullmatch(text)
    if in_year is not None:
        return f"{in_year['what']} {_YEAR_IN.findall(text)[0]}"
    if _NTH_WEEKDAY.fullmatch(text):
        return _nth_weekday(text, today).isoformat()
    if _DAY_IN_MONTH.fullmatch(text):
        return _day_in_month(text, today)
    return _day_of_week(text, today).isoformat() if re.fullmatch(DAY_OF_WEEK, text) else same


def _year(match: re.Match[str], today: date) -> int:
    groups = match.groupdict()
    count = groups.get("de") or groups.get("en")
    if count is not None:
        return today.year - (NUMBERS[count] if count in NUMBERS else int(count))
    if groups.get("cut") is None:
        return today.year - (1 if "vorjahr" in match[0] else 2)
    year = today.year // _CENTURY * _CENTURY + int(match["cut"][-2:])
    return year - _CENTURY if year > today.year + _YEARS_AHEAD else year


def _day_of_week(text: str, today: date) -> date:
    named = _WEEKDAY_IN.search(text)
    if named is None:
        raise ValueError(text)
    counted = _WEEKS_AGO.search(text)
    if counted is not None:
        word = counted["de"] or counted["en"]
        weeks = -(NUMBERS[word] if word in NUMBERS else int(word))
    else:
        weeks = _away(text)
    monday = today - timedelta(days=today.weekday())
    return monday + timedelta(days=7 * weeks + WEEKDAYS[named[0]])


def _nth_weekday(text: str, today: date) -> date:
    """Of the days of this name before today the latest is the first."""
    counted, named = _COUNT_IN.search(text), _WEEKDAY_IN.search(text)
    if counted is None or named is None:
        raise ValueError(text)
    count = NUMBERS[counted[0]] if counted[0] in NUMBERS else int(counted[0])
    back = (today.weekday() - WEEKDAYS[named[0]] - 1) % 7 + 1
    return today - timedelta(days=back + 7 * (count - 1))


def _day_in_month(text: str, today: date) -> str:
    """``ersten letzten monats`` as ``ersten oktober 2026``."""
    there = months_later(today.replace(day=1), _away(text))
    day = _MONTH_IN.sub("", text)
    return f"{day} {_NAMES_OF_MONTHS[there.month]} {there.year:04}"


def _away(text: str) -> int:
    """How many months or weeks ``letzt`` and ``next`` lead away."""
    if "vorletzt" in text or "before last" in text:
        return -2
    if re.search(r"letzt|vor|vergangen|last", text):
        return -1
    return 1 if re.search(r"naechst|kommend|next", text) else 0
