"""Digests of files, each computed once as long as its file stays as it is."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

RACY_NS: Final = 2_000_000_000
"""A file that has not looked the same for so long may be written again with the same times and
size: coarse clocks of file systems would not show it."""

MOST_FILES: Final = 1_000_000
"""Beyond so many it forgets all of them, rather than growing for ever."""

Stamp = tuple[int, int, int, int, int]


def file_digest(location: Path) -> str:
    """SHA-256 of a file's bytes, hex.

    Raises:
        OSError: it cannot be read.
    """
    with location.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Seen(NamedTuple):
    """A file as it was seen.

    Attributes:
        since_ns: when it was first seen so.
        settled: it was read after it had looked so for long enough.
    """

    stamp: Stamp
    digest: str
    since_ns: int
    settled: bool


class DigestCache:
    """Remembers digests for the life of a process that reads the same files again and again.

    A digest is known by place, size, inode and both times of its file, once the file was read two
    seconds after it was first seen with these. Its times are never compared with our clock: a
    network drive has one of its own, which may be wrong by any amount.
    """

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """Nothing is known.

        Args:
            now_ns: a clock that only goes on.
        """
        self._now_ns = now_ns
        self._known: dict[str, _Seen] = {}

    def digest(self, location: Path) -> str:
        """SHA-256 of a file's bytes, hex.

        Raises:
            OSError: it cannot be read.
        """
        place, before = str(location), _stamp(location)
        known = self._known.get(place)
        if known is not None and known.stamp != before:
            known = None
        if known is not None and known.settled and os.access(location, os.R_OK):
            return known.digest
        began_ns = self._now_ns()
        since_ns = began_ns if known is None else known.since_ns
        digest = file_digest(location)
        if len(self._known) >= MOST_FILES:
            self._known.clear()
        if before == _stamp(location):
            settled = began_ns - since_ns > RACY_NS
            self._known[place] = _Seen(before, digest, since_ns, settled)
        else:
            self._known.pop(place, None)
        return digest


def _stamp(location: Path) -> Stamp:
    found = location.stat()
    return (
        found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    )  # fmt: skip
