"""The erasure journal: which erasures a restored backup has to go through again.

It lies beside the backups, outlives the home, and holds ids and digests, no text of anything that
was erased.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class ErasureRecord:
    """One erasure, as a backup made before it must go through it.

    Attributes:
        erasure_id: by which it is known again: appended twice, it counts once.
        home: id of the ledger, which every copy of it shares.
        workspace: name of the workspace.
        workspace_made: when that was made, so that a later one of the same name is another one.
        kind: ``entry``, ``source``, ``person`` or ``workspace``.
        entries: ids of the erased entries.
        marks: keyed digests by which files are known that say what was erased.
        number: transaction that recorded it.
        erased_at: its instant.
        actor: who did it.
        target, salt: of a source, a person or a workspace, the salted digest of its name that the
            ledger keeps; ``None`` for entries, and where an older program wrote it down.
    """

    erasure_id: UUID
    home: str
    workspace: str
    workspace_made: int
    kind: str
    entries: tuple[UUID, ...]
    marks: tuple[bytes, ...]
    number: int
    erased_at: int
    actor: str
    target: bytes | None = None
    salt: bytes | None = None

    def names(self, name: str) -> bool:
        """Whether it is of the source, person or workspace of a name."""
        if self.salt is None:
            return False
        return sha256(self.salt + name.encode()).digest() == self.target


class ErasureJournal(Protocol):
    """Where erasures are written down beside the backups."""

    @property
    def place(self) -> str:
        """Where it is, for people."""
        ...

    def append(self, record: ErasureRecord) -> None:
        """Write an erasure down; it is on the disk when this returns.

        Doing it again, after a crash in between, is harmless.

        Raises:
            Unavailable: ``backup.unwritable``.
        """
        ...

    def records(self) -> Sequence[ErasureRecord]:
        """Every erasure once, in the order in which they were written down.

        Raises:
            Corrupt: ``backup.journal``, naming the line, when one cannot be trusted.
            Unavailable: ``backup.unreadable``.
        """
        ...


class NoErasureJournal:
    """A journal for a home that has no folder of backups: nothing is kept."""

    place = ""

    def append(self, record: ErasureRecord) -> None:
        """Forget it."""

    def records(self) -> Sequence[ErasureRecord]:
        """None."""
        return ()
