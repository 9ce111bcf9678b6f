"""Running ``git`` on a repository that nobody has to trust.

Only plumbing is run: commands that read objects and know neither hooks, pagers, aliases, filters
nor external diffs. A repository's own settings can still name programs; those that these commands
could meet are switched off, and no transport is allowed, since a repository that lacks objects
would fetch them with whatever program it names.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

from damals.domain.errors import Unavailable

TIMEOUT_S: Final = 60
"""For answers of one line."""

_SETTINGS: Final = (
    "core.quotepath=off", "core.fsmonitor=false", f"core.hooksPath={os.devnull}",
    "protocol.allow=never", "diff.renameLimit=1000",
    # Of a folder of somebody else: nothing that it names is run.
    "safe.directory=*",
)  # fmt: skip
_ENVIRONMENT: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class Git:
    """The program in one folder."""

    def __init__(self, folder: Path) -> None:
        """Nothing is run yet."""
        self._folder = folder

    def ask(self, *arguments: str) -> bytes | None:
        """What a short command writes; ``None`` when it fails.

        Raises:
            Unavailable: ``history.no_git``, ``history.failed``.
        """
        process = self.start(arguments)
        try:
            told, _ = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            stop(process)
            raise Unavailable("history.failed", path=str(self._folder)) from error
        return told if process.returncode == 0 else None

    def start(
        self, arguments: Sequence[str], stdin: int | IO[bytes] = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """Start a command; the caller reads its output and ends it.

        Raises:
            Unavailable: ``history.no_git``.
        """
        command = ["git", "--no-pager"]
        for setting in _SETTINGS:
            command += ["-c", setting]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            return subprocess.Popen(  # noqa: S603 -- a list of arguments, no shell, none begins with a name from outside
                [*command, *arguments],
                cwd=self._folder,
                env=kept | _ENVIRONMENT,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except FileNotFoundError as error:
            raise Unavailable("history.no_git") from error

    def failed(self) -> Unavailable:
        """What to raise when it broke off."""
        return Unavailable("history.failed", path=str(self._folder))


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a command, whatever it does, and let go of its pipes."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # what was still to be written has nobody to read it
                continue
    process.wait()
