"""Running ``git`` on a repository that nobody has to trust.

Only plumbing is run: commands that read objects and know neither hooks, pagers, aliases, filters
nor external diffs. A repository's own settings can still name programs; those that these commands
could meet are switched off, and no transport is allowed, since a repository that lacks objects
would fetch them with whatever program it names. Nothing asks for a password. Where a command hangs
all the same, it is ended and reported.
"""

import os
import signal
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from threading import Event, Thread
from typing import IO, Final, Self, cast

from damals.domain.errors import Unavailable

SILENCE_S: Final = 300.0
"""A command that is waited for in vain for so long hangs. The slowest that it may do is to compare
all files of a commit with each other, to find renames."""

_LOOKS: Final = 10
"""How often it is looked at in that time."""

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
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "LC_ALL": "C",
}


class Git:
    """The program in one folder."""

    def __init__(self, folder: Path, silence_s: float = SILENCE_S) -> None:
        """Nothing is run yet.

        Args:
            folder: where it is run.
            silence_s: for so long it may keep silent while it is waited for.
        """
        self._folder = folder
        self._silence_s = silence_s

    def ask(self, *arguments: str) -> bytes | None:
        """What a short command writes; ``None`` when it fails.

        Raises:
            Unavailable: ``history.no_git``, ``history.silent``.
        """
        with self.start(arguments) as running:
            told = running.read()
            return told if running.ended_well() else None

    def start(
        self, arguments: Sequence[str], stdin: int | IO[bytes] = subprocess.DEVNULL
    ) -> "Running":
        """Start a command; the caller reads its output and ends it.

        Raises:
            Unavailable: ``history.no_git``.
        """
        command = ["git", "--no-pager"]
        for setting in _SETTINGS:
            command += ["-c", setting]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        try:
            process = subprocess.Popen(  # noqa: S603 -- a list of arguments, no shell, none begins with a name from outside
                [*command, *arguments],
                cwd=self._folder,
                env=kept | _ENVIRONMENT,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # it is ended together with whatever it has started
            )
        except FileNotFoundError as error:
            raise Unavailable("history.no_git") from error
        return Running(process, self._folder, self._silence_s)

    def failed(self) -> Unavailable:
        """What to raise when it broke off."""
        return Unavailable("history.failed", path=str(self._folder))


class Running:
    """A command that is read from. It is ended when it keeps silent for too long."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, silence_s: float) -> None:
        """Watch a process whose output is a pipe."""
        self._process = process
        self._folder = folder
        self._silence_s = silence_s
        self._waiting_since: float | None = None
        self._silent = False
        self._over = Event()
        self._watch = Thread(target=self._look, daemon=True, name="git-watch")
        self._watch.start()

    def __enter__(self) -> Self:
        """Itself; it is stopped at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it, whatever it does."""
        self.stop()

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all; fewer at the end.

        Raises:
            Unavailable: ``history.silent``, ``history.failed``.
        """
        with self._waiting():
            return self._out.read(size)

    def piece(self, size: int) -> bytes:
        """What there is, at most so many bytes; nothing at the end."""
        with self._waiting():
            return self._out.read1(size)

    def line(self) -> bytes:
        """The next line; nothing at the end."""
        with self._waiting():
            return self._out.readline()

    def lines(self) -> Iterator[bytes]:
        """All lines."""
        return iter(self.line, b"")

    def tell(self, line: str) -> None:
        """Write a line to it."""
        asked = self._process.stdin
        assert asked is not None  # noqa: S101 -- only who has asked for it writes
        with self._waiting():
            asked.write(f"{line}\n".encode())
            asked.flush()

    def ended_well(self) -> bool:
        """Whether it has said everything, without a failure; waits for its end."""
        with self._waiting():
            return not self._out.read(1) and not self._process.wait()

    def stop(self) -> None:
        """End it with all that it has started, whatever it does, and let go of its pipes."""
        self._over.set()
        self._kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what was still to be written has nobody to read it
                    continue
        self._process.wait()
        self._watch.join()

    @property
    def _out(self) -> BufferedReader:
        return cast("BufferedReader", self._process.stdout)

    @contextmanager
    def _waiting(self) -> Generator[None]:
        self._waiting_since = time.monotonic()
        try:
            yield
        except OSError as error:
            if not self._silent:
                raise Unavailable("history.failed", path=str(self._folder)) from error
        finally:
            self._waiting_since = None
        if self._silent:
            seconds = round(self._silence_s)
            raise Unavailable("history.silent", path=str(self._folder), seconds=seconds)

    def _look(self) -> None:
        """Look now and then whether it is waited for in vain."""
        while not self._over.wait(self._silence_s / _LOOKS):
            since = self._waiting_since
            if since is not None and time.monotonic() - since > self._silence_s:
                self._silent = True
                self._kill()
                return

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
