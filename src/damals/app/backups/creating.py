"""Making a backup: one consistent state of the ledger, packed into one file while writes go on."""

import secrets
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from damals.app.backups.model import LEDGER, Manifest, StoredBackup
from damals.app.backups.ports import HomeFiles, LedgerSource, Seal, Shelf, Snapshot
from damals.app.ports import Clock
from damals.app.results import Progress
from damals.app.versions import program_versions
from damals.domain.errors import InvalidInput
from damals.domain.fields import choice
from damals.domain.instants import to_datetime

COMPRESSIONS: Final = ("gzip", "none")
Listener = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a backup is to be made.

    Attributes:
        vectors: with the computed vectors, so that the index of a restored home is made in
            seconds.
        compression: ``gzip`` or ``none``.
        seal: to whom it is encrypted; not at all when ``None``.
    """

    vectors: bool = False
    compression: str = "gzip"
    seal: Seal | None = None


@dataclass(frozen=True, slots=True)
class Backing:
    """What a home's backups are made of, and where they go."""

    shelf: Shelf
    source: LedgerSource
    files: HomeFiles


def create(backing: Backing, wanted: Wanted, clock: Clock, listen: Listener) -> StoredBackup:
    """Make a backup.

    It appears whole or not at all. Who erases waits for it, so that no erasure overlooks it.

    Args:
        backing: of what, and where to.
        wanted: how.
        clock: names it.
        listen: is told how many bytes of the ledger are packed.

    Raises:
        InvalidInput: ``backup.recipient``, ``field.choice``.
        NotFound: ``home.missing``.
        Corrupt: ``backup.ledger_broken``: the ledger itself is damaged.
        Unavailable: ``backup.unwritable``, and whatever keeps the ledger from being read.
    """
    choice("compression", wanted.compression, COMPRESSIONS)
    if wanted.seal is not None and not wanted.seal.recipient.startswith("age1"):
        raise InvalidInput("backup.recipient", value=wanted.seal.recipient)
    shelf = backing.shelf
    with shelf.alone(), backing.source.snapshot() as snapshot:
        manifest = _manifest(snapshot, wanted, clock())
        with shelf.new(manifest, wanted.seal) as archive:

            def count(size: int) -> None:
                listen(Progress("backup", size, snapshot.size, "bytes"))

            with closing(snapshot.open()) as ledger:
                archive.add(LEDGER[snapshot.kind], ledger, count)
            with backing.files.copies(vectors=wanted.vectors) as files:
                for name, path in files:
                    with path.open("rb") as file:
                        archive.add(name, file, lambda _: None)
            archive.finish(lambda: manifest)
    return shelf.find(manifest.id)


def _manifest(snapshot: Snapshot, wanted: Wanted, now: int) -> Manifest:
    versions = program_versions()
    programs = {"damals": versions.version, "python": versions.python, **snapshot.programs}
    return Manifest(
        id=f"{to_datetime(now):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}",
        created_at=now,
        home=snapshot.home,
        ledger=snapshot.kind,
        ledger_format=snapshot.format,
        workspaces=snapshot.workspaces,
        members=(),
        compression=wanted.compression,
        schema=snapshot.schema,
        recipient=None if wanted.seal is None else wanted.seal.recipient,
        locked=wanted.seal is not None and wanted.seal.locked is not None,
        programs=programs,
    )
