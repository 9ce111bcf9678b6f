"""Feasts by name, as days of a year: ``Weihnachten 2024``, ``Easter 2025``, ``Silvester``.

A feast of several days is its first (``Weihnachten`` is 25 December, ``Ostern`` the Sunday); what
is meant by ``Heiligabend`` has a name of its own.
"""

import re
from datetime import date, timedelta
from typing import Final

_FIXED: Final = {
    (12, 25): "weihnachten|christmas(?: day)?",
    (12, 24): "heiligabend|heilig(?:er|en|em)? abend|christmas eve",
    (12, 26): "boxing day",
    (12, 31): "s[iy]lvester|new year['\u2018\u2019]?s['\u2018\u2019]? eve",
    (1, 1): "neujahr|new year['\u2018\u2019]?s['\u2018\u2019]? day",
}
_FROM_EASTER: Final = {
    -48: "rosenmontag",
    -46: "aschermittwoch|ash wednesday",
    -2: "karfreitag|good friday",
    0: "ostern|ostersonntag|easter(?: sunday)?",
    1: "ostermontag|easter monday",
    39: "(?:christi )?himmelfahrt|ascension day",
    49: "pfingsten|pfingstsonntag|pentecost|whit sunday",
    50: "pfingstmontag|whit monday",
    60: "fronleichnam|corpus christi",
}
_ALL: Final = "|".join((*_FIXED.values(), *_FROM_EASTER.values()))

FEAST: Final = rf"(?:{_ALL})(?! (?:eve|day|sunday|monday))"
"""Pattern of the folded names."""

_NAMED: Final = re.compile(rf"(?:(?:zu|over) )?(?P<feast>{_ALL})(?:,? (?P<year>[0-9]{{4}}))?")


def named_feast(text: str) -> tuple[str, int | None] | None:
    """The feast that folded words name, and its year if they say it."""
    match = _NAMED.fullmatch(text)
    return (
        None if match is None else (match["feast"], int(match["year"]) if match["year"] else None)
    )


def feast_of(name: str, year: int) -> date:
    """The day of a feast in a year.

    Raises:
        ValueError, OverflowError: there is no such day or year.
    """
    for (month, day), names in _FIXED.items():
        if re.fullmatch(names, name):
            return date(year, month, day)
    for away, names in _FROM_EASTER.items():
        if re.fullmatch(names, name):
            return easter(year) + timedelta(days=away)
    raise ValueError(name)


def easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar.

    Source: Meeus, "Astronomical Algorithms", chapter 8 (after Jones and Butcher).
    """
    golden, century, rest = year % 19, year // 100, year % 100
    shift = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - century // 4 - shift + 15) % 30
    to_sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * to_sunday) // 451
    month, day = divmod(moon + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)
