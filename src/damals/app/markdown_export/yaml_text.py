"""A frontmatter as text: what people read, and what an import reads back as it was.

Texts that any reader of YAML could take for something else stand in quotes. An import takes every
plain value for a text, so numbers and truths bear the tag that says what they are.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from damals.domain.entries import Json

_PLAIN: Final = re.compile(r"[^\W\d_][\w./+-]*(?: [\w./+(),;-]+)*")
"""What is surely a text, in every version of YAML."""
_DATE: Final = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_WORDS: Final = frozenset(
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity")
)
_ESCAPED: Final = ("{{", "}}", "<%", "%>")
"""What would make a pattern for notes of a note."""
_ESCAPES: Final = (("x", 2), ("u", 4), ("U", 8))
"""How YAML writes a character by its number: mark and digits."""
_TAGS: Final = {bool: "!!bool", int: "!!int", float: "!!float"}


def frontmatter(fields: Mapping[str, Json]) -> str:
    """The block with its rules, from ``---`` to the line behind the second one."""
    lines = ["---"]
    for name, value in fields.items():
        lines += _field(name, value)
    return "\n".join((*lines, "---", ""))


def _field(name: str, value: Json) -> list[str]:
    head = f"{_text(name)}:"
    if isinstance(value, list) and value:
        return [head, *(f"  - {_flow(one)}" for one in value)]
    return [f"{head} {_flow(value, plain_date=True)}"]


def _flow(value: Json, *, plain_date: bool = False) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        # A blank behind the bracket: two brackets are a link.
        return f"[ {', '.join(_flow(one) for one in value)} ]" if value else "[]"
    if isinstance(value, dict):
        inside = (f"{_quoted(name)}: {_flow(one)}" for name, one in value.items())
        return f"{{ {', '.join(inside)} }}" if value else "{}"
    if isinstance(value, str):
        return value if plain_date and _DATE.fullmatch(value) else _text(value)
    return f"{_TAGS[type(value)]} {json.dumps(value)}"


def _text(text: str) -> str:
    plain = _PLAIN.fullmatch(text) and text.casefold() not in _WORDS and text.isprintable()
    # Within brackets a comma ends a value.
    return text if plain and "," not in text else _quoted(text)


def _quoted(text: str) -> str:
    said = json.dumps(text, ensure_ascii=False)
    said = "".join(one if one.isprintable() else _escaped(one) for one in said)
    for mark in _ESCAPED:
        said = said.replace(mark, mark[0] + _escaped(mark[1]))
    return said


def _escaped(one: str) -> str:
    digits = f"{ord(one):x}"
    mark, width = next(way for way in _ESCAPES if len(digits) <= way[1])
    return f"\\{mark}{digits:0>{width}}"
