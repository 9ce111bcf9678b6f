"""Taking in a vault: find what changed, tell the ledger, leave every file as it is.

An unchanged file costs one hash. A file that cannot be read is reported and the rest goes on.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname
from uuid import UUID

from damals.app.chunking import RememberingChunker
from damals.app.events import seconds_since
from damals.app.indexing import Listener
from damals.app.linking import LinkResolver
from damals.app.ports import Ledger, LedgerReader, NoteReader
from damals.app.record import Recording, Request, Tools
from damals.app.results import Failure, ImportReport, Progress
from damals.app.vault_notes import Change, Identity, Note, Origin, link_relations
from damals.app.vault_plan import Plan
from damals.domain.errors import Conflict, DamalsError, InvalidInput, NotFound
from damals.domain.zones import load_zone

BATCH_NOTES: Final = 200
BATCH_CHARACTERS: Final = 4_000_000
"""A transaction takes in so many notes or so much text, whichever comes first."""

Refusal = (InvalidInput, NotFound, Conflict)


@dataclass(frozen=True, slots=True)
class Options:
    """How to import.

    Attributes:
        name: of the source; the folder's name when ``None``.
        dry_run: tell what would happen and store nothing.
        prune: notes whose files are gone stop being known; else they are only counted.
    """

    name: str | None = None
    dry_run: bool = False
    prune: bool = False


@dataclass(slots=True)
class _Tally:
    """What happened so far."""

    counts: Counter[str] = field(default_factory=Counter[str])
    failed: list[Failure] = field(default_factory=list[Failure])
    warnings: list[Failure] = field(default_factory=list[Failure])


class VaultImport:
    """One run over one folder or file."""

    def __init__(
        self, ledger: Ledger, workspace: str, notes: NoteReader, tools: Tools, options: Options
    ) -> None:
        self._ledger = ledger
        self._workspace = workspace
        self._notes = notes
        self._tools = Tools(RememberingChunker(tools.chunker), tools.clock)
        self._options = options
        self._tally = _Tally()

    def run(self, path: Path, listen: Listener) -> ImportReport:
        """Import the folder or the one file at ``path``.

        Raises:
            NotFound: ``source.missing``.
            InvalidInput: ``source.not_a_folder``.
            Conflict: ``source.name_taken`` when another folder is known under this name.
        """
        started = self._tools.clock()
        root = path if path.is_dir() else path.parent
        files = list(self._notes.scan(path))
        with self._ledger.read(self._workspace) as reader:
            origin = self._origin(reader, root, started)
            plan = Plan(reader, self._notes, origin, files, whole=path.is_dir())
            changes = list(self._changes(plan, listen))
        if not self._options.dry_run:
            self._store(changes, listen)
        else:
            self._tally.counts.update(change.kind for change in changes)
        return self._report(origin.name, plan, started)

    def _origin(self, reader: LedgerReader, root: Path, now: int) -> Origin:
        location = root.resolve()
        name = self._options.name or location.name or "vault"
        known = {note.attributes.source.uri for note in reader.source_notes(name)}
        for uri in known - {None, location.as_uri()}:
            if uri is not None and _folder(uri).is_dir():
                raise Conflict("source.name_taken", name=name, known=uri, path=str(location))
        zone = load_zone(reader.workspace().zone)
        return Origin(self._workspace, name, location.as_uri(), zone, now)

    def _changes(self, plan: Plan, listen: Listener) -> Iterator[Change]:
        """Read what is new or changed, then say so with links resolved among all notes."""
        read: list[tuple[Note, Identity]] = []
        todo = plan.to_read()
        for number, file in enumerate(todo, start=1):
            try:
                read.append(plan.read(file))
            except DamalsError as error:
                self._fail(file.path, error)
            listen(Progress("read", number, len(todo), "files"))
        resolver = plan.resolver(read)
        for note, identity in read:
            self._warn(note)
            relations = link_relations(
                note, identity.entry_id, resolver, self._tools.chunker, self._workspace
            )
            yield plan.change(note, identity, relations)
        yield from plan.healed(resolver, {identity.entry_id for _, identity in read}, self._link)
        if self._options.prune:
            yield from plan.removals()

    def _link(self, note: Note, entry_id: UUID, resolver: LinkResolver) -> Sequence[object]:
        return link_relations(note, entry_id, resolver, self._tools.chunker, self._workspace)

    def _fail(self, path: str, error: DamalsError) -> None:
        line = error.values.get("line")
        self._tally.failed.append(
            Failure(path, line if isinstance(line, int) else None, str(error))
        )

    def _warn(self, note: Note) -> None:
        for key, values in note.warnings:
            line = values.get("line")
            reason = str(InvalidInput(key, **values))
            number = line if isinstance(line, int) else None
            self._tally.warnings.append(Failure(note.file.path, number, reason))

    def _store(self, changes: Sequence[Change], listen: Listener) -> None:
        done = 0
        for batch in _batches(changes):
            self._store_batch(list(batch))
            done += len(batch)
            listen(Progress("store", done, len(changes), "notes"))

    def _store_batch(self, batch: list[Change]) -> None:
        """One transaction; a note that the ledger refuses is left out and reported."""
        while batch:
            current = batch[0]
            try:
                with self._ledger.write(self._workspace) as writer:
                    request = Request((), actor="import")
                    recording = Recording(writer, self._tools, request)
                    for current in batch:
                        recording.add(current.params)
                    recorded = recording.store()
            except Refusal as error:
                self._fail(current.path, error)
                batch.remove(current)
            else:
                self._tally.counts.update(change.kind for change in batch)
                self._tally.counts.update(chunks=recorded.chunks, edges=recorded.edges)
                return

    def _report(self, name: str, plan: Plan, started: int) -> ImportReport:
        counts = self._tally.counts
        return ImportReport(
            source=name,
            added=counts["added"],
            changed=counts["changed"],
            moved=counts["moved"],
            removed=len(plan.vanished),
            unchanged=plan.unchanged,
            failed=tuple(self._tally.failed),
            late=(),
            chunks=counts["chunks"],
            edges=counts["edges"],
            pending_vectors=0,
            seconds=seconds_since(started, self._tools.clock),
            warnings=tuple(self._tally.warnings),
        )


def _folder(uri: str) -> Path:
    """The folder that a ``file:`` address names."""
    return Path(url2pathname(urlsplit(uri).path))


def _batches(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    batch: list[Change] = []
    size = 0
    for change in changes:
        if batch and (len(batch) >= BATCH_NOTES or size + change.size > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(change)
        size += change.size
    if batch:
        yield batch
