"""Letting what was erased be imported again.

An erased entry stays erased for ever: its tombstone and its log stand for what was. What is
*readmitted* is that the same file, id or source may be imported again, as another entry. Whoever
erased had a reason, so it takes who may erase and is asked for by name (``--readmit``).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, cast
from uuid import UUID

from damals.domain.ids import name_based_id, workspace_namespace

REASON: Final = "readmit"
"""Reason of the transactions of an import that lets what was erased in again."""


@dataclass(frozen=True, slots=True)
class Readmission:
    """What an import lets in again.

    Attributes:
        entries: ids of erased entries.
        marks: by which files are recognised that say what was erased.
    """

    entries: set[UUID] = field(default_factory=set[UUID])
    marks: set[str] = field(default_factory=set[str])


class ReadmittedLedger(Protocol):
    """The part of a reader that knows what was readmitted."""

    def readmitted(self) -> frozenset[UUID]:
        """The erased entries in whose place others may be imported."""
        ...

    def barred(self) -> frozenset[UUID]:
        """The ids of entries that were erased, and that a restored ledger never had.

        Nothing gets such an id any more.
        """
        ...


class Readmitting(Protocol):
    """The part of a writer that readmits."""

    def readmit(self, found: Readmission, now: int, actor: str) -> None:
        """From now on others may be imported in the place of what was erased.

        What was never erased, or is readmitted already, stays as it is.

        Args:
            found: entries and marks.
            now: the instant that is noted.
            actor: who readmits.
        """
        ...


def next_id(workspace: str, erased: UUID, taken: Collection[UUID]) -> UUID:
    """The id of what is imported in the place of an erased entry that had an id of its own.

    Args:
        workspace: its name.
        erased: the erased entry.
        taken: erased entries, whose ids nothing gets again.
    """
    ordinal = 1
    while True:
        name = f"readmitted\x1f{erased}\x1f{ordinal}"
        found = name_based_id(workspace_namespace(workspace), name)
        if found not in taken:
            return found
        ordinal += 1


class Renaming:
    """Gives what events say of erased entries to others, that take their place."""

    def __init__(self, workspace: str, erased: Collection[UUID]) -> None:
        self._others = {str(one): str(next_id(workspace, one, erased)) for one in erased}
        self.used: set[UUID] = set()

    def renamed(self, event: Mapping[str, object]) -> dict[str, object]:
        """The same event, or one that names others where it named erased entries."""
        return {name: self._value(value) for name, value in event.items()}

    def _value(self, value: object) -> object:
        if isinstance(value, str):
            other = self._others.get(value)
            if other is None:
                return value
            self.used.add(UUID(value))
            return other
        if isinstance(value, list):
            return [self._value(one) for one in cast("list[object]", value)]
        if isinstance(value, dict):
            told = cast("dict[str, object]", value)
            return {name: self._value(one) for name, one in told.items()}
        return value
