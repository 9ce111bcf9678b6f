"""Searching the files of a home for what was erased, and removing old copies of its ledger."""

import errno
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from damals.adapters.files import moving
from damals.adapters.files.home import Home
from damals.app.erasing.model import SearchedFile, Sought
from damals.domain.errors import Unavailable

BLOCK_BYTES: Final = 4 * 1024 * 1024
MOST_PLACES: Final = 16

COPIES: Final = ("ledger.db.format-*", "ledger.db.migrated-*")
"""What upgrades and a move to a server leave beside or of a ledger: they hold what it held."""
FORGOTTEN: Final = ("readings.json", "readings.*")
"""What a cache knows of sources; it costs reading them again."""

_DATABASES: Final = (".db", "-wal", "-shm")
_COMPRESSED: Final = (
    *(b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ"),
    *(b"\x04\x22\x4d\x18", b"age-encryption.org"),
)
"""How compressed and encrypted files begin."""
_INDEX: Final = "index"
"""A search engine compresses what it keeps, without saying so; its folder was filled anew."""


class HomeFolder:
    """The files of a home (port ``HomeFiles``).

    Files of databases stay open until :meth:`close`: closing one would give up the locks that
    SQLite holds on it in this process.

    Args:
        home: the folder.
        cache: the folder of caches in it.
    """

    def __init__(self, home: Path, cache: Path) -> None:
        self._home = home
        self._cache = cache
        self._open: dict[tuple[int, int], int] = {}

    def remove_copies(self) -> Sequence[str]:
        """Remove old copies of the ledger, and what caches know of sources."""
        removed: list[str] = []
        try:
            for pattern in COPIES:
                for path in sorted(self._home.glob(pattern)):
                    if path.is_dir() and not path.is_symlink():
                        shutil.rmtree(path)
                    else:
                        path.unlink()
                    removed.append(path.name)
            for pattern in FORGOTTEN:
                for path in self._cache.glob(pattern):
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise _failure(self._home, error) from error
        return removed

    def projected(self) -> bool:
        """Whether there may be an index or a cache of vectors."""
        return any(self._home.glob(f"{_INDEX}/*")) or any(self._cache.glob("vectors*"))

    def targets(self) -> Sequence[str]:
        """Addresses that the home is being moved to."""
        return moving.targets(self._home)

    def former(self) -> Sequence[str]:
        """Paths of homes that were put aside when a backup took their place."""
        return [str(one) for one in Home(self._home).former()]

    def search(self, sought: Sought) -> Sequence[SearchedFile]:
        """Search every file below the home, by name; what vanishes meanwhile is left out.

        What cannot be read, and what leads elsewhere, is named.
        """
        return [found for path in self._files() if (found := self._searched(path, sought))]

    def close(self) -> None:
        """Let go of files. Twice is harmless."""
        while self._open:
            _, number = self._open.popitem()
            os.close(number)

    def _files(self) -> Iterator[Path]:
        """Every file, every link, and the folders that cannot be looked into."""
        closed: list[Path] = []
        for folder, below, names in os.walk(
            self._home, onerror=lambda error: closed.append(Path(error.filename))
        ):
            for name in sorted(names):
                path = Path(folder) / name
                if path.is_symlink() or path.is_file():
                    yield path
            yield from (one for name in sorted(below) if (one := Path(folder) / name).is_symlink())
        yield from closed

    def _searched(self, path: Path, sought: Sought) -> SearchedFile | None:
        name = path.relative_to(self._home).as_posix()
        if path.is_symlink():
            return SearchedFile(name, 0, link=True)
        try:
            number = self._opened(path)
            try:
                size = os.fstat(number).st_size
                head = os.pread(number, 32, 0)
                places = _places(number, size, sought)
            finally:
                self._let_go(path, number)
        except FileNotFoundError:
            return None
        except OSError as error:
            return SearchedFile(name, 0, unread=_reason(error))
        compressed = head.startswith(_COMPRESSED) or name.startswith(f"{_INDEX}/")
        return SearchedFile(name, size, tuple(places), compressed)

    def _opened(self, path: Path) -> int:
        if not path.name.endswith(_DATABASES):
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        told = path.stat()
        known = self._open.get((told.st_dev, told.st_ino))
        if known is None:
            known = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            self._open[told.st_dev, told.st_ino] = known
        return known

    def _let_go(self, path: Path, number: int) -> None:
        if not path.name.endswith(_DATABASES):
            os.close(number)


def _places(number: int, size: int, sought: Sought) -> list[int]:
    """Where something was found in an open file; holes in it are passed over."""
    found: dict[int, None] = {}
    overlap = max(sought.longest - 1, 0)
    for start, end in _filled(number, size):
        at = start
        while at < end and len(found) < MOST_PLACES:
            data = os.pread(number, min(BLOCK_BYTES, end - at) + overlap, at)
            found |= {at + place: None for place in sought.places(data)}
            at += BLOCK_BYTES
    return sorted(found)[:MOST_PLACES]


def _filled(number: int, size: int) -> Iterator[tuple[int, int]]:
    """The stretches of a file that are no holes, in the order of the file."""
    at = 0
    while at < size:
        try:
            start = os.lseek(number, at, os.SEEK_DATA)
            end = os.lseek(number, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole is left
                return
            start, end = at, size
        yield start, end
        at = end


def _failure(path: Path, error: OSError) -> Unavailable:
    return Unavailable("erase.files", path=str(path), reason=_reason(error))


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
