"""Numbers with their units, and dates, as a text says them in German or English.

Two figures are compared by what they mean: ``60 s`` is ``1 min``, ``1.000`` in German is ``1,000``
in English, and ``2024-05`` may be the first of May.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal
from zlib import crc32

from damals.domain.likeness import UMLAUTS, words_of
from damals.domain.measures import BASES, SCALES, UNITS
from damals.domain.natural import MONTHS, NUMBERS
from damals.domain.values import frozen

Kind = Literal["number", "date"]


@frozen
class Figure:
    """A number or a date.

    Attributes:
        text: as it is written.
        unit: what is counted: ``s``, ``m``, ``eur``, ``/min``, the word behind it, or nothing; of
            a time ``day``, ``month and day``, ``clock``, ``relative`` to when it is said, or
            ``recurring``.
        low, high: the value in the smallest unit of its kind, or the first and last day as
            ordinals (with the minutes of a time of day behind the point); equal when exact.
        start, end: where it stands.
        label: it numbers something (``Rechnung 4711``), and so says which, not how much.
    """

    kind: Kind
    text: str
    unit: str
    low: Fraction
    high: Fraction
    start: int = 0
    end: int = 0
    label: bool = False

    @property
    def base(self) -> str:
        """The unit, when it is one that is known; else nothing."""
        if self.unit == _MONTHS:
            return "s"
        return self.unit if "/" in self.unit or self.unit in BASES else ""

    def agrees(self, other: "Figure") -> bool:
        """Whether both may mean the same, one of them perhaps less exactly."""
        if self.kind != other.kind:
            return False
        mine, theirs = self, other
        if self.unit != other.unit:
            if self.base != other.base or not self.base:
                return False
            mine, theirs = self.in_seconds, other.in_seconds
        return mine.low <= theirs.high and theirs.low <= mine.high

    @property
    def in_seconds(self) -> "Figure":
        """Months as seconds: a month has 28 to 31 days."""
        if self.unit != _MONTHS:
            return self
        return replace(self, unit="s", low=self.low * 28 * _DAY, high=self.high * 31 * _DAY)


_MONTHS: Final = "month"
_DAY: Final = 86_400

_LABELLED: Final = words_of("""
rechnung invoice nr nummer number no ticket issue zimmer room raum kapitel chapter artikel art
article paragraph seite page bestellung order auftrag kunde customer konto account haus schritt step
phase sprint tag day woche week kw linie line gruppe group klasse team case fall sensor anlage
maschine machine node knoten server band volume teil part nummern id § #
""")
"""What a number behind such a word tells apart from others of its kind."""

_NUMBER: Final = r"\d+(?:[.,'’]\d+)*"
_RELATIVE: Final = (
    "vorgestern|gestern|heute|übermorgen|yesterday|today|tomorrow"
    "|(?:letzte|vorige|nächste|kommende|diese)[nrms]?\\s+(?:tag|woche|monat|jahr|quartal)\\w*"
    "|(?:last|next|this)\\s+(?:day|week|month|year|quarter)"
    "|(?:jeden|every|am|on)\\s+(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
    "|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?"
)
_RECURRING: Final = re.compile(r"(?:jeden|every)\s+|on\s+(?=\w+s$)")
"""Before a day that comes again and again: it says when, but not since when."""
_MONTH: Final = (
    "januar|jänner|february|februar|january|märz|march|april|mai|may|juni|june|juli|july|august"
    "|september|oktober|october|november|dezember|december|jan|feb|mär|mar|apr|jun|jul|aug|sept?"
    "|okt|oct|nov|dez|dec"
)
_FIND: Final = re.compile(
    rf"""(?P<iso>(?<![\w.])\d{{4}}-\d{{2}}(?:-\d{{2}})?(?![\d-]))
    |(?P<german>(?<![\w.])\d{{1,2}}\.\s?\d{{1,2}}\.\s?\d{{4}}(?!\d))
    |(?P<dayfirst>(?<![\w.])(?P<d1>\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?P<m1>{_MONTH})\b\.?
        (?:,?\s+(?P<y1>\d{{4}}))?)
    |(?P<monthfirst>\b(?P<m2>{_MONTH})\.?\s+(?:(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d),?\s+)?
        (?P<y2>\d{{4}})\b)
    |(?P<quarter>\b(?:Q(?P<q1>[1-4])|(?P<q2>[1-4])\.\s*Quartal)[\s/]*(?P<yq>\d{{4}})\b)
    |(?P<clock>(?<![\w.:])(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)(?:\s*uhr)?|\s*uhr)
        (?!\w)(?!:\d))
    |(?P<relative>\b(?:{_RELATIVE})\b)
    |(?:(?P<currency>[€$£])\s?)?(?<![\w.,/-])(?P<sign>[-−])?(?P<number>{_NUMBER})
        (?:\s?(?:[-–]|\bbis\b|\bto\b)\s?(?P<upto>{_NUMBER}))?
        (?:(?P<glued>[^\W\d_]{{1,3}}(?!\w)|[%€$£])|(?!\w))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DIGIT: Final = re.compile(r"\d")
