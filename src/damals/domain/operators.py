"""The query language: exact phrases and operators inside a question.

::

    "exact words"   +word   -word   -"exact words"
    tag:NAME  type:NAME  path:PATH  before:INSTANT  after:INSTANT   (and -tag: -type: -path:)

A question is a sentence first. Only what nobody writes in a sentence is an operator:

* a phrase stands in straight quotes, with a blank (or an opening bracket) before and a blank or a
  sentence's mark behind; a quote without its other half, and typographic quotes, are text;
* ``+`` and ``-`` stand behind a blank and right before a letter: ``E-Mail``, ``C++``, ``-5 Grad``,
  ``+49 30``, ``Haupt- und Nebenkosten``, ``--flag`` and ``- Milch`` are text, and so is a hyphen
  that completes a word, behind a word that joins (``Privatpersonen und -organisationen``) or a
  comma;
* ``tag:`` and the others are these very names, lower-case, with the value right behind the colon:
  ``10:30 Uhr``, ``Typ: Vertrag`` and ``http://x`` are text.

What the question says in words is what is left; words of phrases and of ``+`` are part of it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from damals.domain.errors import InvalidInput
from damals.domain.phrases import folded_text

MAX_OPERATORS: Final = 50
"""More are no question that somebody asks."""

_FIELDS: Final = "tag|type|path|before|after"
_JOINING: Final = frozenset(
    [
        *("und", "oder", "sowie", "bzw", "beziehungsweise", "noch", "als", "wie", "bis", "statt"),
        *("and", "or", "nor", "than", "to", "&", "/"),
    ]
)
"""Behind these a hyphen completes a word."""

_QUOTED: Final = r'"(?P<{name}>[^"]*[^"\s][^"]*)"(?=$|[\s)\].,;:!?])'
_VALUE: Final = re.compile(
    rf"(?P<sign>[-+]?)(?P<field>{_FIELDS}):(?:{_QUOTED.format(name='quoted')}|(?P<plain>[^\s\"]\S*))"
)
_PHRASE: Final = re.compile(rf"(?P<sign>[-+]?){_QUOTED.format(name='phrase')}")
_WORD: Final = re.compile(r"(?P<sign>[-+])(?P<word>[^\W\d_][^\s\"]*)")
_TRAILING: Final = ".,;:!?)]"
_LAST_WORD: Final = re.compile(r"(\S+)\s+$")


@dataclass(frozen=True, slots=True)
class Operators:
    """What a question asks for beside what it says.

    Attributes:
        text: the question in words; the very question when it has no operator.
        phrases, no_phrases: what an entry says, and does not say, letter by letter; folded.
        types, tags, paths: any of the types; each of the tags; any of the paths.
        no_types, no_tags, no_paths: none of these.
        before, after: bounds of the instant that an entry's age counts from, as they were typed:
            before the first, from the second on.
        found: the operators as they were typed, in order.
    """

    text: str
    phrases: tuple[str, ...] = ()
    no_phrases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    no_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    no_tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    no_paths: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


@dataclass
class _Reading:
    """What was read so far."""

    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    words: list[str] = field(default_factory=list[str])
    found: list[str] = field(default_factory=list[str])

    def put(self, name: str, value: str, written: str) -> None:
        self.values.setdefault(name, []).append(value)
        self.found.append(written)

    def values_of(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.values.get(name, ())))


def read_operators(query: str) -> Operators:
    """Take a question apart.

    Raises:
        InvalidInput: ``query.operator_sign`` for ``-before:`` or ``-after:``,
            ``query.operators`` for too many, ``query.only_operators`` when it says nothing else.
    """
    if not any(sign in query for sign in '"+-:'):
        return Operators(query)
    reading = _Reading()
    place = 0
    while place < len(query):
        if not _at_start(query, place):
            place = _text(query, place, reading)
            continue
        read: tuple[Callable[[str, int, _Reading], int | None], ...] = (_value, _phrase, _word)
        ends = (one(query, place, reading) for one in read)
        end = next((one for one in ends if one is not None), None)
        place = _text(query, place, reading) if end is None else end
    return _operators(query, reading)


def _operators(query: str, reading: _Reading) -> Operators:
    if not reading.found:
        return Operators(query)
    if len(reading.found) > MAX_OPERATORS:
        raise InvalidInput("query.operators", count=len(reading.found), limit=MAX_OPERATORS)
    text = " ".join("".join(reading.words).split())
    if not any(letter.isalnum() for letter in text):
        raise InvalidInput("query.only_operators", operators=" ".join(reading.found))
    names = [name for name in Operators.__slots__ if name not in ("text", "found")]
    values = {name: reading.values_of(name) for name in names}
    return Operators(text, found=tuple(reading.found), **values)


def _at_start(query: str, place: int) -> bool:
    """Whether an operator may begin here: at the start, behind a blank or an opening bracket."""
    return place == 0 or query[place - 1].isspace() or query[place - 1] in "([{"


def _text(query: str, place: int, reading: _Reading) -> int:
    """Take a character as text."""
    reading.words.append(query[place])
    return place + 1


def _value(query: str, place: int, reading: _Reading) -> int | None:
    match = _VALUE.match(query, place)
    if match is None:
        return None
    sign, name = match["sign"], match["field"]
    value, end = match["quoted"], match.end()
    if value is None:
        plain = match["plain"]
        value = plain.rstrip(_TRAILING)
        end -= len(plain) - len(value)
    if not value or value.startswith("//"):
        return None
    written = query[place:end]
    if name in ("before", "after"):
        if sign == "-":
            raise InvalidInput("query.operator_sign", operator=written)
        reading.put(name, value, written)
    else:
        reading.put(f"no_{name}s" if sign == "-" else f"{name}s", value, written)
    return end


def _phrase(query: str, place: int, reading: _Reading) -> int | None:
    match = _PHRASE.match(query, place)
    if match is None:
        return None
    said = match["phrase"]
    if not folded_text(said) or (match["sign"] == "-" and _completes(query, place)):
        return None
    _say(match["sign"], said, match[0], reading)
    return match.end()


def _word(query: str, place: int, reading: _Reading) -> int | None:
    match = _WORD.match(query, place)
    if match is None or _completes(query, place):
        return None
    said = match["word"].rstrip(_TRAILING)
    written = match["sign"] + said
    _say(match["sign"], said, written, reading)
    return place + len(written)


def _say(sign: str, said: str, written: str, reading: _Reading) -> None:
    reading.put("no_phrases" if sign == "-" else "phrases", folded_text(said), written)
    if sign != "-":
        reading.words.append(said)


def _completes(query: str, place: int) -> bool:
    """Whether a hyphen here completes a word, as in ``Import und -export``."""
    if query[place] != "-":
        return False
    before = _LAST_WORD.search(query, 0, place)
    if before is None:
        return False
    last = before[1]
    joined = last.rstrip(".").casefold() in _JOINING
    return joined or last.endswith((",", "/"))
