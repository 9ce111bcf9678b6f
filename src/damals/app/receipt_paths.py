"""The relations that an answer names as reasons, and what they follow from.

A derived relation tells that its premises are there, and a type of relations may be reserved. So
who opens a receipt must be able to see, at the instants of the answer, relations that say what its
paths say. Compared is all that a step tells, not which row it came from.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from uuid import UUID

from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.domain.nearness import Edge

_PATHS: Final = ("chain", "persona_chain")
_NO_LIMIT: Final = 2**63 - 1


class Step(NamedTuple):
    """What a step of a path tells."""

    src: UUID
    relation: str
    dst: UUID
    confidence: float


def steps_told(told: Mapping[str, Any]) -> frozenset[Step]:
    """The steps of all paths in an answer (its JSON shape), be it a ranking or of sentences."""
    return frozenset(
        Step(UUID(one["from"]["id"]), one["relation"], UUID(one["to"]["id"]), one["confidence"])
        for reason in _reasons(told)
        for name in _PATHS
        for one in reason.get(name, ())
    )


def premises_of(reader: LedgerReader, steps: frozenset[Step], at: At) -> frozenset[UUID]:
    """The entries that the steps follow from beside their ends."""
    found = _edges(reader, steps, at)
    return frozenset(one for edge in found if _step(edge) in steps for one in edge.premises)


def all_shown(reader: LedgerReader, steps: frozenset[Step], at: At) -> bool:
    """Whether a reader is shown all that the steps tell."""
    return steps <= {_step(edge) for edge in _edges(reader, steps, at)}


def _reasons(told: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from (hit.get("explanation") or {} for hit in told.get("results", ()))
    yield from told.get("reasons", ())


def _edges(reader: LedgerReader, steps: frozenset[Step], at: At) -> Iterator[Edge]:
    ends = sorted({end for one in steps for end in (one.src, one.dst)})
    if ends:
        yield from reader.edges_among(ends, at, _NO_LIMIT)


def _step(edge: Edge) -> Step:
    return Step(edge.src, edge.relation, edge.dst, edge.confidence)


__all__ = ["Step", "all_shown", "premises_of", "steps_told"]
