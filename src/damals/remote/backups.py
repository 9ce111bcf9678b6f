"""The part of ``RemoteDamals`` that is about backups."""

from collections.abc import Mapping, Sequence
from typing import Final

from damals.api.params import ProgressListener
from damals.app.backups.results import Backups, BackupView
from damals.remote.asking import Asking
from damals.remote.connection import Message
from damals.remote.encoding import body, segment
from damals.remote.jobs import Errand, Jobs

BACKUPS: Final = "/v1/backups"
JOBS: Final = "/v1/workspaces/default/jobs"


class RemoteBackups(Asking):
    """Backups; see :class:`damals.api.backups.BackupKeeping`."""

    _jobs: Jobs

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
        given = {
            "with_index": with_index,
            "compression": compression,
            "recipient": recipient,
            "locked_key": locked_key,
        }
        return self.backed_up(given, progress, Errand())

    def backed_up(
        self, given: Mapping[str, object], progress: ProgressListener | None, errand: Errand
    ) -> BackupView:
        """As :meth:`backup`, when it may have been asked for before."""
        said = {name: value for name, value in given.items() if value is not None}
        request = Message("POST", BACKUPS, content=body(said))
        return self._read(BackupView, self._jobs.done(request, JOBS, progress, errand))

    def backups(self) -> Sequence[BackupView]:
        """See :meth:`damals.api.backups.BackupKeeping.backups`."""
        return self._read(Backups, self._get(BACKUPS)).backups

    def verify_backup(self, id: str, *, progress: ProgressListener | None = None) -> BackupView:
        """See :meth:`damals.api.backups.BackupKeeping.verify_backup`."""
        return self.backup_verified(id, progress, Errand())

    def backup_verified(
        self, id: str, progress: ProgressListener | None, errand: Errand
    ) -> BackupView:
        """As :meth:`verify_backup`, when it may have been asked for before."""
        request = Message("POST", f"{BACKUPS}/{segment(id)}/verify", content=b"{}")
        return self._read(BackupView, self._jobs.done(request, JOBS, progress, errand))
