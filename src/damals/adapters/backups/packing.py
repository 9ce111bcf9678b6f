"""Streams that are compressed, counted, limited and digested on their way, in constant memory."""

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from damals.adapters.backups.sealing import Reads, Writes
from damals.domain.errors import Corrupt

BLOCK: Final = 1 << 18
_GZIP: Final = 31
"""``wbits`` of zlib for the format of gzip."""
_LEVEL: Final = 6


class Counted:
    """A source that tells how much was read of it."""

    def __init__(self, source: BinaryIO, count: Callable[[int], None]) -> None:
        self._source = source
        self._count = count
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        """As files do."""
        data = self._source.read(size)
        self.size += len(data)
        self._count(self.size)
        return data


class Compressed:
    """A source in the format of gzip."""

    def __init__(self, source: Reads) -> None:
        self._source = source
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._ready = bytearray()
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        """As files do."""
        while not self._ended and (size < 0 or len(self._ready) < size):
            block = self._source.read(BLOCK)
            self._ready += self._packer.compress(block) if block else self._packer.flush()
            self._ended = not block
        cut = len(self._ready) if size < 0 else size
        data = bytes(self._ready[:cut])
        del self._ready[:cut]
        return data


class Digested:
    """A target that keeps size and SHA-256 of what was written."""

    def __init__(self, target: Writes) -> None:
        self._target = target
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        """As files do."""
        self._target.write(data)
        self._digest.update(data)
        self.size += len(data)
        return len(data)

    @property
    def sha256(self) -> str:
        """Of all so far, in hex."""
        return self._digest.hexdigest()


class Limited:
    """A target that takes exactly so many bytes."""

    def __init__(
        self, target: Writes, limit: int, path: Path, count: Callable[[int], None]
    ) -> None:
        self._target = target
        self._limit = limit
        self._path = path
        self._count = count
        self.size = 0

    def write(self, data: bytes) -> int:
        """As files do.

        Raises:
            Corrupt: ``backup.packed`` when there is more than was told.
        """
        self.size += len(data)
        if self.size > self._limit:
            raise self._refused()
        self._target.write(data)
        self._count(self.size)
        return len(data)

    def finish(self) -> None:
        """See that nothing is missing.

        Raises:
            Corrupt: ``backup.packed``.
        """
        if self.size != self._limit:
            raise self._refused()

    def _refused(self) -> Corrupt:
        return Corrupt("backup.packed", path=str(self._path))


class Decompressed:
    """A target that undoes gzip, a block at a time, whatever that becomes."""

    def __init__(self, target: Limited, path: Path) -> None:
        self._target = target
        self._path = path
        self._unpacker = zlib.decompressobj(_GZIP)

    def write(self, data: bytes) -> int:
        """As files do.

        Raises:
            Corrupt: ``backup.packed``.
        """
        left = data
        try:
            while left:
                if self._unpacker.eof:
                    raise Corrupt("backup.packed", path=str(self._path))
                self._target.write(self._unpacker.decompress(left, BLOCK))
                left = self._unpacker.unconsumed_tail or self._unpacker.unused_data
        except zlib.error as error:
            raise Corrupt("backup.packed", path=str(self._path)) from error
        return len(data)

    def finish(self) -> None:
        """See that nothing is missing.

        Raises:
            Corrupt: ``backup.packed``.
        """
        if not self._unpacker.eof:
            raise Corrupt("backup.packed", path=str(self._path))
        self._target.finish()


def copy(source: Reads, target: Writes) -> None:
    """All of a source into a target."""
    while block := source.read(BLOCK):
        target.write(block)
