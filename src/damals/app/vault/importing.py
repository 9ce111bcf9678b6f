"""Taking in a vault: find what changed, tell the ledger, leave every file as it is.

An unchanged file costs one hash. A file that cannot be read is reported and the rest goes on.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Final
from uuid import UUID

from damals.app.commands import Where
from damals.app.events import seconds_since
from damals.app.indexing import Listener
from damals.app.ledger_model import EVERYTHING
from damals.app.ledger_port import Ledger
from damals.app.planning_import import misaligned
from damals.app.readings import Due, due, reading_key
from damals.app.record import Request, Tools
from damals.app.results import Failure, ImportReport, Progress
from damals.app.source_model import SourceFile
from damals.app.vault.links import LinkPlan, taken_over_first
from damals.app.vault.notes import Change, Note, Origin, says_archived
from damals.app.vault.place import find_place
from damals.app.vault.plan import Plan, saved_since
from damals.app.vault.record import store
from damals.app.vault.relations import Linking, Relations, relations_of
from damals.app.vault.run import Options, VaultRun, Vaults
from damals.app.vault.settled import Settled
from damals.domain.errors import DamalsError, InvalidInput
from damals.domain.zones import load_zone

BATCH_NOTES: Final = 200
BATCH_CHARACTERS: Final = 4_000_000
"""A transaction takes in so many notes or so much text, whichever comes first."""


@dataclass(slots=True)
class _Tally:
    """What happened so far.

    Attributes:
        stored: transactions.
        read: unchanged notes that were read once more.
        refused: notes of which a relation was refused, or that somebody saved when they were to be
            read once more, so that the next run tries again.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    failed: list[Failure] = field(default_factory=list[Failure])
    warnings: list[Failure] = field(default_factory=list[Failure])
    stored: int = 0
    read: set[UUID] = field(default_factory=set[UUID])
    refused: set[UUID] = field(default_factory=set[UUID])


