"""The words around what may be a time: they say whether it is one."""

import re
from typing import Final

from damals.domain.asking.named import YEARLY, Expression
from damals.domain.asking.words import COMPANY, DATED, NAMED, NUMBERED, recurs
from damals.domain.natural_asked import MONTH, WEEKDAY

WINDOW: Final = 120
"""So many characters around a time are looked at."""

_WORD_BEFORE: Final = re.compile(r"([a-z0-9§#.-]+) $")
_WORD_BEHIND: Final = re.compile(r"^'?s? ?([a-z0-9%€$£°-]+)")
_ON_DAYS: Final = ("am", "an", "on", "at", "zum")
_IN_MONTHS: Final = ("in", "im")
_IS_DAY: Final = re.compile(WEEKDAY)
_STREET: Final = re.compile(r"(?:strasse|platz|allee|bruecke|tag|widerstand\w*) (?:des|der) $")
_ORIGIN: Final = re.compile(r"(?<![a-z])aus (?:dem |der |den )?$")
_ADJECTIVE: Final = re.compile(r" (?!of |and |or |to |before |after |when )[a-z]")


class Context:
    """The words around a time."""

    def __init__(self, text: str, found: Expression, led: "re.Match[str] | None") -> None:
        before = _WORD_BEFORE.search(text[max(found.start - WINDOW, 0) : found.start])
        behind = _WORD_BEHIND.search(text[found.end : found.end + WINDOW])
        self.before = before[1].rstrip(".") if before else ""
        self.behind = behind[1] if behind else ""
        self.text = text
        self.found = found
        self.led = led

    def is_name(self) -> bool:
        """Whether it is a name: ``Frau Sommer``, ``Mai GmbH``; a year may follow it."""
        if self.found.kind not in ("name", "season", "month"):
            return False
        titled = self.led is None and self.before in NAMED
        return titled or (self.found.kind == "name" and self.behind in COMPANY)

    def is_in_a_name(self) -> bool:
        """Whether it is a part of a name, or says where something comes from.

        ``Straße des 17. Juni``, ``ein Bericht aus dem Jahr 1996``.
        """
        before = self.text[max(self.found.core - WINDOW, 0) : self.found.core]
        return bool(_STREET.search(before) or _ORIGIN.search(before))

    def fits(self) -> bool:
        """Whether a name alone has the word before it that such times have."""
        core = self.text[self.found.core : self.found.end]
        at = self.led["at"] if self.led else None
        if self.found.kind != "name" or at is None:
            return True
        return at not in (_IN_MONTHS if _IS_DAY.match(core) else _ON_DAYS)

    def is_of_a_thing(self) -> bool:
        """Whether it is the date or the number of a thing: ``Protokoll vom 14. März``."""
        if self.found.kind in ("ago", "now", "day", "ahead"):
            return False
        if self._is_adjective():
            return True
        dated = self.led is None or self.led["dated"] or self.led["starts"] == "from"
        if dated and self._ends_dated(self.before):
            return True
        if self.led is None and self.found.kind in ("bare", "month", "season", "quarter"):
            return self.before in NUMBERED or self._ends_dated(self.behind)
        return False

    def is_every_year(self) -> bool:
        """Whether no year is meant, but each: ``jedes Jahr am 1. Mai``."""
        core = self.text[self.found.core : self.found.end]
        return (
            self.found.kind in YEARLY
            and re.search("[0-9]{4}", core) is None
            and recurs(
                self.text[max(self.found.start - WINDOW, 0) : self.found.start],
                self.text[self.found.end : self.found.end + WINDOW],
            )
        )

    def _is_adjective(self) -> bool:
        """Whether a month belongs to a noun behind it: ``in the March report``."""
        led = self.text[self.found.start : self.found.core]
        core = self.text[self.found.core : self.found.end]
        return (
            self.found.kind == "name"
            and led.endswith("the ")
            and re.fullmatch(MONTH, core) is not None
            and _ADJECTIVE.match(self.text, self.found.end) is not None
        )

    @staticmethod
    def _ends_dated(word: str) -> bool:
        return DATED.search(word) is not None
