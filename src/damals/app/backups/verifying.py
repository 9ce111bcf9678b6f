"""Checking a backup: every stored byte, and what comes out of it, as if it were restored."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from damals.app.backups.creating import Listener
from damals.app.backups.model import (
    LEDGER,
    SQLITE,
    Checked,
    Manifest,
    StoredBackup,
    workspace_digest,
)
from damals.app.backups.ports import Archive, Secret, Shelf
from damals.app.ledger_port import Ledger
from damals.app.ports import Clock
from damals.app.results import Progress
from damals.domain.errors import Corrupt

GiveSecret = Callable[[Archive], Secret | None]
"""Gives what opens a backup; ``None`` when nobody has it here."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How what comes out of a backup is looked at.

    Attributes:
        ledger: opens a ledger's file.
        check_dump: reads a dump of a server's ledger to its end.
    """

    ledger: Callable[[Path], Ledger]
    check_dump: Callable[[Path], None]


def verify(
    shelf: Shelf,
    backup: StoredBackup,
    opening: Opening,
    secret_of: GiveSecret,
    watch: tuple[Clock, Listener],
) -> StoredBackup:
    """Check a backup of a folder and note how that ended.

    What is encrypted is checked byte by byte without its key, and wholly with it.

    Args:
        shelf: the folder.
        backup: one of it.
        opening: how what comes out is looked at.
        secret_of: gives what opens it.
        watch: the clock, and who is told how many bytes were looked at.

    Raises:
        Denied: ``backup.wrong_key``, ``backup.wrong_passphrase``.
        Unavailable: what is needed for checking is missing; nothing is noted then.
    """
    clock, listen = watch
    try:
        whole = _checked(shelf, backup.path, opening, secret_of, listen)
    except Corrupt as error:
        return shelf.note(backup, Checked(clock(), ok=False, whole=False, problem=error.key))
    before = backup.checked
    known = before is not None and before.ok and before.whole
    return shelf.note(backup, Checked(clock(), ok=True, whole=whole or known))


def _checked(
    shelf: Shelf, path: Path, opening: Opening, secret_of: GiveSecret, listen: Listener
) -> bool:
    """Whether all of it could be looked at.

    Raises:
        Corrupt: something is wrong.
    """
    with shelf.opened(path) as archive:
        manifest = archive.manifest
        secret = secret_of(archive) if manifest.recipient is not None else None
        if manifest.recipient is not None and secret is None:
            total = sum(one.size for one in manifest.members)
            archive.check(lambda size: listen(Progress("verify", size, total, "bytes")))
            return False
        total = sum(one.unpacked for one in manifest.members)
        with shelf.scratch() as folder:
            archive.unpack(
                folder, secret, lambda size: listen(Progress("verify", size, total, "bytes"))
            )
            examine(folder, manifest, opening, path)
    return True


def examine(folder: Path, manifest: Manifest, opening: Opening, path: Path) -> Mapping[str, int]:
    """See that an unpacked ledger is sound and the one that the manifest tells of.

    Returns:
        By workspace, the last transaction; by a digest of its name where that is not known.

    Raises:
        Corrupt: ``backup.ledger_broken``, ``backup.other_state``.
    """
    place = folder / LEDGER[manifest.ledger]
    if manifest.ledger != SQLITE:
        opening.check_dump(place)
        return {one.name or one.digest: one.number for one in manifest.workspaces}
    try:
        with closing(opening.ledger(place)) as ledger:
            return _examine(ledger, manifest, path)
    except Corrupt as error:
        if error.key.startswith("backup."):
            raise
        problem = str(error.values.get("problem", error))
        raise Corrupt("backup.ledger_broken", path=str(path), problem=problem) from error


def _examine(ledger: Ledger, manifest: Manifest, path: Path) -> Mapping[str, int]:
    for problem in ledger.check():
        raise Corrupt("backup.ledger_broken", path=str(path), problem=problem)
    told = {one.digest: one for one in manifest.workspaces}
    numbers: dict[str, int] = {}
    for workspace in ledger.workspaces():
        found = ledger.audit(workspace.name)
        for broken in found.breaks:
            raise Corrupt("backup.ledger_broken", path=str(path), problem=broken.key)
        extent = told.pop(workspace_digest(manifest.home, workspace.name), None)
        same = extent is not None and (extent.number, extent.head or found.head) == (
            found.transactions,
            found.head,
        )
        if not same:
            raise Corrupt("backup.other_state", path=str(path))
        numbers[workspace.name] = found.transactions
    if told:
        raise Corrupt("backup.other_state", path=str(path))
    return numbers
