"""Which instants a question asks for, and on which clock.

Times beside words of knowing (``wussten wir``, ``on record``) are on the recorded axis, all others
on the valid one. ``docs/adr/0022-times-in-questions.md`` says why it is read as it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from damals.domain.asking.clocks import LONGEST, Axis, Clause, axes_of, clauses_of
from damals.domain.asking.expressions import expressions, read_again
from damals.domain.asking.folding import Folded, fold
from damals.domain.asking.named import Expression, Relation
from damals.domain.asking.words import asks_ahead, is_ahead_from, looks_ahead
from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.readings import Day, Exactly, Span, first_instant, span_range

_AB: Final = re.compile(r"(?<![a-z])(?:ab|as from|starting|beginning)(?![a-z])")
_ON: Final = re.compile(r" (?:on|onwards?|forward)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Read:
    """A time that was read.

    Attributes:
        axis: the clock that it is on.
        start, end: its place in the question, with the words that lead to it.
        text: these words.
        instant: what it means, UTC microseconds.
        until: the end of the period that it names, exclusive; ``None`` for an instant or a day.
    """

    axis: Axis
    start: int
    end: int
    text: str
    instant: int
    until: int | None = None


@dataclass(frozen=True, slots=True)
class QuestionTimes:
    """What a question says about its instants.

    Attributes:
        as_of, known_at: what it asks for; ``None`` when it does not say, or not clearly.
        unclear: times of an axis of which the question names several.
        unread: words that look like a time and are none.
    """

    as_of: Read | None = None
    known_at: Read | None = None
    unclear: tuple[Read, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether the question names no time at all."""
        return self == QuestionTimes()


def read_question(text: str, *, now: int, zone: ZoneInfo) -> QuestionTimes:
    """The instants that a question asks for in words.

    Never raises for what a question may say: what cannot be read is named in the result.

    Args:
        text: the question as it was asked.
        now: the instant at which it is asked, UTC microseconds.
        zone: whose calendar it speaks of.
    """
    question = fold(text[:LONGEST])
    every = expressions(question, now=now, zone=zone)
    if not every:
        return QuestionTimes()
    found = [one for one in every if one.kind != "clock"]
    hours = [question.span(one.start, one.end) for one in every if one.kind == "clock"]
    clauses = clauses_of(question.text, found)
    axes = axes_of(question.text, found, clauses)
    reads: list[Read] = []
    unread = [text[first:last] for first, last in hours]
    heard = _Heard(question, clauses, now, zone)
    for expression, axis in sorted(
        zip(found, axes, strict=True), key=lambda one: one[1] == "as_of"
    ):
        first, last = question.span(expression.start, expression.end)
        read = heard.instant(expression, axis)
        if read is None:
            unread.append(text[first:last])
        else:
            reads.append(Read(axis, first, last, text[first:last], *read))
    reads.sort(key=lambda one: one.start)
    joined = _joined_axes(found, axes)
    clear = {axis: _one(reads, axis, joined) for axis in ("as_of", "known_at")}
    unclear = [one for one in reads if clear[one.axis] is None]
    return QuestionTimes(clear["as_of"], clear["known_at"], tuple(unclear), tuple(unread))


def _one(reads: Sequence[Read], axis: str, joined: frozenset[str]) -> Read | None:
    """The only instant of an axis; several that mean the same are one."""
    named = [one for one in reads if one.axis == axis]
    if not named or axis in joined or len({one.instant for one in named}) > 1:
        return None
    return named[0]


def _joined_axes(found: Sequence[Expression], axes: Sequence[Axis]) -> frozenset[str]:
    """Axes on which two times are meant together."""
    return frozenset(axis for one, axis in zip(found, axes, strict=True) if one.joined)


class _Heard:
    """Turns expressions into instants, those of the recorded axis first."""

    def __init__(
        self, question: Folded, clauses: Sequence[Clause], now: int, zone: ZoneInfo
    ) -> None:
        self.question = question
        self.clauses = clauses
        self.now = now
        self.zone = zone
        self.spoken = now
        """When what is said to come was to come."""
        self.looks_back = False
        """It is asked what was known."""

    def instant(self, expression: Expression, axis: Axis) -> tuple[int, int | None] | None:
        if axis == "as_of" and self._is_ahead(expression):
            expression = read_again(
                self.question, expression, now=self.spoken, zone=self.zone, ahead=True
            )
        read = _instant(expression, axis, self.now, self.zone)
        if read is not None and axis == "known_at":
            self.spoken, self.looks_back = min(read[0], self.now), True
        return read

    def _is_ahead(self, expression: Expression) -> bool:
        text = self.question.text
        led, behind = text[expression.start : expression.core], text[expression.end :]
        starts = _AB.search(led) or (led.startswith("from ") and _ON.match(behind))
        for clause in self.clauses:
            said = text[clause.start : clause.end]
            if not clause.holds(expression):
                continue
            to_come = self.looks_back and clause.cue is None and looks_ahead(said)
            if to_come or asks_ahead(said) or (starts and is_ahead_from(said)):
                return True
        return False


def _instant(
    expression: Expression, axis: Axis, now: int, zone: ZoneInfo
) -> tuple[int, int | None] | None:
    reading = expression.reading
    if reading is None:
        return None
    try:
        begin = end = first_instant(reading, zone)
        if isinstance(reading, Day):
            end = span_range(Span(reading.day, reading.day), zone)[1]
        elif isinstance(reading, Span):
            end = span_range(reading, zone)[1]
    except InvalidInput:
        return None
    period = end if isinstance(reading, Span) else None
    instant = begin
    match expression.relation:
        case Relation.AT:
            return begin, period
        case Relation.BEFORE:
            instant = begin - 1
        case Relation.UNTIL:
            instant = begin if axis == "known_at" or isinstance(reading, Exactly) else begin - 1
        case Relation.AFTER:
            instant = end if end > begin else begin + 1
        case Relation.SINCE:
            exact = isinstance(reading, Day) and axis == "as_of"
            instant = begin if exact else max(begin, min(end, now))
    return min(max(instant, BEGINNING), FOREVER), None
