"""Replaying the version history of a vault as recorded time.

Each commit that touched a note becomes a transaction at the instant of the commit, so that a
question about what was known then is answered from the notes as they were. What a commit costs
follows from what it touched; of what the ledger knows nothing is read twice. A run that broke off
is taken up where it ended: each transaction names its commit.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final
from uuid import UUID

from damals.app.collecting import collecting_rarely
from damals.app.events import seconds_since
from damals.app.history.applying import Replay, Tally
from damals.app.history.commit import Vault
from damals.app.history.drawn import Drawn
from damals.app.history.erased import erased_in
from damals.app.history.links import LinkState
from damals.app.history.model import History, Replayed
from damals.app.history.order import Instants, Order
from damals.app.history.state import NoteState
from damals.app.history.steps import Step, steps
from damals.app.history.tree import Tree
from damals.app.history.waiting import Waiting
from damals.app.index_model import OWNER
from damals.app.indexing import Listener
from damals.app.ledger_model import EVERYTHING, DeclaredLink, Head, SourceNote
from damals.app.ledger_port import LedgerReader
from damals.app.readings import Due, due, reading_key
from damals.app.results import Failure, ImportReport, Progress
from damals.app.vault.notes import Origin, aliases_of
from damals.app.vault.place import Place, find_place
from damals.app.vault.run import VaultRun
from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING
from damals.domain.zones import load_zone

BATCH_CHARACTERS: Final = 4_000_000
"""Commits are written together until they hold so much."""


@dataclass(frozen=True, slots=True)
class _Before:
    """What the ledger knew before the run.

    Attributes:
        head: its last transaction.
        others: recorded instant of the last transaction that did not replay this history.
        archived: notes that are out of use.
    """

    place: Place
    origin: Origin
    again: Due
    notes: Sequence[SourceNote]
    links: Sequence[DeclaredLink]
    replayed: Sequence[Replayed]
    head: Head
    others: int
    archived: frozenset[UUID]


class _UndoneError(Exception):
    """Nothing of a trial is kept."""


class HistoryImport(VaultRun):
    """One run over the history of one vault."""

    def run(self, path: Path, listen: Listener) -> ImportReport:
        """Replay the history of the folder ``path``.

        Raises:
            InvalidInput: ``history.*`` for what has no history of its own, ``types.*`` for a wrong
                ``types.yaml``.
            Unavailable: ``history.no_git``, ``history.failed``.
            Conflict: ``source.name_taken`` when another folder is known under this name.
        """
        started = self._tools.clock()
        with self._ledger.read(self._workspace, self._options.access) as reader:
            before = self._before(reader, path, started)
        self.root = before.place.root
        types = before.origin.types
        self._tools = replace(self._tools, types=lambda: types)
        self._ask_for(before.place, types)
        confined = self._options.access != OWNER
        with self._vaults.histories.open(self.root, confined=confined) as history:
            replay, commits = self._prepared(before, history), history.commits()
            with self._ledger.read(self._workspace, self._options.access) as reader:
                erased = erased_in(replay.vault, commits, reader)
            self._readmit(erased.readmission)
            replay.vault = replace(replay.vault, erased=erased.marks)
            order = Order(commits, before.replayed)
            with collecting_rarely():
                self._replay(replay, steps(replay.vault, order), order.left, listen)
            notes = () if not history.shallow else (self._shallow(),)
        due_now = [one.entry_id for one in before.notes if before.again.includes(one.entry_id)]
        self._remember(before.place, before.again, replay.left(due_now))
        return self._report(replay, notes, started)

    def _before(self, reader: LedgerReader, path: Path, started: int) -> _Before:
        if not path.is_dir():
            raise InvalidInput("history.not_a_folder", path=str(path))
        place = find_place(reader, path, self._options.name)
        if place.folder:
            raise InvalidInput("history.part", path=str(path), root=str(place.root))
        types = self._vaults.types.load(place.root).catalogue
        last = self._vaults.readings.get(self._reading_name(place))
        zone = load_zone(reader.workspace().zone)
        uri = place.root.as_uri()
        origin = Origin(self._workspace, place.name, uri, zone, started, types)
        replayed, head = reader.replayed(place.name), reader.head()
        notes = reader.source_notes(place.name)
        return _Before(
            place=place,
            origin=self._returning(origin, reader),
            again=due(reader, last, reading_key(types)),
            notes=notes,
            links=reader.links(place.name),
            replayed=replayed,
            head=head,
            others=_last_of_others(reader, head, {one.number for one in replayed}),
            archived=frozenset(reader.archived_at([one.entry_id for one in notes], EVERYTHING)),
        )

    def _prepared(self, before: _Before, history: History) -> Replay:
        vault = Vault(
            root=self.root,
            origin=before.origin,
            history=history,
            reader=self._vaults.notes,
            chunker=self._tools.chunker,
            tree=Tree(self._vaults.notes.note_path),
            notes=NoteState(before.notes),
            links=LinkState(before.links),
            waiting=Waiting(),
            drawn=Drawn(before.origin.types),
        )
        for note in vault.notes:
            names = aliases_of(note.attributes.properties)
            vault.links.put(note.entry_id, note.path, names, note.external_id)
        vault.links.settle()
        return Replay(
            vault=vault,
            tools=self._tools,
            instants=Instants(before.replayed, before.others),
            tally=Tally(),
            number=before.head.number,
            archived=set(before.archived),
            actor=None if self._options.authors else self._options.actor,
        )

    def _shallow(self) -> Failure:
        told = InvalidInput("history.shallow", path=str(self.root))
        return Failure(".", None, str(told))

    # --- storing

    def _replay(self, replay: Replay, todo: Iterator[Step], total: int, listen: Listener) -> None:
        """Store all steps, some of them in one write; of a trial all, and then none."""
        done = 0
        trial = self._options.dry_run
        while (first := next(todo, None)) is not None:
            size = 0
            with (
                suppress(_UndoneError),
                self._ledger.write(self._workspace, self._options.access) as writer,
            ):
                for step in chain((first,), todo):
                    size += replay.step(writer, step)
                    done += 1
                    listen(Progress("replay", done, total, "commits"))
                    if size > BATCH_CHARACTERS and not trial:
                        break
                if trial:
                    raise _UndoneError

    def _report(self, replay: Replay, more: Sequence[Failure], started: int) -> ImportReport:
        tally, counts = replay.tally, replay.tally.counts
        return ImportReport(
            source=replay.vault.origin.name,
            added=counts["added"],
            changed=counts["changed"],
            moved=counts["moved"],
            removed=counts["removed"],
            unchanged=sum(one.entry_id not in tally.read for one in replay.vault.notes),
            failed=tuple(tally.failed.values()),
            late=tuple(tally.late),
            chunks=counts["chunks"],
            edges=counts["edges"],
            pending_vectors=0,
            seconds=seconds_since(started, self._tools.clock),
            warnings=(*more, *tally.warnings.values()),
        )


def _last_of_others(reader: LedgerReader, head: Head, own: Collection[int]) -> int:
    """Recorded instant of the last transaction that is not one of these."""
    number = head.number
    while number in own:
        number -= 1
    if number == head.number:
        return head.recorded_at
    if not number:
        return BEGINNING
    stored = next(iter(reader.unrestricted().log(after=number - 1)))
    return stored.recorded_at
