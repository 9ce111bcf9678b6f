"""What a filter of the index means, as conditions on payload fields, without any engine in them.

Adapters translate each kind of condition into the words of their engine, and nothing else: the
embedded engine and a server thereby ask the same.
"""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple
from uuid import UUID

from damals.app.index_model import OWNER, IndexFilter
from damals.domain.phrases import words_of


class Is(NamedTuple):
    """The field has the value, or lists it."""

    field: str
    value: str


class AnyOf(NamedTuple):
    """The field has one of the values, or lists one."""

    field: str
    values: tuple[str, ...]


class Says(NamedTuple):
    """Words stand in the body, one behind the other."""

    phrase: str


class When(NamedTuple):
    """The instant in the field compares so with an instant (UTC microseconds)."""

    field: str
    sign: Literal["lt", "lte", "gt", "gte"]
    instant: int


class AtMost(NamedTuple):
    """The number in the field is no higher."""

    field: str
    highest: int


class Nothing(NamedTuple):
    """The field is not there."""

    field: str


class Either(NamedTuple):
    """One of the conditions holds."""

    conditions: "tuple[Condition, ...]"


Condition = Is | AnyOf | Says | When | AtMost | Nothing | Either


@dataclass(frozen=True, slots=True)
class Conditions:
    """All of ``must`` and none of ``must_not``."""

    must: tuple[Condition, ...]
    must_not: tuple[Condition, ...] = ()


def conditions_of(where: IndexFilter) -> Conditions:
    """All conditions of a filter."""
    at, known = where.as_of, where.known_at
    start = "valid_from_latest" if where.certain else "valid_from_earliest"
    end = "valid_to_earliest" if where.certain else "valid_to_latest"
    must: list[Condition] = [
        Is("workspace", where.workspace),
        When(start, "lte", at),
        When(end, "gt", at),
        When("recorded_from", "lte", known),
        When("recorded_to", "gt", known),
        When("archived_at", "gt", min(at, known)),
    ]
    must += _chosen(where)
    must += _visible(where)
    return Conditions(tuple(must), tuple(_left_out(where)))


def corpus_of(where: IndexFilter) -> Conditions:
    """The points that the IDF of a question is computed over.

    It is always named. Otherwise an engine counts deleted points, other workspaces and points that
    the asker may not see, whose number would shine through the score. The owner's corpus is the
    workspace; anybody else's is the whole filter of the question.
    """
    if where.access == OWNER:
        return Conditions((Is("workspace", where.workspace),))
    # What was found already is left out of the answer, not of the corpus: scores stay the same.
    return conditions_of(replace(where, but=()) if where.but else where)


def of_entry(workspace: str, entry_id: UUID) -> Conditions:
    """All points of an entry."""
    return Conditions((Is("workspace", workspace), Is("entry_id", str(entry_id))))


def _left_out(where: IndexFilter) -> list[Condition]:
    left_out: list[Condition] = [Is("tags", tag) for tag in where.no_tags]
    left_out += [Is("paths", path) for path in where.no_paths]
    left_out += [Says(phrase) for phrase in where.no_phrases if words_of(phrase)]
    if where.no_types:
        left_out.append(AnyOf("type", where.no_types))
    if where.but:
        left_out.append(AnyOf("entry_id", tuple(map(str, where.but))))
    return left_out


def _chosen(where: IndexFilter) -> list[Condition]:
    chosen: list[Condition] = [Is("tags", tag) for tag in where.tags]
    chosen += [Says(phrase) for phrase in where.phrases if words_of(phrase)]
    if where.either:
        chosen.append(Either(tuple(Says(phrase) for phrase in where.either)))
    if where.only is not None:
        chosen.append(AnyOf("entry_id", tuple(map(str, where.only))))
    if where.types:
        chosen.append(AnyOf("type", where.types))
    if where.path is not None:
        chosen.append(Is("paths", where.path))
    if where.paths:
        chosen.append(AnyOf("paths", where.paths))
    if where.lang is not None:
        chosen.append(Is("lang", where.lang))
    if where.since is not None:
        chosen.append(When("age_at", "gte", where.since))
    if where.until is not None:
        chosen.append(When("age_at", "lt", where.until))
    return chosen


def _visible(where: IndexFilter) -> list[Condition]:
    access = where.access
    visible: list[Condition] = []
    if access.visibilities is not None:
        visible.append(AnyOf("visibility", access.visibilities))
    if access.max_sensitivity is not None:
        visible.append(AtMost("sensitivity", access.max_sensitivity))
    if access.principals is not None:
        named: tuple[Condition, ...] = (Nothing("acl"),)
        if access.principals:
            named += (AnyOf("acl", access.principals),)
        visible.append(Either(named))
    return visible