class VaultImport(VaultRun):
    """One run over one folder or file."""

    def __init__(
        self, ledger: Ledger, workspace: str, vaults: Vaults, tools: Tools, options: Options
    ) -> None:
        super().__init__(ledger, workspace, vaults, tools, options)
        self._tally = _Tally()

    def run(self, path: Path, listen: Listener) -> ImportReport:
        """Import the folder or the one file at ``path``.

        What lies inside a folder that is known as a source is imported as a part of that source,
        unless another name is given; nothing outside of the part changes.

        Raises:
            NotFound: ``source.missing``.
            InvalidInput: ``source.not_a_folder``, ``vault.unreadable`` for the folder itself,
                ``types.*`` for a wrong ``types.yaml``.
            Conflict: ``source.name_taken`` when another folder is known under this name,
                ``source.erased_before``.
        """
        started = self._tools.clock()
        notes = self._vaults.notes
        files = list(notes.scan(path))
        settled = self._settled(path, files)
        if settled.now():
            self.root = path.resolve()
            return self._report(settled.source, len(files), 0, started)
        with self._ledger.read(self._workspace, self._options.access) as reader:
            begun = reader.head()
            place = find_place(reader, path, self._options.name)
            self.root = place.root
            types = self._vaults.types.load(place.root).catalogue
            self._tools = replace(self._tools, types=lambda: types)
            last = self._vaults.readings.get(self._reading_name(place))
            again = due(reader, last, reading_key(types))
            zone = load_zone(reader.workspace().zone)
            origin = Origin(self._workspace, place.name, place.root.as_uri(), zone, started, types)
            plan = Plan(reader, notes, self._returning(origin, reader), place.scan(files))
            todo = sum(1 for _ in plan.files_to_read())
            for number, _ in enumerate(plan.read(), start=1):
                listen(Progress("read", number, todo, "files"))
            archived = reader.archived_at(list(plan.before), EVERYTHING)
            told = reader.links(place.name)
            links = LinkPlan(plan, told, types, prune=self._options.prune)
        self._ask_for(place, types)
        self._readmit(plan.readmission)
        removed = plan.vanished
        linking = Linking(self._workspace, links.resolver, self._tools.chunker)
        plan.arrange(taken_over_first(plan.identified, types, linking, links.drawings))
        read = {identity.entry_id for _, _, identity in plan.identified}
        for file, problem in misaligned(plan, place.name, Where.of(self._workspace)):
            self._advise(file, problem)
        self._take_in(plan, _Told(links, linking, again, frozenset(archived)), listen)
        read |= self._tally.read
        unread = {note for note in plan.before if again.includes(note) and note not in read}
        self._remember(place, again, unread | self._tally.refused)
        left = self._tally.failed or self._tally.refused or removed or plan.overtaken
        if not (left or self._options.dry_run):
            settled.keep(place, types, begun, self._tally.stored)
        return self._report(place.name, len(plan.unchanged), len(removed), started)

    def _settled(self, path: Path, files: Sequence[SourceFile]) -> Settled:
        """What of a folder is known as it is."""
        vaults, options = self._vaults, self._options
        what = (path, files, options.name, options.access)
        return Settled(self._ledger, vaults.readings, vaults.types, self._workspace, *what)

    def _take_in(self, plan: Plan, told: "_Told", listen: Listener) -> None:
        """Say what changed; in the order in which an interrupted run can be taken up again.

        Links of unchanged notes come first: as long as the notes that they wait for are missing,
        the next run finds the same links in doubt. Those that take over from another note wait
        until that note has been told.
        """
        for path, error in plan.failed:
            self._fail(path, error)
        first: list[Change] = []
        last: list[Change] = []
        for change, cuts in self._healed(plan, told):
            (last if cuts else first).append(change)
        removals = plan.removals() if self._options.prune else []
        total = len(first) + len(last) + len(plan.identified) + len(removals)
        changes = chain(first, self._changes(plan, told), last, removals)
        if self._options.dry_run:
            self._tally.counts.update(change.kind for change in changes)
        else:
            self._store(changes, total, listen)

    def _changes(self, plan: Plan, told: "_Told") -> Iterator[Change]:
        """What the new and changed files say, with links resolved among all notes."""
        for note, identity in plan.take():
            self._warn(note)
            if identity.entry_id in told.archived and not says_archived(note.parsed):
                path = note.file.path
                self._advise(path, InvalidInput("vault.stays_archived", path=path))
            relations = self._relations(note, identity.entry_id, told)
            yield plan.change(note, identity, relations.params)

    def _healed(self, plan: Plan, told: "_Told") -> Iterator[tuple[Change, bool]]:
        """What unchanged notes say otherwise now, and whether that takes over from another note.

        Those with a link that means another note now, and those that were read with other types.
        """
        doubtful = set(told.links.doubtful)
        for entry_id, file in plan.unchanged.items():
            again = told.again.includes(entry_id)
            if not again and entry_id not in doubtful:
                continue
            try:
                note = plan.reread(file)
            except DamalsError as error:
                self._fail(file.path, error)
                continue
            if saved_since(file, note.parsed):
                self._tally.refused.add(entry_id)  # the next run finds it changed, or reads it
                continue
            if again:
                self._warn(note)
                self._tally.read.add(entry_id)
            relations = self._relations(note, entry_id, told)
            known = told.links.is_said(entry_id, relations.params)
            change = plan.said_anew(entry_id, note, None if known else relations.params)
            if change is not None:
                yield change, relations.cut

    def _relations(self, note: Note, entry_id: UUID, told: "_Told") -> Relations:
        path = note.file.path
        said = (*note.said, *told.links.drawings.said_by(entry_id))
        found = relations_of(said, note.parsed.body, (entry_id, path), told.linking)
        for key, values in found.warnings:
            self._advise(path, InvalidInput(key, **values), values.get("line"))
        return found

    def _fail(self, path: str, error: DamalsError) -> None:
        line = error.values.get("line")
        self._tally.failed.append(
            Failure(path, line if isinstance(line, int) else None, str(error))
        )

    def _warn(self, note: Note) -> None:
        for key, values in note.warnings:
            line = values.get("line")
            self._advise(note.file.path, InvalidInput(key, **values), line)

    def _advise(self, path: str, problem: DamalsError, line: object = None) -> None:
        """Report what did not stop a note."""
        number = line if isinstance(line, int) else None
        self._tally.warnings.append(Failure(path, number, str(problem)))

    def _store(self, changes: Iterable[Change], total: int, listen: Listener) -> None:
        done = 0
        for batch in _batches(changes):
            done += len(batch)
            self._store_batch(batch)
            listen(Progress("store", done, total, "notes"))

    def _store_batch(self, batch: Sequence[Change]) -> None:
        """One transaction; a note that the ledger refuses is left out and reported."""
        with self._ledger.write(self._workspace, self._options.access) as writer:
            request = Request((), self._options.actor, self._options.reason)
            stored = store(writer, self._tools, request, batch)
        self._tally.stored += stored.recorded.number is not None
        for one in stored.tally(self._tally.counts, self._tally.refused):
            report = self._advise if one.told else self._fail
            report(one.change.path, one.error)

    def _report(self, name: str, unchanged: int, removed: int, started: int) -> ImportReport:
        counts = self._tally.counts
        return ImportReport(
            source=name,
            added=counts["added"],
            changed=counts["changed"],
            moved=counts["moved"],
            removed=removed,
            unchanged=unchanged,
            failed=tuple(self._tally.failed),
            late=(),
            chunks=counts["chunks"],
            edges=counts["edges"],
            pending_vectors=0,
            seconds=seconds_since(started, self._tools.clock),
            warnings=tuple(self._tally.warnings),
        )


@dataclass(frozen=True, slots=True)
class _Told:
    """What all notes of a run are told with.

    Attributes:
        links, linking: links among them.
        again: what is to be read again.
        archived: notes that were out of use before.
    """

    links: LinkPlan
    linking: Linking
    again: Due
    archived: frozenset[UUID]


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
