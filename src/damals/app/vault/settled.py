"""What an import need not look at again: the files that it found, in the ledger that it left.

What an import does follows from the files, the ledger and the types. When all three are as a run
left them that had nothing to complain of, there is nothing to do, and finding that out needs no
more than the digests of the files. Any transaction of anybody, and any file that came, went or
changed, and the import looks at everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_port import Ledger
from damals.app.readings import Readings, SourceReading, reading_key
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
    workspace: str
    path: Path
    files: Sequence[SourceFile]
    name: str | None = None
    access: AccessFilter = OWNER

    @property
    def source(self) -> str:
        """The name of the source that the folder would be as a whole."""
        return self.name or self.path.resolve().name

    def now(self, types: Types) -> bool:
        """Whether a run left these files and this ledger, with nothing to complain of."""
        known = self.readings.get(self._key()) if self.access == OWNER else None
        # Only of a whole source is anything known, so its types are those of this folder.
        return known is not None and known == self._state(types.load(self.path.resolve()).catalogue)

    def keep(self, place: Place, types: TypeCatalogue, last: int) -> None:
        """Remember that a run told all that the files say; for a whole source only.

        Args:
            place: where the run took the files to be.
            types: what it read them with.
            last: number of the transaction that must be the workspace's last: if somebody else
                stored something meanwhile, the run did not look at that.
        """
        state = self._state(types)
        whole = place == Place(self.source, self.path.resolve())
        if whole and state.head.number == last and self.access == OWNER:
            self.readings.put(self._key(), state)

    def _key(self) -> bytes:
        words = ("settled", str(self.path.resolve()), self.source)
        return self.ledger.lookup(self.workspace, "\x1f".join(words))

    def _state(self, types: TypeCatalogue) -> SourceReading:
        with self.ledger.read(self.workspace, self.access) as reader:
            head = reader.head()
        found = sha256(reading_key(types).encode())
        for file in self.files:
            found.update(f"\x1e{file.path}\x1f{file.digest}\x1f{file.failure}".encode())
        return SourceReading(f"settled {found.hexdigest()}", head)
