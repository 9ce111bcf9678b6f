"""Which instants a question asks for, and on which clock.

Times beside words of knowing (``wussten wir``, ``on record``) are on the recorded axis, all others
on the valid one. ``docs/adr/0022-times-in-questions.md`` says why it is read as it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal
from zoneinfo import ZoneInfo

from damals.domain.asking.expressions import expressions, read_again
from damals.domain.asking.folding import Folded, fold
from damals.domain.asking.knowledge import Cue, cue_in, is_attached, subject_end
from damals.domain.asking.named import Expression, Relation
from damals.domain.asking.words import asks_ahead, is_ahead_from
from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER
from damals.domain.readings import Day, Exactly, Span, first_instant, span_range

Axis = Literal["as_of", "known_at"]

LONGEST: Final = 2_000
"""Of a longer text only so many characters are looked at: it is no question."""


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
    found = expressions(question, now=now, zone=zone)
    if not found:
        return QuestionTimes()
    clauses = _clauses(question.text, found)
    axes = _axes(question.text, found, clauses)
    reads: list[Read] = []
    unread: list[str] = []
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
        self, question: Folded, clauses: "Sequence[_Clause]", now: int, zone: ZoneInfo
    ) -> None:
        self.question = question
        self.clauses = clauses
        self.now = now
        self.zone = zone
        self.spoken = now
        """When what is said to come was to come."""

    def instant(self, expression: Expression, axis: Axis) -> tuple[int, int | None] | None:
        if axis == "as_of" and self._is_ahead(expression):
            expression = read_again(
                self.question, expression, now=self.spoken, zone=self.zone, ahead=True
            )
        read = _instant(expression, axis, self.now, self.zone)
        if read is not None and axis == "known_at":
            self.spoken = min(read[0], self.now)
        return read

    def _is_ahead(self, expression: Expression) -> bool:
        text = self.question.text
        led, behind = text[expression.start : expression.core], text[expression.end :]
        starts = _AB.search(led) or (led.startswith("from ") and _ON.match(behind))
        for clause in self.clauses:
            said = text[clause.start : clause.end]
            if clause.holds(expression) and (asks_ahead(said) or (starts and is_ahead_from(said))):
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


# --- clauses and axes

_PREPOSITIONS: Final = "von in mit aus zu bei fuer unter nach an auf from of at to for with by on"
_NOT_BEHIND: Final = "".join(f"(?<!{word} )" for word in _PREPOSITIONS.split())
"""``von welchem`` begins no clause."""

_BOUNDARY: Final = re.compile(
    r"[;?!]|,|: | [–—-] |\. (?=[a-z])"
    rf"|(?<= ){_NOT_BEHIND}(?:dass|that(?! time| point)|whether|ob"
    r"|wo|wer|wen|wem|wie|wann|warum|welche[nrsm]?|wohin|woher"
    r"|where|who|whom|whose|what|which|when|how|why)(?= )"
)
_WHEN: Final = re.compile(
    r"[ ,;:]*(?:bevor|ehe|nachdem|seitdem|als (?:wir|ich|sie|er|es|der|die|das|man)"
    r"|(?:before|after|until|since|when|while) (?:they|we|he|she|it|i|you))"
    r"(?![a-z])"
)
_OPENS: Final = re.compile(
    r" ?(?:$|[,;:?!.]|(?:dass|that|whether|ob|und|and|aber|but|w[a-z]+|how|soweit|according|laut"
    r"|nach|as|did|in)(?![a-z]))"
)
_AB: Final = re.compile(r"(?<![a-z])(?:ab|as from|starting|beginning)(?![a-z])")
_ON: Final = re.compile(r" (?:on|onwards?|forward)(?![a-z])")
_ABOUT: Final = re.compile(
    r"(?<![a-z])(?:ueber|about|regarding|concerning|bezueglich|hinsichtlich|fuer|for)"
    r"(?: (?:den|die|das|der|dem|the))?(?: (?:jahr|year))? ?$"
)
_ABOUT_OR_OF: Final = re.compile(
    rf"(?:{_ABOUT.pattern}|(?<![a-z])(?:von|vom|of)(?: (?:der|dem|the))? ?$)"
)
_BESIDE: Final = re.compile(
    r"(?: (?:wir|ich|uns|man|du|denn|damals|noch|schon|bereits|then|still|already|back|there))* "
)
_TOPIC: Final = re.compile(
    r"(?<![a-z])(?:ueber|about|regarding|concerning|bezueglich|hinsichtlich|fuer|for|von der"
    r"|vom|zur|zum)"
    r"(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a question, with what in it asks for knowledge."""

    start: int
    end: int
    cue: Cue | None

    def holds(self, expression: Expression) -> bool:
        return self.start <= expression.start < self.end


