"""One commit: which notes it touched, who they are, and what they say."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import cast
from uuid import UUID

from damals.app.history.drawn import Drawn
from damals.app.history.links import LinkState
from damals.app.history.model import Commit, History
from damals.app.history.state import Concerned, Entries, NoteState
from damals.app.history.tree import Touched, Tree
from damals.app.history.waiting import Waiting
from damals.app.ledger_model import SourceNote
from damals.app.ports import Chunker, NoteReader
from damals.app.source_model import ParsedNote, SourceFile
from damals.app.vault.links import taken_over_first
from damals.app.vault.notes import Change, Identity, Note, Origin, aliases_of, read_note
from damals.app.vault.plan import Plan, Scan
from damals.app.vault.record import target_of
from damals.app.vault.relations import Linking, Relations, relations_of, stated
from damals.app.vault.telling import attributes_in
from damals.domain.errors import DamalsError, InvalidInput


@dataclass(frozen=True, slots=True)
class Vault:
    """A vault whose history is replayed: where its files come from, and what is known of it.

    Attributes:
        root: its folder.
        origin: where its notes come from, without a commit.
        erased: marks of the files that say what was erased.
    """

    root: Path
    origin: Origin
    history: History
    reader: NoteReader
    chunker: Chunker
    tree: Tree
    notes: NoteState
    links: LinkState
    waiting: Waiting
    drawn: Drawn
    erased: frozenset[str] = frozenset()

    @property
    def linking(self) -> Linking:
        """What links are resolved with as the notes are now."""
        return Linking(self.origin.workspace, self.links.resolver, self.chunker)

    def file(self, path: str, blob: str) -> SourceFile:
        """A file with the bytes of that name."""
        found = self.history.blob(blob)
        digest = "" if found.data is None else sha256(found.data).hexdigest()
        return SourceFile(path, self.root / path, digest, found.failure, found.data)

    def recall_waiting(self) -> None:
        """Find the files that an earlier run could not take in since another note had their id."""
        self.waiting.found(self._not_told(), self.notes, self.origin.workspace)

    def _not_told(self) -> Iterator[tuple[SourceFile, ParsedNote]]:
        """The files that can be read, and say something else than the note at their path."""
        for one in self.tree.all():
            if one.blob is None:
                continue
            file, note = self.file(one.path, one.blob), self.notes.current_at(one.path)
            if note is not None and note.digest == file.digest:
                continue
            try:
                yield file, self.reader.parse(file)
            except DamalsError:
                continue


@dataclass(frozen=True, slots=True)
class _Canvases:
    """What has changed, as far as canvases go."""

    before: Mapping[UUID, SourceNote]
    vanished: Sequence[SourceNote]
    identified: Sequence[tuple[str, ParsedNote, Identity]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A note that a commit has changed."""

    change: Change
    note: Note
    identity: Identity
    relations: Relations


