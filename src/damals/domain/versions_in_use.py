"""Until when versions of programs were in use: a text that names one is not much younger.

The days are those on which their makers ended the support that everybody has.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final

_Ends = Mapping[str, date | None]


def _ends(**days: str) -> _Ends:
    """Days by version, as names: ``v3_8`` is 3.8; an empty one says nothing."""
    return {
        name[1:].replace("_", "."): date.fromisoformat(day) if day else None
        for name, day in days.items()
    }


def _named(name: str, version: str) -> re.Pattern[str]:
    said = rf"(?<![\w.-]){name}[ -]?(?P<version>{version})(?![\w-]|\.\d)"
    return re.compile(said, re.IGNORECASE)


_FAMILIES: Final = tuple(
    (_named(name, version), ends)
    for name, version, ends in (
        (
            r"Python",
            r"\d(?:\.\d+)?(?:\.\d+)*",
            _ends(
                v2="2020-01-01", v3="", v3_5="2020-09-30", v3_6="2021-12-23", v3_7="2023-06-27",
                v3_8="2024-10-07", v3_9="2025-10-31",
            ),
        ),
        (
            r"Ubuntu",
            r"\d\d\.\d\d(?:\.\d+)?",
            _ends(
                v14_04="2019-04-25", v16_04="2021-04-30", v18_04="2023-05-31", v20_04="2025-05-31"
            ),
        ),
        (
            r"CentOS(?: Linux)?",
            r"\d+(?:\.\d+)*",
            _ends(v6="2020-11-30", v7="2024-06-30", v8="2021-12-31"),
        ),
        (
            r"Node(?:\.?js)?",
            r"v?\d+(?:\.\d+)*",
            _ends(v12="2022-04-30", v14="2023-04-30", v16="2023-09-11", v18="2025-04-30"),
        ),
        (r"PHP", r"\d(?:\.\d+)*", _ends(v5="2018-12-31", v7="2022-11-28")),
        (
            r"Windows",
            r"\d+(?:\.\d)?",
            _ends(v7="2020-01-14", v8="2016-01-12", v8_1="2023-01-10", v10="2025-10-14"),
        ),
    )
)  # fmt: skip


def in_use(text: str) -> Iterator[tuple[date | None, str]]:
    """The versions that a text names, each with the day until which it was in use.

    Yields:
        The day, ``None`` for a version of which no end is known, and what stands in the text.
    """
    for pattern, ends in _FAMILIES:
        for found in pattern.finditer(text):
            name = _known(found["version"].lower().removeprefix("v"), ends)
            if name is None:
                yield None, found.group()
            elif (day := ends[name]) is not None:
                yield day, found.group()


def _known(version: str, ends: _Ends) -> str | None:
    """The longest beginning of a version of which an end is known; a bare ``3`` is no ``3.12``."""
    parts = version.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in ends and (ends[name] is not None or length == len(parts)):
            return name
    return None
