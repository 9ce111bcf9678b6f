"""Restoring a backup: into a new folder, checked, without what was erased since, swapped in."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from damals.app.backups.creating import Listener
from damals.app.backups.model import Manifest
from damals.app.backups.ports import Archive
from damals.app.backups.results import Restored
from damals.app.backups.verifying import GiveSecret, Opening, examine
from damals.app.erasures_journal import ErasureJournal, ErasureRecord
from damals.app.ports import Clock
from damals.app.results import Progress
from damals.domain.errors import InvalidInput


class Target(Protocol):
    """The place of the home that is restored."""

    @property
    def home(self) -> Path:
        """The folder."""
        ...

    def making(self) -> AbstractContextManager[Path]:
        """A folder beside it in which the new home is put together, gone unless it is swapped in.

        Raises:
            Unavailable: ``backup.unwritable``.
        """
        ...

    def settle(self, folder: Path, manifest: Manifest) -> None:
        """Bring an unpacked ledger to where it is used: nowhere for a file.

        Raises:
            Conflict: ``backup.database_taken``, ``backup.schema``.
            InvalidInput: ``backup.no_server``.
            Unavailable: ``backup.no_program``, ``backup.program_failed``, ``backup.server``.
        """
        ...

    def swap(self, folder: Path, manifest: Manifest, now: int) -> Path | None:
        """Put the new home in its place, in one step.

        Returns:
            Where the one is that was there.

        Raises:
            Conflict: ``backup.target_taken`` when somebody made a home there meanwhile.
        """
        ...


@dataclass(frozen=True, slots=True)
class Means:
    """What a restore works with.

    Attributes:
        opening: how the unpacked ledger is looked at.
        secret_of: gives what opens the backup.
        journals: of erasures; the first is that of the restored home from now on.
        known: erasures that the home knows that is replaced, whatever a journal says.
        reapply: erases again, in the home in a folder, and gives how many erasures it made.
        clock: names the home that was there.
    """

    opening: Opening
    secret_of: GiveSecret
    journals: Sequence[ErasureJournal]
    known: Sequence[ErasureRecord]
    reapply: Callable[[Path, Sequence[ErasureRecord]], int]
    clock: Clock


def restore(archive: Archive, target: Target, means: Means, listen: Listener) -> Restored:
    """Restore a backup into the place of a home, whose lock the caller holds.

    Until the last step nothing has changed in that place.

    Raises:
        InvalidInput: ``backup.key_needed``.
        Denied: ``backup.wrong_key``, ``backup.wrong_passphrase``.
        Corrupt: the backup is damaged, or ``backup.journal``: then nobody knows what was erased.
        Unavailable, Conflict: as of :class:`Target`.
    """
    manifest = archive.manifest
    records = erased_since(manifest, means.journals, means.known)
    secret = means.secret_of(archive) if manifest.recipient is not None else None
    if manifest.recipient is not None and secret is None:
        raise InvalidInput("backup.key_needed", path=str(archive.path))
    total = sum(one.unpacked for one in manifest.members)
    with target.making() as folder:
        archive.unpack(
            folder, secret, lambda size: listen(Progress("restore", size, total, "bytes"))
        )
        transactions = examine(folder, manifest, means.opening, archive.path)
        target.settle(folder, manifest)
        again = means.reapply(folder, records)
        for record in records:
            means.journals[0].append(record)
        before = target.swap(folder, manifest, means.clock())
    return Restored(
        backup=manifest.id,
        home=str(target.home),
        before=None if before is None else str(before),
        transactions=transactions,
        erased_again=again,
    )


def erased_since(
    manifest: Manifest, journals: Sequence[ErasureJournal], known: Sequence[ErasureRecord]
) -> Sequence[ErasureRecord]:
    """The erasures of a backup's ledger, of all journals and what else is known, each once.

    Raises:
        Corrupt: ``backup.journal``.
    """
    told = [*(record for journal in journals for record in journal.records()), *known]
    found: dict[tuple[str, int, int, int], ErasureRecord] = {}
    for record in told:
        if record.home == manifest.home:
            place = (record.workspace, record.workspace_made, record.number, record.erased_at)
            found.setdefault(place, record)
    return sorted(found.values(), key=lambda one: (one.erased_at, one.number))
