"""Limits and cursors of listings."""

import re
from typing import Annotated, Final

from fastapi import Query
from pydantic import WithJsonSchema

from damals.app.errors import InvalidInput

_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_NUMBER: Final = re.compile(r"[0-9]{1,18}")

Limit = Annotated[
    str,
    Query(description="How many at most, or `all`."),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"const": "all"}]}),
]


def limit_of(text: str) -> int | None:
    """A limit; ``None`` for ``all``.

    Raises:
        InvalidInput: ``limit.invalid``.
    """
    if text == "all":
        return None
    if not _WHOLE.fullmatch(text) or int(text) < 1:
        raise InvalidInput("limit.invalid", limit=text)
    return int(text)


def cursor_behind(number: int) -> str:
    """The cursor of what comes behind a number."""
    return str(number)


def number_of(cursor: str | None) -> int:
    """The number a cursor stands behind; 0 for none.

    Raises:
        InvalidInput: ``cursor.invalid``.
    """
    if cursor is None:
        return 0
    if not _NUMBER.fullmatch(cursor):
        raise InvalidInput("cursor.invalid", cursor=cursor)
    return int(cursor)