_FIND_WORDS: Final = re.compile(
    rf"(?P<relative>\b(?:{_RELATIVE})\b)(?P<number>(?!))?(?P<clock>(?!))?", re.IGNORECASE
)
"""The same in a text without digits."""
_BEHIND: Final = re.compile(r"[\s\u00a0]?(°\s?[CF]\b|[%€$£]|[^\W\d_]+²?\.?)")
_PER: Final = re.compile(
    r"\s?(?:/|pro\b|per\b|je\b|an?\b(?=\s+(?:hour|day|week|month|year)))\s?(\w+)", re.IGNORECASE
)
_BEFORE: Final = re.compile(r"([^\W\d_]+|§|\#)[.:]?\s*$")
_COUNTED: Final = re.compile(
    r"\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
    r"|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
_GLUED: Final = re.compile(r"\d+([^\W\d_]{1,3})")
_DAYS: Final = words_of("vorgestern gestern heute übermorgen yesterday today tomorrow uhr")
_FORMS: Final = 30_000
_YEARS: Final = range(1500, 2200)
_YEAR_DIGITS: Final = 4
_THOUSAND: Final = 3


def is_month(word: str) -> bool:
    """Whether a word is the name of a month."""
    return word.casefold().translate(UMLAUTS) in MONTHS


@lru_cache(maxsize=_FORMS)
def measures(word: str) -> bool:
    """Whether a word is a number or the name of a time of its own: ``16GB``, ``drei``, ``Mai``."""
    small = word.casefold()
    if _COUNTED.fullmatch(word) or is_month(word) or small in _DAYS:
        return True
    found = _GLUED.fullmatch(small)
    return found is not None and found[1] in UNITS


def figures(text: str) -> Sequence[Figure]:
    """The numbers and dates of a text, by place; no two of them share a letter."""
    finds = _FIND if _DIGIT.search(text) else _FIND_WORDS
    found = [figure for one in finds.finditer(text) for figure in _figures(text, one)]
    for one in _COUNTED.finditer(text):
        value = Fraction(NUMBERS[one[0].casefold().translate(UMLAUTS)])
        found += _measured(text, one.span(), (value, value), "")
    return sorted(found, key=lambda figure: figure.start)


def _figures(text: str, found: re.Match[str]) -> Iterator[Figure]:
    if found["number"]:
        yield from _number(text, found)
        return
    span = _date(found)
    if span is not None:
        unit, low, high = span
        yield Figure("date", found[0].strip(), unit, low, high, *found.span())


def _date(found: re.Match[str]) -> tuple[str, Fraction, Fraction] | None:
    """Unit, first and last value of what is no plain number; ``None`` for no day there is."""
    if found["clock"]:
        minutes = Fraction(int(found["hour"]) * 60 + int(found["minute"] or 0))
        return "clock", minutes, minutes
    if found["relative"]:
        said = " ".join(found["relative"].casefold().split())
        day = _RECURRING.match(said)
        unit, name = ("relative", said) if day is None else ("recurring", said[day.end() :])
        value = Fraction(crc32(name.removesuffix("s").encode()))
        return unit, value, value
    try:
        return _days(*_parts(found))
    except ValueError:
        return None


def _parts(found: re.Match[str]) -> tuple[int | None, int, int | None, int]:
    """Year, first month, day and number of months that a date means."""
    if found["iso"]:
        year, month, *day = map(int, found["iso"].split("-"))
        return year, month, day[0] if day else None, 1
    if found["german"]:
        day, month, year = (int(part) for part in found["german"].replace(" ", "").split("."))
        return year, month, day, 1
    if found["quarter"]:
        quarter = int(found["q1"] or found["q2"])
        return int(found["yq"]), 3 * quarter - 2, None, 3
    name, day, year = (
        (found["m1"], found["d1"], found["y1"])
        if found["dayfirst"]
        else (found["m2"], found["d2"], found["y2"])
    )
    month = MONTHS[name.casefold().translate(UMLAUTS)]
    return int(year) if year else None, month, int(day) if day else None, 1


def _days(
    year: int | None, month: int, day: int | None, months: int
) -> tuple[str, Fraction, Fraction]:
    if year is None:
        value = Fraction(month * 100 + (day or 0))
        return "month and day", value, value
    first = date(year, month, day or 1)
    last = first if day else date(year, month + months - 1, monthrange(year, month + months - 1)[1])
    return "day", Fraction(first.toordinal()), Fraction(last.toordinal())


def _number(text: str, found: re.Match[str]) -> Iterator[Figure]:
    written = found["number"]
    start, end = found.span("number")
    glued = (found["glued"] or "").casefold()
    if glued and glued not in UNITS and glued not in SCALES:
        return  # the name of something, as 12a
    value = _value(written)
    if value is None:
        named = Fraction(crc32(written.encode()))
        yield Figure("number", written, "version", named, named, start, end)
        return
    upto = _value(found["upto"]) if found["upto"] else value
    end = found.end("upto") if found["upto"] else end
    if not (glued or found["currency"] or found["upto"]) and _is_year(text, written, start, end):
        year = int(written)
        low, high = date(year, 1, 1), date(year, 12, 31)
        yield _year(written, low, high, start, end)
        return
    if found["sign"]:
        value = upto = -value
        start -= 1
    ends = sorted((value, value if upto is None else upto))
    yield from _measured(
        text, (start, end), (ends[0], ends[-1]), glued or (found["currency"] or "")
    )


def _year(written: str, low: date, high: date, start: int, end: int) -> Figure:
    first, last = Fraction(low.toordinal()), Fraction(high.toordinal())
    return Figure("date", written, "day", first, last, start, end)


def _value(written: str) -> Fraction | None:
    """What digits mean; ``None`` for what is no number (``1.2.3``)."""
    plain = re.sub(r"['’](?=\d{3})", "", written)
    separators = re.findall(r"[.,]", plain)
    groups = re.split(r"[.,]", plain)
    thousands = all(len(group) == _THOUSAND for group in groups[1:]) and groups[0] != "0"
    if len(set(separators)) == 2:  # noqa: PLR2004 -- point and comma: the last of them is decimal
        whole, _, rest = plain.rpartition(separators[-1])
        plain = f"{re.sub('[.,]', '', whole)}.{rest}"
    elif thousands and len(groups[0]) <= _THOUSAND:
        plain = "".join(groups)
    elif len(separators) > 1:
        return None
    else:
        plain = plain.replace(",", ".")
    try:
        return Fraction(plain)
    except ValueError:
        return None


_TIMES: Final = re.compile(
    r"\b(?:jahre?s?|year|in|im|seit|since|ab|bis|until|von|from|by|vor|nach|before|after|during"
    r"|ende|anfang|mitte|sommer|winter|herbst|frühjahr|summer|spring|autumn|fall)\s*$",
    re.IGNORECASE,
)


def _is_year(text: str, written: str, start: int, end: int) -> bool:
    """Whether four digits are a year: nothing is counted in them."""
    if len(written) != _YEAR_DIGITS or not written.isdecimal() or int(written) not in _YEARS:
        return False
    if _TIMES.search(text[max(start - 12, 0) : start]):
        return True
    behind = _BEHIND.match(text, end)
    word = behind[1].casefold().rstrip(".") if behind else ""
    if word in UNITS or word in SCALES or _label(text, start):
        return False
    return not (behind and behind[1][:1].isupper()) and not (len(word) > 4 and word.endswith("s"))  # noqa: PLR2004 -- a plural is a noun that is counted


def _label(text: str, start: int) -> bool:
    before = _BEFORE.search(text[max(start - 40, 0) : start])
    return bool(before) and before[1].casefold() in _LABELLED


def _measured(
    text: str, place: tuple[int, int], ends: tuple[Fraction, Fraction], glued: str
) -> Iterator[Figure]:
    """A number with what it counts, which stands at it or behind it."""
    start, end = place
    factor, unit, known, behind = Fraction(1), glued, bool(glued), 0
    end += len(glued) if glued and text[end : end + 1].casefold() == glued[:1] else 0
    label = not glued and _label(text, start)
    for _ in range(2):
        word = _BEHIND.match(text, end)
        said = "" if word is None else word[1].casefold().rstrip(".").replace(" ", "")
        if unit in SCALES:
            factor, unit, known = factor * SCALES[unit], "", False
        if word is None or label:
            break
        if known:  # as in "$5 million"
            scaled = SCALES.get(said)
            factor, end = (factor * scaled, word.end(1)) if scaled else (factor, end)
            break
        if said in SCALES or said in UNITS:
            unit, known, end = said, said in UNITS, word.end(1)
        elif not unit:
            counted = word[1][:1].isupper() or said.endswith("s")
            unit, behind = (said, word.end(1)) if counted else ("", end)
            break
    if unit in UNITS:
        base, size = UNITS[unit]
        unit, factor, label = base, factor * size, False
    per = _PER.match(text, max(end, behind))
    if per:
        rate, size = UNITS.get(per[1].casefold(), (per[1].casefold(), Fraction(1)))
        unit, end, factor = f"{unit if known else ''}/{rate}", per.end(), factor / size
    shown = text[start:end].strip().rstrip(".")
    yield Figure("number", shown, unit, ends[0] * factor, ends[1] * factor, start, end, label)


def differing(
    first: Sequence[Figure], second: Sequence[Figure]
) -> tuple[tuple[Figure, ...], tuple[Figure, ...]]:
    """The figures of each that the other does not say."""
    return _unsaid(first, second), _unsaid(second, first)


def _unsaid(some: Sequence[Figure], others: Sequence[Figure]) -> tuple[Figure, ...]:
    left = list(others)
    unsaid: list[Figure] = []
    for one in some:
        same = next((other for other in left if one.agrees(other)), None)
        if same is None:
            unsaid.append(one)
        elif sum(one.agrees(other) for other in some) <= sum(one.agrees(o) for o in others):
            left.remove(same)
    return tuple(unsaid)
