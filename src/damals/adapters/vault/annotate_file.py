"""A note's file as bytes: read with its identity, and replaced in one step."""

import contextlib
import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

from damals.app.vault.file_kinds import MAX_NOTE_BYTES
from damals.domain.errors import Conflict, DamalsError, InvalidInput, NotFound
from damals.folders import sync_folder

_MODE_BITS: Final = 0o7777
_NAMELESS: Final = frozenset(
    {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL, errno.ENOSYS, errno.EPERM}
)
"""What says that a file cannot be made without a name there, or not be given one."""

Identity = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file as it was read."""

    path: Path
    data: bytes
    identity: Identity
    mode: int

    @classmethod
    def read(cls, path: Path) -> "NoteFile":
        """Read a regular file that may be changed.

        Raises:
            NotFound: ``path.missing``.
            InvalidInput: ``annotate.link``, ``annotate.not_a_file``, ``annotate.hard_link``,
                ``annotate.read_only``, ``vault.too_large``, ``path.unreadable``.
        """
        try:
            found = path.lstat()
            _check(path, found)
            with path.open("rb") as stream:
                opened = os.fstat(stream.fileno())
                data = stream.read(MAX_NOTE_BYTES + 1)
        except OSError as error:
            raise _problem("path.unreadable", path, error) from error
        if len(data) > MAX_NOTE_BYTES:
            raise InvalidInput(
                "vault.too_large", path=str(path), limit_mib=MAX_NOTE_BYTES // 1024**2
            )
        return cls(path, data, _identity(opened), stat.S_IMODE(opened.st_mode))

    def replace(self, data: bytes) -> None:
        """Put other bytes in its place, all or nothing, with the mode that it had.

        Raises:
            Conflict: ``annotate.changed`` when it is not what was read any more.
            InvalidInput: ``path.unwritable``.
        """
        try:
            with _alone(self.path), _beside(self.path, data, self.mode) as made:
                self._check_unchanged()
                made.replace(self.path)
            sync_folder(self.path.parent)
        except OSError as error:
            raise _problem("path.unwritable", self.path, error) from error

    def _check_unchanged(self) -> None:
        try:
            same = _identity(self.path.lstat()) == self.identity
            same = same and self.path.read_bytes() == self.data
        except OSError:
            same = False
        if not same:
            raise Conflict("annotate.changed", path=str(self.path))


def _check(path: Path, found: os.stat_result) -> None:
    shown = str(path)
    if stat.S_ISLNK(found.st_mode):
        raise InvalidInput("annotate.link", path=shown, target=str(path.resolve()))
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInput("annotate.not_a_file", path=shown)
    if found.st_nlink > 1:
        raise InvalidInput("annotate.hard_link", path=shown, count=found.st_nlink)
    if not found.st_mode & stat.S_IWUSR or not os.access(path, os.W_OK):
        raise InvalidInput("annotate.read_only", path=shown)


def _identity(found: os.stat_result) -> Identity:
    return (
        found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    )  # fmt: skip


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """While nobody else annotates this very file, as far as the system knows such locks.

    Who waits for it finds another file in its place afterwards, and is told so.
    """
    if os.name != "posix":
        yield
        return
    import fcntl  # noqa: PLC0415 -- not there on every system

    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _beside(path: Path, data: bytes, mode: int) -> Generator[Path]:
    """A file with the data in the same folder, hidden, and gone at the end unless it was moved.

    Where the system can, it has no name before it is whole: a kill leaves nothing behind. What a
    kill between name and move would leave has a name that says whose it is, and goes next time.
    """
    made = path.with_name(f".{path.name[:200]}.damals~")
    with contextlib.suppress(FileNotFoundError):
        made.unlink()
    if not _named_late(path, made, data, mode):
        made = path.with_name(f".{path.name[:180]}.{uuid4().hex}.damals~")
        handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _fill(handle, path, data, mode)
        except BaseException:
            made.unlink()
            raise
        finally:
            os.close(handle)
    try:
        yield made
    finally:
        with contextlib.suppress(FileNotFoundError):
            made.unlink()


def _named_late(path: Path, made: Path, data: bytes, mode: int) -> bool:
    nameless = getattr(os, "O_TMPFILE", None)
    if nameless is None:
        return False
    try:
        handle = os.open(path.parent, os.O_WRONLY | nameless, 0o600)
    except OSError as error:
        if error.errno in _NAMELESS:
            return False
        raise
    folder = os.open(path.parent, os.O_RDONLY)  # with a folder to start from, links are followed
    try:
        _fill(handle, path, data, mode)
        os.link(f"/proc/self/fd/{handle}", made, src_dir_fd=folder, follow_symlinks=True)
    except OSError as error:
        if error.errno in _NAMELESS:
            return False
        raise
    finally:
        os.close(folder)
        os.close(handle)
    return True


def _fill(handle: int, path: Path, data: bytes, mode: int) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
    found = path.lstat()
    if hasattr(os, "fchown") and (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(OSError):
            os.fchown(handle, found.st_uid, found.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode & _MODE_BITS)
    _keep_attributes(path, handle)
    os.fsync(handle)


def _keep_attributes(path: Path, handle: int) -> None:
    """Labels and lists of rights that hang on the file, as far as the system lets us."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(path, follow_symlinks=False):
            with contextlib.suppress(OSError):
                os.setxattr(handle, name, os.getxattr(path, name, follow_symlinks=False))


def _problem(key: str, path: Path, error: OSError) -> DamalsError:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return NotFound("path.missing", path=str(path))
    return InvalidInput(key, path=str(path), cause=error.strerror or type(error).__name__)
