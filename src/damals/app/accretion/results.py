"""What the check of something filed tells."""

from dataclasses import dataclass, field
from typing import Literal

from damals.app.result import Result

FindingKind = Literal[
    "duplicate", "contradiction", "uncertain_date", "relation", "echo", "unchecked"
]
IntegrationStatus = Literal["active", "acquired", "echo"]

DECIDED_ON = frozenset(("duplicate", "contradiction", "uncertain_date"))
"""Kinds of findings that leave something to decide."""


@dataclass(frozen=True, slots=True)
class Differs(Result):
    """Where what is filed differs from what is known; each as it is written there.

    Attributes:
        aspect: ``number``, ``date``, ``negation`` or ``value``.
    """

    aspect: str
    filed: str
    known: str


@dataclass(frozen=True, slots=True)
class Integrated(Result):
    """Something that the check found.

    Attributes:
        entries: ids of the known entries that it is about.
        message: what was found, for people.
        likeness: how near the words are, 0 to 1.
        differences: in what they differ.
        relation, confidence: of a relation that is proposed.
        commands: command lines of which one decides, as printed.
    """

    OPTIONAL = frozenset(("likeness", "relation", "confidence"))

    kind: FindingKind
    entries: tuple[str, ...]
    message: str
    likeness: float | None = None
    differences: tuple[Differs, ...] = ()
    relation: str | None = None
    confidence: float | None = None
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Integration(Result):
    """What became of something that an assistant filed.

    Attributes:
        status: ``active`` when nothing is left to decide, ``acquired`` until somebody decides,
            ``echo`` when it was known and nothing was stored.
    """

    status: IntegrationStatus
    findings: tuple[Integrated, ...] = field(default=())

    @property
    def caveats(self) -> tuple[str, ...]:
        """What is to be decided, or why nothing was stored, for people."""
        told = (*DECIDED_ON, "echo", "unchecked")
        return tuple(one.message for one in self.findings if one.kind in told)
