"""The times that a question names: where they stand, what they mean, what leads to them.

A wrong reading is worse than none. What says itself that it is a time is taken; what may be one
(``Mai``, ``2024``) only where the words around it say that it is.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.asking.context import WINDOW, Context
from damals.domain.asking.folding import HIDDEN, Folded
from damals.domain.asking.knowledge import ABOUT, clause_around, cue_in, states_knowledge
from damals.domain.asking.named import YEARLY, Expression, Relation
from damals.domain.asking.patterns import (
    AWAY,
    CLAUSE,
    COORDINATED,
    EVENT,
    LEADING,
    RANGED,
    SPELLED,
    STRONG,
    WEAK,
    YEAR,
    YEARS,
    bounded,
)
from damals.domain.asking.words import (
    ACCORDING,
    AT_LEAST,
    COUNTED,
    HOUSES,
    MEASURING,
    NO_EVENT,
    NUMBERED,
    PLACES,
    asks,
    asks_ahead,
    is_of_now,
)
from damals.domain.errors import InvalidInput
from damals.domain.natural_asked import MONTH, WEEKDAY
from damals.domain.parsing import read_instant
from damals.domain.readings import Exactly

_ALL: Final = (
    *((kind, bounded(pattern)) for kind, pattern in (*STRONG, *WEAK)),
    ("bare", bounded(YEAR, year=True)),
    ("years", bounded(YEARS, year=True)),
)
_WEAK_KINDS: Final = frozenset(kind for kind, _ in WEAK)

_TODAY: Final = re.compile(r"heute|today")
_DAY_PART: Final = re.compile(
    r"(?<=[a-z]) (?:frueh|morgen|vormittag|mittag|nachmittag|abend|nacht|morning|afternoon|evening"
    r"|night)\b"
)
_ON_WEEKDAY: Final = re.compile(rf"^(?:{WEEKDAY}),? (?:(?:den|dem|the) )?(?=[0-9a-z])")
_PHRASAL: Final = re.compile(
    r"(?<![a-z])(?:look(?:s|ed|ing)?|nam(?:e|es|ed)|ask(?:s|ed)?|call(?:s|ed)?|takes?|took|runs?|ran"
    r"|sought) $"
)
_NTH: Final = re.compile(r"(?<=[0-9])t(?:en|er|e)\b")
_NO_PERSON: Final = re.compile(
    "januar|january|februar|february|maerz|juni|juli|july|september|oktober|october|november"
    "|dezember|december"
)
"""Months after which few people are called: ``über Juni`` may be about a time."""
_ABOUT_THE: Final = re.compile(
    r"(?<![a-z])(?:ueber|fuer|about|for|regarding|concerning) (?:den|the) (?:monat |month )?$"
)
_DAY_FOLLOWS: Final = re.compile(r",? (?:am|on|des|vom|of) ")
_GERMAN_MONTH: Final = re.compile(r"(?:januar|februar|maerz|mai|juni|juli|oktober|dezember)\b")
_MONTH_AND_TWO: Final = re.compile(rf"(?:{MONTH})\.? [0-9]{{2}}")
_MONTHS: Final = 12
_MOST: Final = 50
"""More times than that are no question."""


def expressions(question: Folded, *, now: int, zone: ZoneInfo) -> Sequence[Expression]:
    """The times in a question, in order, none inside another."""
    finder = _Finder(question, now, zone)
    return finder.found()


class _Finder:
    """Looks through one question."""

    def __init__(self, question: Folded, now: int, zone: ZoneInfo) -> None:
        self.question = question
        self.text = question.text
        self.now = now
        self.zone = zone
        self.asks = asks(question.text) or states_knowledge(question.text)

    def found(self) -> list[Expression]:
        taken: list[Expression] = []
        free = 0
        for kind, start, end in self._candidates():
            if start < free or len(taken) >= _MOST:
                continue
            led = LEADING.search(self.text[max(start - WINDOW, 0) : start])
            found = self._placed(Expression(start, end, start, kind), led, taken)
            context = Context(self.text, found, led)
            if context.is_in_a_name():
                free = end
            elif self._is_time(found, context, taken):
                free = end
                event = self._event(found)
                if event is not None or not context.is_of_a_thing():
                    taken.append(self._read(event or found))
        return taken

    def _candidates(self) -> list[tuple[str, int, int]]:
        """All that may be a time, the first and longest first."""
        every = ((kind, match.span()) for kind, p in _ALL for match in p.finditer(self.text))
        return sorted(((kind, *span) for kind, span in every), key=lambda one: (one[1], -one[2]))

    def _placed(
        self, found: Expression, led: "re.Match[str] | None", taken: Sequence[Expression]
    ) -> Expression:
        """With the words that lead to it, and whether it is meant with the time before it."""
        if found.kind == "clock":
            return found
        joins = self._joins(found, taken)
        joined = joins or found.kind == "years" or self._ranged(found)
        found = replace(found, joined=joined, joins=joins)
        if led is None:
            return found
        start = found.core - (led.end() - led.start())
        if led[0].startswith("stand ") and not self.question.is_capital(start):
            return found  # the verb
        return replace(found, start=start, relation=_relation(led))

    def _is_time(self, found: Expression, context: Context, taken: Sequence[Expression]) -> bool:
        """Whether the words around it say, or allow, that it is a time."""
        if context.is_name() or not context.fits() or context.is_every_year():
            return False
        match found.kind:
            case "vague":
                said = self.asks and context.behind not in COUNTED
            case "clock":
                said = bool(taken) or _DAY_FOLLOWS.match(self.text, found.end) is not None
            case "bare" | "years":
                said = self._is_year(context, found)
            case "cut":
                said = context.led is not None
            case "feast":
                said = self._is_feast(found, context)
            case _:
                said = self._is_said(found, context, taken)
        return said

    def _is_said(self, found: Expression, context: Context, taken: Sequence[Expression]) -> bool:
        """The same of what names a day, or a longer time."""
        weak = found.kind in _WEAK_KINDS and context.led is None and not found.joined
        if weak and taken and self._is_no_person(found):
            return self._is_topic(context, found)
        return not weak and self._is_meant(found, context.led is not None)

    def _read(self, found: Expression) -> Expression:
        away = AWAY.search(self.text[max(found.start - WINDOW, 0) : found.start])
        if away is not None and found.relation in (Relation.BEFORE, Relation.AFTER):
            # "two weeks before the audit in June" is not read, and said to be so.
            return replace(found, start=found.start - (away.end() - away.start()))
        return read_again(self.question, found, now=self.now, zone=self.zone)

    def _joins(self, found: Expression, taken: Sequence[Expression]) -> bool:
        if not taken:
            return False
        between = self.text[taken[-1].end : found.core]
        return len(between) < WINDOW and COORDINATED.fullmatch(between) is not None

    def _ranged(self, found: Expression) -> bool:
        before = self.text[max(found.core - WINDOW, 0) : found.core]
        return RANGED.search(before) is not None

    def _is_no_person(self, found: Expression) -> bool:
        """Whether a name behind ``über`` is no person: ``über Juni``, ``über den April``."""
        core = self.text[found.core : found.end]
        before = self.text[max(found.core - WINDOW, 0) : found.core]
        return bool(_NO_PERSON.fullmatch(core) or _ABOUT_THE.search(before))

    def _is_feast(self, found: Expression, context: Context) -> bool:
        """Whether a feast without a year is a time: ``an Silvester``, not ``von Silvester``."""
        if context.led is None:
            return self.text.startswith(("zu ", "over "), found.core)
        return not context.led["dated"] and context.led["at"] not in ("in", "im", "per")

    def _is_year(self, context: Context, found: Expression) -> bool:
        """Whether a number of four digits alone is a year."""
        if context.behind in COUNTED or context.before in NUMBERED:
            return False
        if HOUSES.fullmatch(context.before) or AT_LEAST.match(self.text, found.end):
            return False
        if context.led is not None:
            return context.led["at"] not in ("am", "on", "at", "an", "zum", "um", "for the")
        if found.joined and found.kind == "bare":
            return True
        if context.before in MEASURING:
            return self._is_topic(context, found)
        return self.asks and not context.before.startswith("§")

    def _is_topic(self, context: Context, found: Expression) -> bool:
        """Whether ``über 2024`` says what something was known about, and does not count."""
        first, last = clause_around(self.text, found.start)
        counts = context.behind and self.question.is_capital(found.end + 1)  # "über 2024 Notizen"
        before = self.text[max(found.core - WINDOW, 0) : found.core]
        return (
            (context.before in ABOUT or _ABOUT_THE.search(before) is not None)
            and not counts
            and not self.text[found.core : found.end].endswith("00")
            and cue_in(self.text, first, last) is not None
        )

    def _is_meant(self, found: Expression, led: bool) -> bool:
        core = self.text[found.core : found.end]
        if core[0].isalpha() and SPELLED.match(core) and not led:
            return False
        if found.kind == "ahead":  # "in zwei Wochen" also says how long something took
            return asks_ahead(self.text)
        if core == "morgen":
            return not self.question.is_capital(found.core)
        if re.match(r"(?:[0-9]{1,2} )?(?:may|mar|march|jan)\b(?! [0-9]{4})", core) and not led:
            # the verb, the walk, the name
            return re.search(r"[0-9]{4}|[0-9](?:st|nd|rd|th)", core) is not None
        return not (core.startswith("jan ") and not led)

    def _event(self, found: Expression) -> Expression | None:
        """The same with an event before it: ``before the audit in June``."""
        if found.joins or found.relation is not Relation.AT:
            return None
        before = self.text[max(found.start - WINDOW, 0) : found.start]
        match = CLAUSE.search(before)
        if match is None or _is_verb(before, match):
            match = EVENT.search(before)
            if match is None or not _names_event(match) or _is_verb(before, match):
                return None
        if HIDDEN in match[0]:
            return None
        start = found.start - (match.end() - match.start())
        return replace(found, start=start, relation=_relation(match))


def read_again(
    question: Folded, found: Expression, *, now: int, zone: ZoneInfo, ahead: bool = False
) -> Expression:
    """The same expression, read as said at ``now``.

    Args:
        question: that it stands in.
        found: an expression of it.
        now: as :func:`expressions`.
        zone: as :func:`expressions`.
        ahead: of what comes every year, the next one is meant and not the latest.
    """
    core = question.text[found.core : found.end]
    if _TODAY.fullmatch(core) and found.relation is not Relation.BEFORE:
        return replace(found, reading=Exactly(now), is_now=True)
    said = _NTH.sub(".", _DAY_PART.sub("", core))
    if found.kind in ("short", "date"):
        said = _ON_WEEKDAY.sub("", said)
    if found.kind == "numbers":
        said = said.replace("/", ".")
    if found.kind == "years":
        said = said[:4]
    # What "is open at Easter" is so every year.
    always = found.kind == "feast" and not ahead and is_of_now(question.text)
    if (
        found.kind in ("vague", "clock")
        or always
        or _is_cut(said, question.text[found.start : found.core])
    ):
        return replace(found, reading=None)
    if found.kind == "slashes":
        said = _with_day_first(said)
    try:
        reading = read_instant(
            said, zone=zone, now=now, bare=True, ahead=ahead and found.kind in YEARLY
        )
    except InvalidInput:
        return replace(found, reading=None)
    return replace(found, reading=reading, is_now=found.kind == "now")


def _is_cut(said: str, led: str) -> bool:
    """Whether it may be a year of two digits or a day: ``im Sep 24``."""
    if _MONTH_AND_TWO.fullmatch(said) is None:
        return False
    return led in ("im ", "in ") or (not led and _GERMAN_MONTH.match(said) is not None)


def _with_day_first(said: str) -> str:
    """``14/03/2026`` and ``03/14/2026`` with points; of ``03/04/2026`` nobody knows."""
    first, second, year = said.split("/")
    if int(first) > _MONTHS or first == second:
        return f"{first}.{second}.{year}"
    return f"{second}.{first}.{year}" if int(second) > _MONTHS else said


def _names_event(match: "re.Match[str]") -> bool:
    """Whether the words behind ``vor`` are an event, not a place or a ground."""
    words = match["what"].split()
    if NO_EVENT & set(words) or not match["article"]:
        return False
    if match["after"] == "nach":
        return not any(ACCORDING.fullmatch(word) for word in words[:2])
    return not (match["before"] and any(PLACES.fullmatch(word) for word in words[:2]))


def _is_verb(before: str, match: "re.Match[str]") -> bool:
    """Whether ``after`` belongs to a verb: ``looked after``."""
    return (
        _relation(match) is Relation.AFTER and _PHRASAL.search(before[: match.start()]) is not None
    )


_GROUPS: Final = {
    Relation.BEFORE: ("before", "earlier"),
    Relation.UNTIL: ("until", "to_then"),
    Relation.AFTER: ("after", "later"),
    Relation.SINCE: ("since", "from_then"),
}
"""Names of the groups of the patterns."""


def _relation(match: "re.Match[str]") -> Relation:
    groups = match.groupdict()
    for relation, names in _GROUPS.items():
        if any(groups.get(name) for name in names):
            return relation
    return Relation.AT
