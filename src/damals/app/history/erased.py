"""Which files of a history say what was erased.

A note that was erased has lain elsewhere before, and said other things: all of that is in the
history, under paths and in words of which an erasure left no mark. But each change of a file leads
from one state of it to the next. What is joined so is one note, and if any of its states bears a
mark, none is replayed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from damals.app.erased_marks import marks_of_file, name_mark, path_mark, place_mark
from damals.app.history.commit import Vault
from damals.app.history.model import Commit, FileChange
from damals.app.ledger_port import LedgerReader
from damals.app.readmitting import Readmission
from damals.app.vault.notes import declared_identity
from damals.domain.errors import DamalsError
from damals.domain.ids import note_id

State = tuple[str, str]
"""Path of a file and name of its bytes."""


@dataclass(slots=True)
class _Notes:
    """States of files, joined to notes; the first of each stands for all."""

    above: dict[State, State] = field(default_factory=dict[State, State])
    last_at: dict[str, State] = field(default_factory=dict[str, State])

    def first(self, one: State) -> State:
        """The state that stands for the note of this one."""
        while (above := self.above.setdefault(one, one)) != one:
            self.above[one] = one = self.above[above]
        return one

    def take(self, before: State | None, after: State | None) -> None:
        """A change of a file."""
        if after is not None:
            self.last_at[after[0]] = after
            first = self.first(after)
            if before is not None:
                self.above[first] = self.first(before)


@dataclass(frozen=True, slots=True)
class ErasedFiles:
    """What of a history says what was erased.

    Attributes:
        marks: of all files that are not to be replayed.
        readmission: what is let in again instead.
    """

    marks: frozenset[str] = frozenset()
    readmission: Readmission = field(default_factory=Readmission)


def erased_in(vault: Vault, commits: Sequence[Commit], reader: LedgerReader) -> ErasedFiles:
    """The files of a history that say what was erased.

    Nothing is read as long as nothing was erased.
    """
    everything = reader.unrestricted()
    stones = everything.tombstones().keys() | everything.barred()
    if not stones:
        return ErasedFiles()
    notes = _Notes()
    for changes in vault.history.changes(commits):
        for one in changes:
            notes.take(*_states(vault, one))
    said = {
        state: _said(vault, state, last=notes.last_at[state[0]] == state)
        for state in [*notes.above]
    }
    found = everything.marked({mark for one in said.values() for mark in one.marks})
    if vault.origin.readmits:
        ids = {entry_id for one in said.values() for entry_id in one.ids & stones}
        return ErasedFiles(readmission=Readmission(ids, set(found)))
    barred = stones - vault.origin.readmitted
    gone = {
        notes.first(state) for state, one in said.items() if one.ids & barred or one.marks & found
    }
    refused = {state: one for state, one in said.items() if notes.first(state) in gone}
    # Of two branches one may have renamed what the other has changed.
    paths = {path for path, _ in refused} - {path for path, _ in said.keys() - refused.keys()}
    places = {place_mark(path, one.digest) for (path, _), one in refused.items()}
    by_path = {path_mark(vault.origin.name, path) for path in paths}
    return ErasedFiles(frozenset(places | by_path))


def _states(vault: Vault, change: FileChange) -> tuple[State | None, State | None]:
    """A file before and after a change, as far as it is a note."""
    here = vault.reader.note_path(change.parts)
    was = vault.reader.note_path(change.came_from) if change.came_from else here
    before = (was, change.before) if was is not None and change.before is not None else None
    return before, (here, change.blob) if here is not None and change.blob is not None else None


@dataclass(frozen=True, slots=True)
class _Said:
    """What a state of a file says.

    Attributes:
        digest: of its bytes.
        marks: which it may bear.
        ids: which the note may have.
    """

    digest: str
    marks: frozenset[str]
    ids: frozenset[UUID]


def _said(vault: Vault, state: State, *, last: bool) -> _Said:
    """What a state says.

    Args:
        vault: whose file it is.
        state: of the file.
        last: it is what lay at its path last; another note may have lain there before.
    """
    path, blob = state
    origin = vault.origin
    marks = {path_mark(origin.name, path)} if last else set[str]()
    ids = {note_id(origin.workspace, origin.name, path, 0)} if last else set[UUID]()
    file = vault.file(path, blob)
    try:
        said = vault.reader.parse(file)
        marks.update(marks_of_file(file, said))
        declared = declared_identity(said, origin.workspace)
    except DamalsError:
        declared = None
    if declared is not None:
        ids = {declared.entry_id}
        marks |= {name_mark(declared.external_id)} if declared.external_id else set()
    return _Said(file.digest, frozenset(marks), frozenset(ids))
