"""The sample of recalls: the same questions on both sides of a migration, and equal answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from damals.app.migrating.model import Asked, IndexSum, Listener, Question, RecallSum
from damals.app.results import Progress, Recall
from damals.domain.errors import Corrupt

SAME_INDEX: Final = 1e-6
OTHER_INDEX: Final = 1e-4
"""How far scores may lie apart, where another engine has computed them in its own order."""

LEAST_COMMON: Final = 0.5
"""Share of common results below which an index is wrong, however approximate it is."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer as it is compared.

    Attributes:
        found: by entry, its score and a digest of all that is shown of it.
        least: the lowest score: what is as good may have been cut off on one side.
        withheld: how many were hidden.
    """

    found: Mapping[str, tuple[float, str]]
    least: float
    withheld: int


def asked(
    memory: Asked, sample: Sequence[Question], listen: Listener, *, before: int = 0
) -> Sequence[Told]:
    """The answers of a home to a sample.

    Args:
        memory: the home.
        sample: the questions.
        listen: hears of progress, of both sides together.
        before: how many were asked of the other side.
    """
    told: list[Told] = []
    for number, question in enumerate(sample):
        listen(Progress("sample", before + number, 2 * len(sample), "questions"))
        told.append(_told(memory.recall(question)))
    return told


def compare(
    sample: Sequence[Question],
    sides: tuple[Sequence[Told], Sequence[Told]],
    index: IndexSum,
) -> RecallSum:
    """See that both sides answered the same, or nearly, where an index is not exact.

    Raises:
        Corrupt: ``migrate.answers``, with the first question whose answers differ too much.
    """
    tolerance = SAME_INDEX if index.kept else OTHER_INDEX
    equal, common = 0, 0.0
    for question, old, new in zip(sample, *sides, strict=True):
        alike = same(old, new, tolerance)
        equal += alike
        share = 1.0 if alike else shared(old, new)
        common += share
        if not alike and (index.exact or share < LEAST_COMMON):
            raise Corrupt(
                "migrate.answers",
                query=question.text,
                workspace=question.workspace,
                as_of=question.as_of,
                known_at=question.known_at,
            )
    return RecallSum(len(sample), equal, common / len(sample) if sample else 1.0)


def shared(one: Told, other: Told) -> float:
    """The share of the results that both answers have."""
    most = max(len(one.found), len(other.found))
    return len(one.found.keys() & other.found.keys()) / most if most else 1.0


def same(one: Told, other: Told, tolerance: float) -> bool:
    """Whether two answers are the same, but for the order of what is equally good."""
    if len(one.found) != len(other.found) or one.withheld != other.withheld:
        return False
    return _covered(one, other, tolerance) and _covered(other, one, tolerance)


def _covered(one: Told, other: Told, tolerance: float) -> bool:
    """Whether one answer has all that the other has, but for what is as good as its last."""
    for entry, (score, shown) in other.found.items():
        found = one.found.get(entry)
        if found is None:
            if score > one.least + tolerance:
                return False
        elif abs(found[0] - score) > tolerance or found[1] != shown:
            return False
    return True


def _told(answer: Recall) -> Told:
    found = {hit.entry.id: (hit.score, _digest(hit.entry.to_dict())) for hit in answer}
    least = min((score for score, _ in found.values()), default=0.0)
    return Told(found, least, answer.withheld)


def _digest(document: object) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
