"""The part of ``LocalDamals`` that is about backups."""

import base64
import binascii
from collections.abc import Sequence

from damals.api.params import ProgressListener
from damals.app.access import check_home
from damals.app.backups.creating import Wanted, create
from damals.app.backups.ports import Seal
from damals.app.backups.results import BackupView, view_of, views_of
from damals.app.backups.verifying import verify
from damals.app.indexing import silent
from damals.app.stages import count, stage
from damals.domain.errors import InvalidInput
from damals.local.home import OpenHome


class LocalBackups(OpenHome):
    """Backups; see :class:`damals.api.backups.BackupKeeping`.

    None of it takes a turn: changes go on meanwhile.
    """

    def backup(
        self,
        *,
        with_index: bool = False,
        compression: str = "gzip",
        recipient: str | None = None,
        locked_key: str | None = None,
        progress: ProgressListener | None = None,
    ) -> BackupView:
        """See :meth:`damals.api.backups.BackupKeeping.backup`."""
        check_home(self._asker)
        # What this home keeps of the ledger from now on, erasures in other homes are to reach.
        self._home.ledger(self._workspace).erasures.introduce()
        wanted = Wanted(with_index, compression, _seal(recipient, locked_key))
        backing = self._parts.keeping().backing
        with stage("backup"):
            made = create(backing, wanted, self._parts.clock, progress or silent)
        count("backups")
        return view_of(made)

    def backups(self) -> Sequence[BackupView]:
        """See :meth:`damals.api.backups.BackupKeeping.backups`."""
        check_home(self._asker)
        return views_of(self._parts.keeping().backing.shelf.listed())

    def verify_backup(self, id: str, *, progress: ProgressListener | None = None) -> BackupView:
        """See :meth:`damals.api.backups.BackupKeeping.verify_backup`."""
        check_home(self._asker)
        keeping = self._parts.keeping()
        shelf = keeping.backing.shelf
        clock, listen = self._parts.clock, progress or silent
        found = verify(shelf, shelf.find(id), keeping.opening, lambda _: None, (clock, listen))
        return view_of(found)


def _seal(recipient: str | None, locked_key: str | None) -> Seal | None:
    """To whom a backup is encrypted.

    Raises:
        InvalidInput: ``backup.locked_key``.
    """
    if locked_key is not None and recipient is None:
        raise InvalidInput("backup.locked_key")
    if recipient is None:
        return None
    try:
        locked = None if locked_key is None else base64.b64decode(locked_key, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("backup.locked_key") from error
    return Seal(recipient, locked)
