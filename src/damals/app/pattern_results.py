"""What a pattern tells; conventions as in ``results.py``."""

from dataclasses import dataclass

from damals.app.results import Result, Understood


@dataclass(frozen=True, slots=True)
class EvidenceView(Result):
    """An example that supports a pattern.

    Attributes:
        at: when it was observed.
        origin: by which account: ``created``, ``valid_from`` or ``recorded``.
        status: at the asked pair.
    """

    entry_id: str
    title: str
    at: str
    origin: str
    status: str


@dataclass(frozen=True, slots=True)
class EvolutionStep(Result):
    """One entry takes over from another, or adds to it.

    Attributes:
        at: when the new one was observed.
        relation: of the new to the old one: ``extends``, ``revises`` or ``supersedes``.
        reason, actor: of the operation that said so.
    """

    at: str
    relation: str
    entry_id: str
    title: str
    old_id: str
    old_title: str | None
    reason: str | None
    actor: str


@dataclass(frozen=True, slots=True)
class Pattern(Result):
    """How a topic stands and how it came there, at a pair of instants.

    Attributes:
        first_observed: when it appeared first.
        evolution: along ``extends``, ``revises`` and ``supersedes``, in order.
        evidence: every example, by when it was observed.
        stability: ``emerging``, ``evolving``, ``declining`` or ``stable``.
        rule: why, with the figures that decided.
        half_life_days: by which windows are measured: the shortest among the examples.
        last_accessed: when any example was last returned to someone.
    """

    topic: str
    understood: Understood
    first_observed: str
    evolution: tuple[EvolutionStep, ...]
    evidence: tuple[EvidenceView, ...]
    stability: str
    rule: str
    half_life_days: float
    last_accessed: str | None
