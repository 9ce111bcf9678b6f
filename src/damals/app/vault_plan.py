"""What changed in a vault since the last import, and who each note is."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from uuid import UUID

from damals.app.ledger_model import SourceNote
from damals.app.linking import LinkResolver
from damals.app.ports import LedgerReader, NoteReader
from damals.app.source_model import SourceFile
from damals.app.vault_notes import (
    Change,
    Identity,
    Note,
    Origin,
    aliases_of,
    declared_identity,
    read_note,
)
from damals.domain.errors import InvalidInput
from damals.domain.ids import note_id
from damals.domain.params import Params

Linker = Callable[[Note, UUID, LinkResolver], Sequence[object]]


class Plan:
    """Compares the files of a source with what the ledger knows of them."""

    def __init__(
        self,
        reader: LedgerReader,
        notes: NoteReader,
        origin: Origin,
        files: Sequence[SourceFile],
        *,
        whole: bool,
    ) -> None:
        """Look at every file once.

        Args:
            reader: of the workspace.
            notes: reads the files.
            origin: of this run.
            files: all files of the source, or the one that is imported alone.
            whole: ``files`` are all there are, so a known note without a file has vanished.
        """
        self._reader = reader
        self._notes = notes
        self._origin = origin
        self._files = {file.path: file for file in files}
        self._known = {note.path: note for note in reader.source_notes(origin.name)}
        self._by_id = {note.entry_id: note for note in self._known.values()}
        self._taken: dict[UUID, str] = {}
        current = [note for note in self._known.values() if note.current]
        self.vanished = [n for n in current if n.path not in self._files] if whole else []
        self._moved = self._moves()
        moved_from = {note.path for note in self._moved.values()}
        self.vanished = [note for note in self.vanished if note.path not in moved_from]

    @property
    def unchanged(self) -> int:
        """How many files say what they said."""
        return len(self._files) - len(self.to_read())

    def to_read(self) -> list[SourceFile]:
        """The files that are new or changed, or that could not be read."""
        return [file for file in self._files.values() if not self._is_known(file)]

    def _is_known(self, file: SourceFile) -> bool:
        note = self._known.get(file.path)
        return note is not None and note.current and note.digest == file.digest != ""

    def _moves(self) -> dict[str, SourceNote]:
        """New paths whose file is a vanished note: the same digest, once on either side."""
        new = [f for f in self._files.values() if f.digest and f.path not in self._known]
        arrived = Counter(file.digest for file in new)
        left = Counter(note.digest for note in self.vanished)
        by_digest = {note.digest: note for note in self.vanished}
        return {
            file.path: by_digest[file.digest]
            for file in new
            if arrived[file.digest] == 1 and left[file.digest] == 1
        }

    def read(self, file: SourceFile) -> tuple[Note, Identity]:
        """What a file says and who it is.

        Raises:
            InvalidInput: it cannot be read, or another file has the same ``id``.
        """
        parsed = self._notes.parse(file)
        declared = declared_identity(parsed, self._origin.workspace)
        identity = declared or self._identity(file)
        other = self._taken.get(identity.entry_id) or self._elsewhere(identity, file)
        if other is not None:
            name = identity.external_id or str(identity.entry_id)
            raise InvalidInput("vault.duplicate_id", path=file.path, id=name, other=other)
        self._taken[identity.entry_id] = file.path
        return read_note(file, parsed, self._origin), identity

    def _elsewhere(self, identity: Identity, file: SourceFile) -> str | None:
        """The path of another, present file that is already this note."""
        note = self._by_id.get(identity.entry_id)
        elsewhere = note is not None and note.path != file.path and note.path in self._files
        return note.path if note is not None and elsewhere else None

    def _identity(self, file: SourceFile) -> Identity:
        known = self._known.get(file.path) or self._moved.get(file.path)
        if known is not None:
            return Identity(known.entry_id, known.external_id)
        ordinal = 0
        while True:
            candidate = note_id(self._origin.workspace, self._origin.name, file.path, ordinal)
            if candidate not in self._taken and self._reader.find_entry(str(candidate)) is None:
                return Identity(candidate)
            ordinal += 1

    def resolver(self, read: Iterable[tuple[Note, Identity]]) -> LinkResolver:
        """Resolves links among all notes of the source, as they will be."""
        paths: dict[str, UUID] = {}
        names: list[tuple[str, UUID]] = []
        read = list(read)
        fresh = {identity.entry_id for _, identity in read}
        for note in self._known.values():
            if note.current and note.entry_id not in fresh:
                paths[note.path] = note.entry_id
                properties = note.attributes.properties
                names += [(alias, note.entry_id) for alias in aliases_of(properties)]
        for note, identity in read:
            paths[note.file.path] = identity.entry_id
            properties = note.parsed.fields
            names += [(alias, identity.entry_id) for alias in aliases_of(properties)]
        return LinkResolver(paths, names)

    def change(self, note: Note, identity: Identity, relations: Sequence[object]) -> Change:
        """The operation that tells the ledger what a note says now."""
        known = self._by_id.get(identity.entry_id)
        params: dict[str, object] = {**note.fields, "relations": list(relations)}
        size = len(note.parsed.body)
        if known is None:
            params |= {"op": "remember", "id": str(identity.entry_id)}
            params |= {"valid_from": note.declared_from, "valid_to": note.declared_to}
            if identity.external_id is not None:
                params["external_id"] = identity.external_id
            return Change("added", note.file.path, params, size)
        params |= {"op": "correct", "target": str(identity.entry_id)}
        source = known.attributes.source
        declared = (source.declared_from, source.declared_to)
        if not known.current or declared != (note.declared_from, note.declared_to):
            params |= {"valid_from": note.declared_from, "valid_to": note.declared_to}
        kind = "changed" if known.path == note.file.path else "moved"
        return Change(kind, note.file.path, params, size)

    def healed(self, resolver: LinkResolver, fresh: set[UUID], link: Linker) -> Iterator[Change]:
        """Unchanged notes with a link that leads somewhere now: their relations, said anew."""
        waiting: dict[UUID, list[str]] = {}
        for entry_id, target in self._reader.unresolved(self._origin.name):
            waiting.setdefault(entry_id, []).append(target)
        for entry_id, targets in waiting.items():
            known = self._by_id.get(entry_id)
            file = self._files.get(known.path) if known else None
            if known is None or file is None or entry_id in fresh:
                continue
            found = (resolver.resolve(target, known.path).entry_id for target in targets)
            if any(entry is not None for entry in found):
                note = read_note(file, self._notes.parse(file), self._origin)
                relations = list(link(note, entry_id, resolver))
                params: Params = {
                    "op": "correct", "target": str(entry_id), "relations": relations,
                }  # fmt: skip
                yield Change("healed", known.path, params)

    def removals(self) -> Iterator[Change]:
        """Vanished notes stop being known."""
        for note in self.vanished:
            params: Params = {"op": "retract", "target": str(note.entry_id)}
            yield Change("removed", note.path, params)
