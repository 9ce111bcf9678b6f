"""The part of ``Damals`` that is about backups.

Restoring is not among it: it takes the place of a home in which nobody works. What opens a backup
is not either: a key or passphrase never travels.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from damals.api.params import ProgressListener
from damals.app.backups.results import BackupView


class BackupKeeping(ABC):
    """Backups of a home."""

    @abstractmethod
    def backup(
        self,
        *,
        with_index: bool = False,
        compression: str = "gzip",
        recipient: str | None = None,
        locked_key: str | None = None,
        progress: ProgressListener | None = None,
    ) -> BackupView:
        """Make a backup of the whole home, while others read and write.

        Args:
            with_index: with the computed vectors, so that the index of a restored home is made
                without computing them again.
            compression: ``gzip`` or ``none``.
            recipient: a public key of age that it is encrypted to.
            locked_key: the secret key of that, locked with a passphrase, base64; it is kept in
                the backup.
            progress: is told how many bytes of the ledger are packed.

        Raises:
            InvalidInput: ``backup.recipient``, ``field.choice``.
            NotFound: ``home.missing``.
            Denied: ``access.right``, ``access.home``.
            Corrupt: ``backup.ledger_broken``.
            Unavailable: ``backup.unwritable``, ``backup.no_program``, ``backup.program_failed``.
        """

    @abstractmethod
    def backups(self) -> Sequence[BackupView]:
        """The backups in the home's folder of backups, the oldest first, damaged ones too.

        Raises:
            Denied: ``access.right``, ``access.home``.
        """

    @abstractmethod
    def verify_backup(self, id: str, *, progress: ProgressListener | None = None) -> BackupView:
        """Check a backup: all of it, or where it is encrypted its stored bytes.

        Raises:
            NotFound: ``backup.unknown``.
            Denied: ``access.right``, ``access.home``.
        """