class CommitPlan:
    """What one commit says to the ledger.

    Attributes:
        failed: files that could not be read, with the reason.
        told: what the files say that could be read.
        healed: links of other notes that mean another note now.
        removed: notes that are there no more.
        loosens: it changes a note that took over from another: what was refused may be told then.
    """

    def __init__(
        self, vault: Vault, commit: Commit, touched: Sequence[Touched], entries: Entries
    ) -> None:
        """Read the files that were touched, and find out who they are."""
        self._vault = vault
        self._commit = commit.sha
        source = vault.origin
        self._origin = replace(source, commit=commit.sha, committed_at=commit.committed_at)
        self.failed: list[tuple[str, DamalsError]] = [
            (one.path, InvalidInput("vault.same_path", path=one.path))
            for one in touched
            if one.twice
        ]
        called = vault.waiting.called(touched, vault.tree)
        touched = [*touched, *called]
        concerned = vault.notes.concerned(touched)
        self.loosens = vault.links.takes_over(one.entry_id for one in concerned)
        files = [vault.file(one.path, one.blob) for one in touched if one.blob is not None]
        plan = Plan(
            Concerned(entries, concerned, vault.erased),
            vault.reader,
            self._origin,
            Scan(files, vault.root),
        )
        for _ in plan.read():
            continue
        vault.waiting.note(plan.failed)
        again = {one.path for one in called}
        self.failed += [one for one in plan.failed if one[0] not in again]
        self._names(plan, concerned)
        canvases = _Canvases(vault.notes.canvases, plan.vanished, plan.identified)
        self._drawings = vault.drawn.after(canvases, vault.links)
        plan.arrange(taken_over_first(plan.identified, source.types, vault.linking, self._drawings))
        self.told = list(self._told(plan))
        self.removed = [self._removal(change) for change in plan.removals()]
        # A text that returns was not looked at while another one could not be read.
        returned = {*plan.unchanged, *self._drawings.turned()}
        self.healed = list(self._healed(returned))

    def _names(self, plan: Plan, concerned: Sequence[SourceNote]) -> None:
        """Let links mean the notes as they are after this commit."""
        links = self._vault.links
        for note in plan.vanished:
            links.drop(note.entry_id)
        for path, parsed, identity in plan.identified:
            names = aliases_of(parsed.fields)
            links.put(identity.entry_id, path, names, identity.external_id)
        read = {identity.entry_id for _, _, identity in plan.identified}
        for note in concerned:
            known = self._vault.notes[note.entry_id]
            if known.path != note.path and note.current and note.entry_id not in read:
                # It was renamed, and what it says there could not be read: it is known there.
                self._vault.notes.put(replace(known, path=note.path))

    def _told(self, plan: Plan) -> Iterator[Reading]:
        for note, identity in plan.take():
            found = self._relations(note, identity.entry_id)
            change = plan.change(note, identity, found.params)
            if change.kind == "changed" and self._was_elsewhere(identity.entry_id, change.path):
                change = replace(change, kind="moved")
            yield Reading(change, note, identity, found)

    def _was_elsewhere(self, entry_id: UUID, path: str) -> bool:
        return self._vault.notes[entry_id].path != path

    def _removal(self, change: Change) -> Change:
        """A removal that names its commit."""
        source = {
            "kind": "vault",
            "name": self._origin.name,
            "path": change.path,
            **self._origin.committed,
        }
        return replace(change, params={**change.params, "source": source})

    def _relations(self, note: Note, entry_id: UUID) -> Relations:
        path = note.file.path
        said = (*note.said, *self._drawings.said_by(entry_id))
        self._vault.links.links_of(entry_id, path, said)
        return relations_of(said, note.parsed.body, (entry_id, path), self._vault.linking)

    # --- links of notes that the commit did not touch

    def _healed(self, turned: Collection[UUID]) -> Iterator[tuple[UUID, Change]]:
        links = self._vault.links
        for entry_id in links.unread:
            self._read_links(entry_id)
        gone = {target_of(change) for change in self.removed}
        read = {one.identity.entry_id for one in self.told} | gone
        for entry_id in links.doubtful(read, {*turned, *links.admissible(read)}):
            note = self._read(entry_id)
            if note is None:
                continue
            found = self._relations(note, entry_id)
            if not links.is_told(entry_id, found.params):
                params = {"op": "correct", "target": str(entry_id), "relations": [*found.params]}
                yield entry_id, Change("healed", note.file.path, params)
        links.settle()

    def _parsed(self, entry_id: UUID) -> tuple[SourceFile, ParsedNote] | None:
        """A note as it was told; ``None`` when its file cannot be read or says something else."""
        known = self._vault.notes[entry_id]
        blob = self._vault.tree.blob_at(known.path)
        if blob is None:
            return None
        file = self._vault.file(known.path, blob)
        if file.digest != known.digest:  # it was refused, and the note is as it was
            return None
        try:
            return file, self._vault.reader.parse(file)
        except DamalsError:
            return None

    def _read(self, entry_id: UUID) -> Note | None:
        found = self._parsed(entry_id)
        return read_note(*found, self._origin) if found else None

    def _read_links(self, entry_id: UUID) -> None:
        """Find out what a note links to that was replayed by an earlier run."""
        found = self._parsed(entry_id)
        said = stated(found[1], self._origin.types).said if found else ()
        said = (*said, *self._drawings.said_by(entry_id))
        self._vault.links.links_of(entry_id, self._vault.notes[entry_id].path, said)

    # --- afterwards

    def changes(self) -> list[Change]:
        """All that is to be stored, in an order in which it can be."""
        told = [one.change for one in self.told]
        return [*told, *(change for _, change in self.healed), *self.removed]

    def keep(self, changes: Iterable[Change]) -> None:
        """Remember what was stored; what was refused is as it was."""
        stored = {target_of(change): change for change in changes}
        for one in self.told:
            entry_id = one.identity.entry_id
            change = stored.get(entry_id)
            if change is not None:
                said = attributes_in(change.params, self._origin)
                self._vault.notes.told(one.note, one.identity, self._commit, said)
                self._vault.links.tell(entry_id, _relations_in(change), one.relations.params)
            elif entry_id not in self._vault.notes:
                self._vault.links.drop(entry_id)
        for entry_id, change in self.healed:
            if entry_id in stored:
                told = _relations_in(stored[entry_id])
                self._vault.links.tell(entry_id, told, _relations_in(change))
        for change in self.removed:
            self._vault.notes.gone(target_of(change))


def _relations_in(change: Change) -> Sequence[Mapping[str, object]]:
    return cast("Sequence[Mapping[str, object]]", change.params.get("relations", ()))
