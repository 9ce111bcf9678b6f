"""What changed in a vault since the last import, and who each note is."""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from damals.app.erased_marks import marks_of_file, name_mark, path_mark, place_mark
from damals.app.ledger_model import At, SourceNote
from damals.app.ports import NoteReader
from damals.app.readmitting import Readmission, next_id
from damals.app.source_model import ParsedNote, SourceFile
from damals.app.vault.known import KnownNotes
from damals.app.vault.notes import (
    Change,
    Identity,
    Note,
    Origin,
    declared_identity,
    read_note,
    says_archived,
)
from damals.app.vault.telling import (
    Taken,
    first_said,
    healed,
    kept_from,
    leaves_out,
    said_again,
    taken,
    taken_over,
    visibility_of,
)
from damals.domain.errors import Conflict, DamalsError, InvalidInput
from damals.domain.ids import note_id
from damals.domain.instants import FOREVER
from damals.domain.params import Params


@dataclass(frozen=True, slots=True)
class Scan:
    """What one run has looked at.

    Attributes:
        files: all that was found there, in order.
        root: folder of the whole source.
        part: path, relative to ``root``, of the folder or file that was looked at; ``""`` for all.
    """

    files: Sequence[SourceFile]
    root: Path
    part: str = ""

    def saw(self, path: str) -> bool:
        """Whether a file at this path would have been found."""
        return _lies_at(path, self.part)

    def has_outside(self, path: str) -> bool:
        """Whether there is a file at this path that was not looked at."""
        return not self.saw(path) and (self.root / path).is_file()


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A file that could be read, with the identity that its frontmatter declares."""

    file: SourceFile
    parsed: ParsedNote
    declared: Identity | None


class Plan:
    """Compares the files of a source with what the ledger knows of them.

    Each file is asked in turn who it is: unchanged files are who they were, then come declared
    ids (a note that already has the id keeps it, else the first in order gets it), then files
    that moved, then paths. What no file claims in the end has vanished.

    Attributes:
        failed: files and folders that could not be read, with the reason.
        overtaken: paths of files that somebody saved between listing and reading them.
        readmission: what was erased and is let in again.
    """

    def __init__(self, reader: KnownNotes, notes: NoteReader, origin: Origin, scan: Scan) -> None:
        """Look at the digest of every file; nothing is read yet."""
        self._reader = reader
        self._notes = notes
        self._origin = origin
        self._scan = scan
        self.failed: list[tuple[str, DamalsError]] = []
        self.overtaken: set[str] = set()
        self.readmission = Readmission()
        self._files: dict[str, SourceFile] = {}
        for file in scan.files:
            if self._files.setdefault(file.path, file) is not file:
                error = InvalidInput(file.failure or "vault.same_path", path=file.path)
                self.failed.append((file.path, error))
        known = reader.source_notes(origin.name)
        self.before = {note.entry_id: note for note in known if note.current}
        self._by_id = {note.entry_id: note for note in known}
        self._by_name = {note.external_id: note for note in known if note.external_id}
        self._known: dict[str, list[SourceNote]] = {}
        for note in sorted(known, key=_recency, reverse=True):
            self._known.setdefault(note.path, []).append(note)
        self._claimed: dict[UUID, str] = {}
        self._unseen: set[str] = set()
        self._foreign: set[UUID] = set()
        self._past: dict[UUID, Taken] = {}
        self._read: list[tuple[_Parsed, Identity]] = []

    def files_to_read(self) -> Iterator[SourceFile]:
        """The files that are new or changed, or that could not be read."""
        return (file for file in self._files.values() if self._unchanged(file) is None)

    def _unchanged(self, file: SourceFile) -> SourceNote | None:
        """The note that a file is, if it still says the same."""
        note = self._here(file.path)
        return note if note is not None and note.digest == file.digest != "" else None

    def _here(self, path: str) -> SourceNote | None:
        """The current note at a path."""
        known = self._known.get(path)
        return known[0] if known and known[0].current else None

    # --- who is who

    def read(self) -> Iterator[None]:
        """Read all files that must be read, one a step, and find out who they are."""
        for file in self._files.values():
            if (note := self._unchanged(file)) is not None:
                self._claimed[note.entry_id] = file.path
        parsed: list[_Parsed] = []
        for file in self.files_to_read():
            try:
                said = self._notes.parse(file)
                declared = declared_identity(said, self._origin.workspace)
                parsed.append(_Parsed(self._as_read(file, said), said, declared))
            except DamalsError as error:
                self._fail(file.path, error)
            yield
        self._identify(parsed)

    def _as_read(self, file: SourceFile, said: ParsedNote) -> SourceFile:
        """A file as it was when it was read: what is told must never bear the digest of other text.

        Else, once it said again what it said when it was listed, it would pass for unchanged.
        """
        if not saved_since(file, said):
            return file
        self.overtaken.add(file.path)
        return replace(file, digest=said.digest)

    def _identify(self, parsed: Sequence[_Parsed]) -> None:
        order = {one.file.path: number for number, one in enumerate(parsed)}
        declared = [(one, self._named(one.declared)) for one in parsed if one.declared]
        # Who already has an id keeps it: a copy of a note must not take over its history.
        for one, identity in sorted(declared, key=lambda pair: not self._stays(*pair)):
            try:
                self._claim(one, identity)
            except DamalsError as error:
                self._fail(one.file.path, error)
        free = [one for one in parsed if one.declared is None]
        moved = self._moves([one.file for one in free])
        for one in free:
            try:
                identity = self._identity(one.file.path, moved)
            except DamalsError as error:
                self._fail(one.file.path, error)
                continue
            self._claimed[identity.entry_id] = one.file.path
            self._read.append((one, identity))
        self._read.sort(key=lambda pair: order[pair[0].file.path])
        self._leave_out_erased()
        for one, identity in self._read:
            self._look_back(one, identity.entry_id)

    def _leave_out_erased(self) -> None:
        """Refuse what would be a new note and says what was erased."""
        marks = {
            identity.entry_id: self._marks(one)
            for one, identity in self._read
            if identity.entry_id not in self._by_id
        }
        erased = self._reader.marked({mark for some in marks.values() for mark in some})
        if self._origin.readmits:
            self.readmission.marks.update(erased)
            return
        for pair in [*self._read] if erased else ():
            one, identity = pair
            if not erased.isdisjoint(marks.get(identity.entry_id, ())):
                self._read.remove(pair)
                del self._claimed[identity.entry_id]
                path = one.file.path
                self._fail(path, Conflict("entry.erased_before", id=path))

    def _marks(self, one: _Parsed) -> frozenset[str]:
        """By what a file may be recognised; one that says who it is, not by its place."""
        file, name = one.file, one.declared.external_id if one.declared else None
        marks = {*marks_of_file(file, one.parsed), place_mark(file.path, file.digest)}
        if one.declared is None:
            marks.add(path_mark(self._origin.name, file.path))
        elif name is not None:
            marks.add(name_mark(name))
        return frozenset(marks)

    def _look_back(self, one: _Parsed, entry_id: UUID) -> None:
        """Ask the log what was said of a note, if it may leave out something that it said."""
        known = self._by_id.get(entry_id)
        if known is not None and leaves_out(one.parsed, known, self._origin):
            self._past[entry_id] = taken(self._reader, entry_id, self._origin.name)

    def _named(self, declared: Identity) -> Identity:
        """The declared identity; a name that the ledger knows means the entry it names there."""
        note = self._by_name.get(declared.external_id) if declared.external_id else None
        if note is not None:
            return Identity(note.entry_id, note.external_id)
        readmitted = self._origin.readmitted
        if declared.entry_id not in readmitted:
            return declared
        self.readmission.entries.add(declared.entry_id)
        entry_id = next_id(self._origin.workspace, declared.entry_id, readmitted)
        return Identity(entry_id, declared.external_id)

    def _stays(self, one: _Parsed, identity: Identity) -> bool:
        note = self._here(one.file.path)
        return note is not None and note.entry_id == identity.entry_id

    def _claim(self, one: _Parsed, identity: Identity) -> None:
        """Give a file the id it declares.

        Raises:
            InvalidInput: ``vault.duplicate_id`` when another file or entry has it.
            Conflict: ``entry.erased_before`` when that entry was erased.
        """
        note = self._by_id.get(identity.entry_id)
        other = self._claimed.get(identity.entry_id)
        if other is None and note is None:
            identity, other = self._elsewhere(identity)
        elif other is None and note is not None and note.current:
            other = note.path if self._scan.has_outside(note.path) else None
        if other is not None:
            name = identity.external_id or str(identity.entry_id)
            raise InvalidInput("vault.duplicate_id", path=one.file.path, id=name, other=other)
        self._claimed[identity.entry_id] = one.file.path
        self._read.append((one, identity))

    def _elsewhere(self, identity: Identity) -> tuple[Identity, str | None]:
        """The identity as the ledger has it from elsewhere, and where it is current, if it is."""
        name = identity.external_id or str(identity.entry_id)
        info = self._reader.find_entry(name)
        if info is not None and info.erased and info.id in self._origin.readmitted:
            info = self._reader.find_entry(str(identity.entry_id))
        if info is None:
            return identity, None
        if info.erased:
            raise Conflict("entry.erased_before", id=name)
        at = At(self._origin.imported_at, FOREVER - 1)
        found = self._reader.latest_version(info.id, at)
        if found is None:
            self._foreign.add(info.id)
            return Identity(info.id, info.external_id), None
        has = found.version.attributes
        return identity, has.source.path or has.title

    def _moves(self, files: Sequence[SourceFile]) -> Mapping[str, SourceNote]:
        """New paths whose file is a vanished note: the same digest, once on either side."""
        gone = [note for note in self.vanished if note.path not in self._files]
        new = [f for f in files if self._here(f.path) is None]
        arrived = Counter(file.digest for file in new)
        left = Counter(note.digest for note in gone)
        by_digest = {note.digest: note for note in gone}
        return {
            file.path: by_digest[file.digest]
            for file in new
            if arrived[file.digest] == left[file.digest] == 1
        }

    def _identity(self, path: str, moved: Mapping[str, SourceNote]) -> Identity:
        """Who a file is that does not say so itself.

        Raises:
            Conflict: ``entry.erased_before`` when the note at this path was erased.
        """
        arrived = [moved[path]] if path in moved else []
        for note in (*arrived, *self._known.get(path, ())):
            if note.entry_id not in self._claimed:
                return Identity(note.entry_id, note.external_id)
        ordinal = 0
        while True:
            candidate = note_id(self._origin.workspace, self._origin.name, path, ordinal)
            ordinal += 1
            if candidate in self._origin.readmitted:
                self.readmission.entries.add(candidate)
                continue
            known = self._reader.find_entry(str(candidate))
            if candidate not in self._claimed and known is None:
                return Identity(candidate)
            if known is not None and known.erased:
                raise Conflict("entry.erased_before", id=path)

    def _fail(self, path: str, error: DamalsError) -> None:
        self.failed.append((path, error))
        self._unseen.add(path)

    # --- what follows

    @property
    def vanished(self) -> list[SourceNote]:
        """Current notes that no file is any more, by path.

        A note that may still be there is none of them: one outside of what was looked at, at a
        path that could not be read, or in a folder that could not be listed.
        """
        return [
            note
            for note in self.before.values()
            if note.entry_id not in self._claimed
            and self._scan.saw(note.path)
            and not self._may_be_there(note.path)
        ]

    def _may_be_there(self, path: str) -> bool:
        return any(_lies_at(path, unseen) for unseen in self._unseen)

    @property
    def unchanged(self) -> Mapping[UUID, SourceFile]:
        """The files that say what they said, by the note they are."""
        notes = ((self._unchanged(file), file) for file in self._files.values())
        return {note.entry_id: file for note, file in notes if note is not None}

    @property
    def identified(self) -> Sequence[tuple[str, ParsedNote, Identity]]:
        """Path, text and identity of the files that were read."""
        return [(one.file.path, one.parsed, identity) for one, identity in self._read]

    def arrange(self, rank: Mapping[UUID, int]) -> None:
        """Let the files that were read be taken in another order: that of the notes they are."""
        self._read.sort(key=lambda pair: rank[pair[1].entry_id])

    def take(self) -> Iterator[tuple[Note, Identity]]:
        """What each file that was read says; each is let go of when the next one is asked for."""
        waiting = deque(self._read)
        self._read.clear()
        while waiting:
            one, identity = waiting.popleft()
            yield read_note(one.file, one.parsed, self._origin), identity

    def change(self, note: Note, identity: Identity, relations: Sequence[object]) -> Change:
        """The operation that tells the ledger what a note says now."""
        known, path = self._by_id.get(identity.entry_id), note.file.path
        past = self._past.get(identity.entry_id, Taken())
        if known is not None:
            params = said_again(note, known, past, relations)
        elif identity.entry_id in self._foreign:
            params = taken_over(note, identity, relations)
        else:
            params = first_said(note, identity, relations)
        params |= visibility_of(note, known, past, self._origin.types)
        params |= kept_from(note, known, past, self._origin.types)
        kind = "added" if known is None else "changed" if known.path == path else "moved"
        return Change(kind, path, params, len(note.parsed.body), says_archived(note.parsed))

    def reread(self, file: SourceFile) -> Note:
        """An unchanged file, read once more.

        Raises:
            InvalidInput: it cannot be read.
        """
        return read_note(file, self._notes.parse(file), self._origin)

    def said_anew(
        self, entry_id: UUID, note: Note, relations: Sequence[object] | None
    ) -> Change | None:
        """What an unchanged file says that was not read from it before; ``None`` for nothing."""
        return healed(note, self._by_id[entry_id], relations)

    def removals(self) -> list[Change]:
        """Vanished notes stop being known."""
        return [Change("removed", note.path, _retraction(note.entry_id)) for note in self.vanished]


def saved_since(file: SourceFile, said: ParsedNote) -> bool:
    """Whether somebody saved a file between listing and reading it."""
    return said.digest not in ("", file.digest)


def _retraction(entry_id: UUID) -> Params:
    return {"op": "retract", "target": str(entry_id)}


def _recency(note: SourceNote) -> tuple[bool, int]:
    """Of several notes that had one path, the last one is it: the current, newest import."""
    return (note.current, note.attributes.source.imported_at or 0)


def _lies_at(path: str, place: str) -> bool:
    """Whether a path is a place or lies below it; every path lies below ``""``."""
    return not place or path == place or path.startswith(f"{place}/")
