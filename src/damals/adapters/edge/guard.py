"""From what the engine throws to the errors of damals, and what keeps it from throwing."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import IO, Final

from damals.domain.errors import Corrupt, DamalsError, Unavailable

FreeSpace = Callable[[Path], int]
"""Free bytes of the file system that holds a path."""

_MEANINGS: Final[tuple[tuple[tuple[str, ...], type[DamalsError], str], ...]] = (
    (("WouldBlock",), Unavailable, "index.held"),
    (("os error 28", "os error 122", "No space", "StorageFull"), Unavailable, "index.disk_full"),
    (("os error 13", "os error 30", "PermissionDenied"), Unavailable, "index.not_writable"),
    (("os error 12", "os error 24", "OutOfMemory"), Unavailable, "index.unavailable"),
    (("incompatible",), Corrupt, "index.incompatible"),
)
"""What the engine's words mean. It has one class of error, and the words of the system in it."""

_REASON_CHARS: Final = 300
_LOCK_POLL_SECONDS: Final = 0.02


def free_space(path: Path) -> int:
    """Free bytes for this user on the file system of ``path``."""
    return shutil.disk_usage(path).free


def allocated_bytes(folder: Path) -> int:
    """Bytes that the files below a folder take on disk; the engine's files are sparse."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            # A file may vanish meanwhile; it then takes nothing.
            with contextlib.suppress(FileNotFoundError):
                status = Path(root, name).stat()
                total += getattr(status, "st_blocks", status.st_size // 512) * 512
    return total


@contextlib.contextmanager
def engine_errors(path: Path) -> Generator[None]:
    """Turns what the engine raises into ``Unavailable`` or ``Corrupt``.

    The engine raises plain ``Exception``, and ``PanicException``, a ``BaseException``, when it
    finds its own state impossible. Whatever has a more exact type is an error of this program
    and goes through.
    """
    try:
        yield
    except DamalsError:
        raise
    except OSError as cause:
        raise _translated(path, cause) from cause
    except BaseException as cause:
        if is_panic(cause):
            raise Corrupt("index.corrupt", path=str(path)) from cause
        if type(cause) is Exception:
            raise _translated(path, cause) from cause
        raise


def is_panic(error: BaseException) -> bool:
    """Whether the engine's own code gave up. Its class cannot be imported."""
    return type(error).__name__ == "PanicException"


def _translated(path: Path, cause: Exception) -> DamalsError:
    text = f"os error {cause.errno}: {cause}" if isinstance(cause, OSError) else str(cause)
    values = {"path": str(path), "reason": text[:_REASON_CHARS]}
    for signs, error, key in _MEANINGS:
        if any(sign in text for sign in signs):
            return error(key, **values)
    return Corrupt("index.corrupt", **values)


class ShardLock:
    """Keeps a shard to one process, from before its first file is touched.

    The engine locks its log when it loads; leftovers have to be removed before that, and never
    under another process. The system lets go of the lock when the process ends, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self, wait_seconds: float) -> None:
        """Take the lock.

        Raises:
            Unavailable: ``index.held`` when another holds it for longer than ``wait_seconds``.
        """
        file = self._path.open("ab")
        give_up_at = time.monotonic() + wait_seconds
        while not _try_lock(file):
            if time.monotonic() >= give_up_at:
                file.close()
                raise Unavailable("index.held", path=str(self._path.with_suffix("")))
            time.sleep(_LOCK_POLL_SECONDS)
        self._file = file

    def release(self) -> None:
        """Let go; harmless when it is not held."""
        if self._file is not None:
            self._file.close()
            self._file = None


if os.name == "nt":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
