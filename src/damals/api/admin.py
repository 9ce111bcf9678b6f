"""The part of ``Damals`` that is about who may use a home."""

from abc import abstractmethod
from collections.abc import Sequence

from damals.api.backups import BackupKeeping
from damals.api.erasures import ErasureRecords
from damals.app.access_results import DenialView, KeyView, NewKey
from damals.app.results import Settings, WorkspaceView


class Administration(BackupKeeping, ErasureRecords):
    """Workspaces of a home, the keys that open them to others, its backups and its erasures."""

    @abstractmethod
    def config(self) -> Settings:
        """The settings that the home was opened with, and where each came from.

        Passwords in them are not told.

        Raises:
            Denied: ``access.right``, ``access.home``.
        """

    @abstractmethod
    def workspaces(self) -> Sequence[WorkspaceView]:
        """The workspaces of the home that the asker may use, by name."""

    @abstractmethod
    def create_workspace(self, name: str, *, timezone: str | None = None) -> WorkspaceView:
        """Make a workspace.

        Args:
            name: what it is called.
            timezone: IANA name of its zone, for ever; else that of the settings.

        Raises:
            Conflict: ``workspace.exists``.
            InvalidInput: ``workspace.name``, ``time.zone_unknown``.
            Denied: ``access.workspace`` when the asker is limited to others.
        """

    @abstractmethod
    def create_key(
        self,
        name: str,
        *,
        roles: Sequence[str] = ("reader",),
        workspaces: Sequence[str] | None = None,
        visibility: str = "internal",
        sensitivity: int = 0,
    ) -> NewKey:
        """Make a key for someone else. Its secret is in the answer and nowhere else.

        Args:
            name: of the principal: what it is called in logs, and in an ``acl``.
            roles: ``reader``, ``writer`` or ``admin``, and any names that an ``acl`` may list.
            workspaces: those it may use; all when ``None``.
            visibility: the ceiling of what it sees: ``public``, ``internal`` or ``restricted``.
            sensitivity: the ceiling, 0 to 3.

        Raises:
            Conflict: ``key.exists``.
            InvalidInput: ``key.name``, ``key.role``, ``key.reserved``, ``field.choice``,
                ``field.range``.
            NotFound: ``workspace.unknown``.
            Denied: ``key.beyond`` when the asker would give more than it has: a right, a
                workspace, a ceiling, or a name that an acl lists.
        """

    @abstractmethod
    def keys(self) -> Sequence[KeyView]:
        """All keys, revoked ones too, in the order they were made.

        Only those that may no more than the asker.
        """

    @abstractmethod
    def revoke_key(self, name: str) -> KeyView:
        """The key of this name opens nothing any more.

        Raises:
            NotFound: ``key.missing``, also for a key that may more than the asker.
        """

    @abstractmethod
    def denials(self, *, limit: int = 100) -> Sequence[DenialView]:
        """The newest calls that were refused, newest first.

        Who is limited to some workspaces is told of those in them.

        Raises:
            InvalidInput: ``limit.invalid``.
        """
