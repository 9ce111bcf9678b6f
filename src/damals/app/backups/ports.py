"""What backups need of the world."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from damals.app.backups.model import BackupShelf, Checked, Extent, Manifest, StoredBackup

Count = Callable[[int], None]
"""Is told how many bytes have been read so far."""


@dataclass(frozen=True, slots=True)
class Seal:
    """To whom a backup is encrypted.

    Attributes:
        recipient: a public key of age.
        locked: the secret one, locked with a passphrase, which travels with the backup.
    """

    recipient: str
    locked: bytes | None = None


@dataclass(frozen=True, slots=True)
class Secret:
    """What opens a backup."""

    keys: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A ledger as it was at one instant, with everything committed before.

    Attributes:
        kind: ``sqlite`` or ``postgresql``.
        format: number of the ledger's format.
        home: id of the ledger.
        schema: on a server.
        size: bytes that :attr:`open` gives, if that is known.
        open: gives them; the end of the stream is the end of a whole copy, or raises.
        programs: versions of what took it.
    """

    kind: str
    format: int
    home: str
    schema: str | None
    workspaces: tuple[Extent, ...]
    size: int | None
    open: Callable[[], BinaryIO]
    programs: dict[str, str] = field(default_factory=dict[str, str])


class LedgerSource(Protocol):
    """A ledger that is copied while others write."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """One consistent state of it; no writer waits.

        Raises:
            NotFound: ``home.missing``.
            Unavailable: ``backup.no_program``, ``backup.program_failed``, and those of the ledger.
        """
        ...


class ArchiveWriter(Protocol):
    """A backup that is being written."""

    def add(self, name: str, source: BinaryIO, count: Count) -> None:
        """Pack a file under its place in a home."""
        ...

    def finish(self, describe: "Callable[[], Manifest]") -> None:
        """Write what the backup says of itself; it is whole and on the disk from then on."""
        ...


class Archive(Protocol):
    """A backup that is read."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def manifest(self) -> Manifest:
        """What it says of itself."""
        ...

    @property
    def locked_key(self) -> bytes | None:
        """Its key, locked with a passphrase."""
        ...

    def check(self, count: Count) -> None:
        """Compare every stored byte with the digests.

        Raises:
            Corrupt: ``backup.digest``.
        """
        ...

    def unpack(self, folder: Path, secret: Secret | None, count: Count) -> None:
        """Write its files into a folder; nothing is written outside of it, and no more than told.

        Raises:
            InvalidInput: ``backup.key_needed``.
            Denied: ``backup.wrong_key``.
            Corrupt: ``backup.digest``, ``backup.sealed``, ``backup.packed``.
            Unavailable: ``backup.unwritable``.
        """
        ...


class Shelf(BackupShelf, Protocol):
    """The folder with the backups of a home, for those who make and remove them."""

    def new(self, manifest: Manifest, seal: Seal | None) -> AbstractContextManager[ArchiveWriter]:
        """Write a backup; it is there when the ``with`` ends without an error, or not at all."""
        ...

    def opened(self, path: Path) -> AbstractContextManager[Archive]:
        """Read a backup.

        Raises:
            NotFound: ``backup.missing``.
            Corrupt: ``backup.not_one``, ``backup.truncated``, ``backup.manifest``.
            Unavailable: ``backup.newer``, ``backup.unreadable``.
        """
        ...

    def find(self, id: str) -> StoredBackup:
        """A backup of the folder.

        Raises:
            NotFound: ``backup.unknown``.
        """
        ...

    def note(self, backup: StoredBackup, checked: Checked) -> StoredBackup:
        """Remember how a check ended."""
        ...

    def remove(self, backup: StoredBackup) -> None:
        """Remove a backup."""
        ...

    def scratch(self) -> AbstractContextManager[Path]:
        """A folder that only the user may look into, gone at the end."""
        ...


class HomeFiles(Protocol):
    """The small files of a home that belong into a backup."""

    def copies(self, *, vectors: bool) -> AbstractContextManager[Sequence[tuple[str, Path]]]:
        """Name in the backup, and place, of those that are there; of the vectors a copy."""
        ...
