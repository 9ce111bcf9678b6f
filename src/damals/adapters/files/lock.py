"""One owner per home folder.

The operating system's own lock on ``damals.lock`` decides; it goes with its process, however that
ends, so a lock of the dead never blocks. What stands in the file only tells who holds it.
"""

import json
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

from damals.adapters.files.home import Home
from damals.domain.errors import Unavailable

FIRST_PAUSE_S: Final = 0.005
LONGEST_PAUSE_S: Final = 0.1
_LOCKED_BYTE: Final = 1 << 30
"""Windows locks are mandatory: one byte far behind the text is locked, so others can read it."""

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


class HomeLock:
    """The lock of a home folder. Use it as a context manager, or acquire and release.

    Args:
        home: the folder, which exists.
        timeout_s: how long to wait for another holder.
        command: what the holder is called in the messages of those who wait.
    """

    def __init__(self, home: Path, *, timeout_s: float = 30.0, command: str | None = None) -> None:
        self._home = Home(home)
        self._timeout_s = timeout_s
        self._command = command or _command_line()
        self._handle: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._handle is not None

    def acquire(self) -> None:
        """Take the lock; nothing happens when it is held already.

        Raises:
            Unavailable: ``home.held``, naming the holder, when it is not free in time;
                ``home.unusable`` when the file cannot be written.
            InvalidInput: ``home.not_a_folder``.
        """
        if self._handle is not None:
            return
        try:
            handle = os.open(self._home.lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._home.failure(error) from error
        try:
            self._wait(handle)
            _write_holder(handle, self._command)
        except OSError as error:
            os.close(handle)
            raise self._home.failure(error) from error
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle

    def release(self) -> None:
        """Give the lock back. Releasing twice is harmless.

        The file stays: removing it would let two processes lock two files of one name.
        """
        handle, self._handle = self._handle, None
        if handle is not None:
            try:
                os.ftruncate(handle, 0)
                _unlock(handle)
            finally:
                os.close(handle)

    def _wait(self, handle: int) -> None:
        deadline = time.monotonic() + self._timeout_s
        pause_s = FIRST_PAUSE_S
        while not _try_lock(handle):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise Unavailable("home.held", path=str(self._home.path), **holder(self._home.path))
            time.sleep(min(pause_s, left_s))
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def holder(home: Path) -> dict[str, object]:
    """Who holds a home, as far as its lock file tells: ``pid``, ``command``, ``since``."""
    unknown: dict[str, object] = {"pid": "?", "command": "?", "since": "?"}
    try:
        told: object = json.loads(Home(home).lock.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        # The holder is just writing, or it runs on a system that does not let us read.
        return unknown
    if not isinstance(told, dict):
        return unknown
    known = cast("dict[str, object]", told)
    return {name: known.get(name, fallback) for name, fallback in unknown.items()}


def _write_holder(handle: int, command: str) -> None:
    since = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    told = {"pid": os.getpid(), "command": command, "since": since}
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace"))


def _command_line() -> str:
    """Name of the program and its command, without values: they may be private."""
    program = Path(sys.argv[0] or "python").name
    first = sys.argv[1] if len(sys.argv) > 1 else ""
    return f"{program} {first}" if first.isidentifier() else program
