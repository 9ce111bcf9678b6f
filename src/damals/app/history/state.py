"""What the ledger knows of a source while its history is replayed: kept up, never read again."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast
from uuid import UUID

from damals.app import arrows
from damals.app.history.tree import Touched
from damals.app.ledger_model import At, EntryInfo, Found, SourceNote, StoredTransaction
from damals.app.vault.file_kinds import is_canvas
from damals.app.vault.known import Log
from damals.app.vault.notes import Identity, Note
from damals.domain.entries import Attributes, Json, Source


class Entries(Log, Protocol):
    """What tells who is who beyond the notes of a commit; every reader of the ledger does."""

    def find_entry(self, id_or_external_id: str) -> EntryInfo | None:
        """The entry of this name."""
        ...

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """Its version that holds last."""
        ...


class NoteState:
    """The notes of a source by path, those that are gone among them."""

    def __init__(self, notes: Iterable[SourceNote]) -> None:
        """Begin with what the ledger knows."""
        self._notes: dict[UUID, SourceNote] = {}
        self._at: dict[str, list[UUID]] = {}
        self._canvases: dict[UUID, SourceNote] = {}
        for note in sorted(notes, key=_recency):
            self.put(replace(note, attributes=_short(note.attributes)))

    def __iter__(self) -> Iterator[SourceNote]:
        """All that are there."""
        return (note for note in self._notes.values() if note.current)

    def __contains__(self, entry_id: UUID) -> bool:
        """Whether this note is there."""
        note = self._notes.get(entry_id)
        return note is not None and note.current

    def __getitem__(self, entry_id: UUID) -> SourceNote:
        """A note by its id."""
        return self._notes[entry_id]

    @property
    def canvases(self) -> Mapping[UUID, SourceNote]:
        """The canvases that are there."""
        return self._canvases

    def put(self, note: SourceNote) -> None:
        """A note as it is known now."""
        old = self._notes.get(note.entry_id)
        if old is not None:
            self._at[old.path].remove(note.entry_id)
        self._notes[note.entry_id] = note
        self._canvases.pop(note.entry_id, None)
        if note.current and is_canvas(note.path):
            self._canvases[note.entry_id] = note
        self._at.setdefault(note.path, []).append(note.entry_id)

    def current_at(self, path: str) -> SourceNote | None:
        """The note that is at a path."""
        there = [self._notes[one] for one in self._at.get(path, ())]
        return next((note for note in reversed(there) if note.current), None)

    def concerned(self, touched: Sequence[Touched]) -> Sequence[SourceNote]:
        """The notes that files which were touched can be; those that were renamed, at their path.

        The digest of these is left out, so that they are read and told where they are.
        """
        renamed: dict[UUID, str] = {}
        for one in touched:
            note = self.current_at(one.came_from) if one.came_from else None
            if note is not None:
                renamed[note.entry_id] = one.path
        newest_first = (reversed(self._at.get(one.path, ())) for one in touched)
        here = dict.fromkeys(entry_id for some in newest_first for entry_id in some)
        found = [replace(self._notes[one], path=path, digest="") for one, path in renamed.items()]
        return [*(self._notes[one] for one in here if one not in renamed), *found]

    def told(self, note: Note, identity: Identity, commit: str, said: Mapping[str, object]) -> None:
        """A note was read and stored.

        Args:
            note: what it says.
            identity: who it is.
            commit: that said it.
            said: the attributes that were told, by name.
        """
        source = Source(
            declared_from=note.declared_from, declared_to=note.declared_to, commit=commit
        )
        properties = _kept(cast("Mapping[str, Json]", note.fields["properties"]))
        known = self._notes.get(identity.entry_id)
        has = Attributes("") if known is None else known.attributes
        told: dict[str, Any] = {**said, "title": note.parsed.title, "properties": properties}
        path, digest = note.file.path, note.file.digest
        known = SourceNote(
            *(identity.entry_id, identity.external_id, path, digest),
            replace(has, source=source, **told),
            current=True,
        )
        self.put(known)

    def gone(self, entry_id: UUID) -> None:
        """A note is there no more."""
        self.put(replace(self._notes[entry_id], current=False))


class Concerned:
    """A reader that knows no more notes than a commit concerns."""

    def __init__(
        self, entries: Entries, notes: Sequence[SourceNote], erased: frozenset[str]
    ) -> None:
        """Take them as they are.

        Args:
            entries: the ledger.
            notes: which are concerned.
            erased: marks of the files that say what was erased.
        """
        self._entries = entries
        self._notes = notes
        self._erased = erased

    def marked(self, marks: Collection[str]) -> frozenset[str]:
        """Those of some marks that are of what was erased."""
        return self._erased.intersection(marks)

    def find_entry(self, id_or_external_id: str) -> EntryInfo | None:
        """The entry of this name."""
        return self._entries.find_entry(id_or_external_id)

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """Its version that holds last."""
        return self._entries.latest_version(entry_id, at)

    def unrestricted(self) -> Log:
        """The log with nothing hidden."""
        return self._entries.unrestricted()

    def log(
        self, *, entry_id: UUID | None = None, key: str | None = None, after: int = 0
    ) -> Iterator[StoredTransaction]:
        """The transactions, in order."""
        return self._entries.log(entry_id=entry_id, key=key, after=after)

    def source_notes(self, source: str) -> Sequence[SourceNote]:
        """The notes that are concerned."""
        del source
        return self._notes


def _short(attributes: Attributes) -> Attributes:
    """What a replay needs of them."""
    source = attributes.source
    return replace(
        attributes,
        content="",
        properties=_kept(attributes.properties),
        source=Source(
            declared_from=source.declared_from,
            declared_to=source.declared_to,
            commit=source.commit,
        ),
    )


def _kept(properties: Mapping[str, Json]) -> Mapping[str, Json]:
    return {name: properties[name] for name in ("aliases", arrows.PROPERTY) if name in properties}


def _recency(note: SourceNote) -> tuple[int, int]:
    source = note.attributes.source
    return source.imported_at or 0, source.committed_at or 0
