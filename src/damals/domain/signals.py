"""When a text was researched, from what it gives away: dates, versions of models, syntax of APIs.

Only what nobody said otherwise is estimated, and rather too young than too old: of several signals
the newest counts, a day or month that is named wins over what a source, a version or a syntax lets
one guess, a bare year counts only where the text says that it is as of then, and nothing is later
than the instant at which the text was recorded.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal
from zoneinfo import ZoneInfo

from damals.domain.errors import InvalidInput
from damals.domain.natural import MONTHS
from damals.domain.parsing import parse_moment
from damals.domain.versions_in_use import in_use

SignalKind = Literal["date", "source", "model", "syntax", "version"]

MOST_READ: Final = 200_000
"""So many characters of a text are looked at."""


@dataclass(frozen=True, slots=True)
class Signal:
    """What gives a date away.

    Attributes:
        at: the instant it stands for: the midnight that begins it, in the zone that was asked for.
        text: as it stands in the text.
    """

    at: int
    kind: SignalKind
    text: str


_MONTH: Final = "|".join(
    name.replace("ae", "(?:ae|ä)") for name in sorted(MONTHS, key=len, reverse=True)
)
_YEAR: Final = r"(?:19|20)\d\d"
_ANY_YEAR: Final = re.compile(_YEAR)
_CUE: Final = (
    r"(?:as of|status as of|last (?:updated|checked|verified)|updated|accessed|retrieved|published|"
    r"stand(?: vom)?|zuletzt (?:aktualisiert|geprüft)|aktualisiert|abgerufen|veröffentlicht)"
    r"(?: (?:am|im|on|in|at))?\s*:?\s*"
)

_QUARTER: Final = r"(?:Q|quarter |quartal )(?P<quarter>[1-4])"
_NO_VERSION: Final = r"(?!\d|\.\d)"


def _patterns(*said: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE) for one in said)


_DATES: Final = _patterns(
    rf"(?<![\d.])(?<!\d-)(?P<when>{_YEAR}-\d\d-\d\d)(?!\d)",
    rf"(?<![\w.])(?<!\d-)(?P<when>{_YEAR}[01]\d[0-3]\d)(?!\w)",
    rf"(?<![\d.])(?<!ubuntu\s)(?P<when>\d\d?\.\s?\d\d?\.\s?{_YEAR}){_NO_VERSION}",
    rf"(?<!\w)(?P<when>\d\d?\.?\s+(?:{_MONTH})\.?\s+{_YEAR}){_NO_VERSION}",
    rf"(?<!\w)(?P<when>(?:{_MONTH})\.?\s+\d\d?(?:st|nd|rd|th)?,\s+{_YEAR}){_NO_VERSION}",
    rf"(?<!\w)(?P<when>(?:{_MONTH})\.?\s+{_YEAR}){_NO_VERSION}",
    rf"(?<![\d.-])(?P<when>{_YEAR}-\d\d)(?![\d-])",
    rf"(?<![\w/.-])(?P<year>{_YEAR})/(?P<month>\d\d)/(?P<day>\d\d)(?![\d/])",
    rf"(?<![\w/.-])(?P<month>\d\d)/(?P<year>{_YEAR}){_NO_VERSION}",
    rf"(?<!\w){_CUE}(?P<when>{_YEAR})(?!-){_NO_VERSION}",
    rf"(?<!\w){_QUARTER}[ /-](?P<year>{_YEAR}){_NO_VERSION}",
    rf"(?<!\w)(?P<quarter>[1-4])\. quartal (?P<year>{_YEAR}){_NO_VERSION}",
    rf"(?<![\w.-])(?P<year>{_YEAR})[ /-]?Q(?P<quarter>[1-4])(?!\w)",
)
"""Where a date stands; what it means is said by the parser of all times."""

_SOURCES: Final = _patterns(
    rf"(?<=[\w.-])/(?P<year>{_YEAR})/(?P<month>\d\d)/(?P<day>\d\d)(?![\w-])",
    rf"(?<=[\w.-])/(?P<year>{_YEAR})/(?P<month>\d\d)(?![\w-]|/\d\d(?![\w-]))",
    rf"(?:©|\(c\)|(?<!\w)copyright)(?: ©| \(c\))?\s*(?:{_YEAR}\s?[-–,]\s?)?"
    rf"(?P<when>{_YEAR})(?!-){_NO_VERSION}",
)
"""Where the date of a source stands, in its address or beside the sign of its copyright."""

_Known = tuple[tuple[re.Pattern[str], date], ...]

_MODELS: Final[_Known] = tuple(
    (re.compile(rf"(?<![\w.]){name}(?![\w]|\.\d)", re.IGNORECASE), date.fromisoformat(day))
    for name, day in (
        (r"GPT-?3", "2020-06-11"),
        (r"GPT-?3\.5(?:-turbo)?", "2022-11-30"),
        (r"GPT-?4", "2023-03-14"),
        (r"GPT-?4-turbo", "2023-11-06"),
        (r"GPT-?4o", "2024-05-13"),
        (r"GPT-?4\.1", "2025-04-14"),
        (r"GPT-?5", "2025-08-07"),
        (r"Claude[- ]2", "2023-07-11"),
        (r"Claude[- ]3(?:[- ](?:opus|sonnet|haiku))?", "2024-03-04"),
        (r"Claude[- ]3[.-]5(?:[- ](?:sonnet|haiku))?", "2024-06-20"),
        (r"Claude[- ]3[.-]7(?:[- ]sonnet)?", "2025-02-24"),
        (r"Gemini[- ]1\.0", "2023-12-06"),
        (r"Gemini[- ]1\.5(?:[- ](?:pro|flash))?", "2024-02-15"),
        (r"Gemini[- ]2\.0(?:[- ]flash)?", "2024-12-11"),
        (r"Gemini[- ]2\.5(?:[- ](?:pro|flash))?", "2025-03-25"),
        (r"Llama[- ]?2", "2023-07-18"),
        (r"Llama[- ]?3", "2024-04-18"),
        (r"Llama[- ]?3\.1", "2024-07-23"),
        (r"text-davinci-003", "2022-11-28"),
    )
)
"""When versions of models came out: a text that names one is no older."""

_SYNTAX: Final[_Known] = tuple(
    (re.compile(pattern), date.fromisoformat(day))
    for pattern, day in (
        (r"\bopenai\.(?:ChatCompletion|Completion|Embedding)\.a?create\b", "2023-11-06"),
        (r"\btf\.(?:Session|placeholder|get_variable)\(", "2019-09-30"),
        (r"\bfrom sklearn\.externals import joblib\b", "2019-12-03"),
        (r"(?m)^\s*print\s+[\"']", "2020-01-01"),
        (r"\bimport urllib2\b", "2020-01-01"),
        (r"\bcomponentWill(?:Mount|ReceiveProps|Update)\b", "2018-03-29"),
        (r"\bReactDOM\.render\(", "2022-03-29"),
        (r"\bnew Vue\(\{", "2020-09-18"),
        (r"\bextensions/v1beta1\b", "2019-09-18"),
    )
)
"""Until when a syntax was the one to use: a text that uses it is not much younger."""


def estimated(text: str, before: int, zone: ZoneInfo) -> Signal | None:
    """When a text was researched at the latest; ``None`` when nothing gives it away.

    Args:
        text: what was researched.
        before: the instant at which it was recorded.
        zone: whose days are meant.
    """
    read = text[:MOST_READ]
    guessed = (*_dates(read, zone, _SOURCES, "source"), *_matches(read, zone))
    used = tuple(_used(read, before, zone))
    for signals in (_dates(read, zone, _DATES, "date"), (*guessed, *used)):
        fitting = [one for one in signals if one.at <= before]
        if fitting:
            return max(fitting, key=lambda one: one.at)
    return None


def _dates(
    text: str, zone: ZoneInfo, patterns: Sequence[re.Pattern[str]], kind: SignalKind
) -> Iterator[Signal]:
    if _ANY_YEAR.search(text) is None:
        return
    found = [(_when(one), one.group().strip()) for each in patterns for one in each.finditer(text)]
    for when, said in dict(reversed(found)).items():
        with suppress(InvalidInput):  # 2024-13-01 is a number
            yield Signal(parse_moment(when, zone=zone), kind, said)


def _when(found: re.Match[str]) -> str:
    """The date itself, in a notation of the parser."""
    parts = found.groupdict()
    if quarter := parts.get("quarter"):
        parts["month"] = f"{int(quarter) * 3 - 2:02}"
    given = (parts.get("year"), parts.get("month"), parts.get("day"))
    when = parts.get("when") or "-".join(filter(None, given))
    return " ".join(when.split())


def _used(text: str, before: int, zone: ZoneInfo) -> Iterator[Signal]:
    """Until when the versions in a text were in use; nothing, if one of them still was."""
    found = [(day, said) for day, said in in_use(text)]
    if all(day is not None for day, _ in found):
        signals = [Signal(parse_moment(day, zone=zone), "version", said) for day, said in found]
        if all(one.at <= before for one in signals):
            yield from signals


def _matches(text: str, zone: ZoneInfo) -> Iterator[Signal]:
    of_kinds: tuple[tuple[SignalKind, _Known], ...] = (("model", _MODELS), ("syntax", _SYNTAX))
    for kind, known in of_kinds:
        for pattern, day in known:
            found = pattern.search(text)
            if found is not None:
                yield Signal(parse_moment(day, zone=zone), kind, found.group().strip())
