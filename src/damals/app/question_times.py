"""The pair of instants of a recall: as it was given, else as the question says it, else now.

What was given always stands. A question that says otherwise is told so, and so is one that names
several times, a period, or no time that there is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from damals import messages
from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.app.looking import Asked, pair, understood
from damals.app.results import Understood
from damals.domain.asking.question import Axis, QuestionTimes, Read, read_question
from damals.domain.errors import InvalidInput
from damals.domain.instants import FOREVER, SECOND
from damals.domain.zones import load_zone, to_local

FROM_TEXT: Final = "text"
OFF: Final = "off"

TIMES: Final = (FROM_TEXT, OFF)
"""Whether instants that are not given are read from the question."""

_BETWEEN: Final = " … "


class Timed(Protocol):
    """A question, as far as its instants go."""

    @property
    def query(self) -> str:
        """Its words."""
        ...

    @property
    def asked(self) -> Asked:
        """The instants that were given with it."""
        ...

    @property
    def times(self) -> str:
        """One of ``TIMES``."""
        ...


@dataclass(frozen=True, slots=True)
class Heard:
    """The instants that a question means, and what is told of them.

    Attributes:
        read: some of them were read from its words.
    """

    at: At
    understood: Understood
    read: bool = False

    def told(self, *, found: bool) -> Understood:
        """What is shown back; ``found`` says whether anything was found at these instants."""
        if found or not self.read:
            return self.understood
        told = self.understood
        said = messages.text("times.nothing", None, text=told.from_text)
        return replace(told, notes=(*told.notes, said))


def checked_times(value: object) -> str:
    """The switch itself.

    Raises:
        InvalidInput: ``times.unknown``.
    """
    if value is None:
        return FROM_TEXT
    if value not in TIMES:
        raise InvalidInput("times.unknown", times=value, known=", ".join(TIMES))
    return str(value)


def hear(reader: LedgerReader, question: Timed, now: int) -> Heard:
    """The pair of instants that a question means.

    Raises:
        InvalidInput: ``time.*``: an instant that was given cannot be read.
    """
    at = pair(reader, now, question.asked)
    zone = load_zone(reader.workspace().zone)
    if question.times == OFF:
        return Heard(at, understood(reader, at, now))
    times = read_question(question.query, now=now, zone=zone)
    if times.nothing:
        return Heard(at, understood(reader, at, now))
    as_of = times.as_of if question.asked.as_of is None else None
    known_at = times.known_at if question.asked.known_at is None else None
    at = _applied(at, question.asked, as_of, known_at)
    taken = sorted((one for one in (as_of, known_at) if one), key=lambda one: one.start)
    told = replace(
        understood(reader, at, now),
        from_text=_BETWEEN.join(one.text for one in taken) or None,
        as_of_text=as_of.text if as_of else None,
        known_at_text=known_at.text if known_at else None,
        notes=tuple(_notes(times, question.asked, at, zone)),
    )
    return Heard(at, told, read=bool(taken))


def _applied(at: At, asked: Asked, as_of: Read | None, known_at: Read | None) -> At:
    """With what was read. What was known then is asked of then, unless another time is said."""
    valid, known = at.as_of, at.known_at
    if known_at is not None:
        known = known_at.instant
        if asked.as_of is None:
            valid = known_at.instant
    if as_of is not None:
        valid = as_of.instant
    return At(min(valid, FOREVER - 1), min(known, FOREVER - 1))


def _notes(times: QuestionTimes, asked: Asked, at: At, zone: ZoneInfo) -> Sequence[str]:
    """What is to be minded about how the question was read."""
    notes: list[str] = []
    axes: tuple[tuple[Axis, Read | None, object, int], ...] = (
        ("as_of", times.as_of, asked.as_of, at.as_of),
        ("known_at", times.known_at, asked.known_at, at.known_at),
    )
    for axis, read, given, instant in axes:
        if read is not None and given is not None and read.instant != instant:
            notes.append(messages.text("times.given", None, text=read.text, axis=axis))
        elif read is not None and given is None and read.until is not None:
            notes.append(_period(read, read.until, zone))
        several = list(dict.fromkeys(one.text for one in times.unclear if one.axis == axis))
        if several and given is None:
            notes.append(messages.text("times.several", None, texts=_quoted(several), axis=axis))
    if times.unread:
        notes.append(messages.text("times.unread", None, texts=_quoted(times.unread)))
    return notes


def _period(read: Read, until: int, zone: ZoneInfo) -> str:
    # Its last second, rather than the midnight behind it, is on its last day.
    first, last = (to_local(one, zone).date() for one in (read.instant, until - SECOND))
    return messages.text(
        "times.period",
        None,
        text=read.text,
        first=first.isoformat(),
        last=last.isoformat(),
        end=to_local(min(until, FOREVER), zone).date().isoformat(),
        axis="valid" if read.axis == "as_of" else "known",
    )


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(messages.text("times.quoted", None, text=text) for text in texts)
