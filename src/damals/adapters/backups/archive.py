"""A backup as one file: a plain tar, whose last member says what is in it.

Every member is a file of its own kind (``ledger.db.gz.age``), so that a backup can be opened with
``tar``, ``age`` and ``gunzip`` alone. Nothing but regular files with expected names is read, so
neither links nor paths of an archive lead anywhere.
"""

import os
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from damals.adapters.backups import manifest as manifests
from damals.adapters.backups.durable import PRIVATE_FILE, PRIVATE_FOLDER, unwritable
from damals.adapters.backups.packing import (
    BLOCK,
    Compressed,
    Counted,
    Decompressed,
    Digested,
    Limited,
    copy,
)
from damals.adapters.backups.sealing import seal, unseal
from damals.app.backups.model import KEY, Manifest, Member
from damals.app.backups.ports import Count, Seal, Secret
from damals.domain.errors import Corrupt, DamalsError, InvalidInput
from damals.domain.instants import SECOND
from damals.folders import sync_folder

MANIFEST: Final = "manifest.json"
_UNIT: Final = tarfile.BLOCKSIZE
_END: Final = b"\0" * (2 * _UNIT)
_MAX_MEMBERS: Final = 32
_MAX_LOCKED_KEY: Final = 65_536


class TarWriter:
    """An ``ArchiveWriter`` on an open file that can be sought in."""

    def __init__(self, file: BinaryIO, manifest: Manifest, seal: Seal | None) -> None:
        """Begin. ``manifest`` is what is known beforehand."""
        self._file = file
        self._manifest = manifest
        self._seal = seal
        self._members: list[Member] = []
        if seal is not None and seal.locked is not None:
            self._store(KEY, BytesIO(seal.locked))

    def add(self, name: str, source: BinaryIO, count: Count) -> None:
        """See :meth:`damals.app.backups.ports.ArchiveWriter.add`."""
        counted = Counted(source, count)
        packed = Compressed(counted) if self._manifest.compression == "gzip" else counted
        stored = manifests.stored_name(name, self._manifest)
        written = self._store(stored, packed, self._seal)
        member = Member(name, stored, written.size, written.sha256, counted.size)
        self._members.append(member)

    def finish(self, describe: Callable[[], Manifest]) -> None:
        """See :meth:`damals.app.backups.ports.ArchiveWriter.finish`."""
        told = replace(describe(), members=tuple(self._members))
        self._store(MANIFEST, BytesIO(manifests.written(told)))
        self._file.write(_END)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _store(
        self, name: str, source: "Counted | Compressed | BytesIO", to: Seal | None = None
    ) -> Digested:
        """Write a member, and then, since its size is known only then, its header before it."""
        place = self._file.tell()
        self._file.write(b"\0" * _UNIT)
        target = Digested(self._file)
        if to is None:
            copy(source, target)
        else:
            seal(source, target, to.recipient)
        self._file.write(b"\0" * (-target.size % _UNIT))
        end = self._file.tell()
        self._file.seek(place)
        self._file.write(self._header(name, target.size))
        self._file.seek(end)
        return target

    def _header(self, name: str, size: int) -> bytes:
        info = tarfile.TarInfo(name)
        info.size = size
        info.mode = PRIVATE_FILE
        info.mtime = self._manifest.created_at // SECOND
        return info.tobuf(tarfile.GNU_FORMAT)


@dataclass(frozen=True, slots=True)
class _Part:
    """Where the bytes of a member lie in the file."""

    offset: int
    size: int


