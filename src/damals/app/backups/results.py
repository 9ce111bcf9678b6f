"""What the interfaces return about backups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from damals.app.backups.model import POSTGRES, VECTORS, StoredBackup
from damals.app.result import Result
from damals.domain.instants import format_instant

ALL: Final = "all"
DUMP: Final = "dump"
BYTES: Final = "bytes"
"""What a check has looked at."""


@dataclass(frozen=True, slots=True)
class BackupView(Result):
    """A backup.

    Attributes:
        size: bytes of its file.
        verified: whether the last check found all of it sound, the hash chains of its ledger
            recomputed; null: never wholly checked, see ``checked``.
        verified_at: when it was last checked.
        problem: what is wrong with it, as the key of a message.
        encrypted: it takes a key to open it.
        vectors: computed vectors are in it.
        ledger: ``sqlite`` or ``postgresql``; null for a damaged file.
        transactions: by workspace, the last transaction; by a digest of the name where encrypted.
        checked: what the last check that found nothing wrong has looked at: ``all``; ``dump``: of a
            ledger on a server the whole dump, which no chain was recomputed of; ``bytes``: of what
            is encrypted, without its key, the stored bytes. Null: it was not checked, or is not
            sound.
    """

    id: str
    path: str
    created_at: str
    size: int
    verified: bool | None
    verified_at: str | None = None
    problem: str | None = None
    encrypted: bool = False
    vectors: bool = False
    ledger: str | None = None
    home: str | None = None
    transactions: Mapping[str, int] | None = None
    checked: str | None = None


@dataclass(frozen=True, slots=True)
class Backups(Result):
    """Backups, the oldest first."""

    backups: tuple[BackupView, ...]


@dataclass(frozen=True, slots=True)
class Pruned(Result):
    """What a retention kept and removed.

    Attributes:
        backups: those that are kept.
        removed: those that are gone, or would be.
        kept_by: by id, the rules that keep it; ``damaged``: nobody knows what is in it;
            ``checked``: it is the newest that a check found sound, and no rule keeps such a one.
        dry_run: nothing was removed.
    """

    backups: tuple[BackupView, ...]
    removed: tuple[BackupView, ...]
    kept_by: Mapping[str, tuple[str, ...]]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Restored(Result):
    """What a restore did.

    Attributes:
        backup: id of the backup.
        home: the folder that holds it now.
        before: where the home is that was there; null: there was none, or it was not kept.
        transactions: by workspace, the last transaction of the backup.
        erased_again: erasures that were made since the backup, and were made again.
    """

    backup: str
    home: str
    before: str | None
    transactions: Mapping[str, int]
    erased_again: int


def view_of(one: StoredBackup) -> BackupView:
    """A backup as it is shown."""
    told, checked = one.manifest, one.checked
    shown = BackupView(
        id=one.id,
        path=str(one.path),
        created_at=format_instant(one.created_at),
        size=one.size,
        verified=False if told is None else _verdict(one),
        checked=None if told is None else _extent(one),
        verified_at=None if checked is None else format_instant(checked.at),
        problem=one.problem if checked is None else checked.problem,
    )
    if told is None:
        return shown
    return replace(
        shown,
        encrypted=told.recipient is not None,
        vectors=VECTORS in [member.name for member in told.members],
        ledger=told.ledger,
        home=told.home,
        transactions={each.name or each.digest: each.number for each in told.workspaces},
    )


def _verdict(one: StoredBackup) -> bool | None:
    """Whether it is sound, as far as that was looked at: no more is claimed than was done."""
    if one.checked is not None and not one.checked.ok:
        return False
    return True if _extent(one) == ALL else None


def _extent(one: StoredBackup) -> str | None:
    """What the last check of it looked at, which found nothing wrong."""
    if one.checked is None or not one.checked.ok:
        return None
    if not one.checked.whole:
        return BYTES
    return DUMP if one.manifest is not None and one.manifest.ledger == POSTGRES else ALL


def views_of(found: Sequence[StoredBackup]) -> tuple[BackupView, ...]:
    """Backups as they are shown."""
    return tuple(view_of(one) for one in found)


@dataclass(frozen=True, slots=True)
class NewBackupKey(Result):
    """A key that was just made.

    Attributes:
        path: the file with the secret key.
        public_key: what backups are encrypted to.
    """

    path: str
    public_key: str