def _clauses(text: str, found: Sequence[Expression]) -> list[_Clause]:
    """The clauses of a question. A time that stands alone between commas joins its neighbour."""
    cuts = [0]
    inside = [(one.start, one.end) for one in found]
    for match in _BOUNDARY.finditer(text):
        at = match.start()
        if _WHEN.match(text, match.end()) or _WHEN.match(text, cuts[-1]):
            continue  # a clause that only says when belongs to the one beside it
        if at > cuts[-1] and not any(start <= at < end for start, end in inside):
            cuts.append(at)
    spans = list(zip(cuts, (*cuts[1:], len(text)), strict=True))
    spans = _merged(text, spans, found)
    return [_Clause(start, end, cue_in(text, start, end)) for start, end in spans]


def _merged(
    text: str, spans: list[tuple[int, int]], found: Sequence[Expression]
) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    waiting: int | None = None
    open_ = False
    for start, end in spans:
        begin = start if waiting is None else waiting
        waiting = None
        if open_:
            merged[-1], open_ = (merged[-1][0], end), False
        elif not _is_time_alone(text, start, end, found):
            merged.append((begin, end))
        elif merged and (_knows(text, merged[-1]) or _goes_on(text, end)):
            merged[-1] = (merged[-1][0], end)
            open_ = _goes_on(text, end)
        else:
            waiting = begin
    if waiting is not None:
        if merged:
            merged[-1] = (merged[-1][0], len(text))
        else:
            merged.append((waiting, len(text)))
    return merged


def _goes_on(text: str, end: int) -> bool:
    """Whether what stands before a time between commas goes on behind it."""
    return text.startswith(",", end) and _OPENS.match(text, end + 1) is None


def _knows(text: str, span: tuple[int, int]) -> bool:
    cue = cue_in(text, *span)
    return cue is not None and cue.tense == "past"


def _is_time_alone(text: str, start: int, end: int, found: Sequence[Expression]) -> bool:
    """Whether a clause consists of times alone."""
    rest = text[start:end]
    for one in reversed(found):
        if start <= one.start < end:
            rest = rest[: one.start - start] + rest[min(one.end, end) - start :]
    return re.search(r"[a-z0-9]", rest) is None


def _axes(text: str, found: Sequence[Expression], clauses: Sequence[_Clause]) -> list[Axis]:
    axes: list[Axis] = ["as_of"] * len(found)
    for clause in clauses:
        if clause.cue is None:
            continue
        here = [number for number, one in enumerate(found) if clause.holds(one)]
        for number in _known(text, found, here, clause):
            axes[number] = "known_at"
    alone = len(found) == 1 and not any(clause.holds(found[0]) and clause.cue for clause in clauses)
    if alone and any(clause.cue and clause.cue.floating for clause in clauses):
        axes = ["known_at"]
    for number in range(1, len(found)):
        if found[number].joined and found[number].core - found[number - 1].end < LONGEST:
            axes[number] = axes[number - 1]
    return axes


def _known(
    text: str, found: Sequence[Expression], here: Sequence[int], clause: _Clause
) -> list[int]:
    """Which of the times of a clause its cue puts on the recorded axis."""
    cue = clause.cue
    if cue is None:
        return []
    if cue.tense == "present":
        return [number for number in here if found[number].is_now]
    attached = [number for number in here if is_attached(text, cue, found[number].start)]
    if attached or cue.binding:
        return attached[:1]
    past = [number for number in here if not found[number].is_now]
    free = [n for n in past if not _leads(_ABOUT, text, found[n], clause)]
    if len(free) > 1:
        free = [n for n in free if not _leads(_ABOUT_OR_OF, text, found[n], clause)] or free
    if len(free) <= 1:
        return free
    return [_nearest(text, found, free, clause, cue)]


def _leads(words: re.Pattern[str], text: str, one: Expression, clause: _Clause) -> bool:
    """Whether such words stand right before a time: it is what something is known about."""
    return words.search(text[clause.start : one.core]) is not None


def _nearest(
    text: str, found: Sequence[Expression], free: Sequence[int], clause: _Clause, cue: Cue
) -> int:
    """Of several times the one that says when it was known.

    It stands right behind the cue or who knew, or opens the clause, or stands behind the cue and
    before what is known, or before the cue, or last.
    """
    for number in free:
        if _BESIDE.fullmatch(text[cue.end : max(found[number].start, cue.end)]):
            return number
    if not re.search("[a-z0-9]", text[clause.start : found[free[0]].start]):
        return free[0]
    for number in free:
        start = found[number].start
        if start >= cue.end and not _TOPIC.search(text, cue.end, start):
            return number
    last = _before_the_verb(text, found, free, clause, cue)
    before = [number for number in free if found[number].start < cue.start]
    return last if last is not None else before[-1] if before else free[-1]


def _before_the_verb(
    text: str, found: Sequence[Expression], free: Sequence[int], clause: _Clause, cue: Cue
) -> int | None:
    """``was wir im Mai über den Sitz im Juni wussten``: the first behind who knew.

    With no time between, what is known stands first, and this says nothing.
    """
    if any(found[number].start >= cue.end for number in free):
        return None
    subject = subject_end(text, clause.start, cue)
    for number in free:
        start = found[number].start
        if start >= subject:
            return None if _TOPIC.search(text, subject, start) else number
    return None
