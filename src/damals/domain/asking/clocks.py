"""The clauses of a question, and on which clock each of its times lies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from damals.domain.asking.knowledge import Cue, cue_in, is_attached, subject_end
from damals.domain.asking.named import Expression

Axis = Literal["as_of", "known_at"]

LONGEST: Final = 2_000
"""Of a longer text only so many characters are looked at: it is no question."""

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
_ABOUT: Final = re.compile(
    r"(?<![a-z])(?:ueber|about|regarding|concerning|bezueglich|hinsichtlich|fuer|for)"
    r"(?: (?:den|die|das|der|dem|the))?(?: (?:jahr|year))? ?$"
)
_ON_YEAR: Final = re.compile(r"(?<![a-z])zu(?: (?:dem|den))?(?: jahr)? $")
_OF: Final = re.compile(r"(?:von|vom|of)(?![a-z])")
_TO: Final = re.compile(r"zum(?![a-z])")
_GOES_ON_TO: Final = re.compile(r" (?:bis|an|to|on|until|through|-|–)(?![a-z])")
_PERIODS: Final = ("bare", "year", "month", "name", "season")
_BESIDE: Final = re.compile(
    r"(?: (?:wir|ich|uns|man|du|denn|damals|noch|schon|bereits|then|still|already|back|there))* "
)
_TOPIC: Final = re.compile(
    r"(?<![a-z])(?:ueber|about|regarding|concerning|bezueglich|hinsichtlich|fuer|for|von der"
    r"|vom|zur|zum)"
    r"(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a question, with what in it asks for knowledge."""

    start: int
    end: int
    cue: Cue | None

    def holds(self, expression: Expression) -> bool:
        """Whether a time begins in it."""
        return self.start <= expression.start < self.end


def clauses_of(text: str, found: Sequence[Expression]) -> list[Clause]:
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
    return [Clause(start, end, cue_in(text, start, end)) for start, end in spans]


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


def axes_of(text: str, found: Sequence[Expression], clauses: Sequence[Clause]) -> list[Axis]:
    """The clock on which each of the times lies."""
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
    text: str, found: Sequence[Expression], here: Sequence[int], clause: Clause
) -> list[int]:
    """Which of the times of a clause its cue puts on the recorded axis."""
    cue = clause.cue
    if cue is None:
        return []
    if cue.tense == "present":
        return [number for number in here if found[number].is_now]
    past = [number for number in here if not found[number].is_now]
    first = _behind_who(text, found, past, clause, cue)
    if first:
        return first
    attached = [n for n in here if is_attached(text, cue, found[n].start)]
    attached = [n for n in attached if not _ABOUT.search(text[clause.start : found[n].core])]
    if len(past) > 1:
        attached = [n for n in attached if not _is_to_a_period(text, found[n])]
    if attached or cue.binding:
        return attached[:1]
    free = [n for n in past if not _is_topic(text, found[n], clause, cue)]
    if len(free) > 1:
        free = [n for n in free if not _may_be_topic(text, found[n])] or free
    if len(free) <= 1:
        return free
    return [_nearest(text, found, free, clause, cue)]


def _is_topic(text: str, one: Expression, clause: Clause, cue: Cue) -> bool:
    """Whether the words before a time say that something was known about it."""
    before = text[clause.start : one.core]
    if _ABOUT.search(before):
        return True
    if one.kind in ("bare", "year") and _ON_YEAR.search(before):
        return True
    personal = not (cue.floating or cue.binding or one.joined)
    of_a_period = one.kind in ("bare", "year", "month") and _OF.match(text, one.start)
    return bool(personal and of_a_period and not _GOES_ON_TO.match(text, one.end))


def _may_be_topic(text: str, one: Expression) -> bool:
    """Whether they say so when another time says when it was known."""
    return _OF.match(text, one.start) is not None or _is_to_a_period(text, one)


def _is_to_a_period(text: str, one: Expression) -> bool:
    """``zum Juni 2024`` names a topic, ``zum 30. Juni`` an instant."""
    return one.kind in _PERIODS and _TO.match(text, one.start) is not None


def _nearest(
    text: str, found: Sequence[Expression], free: Sequence[int], clause: Clause, cue: Cue
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


def _behind_who(
    text: str, found: Sequence[Expression], past: Sequence[int], clause: Clause, cue: Cue
) -> list[int]:
    """``was wir im Mai … wussten``: what stands right behind who knew, and before the verb."""
    if cue.floating or cue.binding:
        return []
    subject = subject_end(text, clause.start, cue)
    return [
        number
        for number in past
        if found[number].start < cue.start
        and text[subject : found[number].start] == " "
        and not _is_topic(text, found[number], clause, cue)
    ][:1]


def _before_the_verb(
    text: str, found: Sequence[Expression], free: Sequence[int], clause: Clause, cue: Cue
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
