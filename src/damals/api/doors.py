"""The part of ``Damals`` that is about how one comes to it."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damals.api import Damals
    from damals.app.ports import Clock


class Doors:
    """The ways in: a home of this machine, or a server."""

    @staticmethod
    def open(
        home: str | Path | None = None,
        *,
        workspace: str | None = None,
        clock: "Clock | None" = None,
    ) -> "Damals":
        """Open a home folder; it is made, with the workspace ``default``, by the first write.

        The home belongs to one process at a time. When it is another's, that one is asked.

        Args:
            home: the folder; else ``DAMALS_HOME``, else the platform's data folder.
            workspace: name of the workspace; else ``DAMALS_WORKSPACE``, else ``default``.
            clock: gives the current instant in UTC microseconds; for tests and replays.

        Raises:
            Unavailable: ``home.held`` when another process holds the home for too long.
        """
        from damals.opening import open_damals  # noqa: PLC0415 -- wiring is loaded when needed

        return open_damals(home, workspace=workspace, clock=clock)

    @staticmethod
    def connect(url: str, key: str | None = None, *, workspace: str = "default") -> "Damals":
        """The memory of a server; see ``damals serve``. Nothing is sent before it is needed.

        Args:
            url: of the server, for example ``http://127.0.0.1:7399``.
            key: opens it; a server of this machine without keys needs none.
            workspace: name of the workspace.

        Raises:
            InvalidInput: ``remote.url``.
        """
        from damals import messages  # noqa: PLC0415 -- a client is loaded when needed
        from damals.remote.client import RemoteDamals  # noqa: PLC0415 -- as above

        messages.install()
        return RemoteDamals(url, key, workspace=workspace)
