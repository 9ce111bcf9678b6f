"""What an import need not look at again: the files that it found, of a source that it left.

What an import does follows from the files, the types, and what the ledger knows of the source: its
notes, whatever became of them, the links between them, what is erased. Links lead to notes of the
same source only. When all that is as a run left it that had nothing to complain of, there is
nothing to do, and finding that out needs no more than the digests of the files. What others store
meanwhile changes nothing, unless it touches a note of the source. A file that came, went or
changed, an entry of the source that anybody touched, anything erased, and the import looks at
everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from damals.app.floors_model import stricter
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import Head
from damals.app.ledger_port import Ledger
from damals.app.readings import Readings, SettledFolder, reading_key
from damals.app.source_model import SourceFile
from damals.app.types_model import Types
from damals.app.vault.place import Place
from damals.domain.types import TypeCatalogue


@dataclass(frozen=True, slots=True)
class Settled:
    """Whether a folder is known as it is now.

    Attributes:
        path: the folder.
        files: what is in it.
        name: of the source, if it was given.
        access: of who imports. For anybody but the owner nothing is settled: what they may see
            can change without a transaction.
    """

    ledger: Ledger
    readings: Readings
    types: Types
    workspace: str
    path: Path
    files: Sequence[SourceFile]
    name: str | None = None
    access: AccessFilter = OWNER

    @property
    def source(self) -> str:
        """The name of the source that the folder would be as a whole."""
        return self.name or self.path.resolve().name

    def now(self) -> bool:
        """Whether a run left these files and this source, with nothing to complain of."""
        known = self.readings.settled(self._key()) if self.access == OWNER else None
        # Only of a whole source is anything known, so its types are those of this folder.
        if known is None or known.files != self._found(
            self.types.load(self.path.resolve()).catalogue
        ):
            return False
        with self.ledger.read(self.workspace) as reader:
            head = reader.head()
            if head == known.head:
                return True
            if not reader.quiet_since(self.source, known.head):
                return False
        self.readings.settle(self._key(), replace(known, head=head))
        return True

    def keep(self, place: Place, types: TypeCatalogue, begun: Head, stored: int) -> None:
        """Remember that a run told all that the files say; for a whole source only.

        Args:
            place: where the run took the files to be.
            types: what it read them with.
            begun: the workspace's last transaction when the run looked at the ledger.
            stored: how many transactions it stored. If somebody else stored some meanwhile, the
                run did not look at these.
        """
        whole = place == Place(self.source, self.path.resolve())
        if not (whole and self.files and self.access == OWNER):
            return  # an empty folder can be a part of another source
        head = begun
        if stored:
            with self.ledger.read(self.workspace) as reader:
                head = reader.head()
            if head.number != begun.number + stored:
                return
        self.readings.settle(self._key(), SettledFolder(self._found(types), head))

    def _key(self) -> bytes:
        words = ("settled", str(self.path.resolve()), self.source)
        return self.ledger.lookup(self.workspace, "\x1f".join(words))

    def _found(self, types: TypeCatalogue) -> str:
        found = sha256(reading_key(types).encode())
        # An import also notes what the types of the folder ask for beyond those of the home.
        for relation, floor in stricter(types, self.types.load().catalogue).items():
            found.update(f"\x1d{relation}\x1f{floor}".encode())
        for file in self.files:
            found.update(f"\x1e{file.path}\x1f{file.digest}\x1f{file.failure}".encode())
        return found.hexdigest()
