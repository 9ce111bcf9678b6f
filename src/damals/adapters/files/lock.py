"""One owner per home folder.

The operating system's own lock on ``damals.lock`` decides; it goes with its process, however that
ends, so a lock of the dead never blocks. What stands in the file only tells who holds it, and of
a holder that listens where and with which token. Readers may meet it while it is being written, or
find what a process left that was killed: they believe nothing and try.
"""

import errno
import json
import os
import stat
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

from damals.adapters.files.home import Home
from damals.app.ownership import Owned, Owner
from damals.domain.errors import Unavailable

FIRST_PAUSE_S: Final = 0.005
LONGEST_PAUSE_S: Final = 0.1
PRIVATE_FILE: Final = 0o600
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_MAX_BYTES: Final = 4096
"""No lock file of ours is longer."""
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
UNKNOWN: Final = "?"
"""What a lock file does not tell of its holder."""

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
        attach: do not wait for a holder that listens.
    """

    def __init__(
        self,
        home: Path,
        *,
        timeout_s: float = 30.0,
        command: str | None = None,
        attach: bool = False,
    ) -> None:
        self._home = Home(home)
        self._timeout_s = timeout_s
        self._command = command or _command_line()
        self._attach = attach
        self._handle: int | None = None
        self._told: dict[str, object] = {}
        self._writing = threading.Lock()  # a listener announces itself from its own thread

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._handle is not None

    def acquire(self) -> None:
        """Take the lock; nothing happens when it is held already.

        Raises:
            Owned: the holder listens, and this lock was made to attach.
            Unavailable: ``home.held``, naming the holder, when it is not free in time;
                ``home.unusable`` when the file cannot be written.
            InvalidInput: ``home.not_a_folder``.
        """
        while self._handle is None:
            try:
                handle = os.open(self._home.lock, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
            except OSError as error:
                raise self._home.failure(error) from error
            if self._locked(handle):
                self._handle = handle

    def _locked(self, handle: int) -> bool:
        """Wait for the lock of an open file, and say in it who has it.

        Returns:
            Whether it is the home's: another home may have taken its place meanwhile. The file is
            closed when it is not.
        """
        kept = False
        try:
            self._wait(handle)
            if _is_at(handle, self._home.lock):
                self._told = _introduction(self._command)
                _write(handle, self._told)
                kept = True
        except OSError as error:
            raise self._home.failure(error) from error
        finally:
            if not kept:
                os.close(handle)
        return kept

    def release(self) -> None:
        """Give the lock back. Releasing twice is harmless.

        The file stays: removing it would let two processes lock two files of one name.
        """
        with self._writing:
            handle, self._handle = self._handle, None
        if handle is not None:
            try:
                os.ftruncate(handle, 0)
                _unlock(handle)
            finally:
                os.close(handle)

    def announce(self, owner: Owner | None) -> bool:
        """Write into the file where this holder listens, or that it does so no longer.

        Returns:
            Whether it stands there: not when the lock is not held, and not when others than the
            user could read the token.
        """
        with self._writing:
            handle = self._handle
            if handle is None:
                return False
            if owner is None:
                _write(handle, self._told)
                return True
            if not _made_private(handle):
                return False
            return _write(handle, {**self._told, "url": owner.url, "token": owner.token})

    def _wait(self, handle: int) -> None:
        """Try until it is free. The time-out counts from when the holder of the moment was seen.

        Where many hold a home one after the other, nothing is stuck.
        """
        seen = _Seen(self._timeout_s)
        pause_s = FIRST_PAUSE_S
        while not _try_lock(handle):
            owner = listening_owner(self._home.path) if self._attach else None
            left_s = seen.left_s(holder(self._home.path))
            if owner is not None or left_s <= 0:
                told = {"path": str(self._home.path), **holder(self._home.path)}
                raise Unavailable("home.held", **told) if owner is None else Owned(owner, **told)
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


class _Seen:
    """Since when the same holder is seen."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._holder: dict[str, object] = {}

    def left_s(self, holder: dict[str, object]) -> float:
        """How long this holder is still waited for; one that is just writing is nobody new."""
        if UNKNOWN not in holder.values():
            if self._holder and holder != self._holder:
                self._deadline = time.monotonic() + self._timeout_s
            self._holder = holder
        return self._deadline - time.monotonic()


def _is_at(handle: int, path: Path) -> bool:
    """Whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def holder(home: Path) -> dict[str, object]:
    """Who holds a home, as far as its lock file tells: ``pid``, ``command``, ``since``."""
    told = _read(home)
    return {name: told.get(name, UNKNOWN) for name in ("pid", "command", "since")}


def listening_owner(home: Path) -> Owner | None:
    """The owner that the lock file names; it may be long gone."""
    told = _read(home)
    url, token = told.get("url"), told.get("token")
    if isinstance(url, str) and url and isinstance(token, str) and token:
        return Owner(url, token)
    return None


def _read(home: Path) -> dict[str, object]:
    """What the lock file tells; nothing when it cannot be read or makes no sense."""
    try:
        with Home(home).lock.open("rb") as file:
            told: object = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        # The holder is just writing, or it runs on a system that does not let us read.
        return {}
    return cast("dict[str, object]", told) if isinstance(told, dict) else {}


def _introduction(command: str) -> dict[str, object]:
    since = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {"pid": os.getpid(), "command": command, "since": since}


def _write(handle: int, told: Mapping[str, object]) -> bool:
    """Replace what the file says. Who reads in between sees one of both, or no JSON.

    Returns:
        Whether it stands there: on a full disk it does not, and the lock holds all the same.
    """
    text = json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace")
    os.lseek(handle, 0, os.SEEK_SET)
    try:
        written = os.write(handle, text)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        written = 0
    whole = written == len(text)
    os.ftruncate(handle, written if whole else 0)
    return whole


def _made_private(handle: int) -> bool:
    """See to it that nobody else can read the file, wherever it came from."""
    if sys.platform == "win32":
        return True  # the folders of a user are private there
    with suppress(OSError):  # not every file system has modes; what counts is what it says now
        os.fchmod(handle, PRIVATE_FILE)
    return not os.fstat(handle).st_mode & _OTHERS


def _command_line() -> str:
    """Name of the program and its command, without values: they may be private."""
    started = Path(sys.argv[0] or "python")
    program = started.parent.name if started.name == "__main__.py" else started.name
    first = sys.argv[1] if len(sys.argv) > 1 else ""
    return f"{program} {first}" if first.isidentifier() else program