class TarArchive:
    """An ``Archive`` on an open file."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        """Find out what is in it.

        Raises:
            Corrupt: ``backup.not_one``, ``backup.truncated``, ``backup.manifest``.
            Unavailable: ``backup.newer``.
        """
        self._file = file
        self.path = path
        self._parts = _parts(file, path)
        if MANIFEST not in self._parts:
            raise Corrupt("backup.truncated" if self._parts else "backup.not_one", path=str(path))
        told = self._parts[MANIFEST]
        if told.size > manifests.MAX_BYTES:
            raise Corrupt("backup.manifest", path=str(path))
        self.manifest = manifests.read(self._bytes(told), path)
        self._compare()

    @property
    def locked_key(self) -> bytes | None:
        """See :attr:`damals.app.backups.ports.Archive.locked_key`."""
        part = self._parts.get(KEY)
        return None if part is None else self._bytes(part)

    def check(self, count: Count) -> None:
        """See :meth:`damals.app.backups.ports.Archive.check`."""
        before = 0
        for member in self.manifest.members:
            digested = Digested(_Nowhere())
            source = Counted(self._part(member), lambda size, base=before: count(base + size))
            copy(source, digested)
            self._same(member, digested)
            before += member.size

    def unpack(self, folder: Path, secret: Secret | None, count: Count) -> None:
        """See :meth:`damals.app.backups.ports.Archive.unpack`."""
        if self.manifest.recipient is not None and secret is None:
            raise InvalidInput("backup.key_needed", path=str(self.path))
        before = 0
        for member in self.manifest.members:
            place = folder / member.name
            try:
                place.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
                handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
                with os.fdopen(handle, "wb") as file:
                    told = Limited(
                        file,
                        member.unpacked,
                        self.path,
                        lambda size, base=before: count(base + size),
                    )
                    self._unpack(member, told, secret)
                    file.flush()
                    os.fsync(file.fileno())
                sync_folder(place.parent, forgiving=True)
            except OSError as error:
                raise unwritable(place, error) from error
            before += member.unpacked

    def _unpack(self, member: Member, target: Limited, secret: Secret | None) -> None:
        source = _Hashed(self._part(member))
        packed = self.manifest.compression == "gzip"
        into = Decompressed(target, self.path) if packed else target
        try:
            if self.manifest.recipient is None or secret is None:
                copy(source, into)
            else:
                unseal(source, into, secret, self.path)
                copy(source, _Nowhere())
        except DamalsError as error:
            if isinstance(error, Corrupt):
                copy(source, _Nowhere())
                self._same(member, source.digested)  # the first cause is that bytes changed
            raise
        self._same(member, source.digested)
        into.finish()

    def _same(self, member: Member, found: Digested) -> None:
        if found.sha256 != member.sha256:
            raise Corrupt("backup.digest", path=str(self.path), name=member.stored)

    def _compare(self) -> None:
        """See that the file has what its manifest says, and nothing else.

        Raises:
            Corrupt: ``backup.manifest``.
        """
        told = {one.stored: one.size for one in self.manifest.members}
        found = {name: part.size for name, part in self._parts.items() if name != MANIFEST}
        locked = found.pop(KEY, None)
        if found != told or (locked is not None) != self.manifest.locked:
            raise Corrupt("backup.manifest", path=str(self.path))
        if locked is not None and locked > _MAX_LOCKED_KEY:
            raise Corrupt("backup.manifest", path=str(self.path))

    def _part(self, member: Member) -> "_Stretch":
        return _Stretch(self._file, self._parts[member.stored])

    def _bytes(self, part: _Part) -> bytes:
        return _Stretch(self._file, part).read()


class _Stretch(BytesIO):
    """A part of a file, read as a file."""

    def __init__(self, file: BinaryIO, part: _Part) -> None:
        super().__init__()
        self._file = file
        self._at = part.offset
        self._end = part.offset + part.size

    def read(self, size: int | None = -1, /) -> bytes:
        left = self._end - self._at
        wanted = left if size is None or size < 0 else min(size, left)
        self._file.seek(self._at)
        data = self._file.read(wanted)
        self._at += len(data)
        return data


class _Hashed(BytesIO):
    """A source that keeps the digest of what was read."""

    def __init__(self, source: BinaryIO) -> None:
        super().__init__()
        self._source = source
        self.digested = Digested(_Nowhere())

    def read(self, size: int | None = -1, /) -> bytes:
        data = self._source.read(BLOCK if size is None else size)
        self.digested.write(data)
        return data


class _Nowhere:
    """A target that keeps nothing."""

    def write(self, data: bytes) -> int:
        return len(data)


def _parts(file: BinaryIO, path: Path) -> Mapping[str, _Part]:
    """The members of an archive by name.

    Raises:
        Corrupt: ``backup.not_one``, ``backup.truncated``, ``backup.manifest``.
    """
    length = file.seek(0, os.SEEK_END)
    found: dict[str, _Part] = {}
    at = 0
    while True:
        file.seek(at)
        block = file.read(_UNIT)
        if block == b"\0" * _UNIT:
            return found
        if len(found) >= _MAX_MEMBERS:
            raise Corrupt("backup.manifest", path=str(path))
        info = _info(block, path, first=not found)
        end = at + _UNIT + info.size
        if end > length:
            raise Corrupt("backup.truncated", path=str(path))
        if info.type != tarfile.REGTYPE or info.size < 0 or info.name in found:
            raise Corrupt("backup.manifest", path=str(path))
        found[info.name] = _Part(at + _UNIT, info.size)
        at = end + -info.size % _UNIT


def _info(block: bytes, path: Path, *, first: bool) -> tarfile.TarInfo:
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "strict")
    except (tarfile.HeaderError, UnicodeDecodeError) as error:
        short = len(block) < _UNIT and not first
        key = "backup.truncated" if short else "backup.not_one" if first else "backup.manifest"
        raise Corrupt(key, path=str(path)) from error
