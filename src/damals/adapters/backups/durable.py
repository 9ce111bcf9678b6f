"""Files that are whole or not there: written beside, synced, renamed; and locks of folders."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from damals.domain.errors import Unavailable
from damals.folders import sync_folder

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, *, wait: bool) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(handle: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True


def unwritable(path: Path, error: OSError) -> Unavailable:
    """The error to raise when something cannot be written."""
    reason = error.strerror or type(error).__name__
    return Unavailable("backup.unwritable", path=str(path), reason=reason)


def unreadable(path: Path, error: OSError) -> Unavailable:
    """The error to raise when something cannot be read."""
    reason = error.strerror or type(error).__name__
    return Unavailable("backup.unreadable", path=str(path), reason=reason)


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner may look into.

    Raises:
        Unavailable: ``backup.unwritable``.
    """
    try:
        if not folder.is_dir():
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            sync_folder(folder.parent, forgiving=True)
    except OSError as error:
        raise unwritable(folder, error) from error


def write_whole(path: Path, data: bytes) -> None:
    """Write a small file so that it is there whole, or as it was before."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        sync_folder(path.parent, forgiving=True)
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def in_turn(folder: Path) -> Generator[None]:
    """Be the only one who adds and removes folders in a folder, for an instant.

    The folder itself is locked, so that nothing is left of it. Windows locks no folders: there a
    folder that has just been made may be taken for a leftover.
    """
    if sys.platform == "win32":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Generator[bool]:
    """Hold the system's lock on a file, made when it is not there. It goes with its process.

    Yields:
        Whether it is held: always, when it was waited for.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        yield _lock(handle, wait=wait)
    finally:
        os.close(handle)


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock on a file; of one that is gone there is nobody to ask."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return _lock(handle, wait=False)
    finally:
        os.close(handle)
