"""Taking in a vault: find what changed, tell the ledger, leave every file as it is.

An unchanged file costs one hash. A file that cannot be read is reported and the rest goes on.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final
from uuid import UUID

from damals.app.chunking import RememberingChunker
from damals.app.events import seconds_since
from damals.app.indexing import Listener
from damals.app.ports import Ledger, NoteReader
from damals.app.record import Recording, Request, Tools
from damals.app.results import Failure, ImportReport, Progress
from damals.app.vault_links import LinkPlan
from damals.app.vault_notes import Change, Note, Origin, link_relations
from damals.app.vault_place import find_place
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

        What lies inside a folder that is known as a source is imported as a part of that source,
        unless another name is given; nothing outside of the part changes.

        Raises:
            NotFound: ``source.missing``.
            InvalidInput: ``source.not_a_folder``, ``vault.unreadable`` for the folder itself.
            Conflict: ``source.name_taken`` when another folder is known under this name.
        """
        started = self._tools.clock()
        files = list(self._notes.scan(path))
        with self._ledger.read(self._workspace) as reader:
            place = find_place(reader, path, self._options.name)
            zone = load_zone(reader.workspace().zone)
            uri = place.root.as_uri()
            origin = Origin(self._workspace, place.name, uri, zone, started)
            plan = Plan(reader, self._notes, origin, place.scan(files))
            todo = sum(1 for _ in plan.files_to_read())
            for number, _ in enumerate(plan.read(), start=1):
                listen(Progress("read", number, todo, "files"))
            links = LinkPlan(plan, reader.links(place.name), prune=self._options.prune)
        removed = plan.vanished
        self._take_in(plan, links, listen)
        return self._report(plan, place.name, len(removed), started)

    def _take_in(self, plan: Plan, links: LinkPlan, listen: Listener) -> None:
        """Say what changed; in the order in which an interrupted run can be taken up again.

        Links of unchanged notes come first: as long as the notes that they wait for are missing,
        the next run finds the same links in doubt.
        """
        for path, error in plan.failed:
            self._fail(path, error)
        healed = list(self._healed(plan, links))
        removals = plan.removals() if self._options.prune else []
        total = len(healed) + len(plan.identified) + len(removals)
        changes = chain(healed, self._changes(plan, links), removals)
        if self._options.dry_run:
            self._tally.counts.update(change.kind for change in changes)
        else:
            self._store(changes, total, listen)

    def _changes(self, plan: Plan, links: LinkPlan) -> Iterator[Change]:
        """What the new and changed files say, with links resolved among all notes."""
        for note, identity in plan.take():
            self._warn(note)
            yield plan.change(note, identity, self._relations(note, identity.entry_id, links))

    def _healed(self, plan: Plan, links: LinkPlan) -> Iterator[Change]:
        """Unchanged notes with a link that means another note now: their relations, said anew."""
        here = plan.unchanged
        for entry_id in links.doubtful:
            file = here[entry_id]
            try:
                relations = self._relations(plan.reread(file), entry_id, links)
            except DamalsError as error:
                self._fail(file.path, error)
                continue
            if not links.is_said(entry_id, relations):
                params = {"op": "correct", "target": str(entry_id), "relations": relations}
                yield Change("healed", file.path, params)

    def _relations(
        self, note: Note, entry_id: UUID, links: LinkPlan
    ) -> Sequence[Mapping[str, object]]:
        chunker = self._tools.chunker
        return link_relations(note, entry_id, links.resolver, chunker, self._workspace)

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

    def _store(self, changes: Iterable[Change], total: int, listen: Listener) -> None:
        done = 0
        for batch in _batches(changes):
            done += len(batch)
            self._store_batch(batch)
            listen(Progress("store", done, total, "notes"))

    def _store_batch(self, batch: list[Change]) -> None:
        """One transaction; a note that the ledger refuses is left out and reported."""
        counts = self._tally.counts
        while batch:
            with self._ledger.write(self._workspace) as writer:
                recording = Recording(writer, self._tools, Request((), actor="import"))
                refused = self._first_refused(recording, batch)
                if refused is None:
                    recorded = recording.store()
                    done = zip(batch, recorded.outcomes, strict=True)
                    counts.update(change.kind for change, made in done if not made.unchanged)
                    counts.update(chunks=recorded.chunks, edges=recorded.edges)
                    return
            batch.remove(refused)

    def _first_refused(self, recording: Recording, batch: Sequence[Change]) -> Change | None:
        """Add the changes to a transaction; the one that cannot be done is reported."""
        for change in batch:
            try:
                recording.add(change.params)
            except Refusal as error:
                self._fail(change.path, error)
                return change
        return None

    def _report(self, plan: Plan, name: str, removed: int, started: int) -> ImportReport:
        counts = self._tally.counts
        return ImportReport(
            source=name,
            added=counts["added"],
            changed=counts["changed"],
            moved=counts["moved"],
            removed=removed,
            unchanged=len(plan.unchanged),
            failed=tuple(self._tally.failed),
            late=(),
            chunks=counts["chunks"],
            edges=counts["edges"],
            pending_vectors=0,
            seconds=seconds_since(started, self._tools.clock),
            warnings=tuple(self._tally.warnings),
        )


def _batches(changes: Iterable[Change]) -> Iterator[list[Change]]:
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
