"""What is known of a backup without unpacking it."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from damals.domain.entries import Json

FORMAT: Final = 1
"""Number of the format of backups that this code writes; it reads none that is newer."""

SQLITE: Final = "sqlite"
POSTGRES: Final = "postgresql"

LEDGER: Final[Mapping[str, str]] = {SQLITE: "ledger.db", POSTGRES: "ledger.pgdump"}
"""Name of the member with the ledger, by kind of ledger."""
VECTORS: Final = "cache/vectors.db"
CONFIG: Final = "config.yaml"
TYPES: Final = "types.yaml"
KEY: Final = "key.age"
"""The key of a backup, locked with a passphrase."""

RESTORING: Final = "restoring"
"""A table that only a schema has into which a backup is being restored: it is no ledger yet, since
what was erased may still be in it."""

CONTENTS: Final = (*LEDGER.values(), VECTORS, CONFIG, TYPES)
"""All that can be in a backup, and where it lies in a home."""


def workspace_digest(home: str, name: str) -> str:
    """What stands for the name of a workspace where everybody may read it."""
    return hashlib.sha256(f"damals workspace\x1f{home}\x1f{name}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a backup.

    Attributes:
        name: where it lies in a home.
        stored: its name in the archive, which ends in how it was packed.
        size: bytes in the archive.
        sha256: of these bytes.
        unpacked: bytes of the file itself.
    """

    name: str
    stored: str
    size: int
    sha256: str
    unpacked: int


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a workspace goes in a backup.

    Attributes:
        digest: stands for its name; see :func:`workspace_digest`.
        name: ``None`` in what an encrypted backup tells everybody.
        number: its last transaction.
        head: hash of that, in hex.
    """

    digest: str
    name: str | None
    number: int
    head: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself, readable without its key.

    Attributes:
        created_at: when its snapshot was taken; an instant.
        home: id of the ledger.
        ledger: ``sqlite`` or ``postgresql``.
        ledger_format: number of the ledger's format.
        schema: name of the schema on a server.
        recipient: whose key opens it; ``None`` when it is not encrypted.
        locked: the key is in it, locked with a passphrase.
        programs: versions of what made it.
    """

    id: str
    created_at: int
    home: str
    ledger: str
    ledger_format: int
    workspaces: tuple[Extent, ...]
    members: tuple[Member, ...]
    compression: str
    schema: str | None = None
    recipient: str | None = None
    locked: bool = False
    programs: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Checked:
    """How the last check of a backup ended.

    Attributes:
        at: when; an instant.
        problem: key and values of what was wrong; ``None``: sound.
        whole: everything was looked at, not the stored bytes alone.
    """

    at: int
    ok: bool
    whole: bool
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class StoredBackup:
    """A file in the folder of backups.

    Attributes:
        manifest: ``None`` when the file is damaged.
        problem: what is wrong with it then.
    """

    id: str
    path: Path
    created_at: int
    size: int
    manifest: Manifest | None
    checked: Checked | None = None
    problem: str | None = None

    def may_hold(self, home: str, workspace: str, number: int) -> bool:
        """Whether it may hold what a transaction of a workspace said: what is damaged may."""
        if self.manifest is None:
            return True
        if self.manifest.home != home:
            return False
        wanted = workspace_digest(home, workspace)
        return any(e.digest == wanted and e.number >= number for e in self.manifest.workspaces)


class BackupShelf(Protocol):
    """The folder with the backups of a home."""

    @property
    def folder(self) -> Path:
        """Where it is; it may not be there yet."""
        ...

    def listed(self) -> Sequence[StoredBackup]:
        """All backups, the oldest first, damaged ones too.

        Raises:
            Unavailable: ``backup.unreadable``.
        """
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Keep others from making or removing backups; wait for one that is being made."""
        ...

    def sweep(self) -> None:
        """Remove what killed processes left: halves of backups, copies of ledgers.

        It waits for a backup that is being made, as :meth:`alone` does, which begins with this.
        """
        ...
