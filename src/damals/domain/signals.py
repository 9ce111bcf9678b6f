"""When a text was researched, from what it gives away: dates, versions of models, syntax of APIs.

Only what nobody said otherwise is estimated, and rather too young than too old: of several signals
the newest counts, a day or month that is named wins over what a version or a syntax lets one
guess, a bare year counts only where the text says that it is as of then, and nothing is later than
the instant at which the text was recorded.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final, Literal

from damals.domain.instants import from_datetime

SignalKind = Literal["date", "model", "syntax"]

MOST_READ: Final = 200_000
"""So many characters of a text are looked at."""


@dataclass(frozen=True, slots=True)
class Signal:
    """What gives a date away.

    Attributes:
        at: the instant it stands for, at midnight UTC.
        text: as it stands in the text.
    """

    at: int
    kind: SignalKind
    text: str


_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january januar jänner jan",
            "february februar feb",
            "march märz mar mrz",
            "april apr",
            "may mai",
            "june juni jun",
            "july juli jul",
            "august aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dezember dec dez",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR: Final = r"(?P<y>(?:19|20)\d\d)"
_CUE: Final = (
    r"(?:as of|status as of|last (?:updated|checked|verified)|updated|accessed|retrieved|published|"
    r"stand(?: vom)?|zuletzt (?:aktualisiert|geprüft)|aktualisiert|abgerufen|veröffentlicht)"
    r"(?: (?:am|im|on|in|at))?\s*:?\s*"
)

_Reading = Callable[[re.Match[str]], date]


def _numbers(found: re.Match[str]) -> date:
    return date(int(found["y"]), int(found["m"]), int(found["d"]))


def _digits_month(found: re.Match[str]) -> date:
    return date(int(found["y"]), int(found["m"]), 1)


def _named(found: re.Match[str]) -> date:
    day = found["d"] if "d" in found.re.groupindex else None
    return date(int(found["y"]), _MONTHS[found["m"].lower()], int(day or 1))


def _year(found: re.Match[str]) -> date:
    return date(int(found["y"]), 1, 1)


_DATES: Final[tuple[tuple[re.Pattern[str], _Reading], ...]] = (
    (re.compile(rf"(?<![\d.])(?<!\d-){_YEAR}-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)"), _numbers),
    (re.compile(rf"(?<![\w.])(?<!\d-){_YEAR}(?P<m>[01]\d)(?P<d>[0-3]\d)(?!\w)"), _numbers),
    (re.compile(rf"(?<![\d.])(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?{_YEAR}(?!\d)"), _numbers),
    (
        re.compile(rf"(?<!\w)(?P<d>\d\d?)\.?\s+(?P<m>{_MONTH})\.?\s+{_YEAR}(?!\d)", re.IGNORECASE),
        _named,
    ),
    (
        re.compile(
            rf"(?<!\w)(?P<m>{_MONTH})\.?\s+(?P<d>\d\d?)(?:st|nd|rd|th)?,\s+{_YEAR}(?!\d)",
            re.IGNORECASE,
        ),
        _named,
    ),
    (re.compile(rf"(?<!\w)(?P<m>{_MONTH})\.?\s+{_YEAR}(?!\d)", re.IGNORECASE), _named),
    (re.compile(rf"(?<![\d.-]){_YEAR}-(?P<m>\d\d)(?![\d-])"), _digits_month),
    (re.compile(rf"(?<![\w/.-])(?P<m>\d\d)/{_YEAR}(?!\d)"), _digits_month),
    (re.compile(rf"(?<!\w){_CUE}{_YEAR}(?![\d-])", re.IGNORECASE), _year),
)

_MODELS: Final[tuple[tuple[re.Pattern[str], date], ...]] = tuple(
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

_SYNTAX: Final[tuple[tuple[re.Pattern[str], date], ...]] = tuple(
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


def estimated(text: str, before: int) -> Signal | None:
    """When a text was researched at the latest; ``None`` when nothing gives it away.

    Args:
        text: what was researched.
        before: the instant at which it was recorded.
    """
    read = text[:MOST_READ]
    for signals in (_dates(read), (*_matches(read, "model"), *_matches(read, "syntax"))):
        fitting = [one for one in signals if one.at <= before]
        if fitting:
            return max(fitting, key=lambda one: one.at)
    return None


def _dates(text: str) -> Iterator[Signal]:
    for pattern, read in _DATES:
        for found in pattern.finditer(text):
            try:
                day = read(found)
            except ValueError:  # 2024-13-01 is a number
                continue
            yield Signal(_midnight(day), "date", found.group().strip())


def _matches(text: str, kind: Literal["model", "syntax"]) -> Iterator[Signal]:
    for pattern, day in _MODELS if kind == "model" else _SYNTAX:
        found = pattern.search(text)
        if found is not None:
            yield Signal(_midnight(day), kind, found.group().strip())


def _midnight(day: date) -> int:
    return from_datetime(datetime(day.year, day.month, day.day, tzinfo=UTC))
