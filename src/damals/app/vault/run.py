"""What each run over a vault works with, whether it reads the folder or its history."""

from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from damals.app.chunking import RememberingChunker
from damals.app.floors_model import stricter
from damals.app.history.model import Histories
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_port import Ledger, LedgerReader
from damals.app.ports import NoteReader
from damals.app.readings import Due, Readings
from damals.app.readmitting import REASON, Readmission
from damals.app.record import Tools
from damals.app.types_model import Types
from damals.app.vault.notes import Origin
from damals.app.vault.place import Place
from damals.domain.errors import Conflict
from damals.domain.types import TypeCatalogue


@dataclass(frozen=True, slots=True)
class Options:
    """How to import.

    Attributes:
        name: of the source; the folder's name when ``None``.
        dry_run: tell what would happen and store nothing.
        prune: notes whose files are gone stop being known; else they are only counted.
        access: what who imports may see, and so change.
        actor: who imports, as the log names them.
        history: replay the version history of the folder instead.
        authors: in a history, the log names the authors of commits.
        readmit: what says what was erased is taken in again.
    """

    name: str | None = None
    dry_run: bool = False
    prune: bool = False
    access: AccessFilter = OWNER
    actor: str = "import"
    history: bool = False
    authors: bool = True
    readmit: bool = False

    @property
    def reason(self) -> str | None:
        """Why its transactions are made, where that is not plain."""
        return REASON if self.readmit else None


@dataclass(frozen=True, slots=True)
class Vaults:
    """What vaults are read with."""

    notes: NoteReader
    types: Types
    readings: Readings
    histories: Histories


class VaultRun:
    """One run over a folder."""

    def __init__(
        self, ledger: Ledger, workspace: str, vaults: Vaults, tools: Tools, options: Options
    ) -> None:
        self._ledger = ledger
        self._workspace = workspace
        self._vaults = vaults
        self._tools = replace(tools, chunker=RememberingChunker(tools.chunker))
        self._options = options
        self.root = Path()
        """The folder of the source, once it is known."""

    def _ask_for(self, place: Place, types: TypeCatalogue) -> None:
        """Note what the types of a vault ask of readers, before its first relation is there.

        Raises:
            Conflict: ``source.erased_before`` for a source that was erased, unless it may return.
        """
        trial, now = self._options.dry_run, self._tools.clock()
        asked = stricter(types, self._vaults.types.load().catalogue)
        with self._ledger.write(self._workspace, self._options.access) as writer:
            if self._options.readmit:
                _ = trial or writer.readmit_source(place.name, now, self._options.actor)
            elif writer.erased_source(place.name) is not None:
                raise Conflict("source.erased_before", name=place.name)
            if not trial:
                writer.put_floors(place.name, asked)

    def _returning(self, origin: Origin, reader: LedgerReader) -> Origin:
        """An origin that knows in whose place notes may be imported."""
        if not self._options.readmit:
            return replace(origin, readmitted=reader.readmitted())
        everything = reader.unrestricted()
        every = everything.tombstones().keys() | everything.barred()
        return replace(origin, readmits=True, readmitted=frozenset(every))

    def _readmit(self, found: Readmission) -> None:
        """Let in again what was found to be meant."""
        if self._options.readmit and not self._options.dry_run:
            with self._ledger.write(self._workspace, self._options.access) as writer:
                writer.readmit(found, self._tools.clock(), self._options.actor)

    def _reading_name(self, place: Place) -> bytes:
        """Under which what the source was read with is remembered."""
        return self._ledger.lookup(self._workspace, f"source\x1f{place.name}")

    def _remember(self, place: Place, again: Due, left: set[UUID]) -> None:
        """Remember with what the source was read, and which notes are still to be read so."""
        if self._options.dry_run:
            return
        with self._ledger.read(self._workspace, self._options.access) as reader:
            head = reader.head()
        reading = again.after(left, head)
        if reading is not None:
            self._vaults.readings.put(self._reading_name(place), reading)
