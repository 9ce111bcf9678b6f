"""Replaying steps of a history into the ledger, and what is reported of it."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from damals.app.history.commit import CommitPlan, Vault
from damals.app.history.model import Commit
from damals.app.history.order import Instants, Slot
from damals.app.history.steps import Step
from damals.app.history.tree import Touched
from damals.app.ledger_port import LedgerWriter
from damals.app.record import Request, Tools
from damals.app.results import Failure
from damals.app.vault.notes import Change, Note, says_archived
from damals.app.vault.record import store
from damals.domain.errors import Conflict, DamalsError, InvalidInput
from damals.domain.instants import format_instant

CHANGE_CHARACTERS: Final = 20_000
"""What one change costs beside its text, in characters of text."""


@dataclass(slots=True)
class Tally:
    """What happened so far; of each file each problem once.

    Attributes:
        read: notes that were read.
        refused: notes of which a relation was refused.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    failed: dict[tuple[str, str], Failure] = field(default_factory=dict[tuple[str, str], Failure])
    warnings: dict[tuple[str, str], Failure] = field(default_factory=dict[tuple[str, str], Failure])
    late: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    read: set[UUID] = field(default_factory=set[UUID])
    refused: set[UUID] = field(default_factory=set[UUID])

    def fail(self, path: str, error: DamalsError, commit: Commit) -> None:
        """Report a file that could not be read, or a note that was refused."""
        self._report(self.failed, path, error, commit)

    def advise(self, path: str, problem: DamalsError, commit: Commit) -> None:
        """Report what did not stop a note."""
        self._report(self.warnings, path, problem, commit)

    def _report(
        self,
        into: dict[tuple[str, str], Failure],
        path: str,
        error: DamalsError,
        commit: Commit,
    ) -> None:
        line = error.values.get("line")
        told = InvalidInput("history.commit", commit=commit.sha[:12], cause=error)
        failure = Failure(path, line if isinstance(line, int) else None, str(told))
        into.setdefault((path, error.key), failure)


@dataclass(slots=True)
class Replay:
    """Stores one step after the other.

    Attributes:
        number: of the last transaction.
        archived: notes that are out of use.
        actor: who is named instead of the authors; ``None`` for the authors.
    """

    vault: Vault
    tools: Tools
    instants: Instants
    tally: Tally
    number: int
    archived: set[UUID]
    actor: str | None
    _loosened: bool = False

    def step(self, writer: LedgerWriter, step: Step) -> int:
        """Store a step.

        Returns:
            How much was stored, in characters.
        """
        size = self._tell(writer, step.commit, step.touched)
        if self._loosened:
            # What was refused can only be told when that which stood in its way is stored.
            self._loosened = False
            size += self._tell(writer, step.commit, self.vault.waiting.held(self.vault.tree))
        return size

    def _tell(self, writer: LedgerWriter, commit: Commit, touched: Sequence[Touched]) -> int:
        if not touched:
            return 0
        plan = CommitPlan(self.vault, commit, touched, writer)
        self._loosened = plan.loosens
        for path, error in plan.failed:
            self.tally.fail(path, error, commit)
        for one in plan.told:
            self._warn(one.note, one.identity.entry_id, commit)
            for key, values in one.relations.warnings:
                self.tally.advise(one.change.path, InvalidInput(key, **values), commit)
        changes = plan.changes()
        if changes:
            self._store(writer, plan, commit, changes)
        return sum(CHANGE_CHARACTERS + change.size for change in changes)

    def _warn(self, note: Note, entry_id: UUID, commit: Commit) -> None:
        path = note.file.path
        self.tally.read.add(entry_id)
        for key, values in note.warnings:
            self.tally.advise(path, InvalidInput(key, **values), commit)
        if says_archived(note.parsed):
            self.archived.add(entry_id)
        elif entry_id in self.archived:
            self.tally.advise(path, InvalidInput("vault.stays_archived", path=path), commit)

    def _store(
        self, writer: LedgerWriter, plan: CommitPlan, commit: Commit, changes: list[Change]
    ) -> None:
        head = writer.head()
        if head.number != self.number:  # somebody else has written meanwhile
            self.instants.others(head.recorded_at)
        slot = self.instants.slot(commit.committed_at, self.tools.clock())
        actor = self.actor or commit.author or "-"
        request = Request((), actor, commit.summary or None, slot.recorded_at)
        stored = store(writer, self.tools, request, changes)
        plan.keep([change for change, _ in stored.done])
        for one in stored.tally(self.tally.counts, self.tally.refused):
            report = self.tally.advise if one.told else self.tally.fail
            report(one.change.path, one.error, commit)
            if not one.told and isinstance(one.error, Conflict):
                self.vault.waiting.hold(one.change.path)
        if stored.recorded.number is None:
            return
        self.number = stored.recorded.number
        self.instants.take(commit.committed_at, stored.recorded.recorded_at)
        if slot.problem is not None:
            self._late(commit, slot)

    def _late(self, commit: Commit, slot: Slot) -> None:
        at = format_instant(commit.committed_at)
        reason = InvalidInput(str(slot.problem), commit=commit.sha[:12], committed_at=at)
        self.tally.late.append({"commit": commit.sha, "reason": str(reason)})

    def left(self, due: Collection[UUID]) -> set[UUID]:
        """Of the notes that were to be read again, those that were not, or were refused."""
        return {one for one in due if one not in self.tally.read} | self.tally.refused
