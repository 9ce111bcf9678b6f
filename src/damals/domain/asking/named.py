"""A time that a question names."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from damals.domain.readings import Reading

YEARLY: Final = ("date", "short", "name", "feast", "any quarter", "any week", "week", "part")
"""Kinds of times that may come every year."""


class Relation(StrEnum):
    """How the instant lies to the time that is named."""

    AT = "at"
    BEFORE = "before"
    UNTIL = "until"
    AFTER = "after"
    SINCE = "since"


@dataclass(frozen=True, slots=True)
class Expression:
    """A time that a question names; offsets count characters of the folded text.

    Attributes:
        start, end: with the words that lead to it.
        core: where the time itself begins.
        reading: what it means; ``None`` when it looks like a time and is none (30 February).
        joined: it is one of two that are meant together, or a part of a range.
        joins: the other of the two is a time as well.
        is_now: it says that now is meant.
    """

    start: int
    end: int
    core: int
    kind: str
    relation: Relation = Relation.AT
    reading: Reading | None = None
    joined: bool = False
    joins: bool = False
    is_now: bool = False
