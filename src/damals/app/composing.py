"""Answers that a language model writes, each sentence checked against what it cites.

The model sees the question and the best passages, and nothing else. Passages are data: they stand
between marks that hold a number which is drawn anew each time, so no text can close them. Whatever
the model answers is read as JSON of one shape. A sentence stays, with those of its citations that
support it by themselves (``damals.app.support``): the passage has all its capitalised words and
numbers, denies as it does, and has enough of its other words. That its small words, a verb or a
preposition, mean what the passage means is not checked. A sentence must also answer the question
(``damals.app.relevance``). When none stays, or the model fails before one does, the answer is the
one in the words of the sources.
"""

import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast
from unicodedata import normalize

from damals import messages
from damals.app import stopping
from damals.app.answer_results import Answer
from damals.app.asking import Found, answer_of, extractive, wanted
from damals.app.passages import Passage, Reading
from damals.app.ports import Writer, WritingOrder
from damals.app.relevance import Wanted, answers
from damals.app.support import supported
from damals.domain.entries import Json
from damals.domain.errors import DamalsError
from damals.domain.passages import readable

MOST_GIVEN: Final = 10
MOST_SENTENCES: Final = 12
MAX_SENTENCE_CHARS: Final = 1_000
MAX_DOCUMENT_CHARS: Final = 60_000

SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "citations": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["text", "citations"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}

_MARK: Final = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_UNSEEN: Final = re.compile(
    "[\xad\u200b-\u200f\u2060-\u2065\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What no reader sees, and what is no character."""

Listener = Callable[[str], None]
"""Hears each sentence that stays, with its marks, as soon as it was checked."""


def silent(_: str) -> None:
    """Hears nothing."""


def composed(there: Found, reading: Reading, writer: Writer, listen: Listener = silent) -> Answer:
    """The answer that a model writes, or the one in the words of the sources."""
    if not there.answers:
        return extractive(there)
    given = list(there.passages[:MOST_GIVEN])
    asked = reading.stems(there.recall.query)
    kept = _Kept(given, reading, asked, wanted(there.recall, given, reading), listen)
    caveats: list[str] = []
    try:
        for text, citations in _sentences(writer.write(_order(there, given))):
            kept.add(text, citations)
    except DamalsError as error:
        stopping.check()
        if not kept.lines:
            return _instead(there, error)
        caveats = [messages.text("answer.broken_off", None, reason=error)]
    if not kept.lines:
        return _instead(there, messages.text("answer.unsupported"))
    if kept.dropped:
        caveats.append(messages.text("answer.dropped", None, count=kept.dropped))
    if kept.repeated:
        caveats.append(messages.text("answer.repeated", None, count=kept.repeated))
    quoted = [given[place] for place in kept.used]
    text = " ".join(kept.lines)
    return answer_of(there, text, quoted, model=writer.model, caveats=caveats)


def _instead(there: Found, reason: object) -> Answer:
    plain = extractive(there)
    said = messages.text("answer.without_model", None, reason=reason)
    return replace(plain, caveats=(*plain.caveats, said))


# --- what is asked


def _order(there: Found, given: Sequence[Passage]) -> WritingOrder:
    fence = secrets.token_hex(16)
    asked = there.recall
    parts = [
        f"<source {n} {fence}>\n{_data(one, fence)}\n</source {n} {fence}>"
        for n, one in enumerate(given, start=1)
    ]
    system = messages.text("answer.prompt", None, fence=fence)
    user = messages.text("answer.prompt_question", None, as_of=asked.as_of, known_at=asked.known_at)
    question = f"<question {fence}>\n{_plain(asked.query, fence)}\n</question {fence}>"
    return WritingOrder(system, "\n\n".join((user, *parts, question)), SCHEMA)


def _data(one: Passage, fence: str) -> str:
    text = one.under if one.start is None else f"{one.under}: {readable(one.quote)}"
    return _plain(text, fence)


def _plain(text: str, fence: str) -> str:
    """A text on one line that holds no mark: not even of the number that nobody knows."""
    return _shown(text).replace(fence, "").replace("<", "‹").replace(">", "›")


def _shown(text: str) -> str:
    """A text as its reader sees it, on one line."""
    return normalize("NFC", _UNSEEN.sub("", _CONTROL.sub(" ", text)))


# --- what comes back


def _sentences(pieces: Iterator[str]) -> Iterator[tuple[str, list[int]]]:
    """The sentences of a document, each as soon as it is whole; what is malformed is left out."""
    decoder = json.JSONDecoder()
    text, place, begun = "", 0, False
    for piece in pieces:
        stopping.check()
        text += piece
        if len(text) > MAX_DOCUMENT_CHARS:
            return
        if not begun:
            opened = re.search(r'"sentences"\s*:\s*\[', text)
            if opened is None:
                continue
            begun, place = True, opened.end()
        while (start := text.find("{", place)) >= 0:
            try:
                told, place = decoder.raw_decode(text, start)
            except (ValueError, RecursionError):
                break  # it is not whole yet
            sentence = _sentence(told)
            if sentence is not None:
                yield sentence


def _sentence(told: object) -> tuple[str, list[int]] | None:
    """A sentence of the right shape."""
    if not isinstance(told, dict):
        return None
    said = cast("dict[str, Any]", told)
    text, citations = said.get("text"), said.get("citations")
    if set(said) != {"text", "citations"} or not isinstance(text, str):
        return None
    if not isinstance(citations, list) or not citations:
        return None
    numbers = cast("list[object]", citations)
    if not all(isinstance(one, int) and not isinstance(one, bool) for one in numbers):
        return None
    return text, cast("list[int]", numbers)


@dataclass(slots=True)
class _Kept:
    """The sentences that stay.

    Attributes:
        asked: stems of the question.
        wanted: what it asks.
        lines: with their marks.
        used: places of the cited passages among those given, in the order of their numbers.
    """

    given: Sequence[Passage]
    reading: Reading
    asked: frozenset[str]
    wanted: Wanted
    listen: Listener
    lines: list[str] = field(default_factory=list[str])
    used: list[int] = field(default_factory=list[int])
    dropped: int = 0
    repeated: int = 0
    _heard: set[str] = field(default_factory=set[str])

    def add(self, text: str, citations: Sequence[int]) -> None:
        """Keep a sentence with those of its citations that support it, if any does."""
        said = " ".join(_MARK.sub("", _shown(text)).split())
        if said.casefold() in self._heard:
            self.repeated += 1
            return
        places = list(dict.fromkeys(one - 1 for one in citations))
        sound = all(0 <= one < len(self.given) for one in places)
        long = len(said) > MAX_SENTENCE_CHARS or len(self.lines) >= MOST_SENTENCES
        if said and sound and not long:
            places = [one for one in places if self._supported(said, one)]
        else:
            places = []
        if not places:
            self.dropped += 1
            return
        self._heard.add(said.casefold())
        self.used += [one for one in places if one not in self.used]
        marks = "".join(f"[{self.used.index(one) + 1}]" for one in places)
        self.lines.append(f"{said} {marks}")
        self.listen(self.lines[-1])

    def _supported(self, said: str, place: int) -> bool:
        passage, reading = self.given[place], self.reading
        found = supported(said, passage, reading, self.asked)
        return found and answers(said, passage, reading, self.wanted)
