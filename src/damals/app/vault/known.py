"""What an import asks of the ledger to find out who a note is and what was said of it."""

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol
from uuid import UUID

from damals.app.ledger_model import At, EntryInfo, Found, SourceNote, StoredTransaction


class Log(Protocol):
    """What tells who said what of an entry; every reader of the ledger does."""

    def unrestricted(self) -> "Log":
        """The same with nothing hidden."""
        ...

    def log(
        self, *, entry_id: UUID | None = None, key: str | None = None, after: int = 0
    ) -> Iterator[StoredTransaction]:
        """The transactions, in order; of an entry, if given."""
        ...


class KnownNotes(Log, Protocol):
    """What a comparison asks of the ledger; every reader of it answers."""

    def source_notes(self, source: str) -> Sequence[SourceNote]:
        """The notes of a source."""
        ...

    def find_entry(self, id_or_external_id: str) -> EntryInfo | None:
        """The entry of this name."""
        ...

    def latest_version(self, entry_id: UUID, at: At) -> Found | None:
        """Its version that holds last."""
        ...

    def marked(self, marks: Collection[str]) -> frozenset[str]:
        """Those of some marks that an erasure has left."""
        ...
