"""The part of ``AttachedDamals`` that is about backups.

The owner of a home makes its backups, whoever asks: it alone can keep an erasure and a backup from
overlooking each other.
"""

from collections.abc import Sequence

from damals.api import Damals
from damals.api.params import ProgressListener
from damals.app.backups.results import BackupView
from damals.attached.owning import Ownership
from damals.remote.client import RemoteDamals
from damals.remote.jobs import Errand
from damals.remote.transactions import FarChanges


class AttachedBackups(FarChanges):
    """Backups; see :class:`damals.api.backups.BackupKeeping`."""

    _home: Ownership

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
        errand = Errand()

        def act(memory: Damals) -> BackupView:
            given = {"with_index": with_index, "compression": compression}
            if isinstance(memory, RemoteDamals):
                sealed = {"recipient": recipient, "locked_key": locked_key}
                return memory.backed_up({**given, **sealed}, progress, errand)
            return memory.backup(
                with_index=with_index, compression=compression, recipient=recipient,
                locked_key=locked_key, progress=progress,
            )  # fmt: skip

        return self._home.call(act)

    def backups(self) -> Sequence[BackupView]:
        """See :meth:`damals.api.backups.BackupKeeping.backups`."""
        return self._home.call(lambda memory: memory.backups())

    def verify_backup(self, id: str, *, progress: ProgressListener | None = None) -> BackupView:
        """See :meth:`damals.api.backups.BackupKeeping.verify_backup`."""
        errand = Errand()

        def act(memory: Damals) -> BackupView:
            if isinstance(memory, RemoteDamals):
                return memory.backup_verified(id, progress, errand)
            return memory.verify_backup(id, progress=progress)

        return self._home.call(act)
