"""A backup as a file: read back as it was written, refused when anything in it is not."""

import io
import os
import subprocess
import tarfile
import tracemalloc
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from damals.adapters.backups import manifest as manifests
from damals.adapters.backups.archive import TarArchive, TarWriter
from damals.adapters.backups.sealing import (
    by_passphrase,
    new_key_file,
    seal_of_file,
    secret_of_file,
    unlocked,
)
from damals.app.backups.model import Extent, Manifest, Member
from damals.app.backups.ports import Seal
from damals.domain.errors import (
    Conflict,
    Corrupt,
    DamalsError,
    Denied,
    InvalidInput,
    Unavailable,
)

LEDGER = b"SQLite format 3\0" + bytes(range(256)) * 700
CONFIG = b"lang: de\n"
EXTENT = Extent("ab" * 32, "Büro Müller", 7, "cd" * 32)
PLAIN = Manifest(
    id="20260601T080000Z-3fa2c1",
    created_at=1_780_300_800_000_000,
    home="0b0c",
    ledger="sqlite",
    ledger_format=5,
    workspaces=(EXTENT,),
    members=(),
    compression="gzip",
)


def nothing(_: int) -> None:
    pass


def written(path: Path, manifest: Manifest = PLAIN, seal: Seal | None = None) -> Path:
    if seal is not None:
        locked = seal.locked is not None
        manifest = replace(manifest, recipient=seal.recipient, locked=locked)
    with path.open("w+b") as file:
        archive = TarWriter(file, manifest, seal)
        archive.add("ledger.db", io.BytesIO(LEDGER), nothing)
        archive.add("config.yaml", io.BytesIO(CONFIG), nothing)
        archive.finish(lambda: manifest)
    return path


def read(path: Path, into: Path, secret=None) -> TarArchive:
    into.mkdir()
    with path.open("rb") as file:
        archive = TarArchive(file, path)
        archive.unpack(into, secret, nothing)
    return archive


def refused(path: Path, into: Path, secret=None) -> DamalsError:
    with pytest.raises(DamalsError) as caught:
        read(path, into, secret)
    return caught.value


@pytest.mark.parametrize("compression", ["gzip", "none"])
def test_what_was_packed_is_unpacked(tmp_path: Path, compression: str):
    path = written(tmp_path / "b.tar", replace(PLAIN, compression=compression))
    archive = read(path, tmp_path / "out")
    assert (tmp_path / "out" / "ledger.db").read_bytes() == LEDGER
    assert (tmp_path / "out" / "config.yaml").read_bytes() == CONFIG
    assert replace(archive.manifest, members=()) == replace(PLAIN, compression=compression)
    assert [one.unpacked for one in archive.manifest.members] == [len(LEDGER), len(CONFIG)]


def test_any_tar_and_gunzip_open_it(tmp_path: Path):
    path = written(tmp_path / "b.tar")
    subprocess.run(["tar", "xf", path, "-C", tmp_path], check=True)
    subprocess.run(["gunzip", tmp_path / "ledger.db.gz"], check=True)
    assert (tmp_path / "ledger.db").read_bytes() == LEDGER
    assert "Büro Müller" in (tmp_path / "manifest.json").read_text(encoding="utf-8")


def test_unpacked_files_are_for_their_owner_only(tmp_path: Path):
    read(written(tmp_path / "b.tar"), tmp_path / "out")
    assert (tmp_path / "out" / "ledger.db").stat().st_mode & 0o077 == 0


# --- encrypted


def test_a_key_file_encrypts_and_opens(tmp_path: Path):
    public = new_key_file(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    seal = seal_of_file(tmp_path / "key")
    assert seal == Seal(public)
    path = written(tmp_path / "b.tar", seal=seal)
    whole = path.read_bytes()
    assert b"SQLite format" not in whole
    assert "Müller".encode() not in whole
    read(path, tmp_path / "out", secret_of_file(tmp_path / "key"))
    assert (tmp_path / "out" / "ledger.db").read_bytes() == LEDGER


def test_a_public_key_is_enough_to_make_one_and_opens_none(tmp_path: Path):
    (tmp_path / "public").write_text(new_key_file(tmp_path / "key") + "\n")
    path = written(tmp_path / "b.tar", seal=seal_of_file(tmp_path / "public"))
    with pytest.raises(InvalidInput) as caught:
        secret_of_file(tmp_path / "public")
    assert caught.value.key == "backup.public_key"
    read(path, tmp_path / "out", secret_of_file(tmp_path / "key"))


def test_a_passphrase_locks_a_key_that_travels_along(tmp_path: Path):
    path = written(tmp_path / "b.tar", seal=by_passphrase("Öl & Wasser"))
    with path.open("rb") as file:
        locked = TarArchive(file, path).locked_key
    assert locked is not None
    with pytest.raises(Denied) as caught:
        unlocked(locked, "öl & wasser", path)
    assert caught.value.key == "backup.wrong_passphrase"
    read(path, tmp_path / "out", unlocked(locked, "Öl & Wasser", path))
    assert (tmp_path / "out" / "ledger.db").read_bytes() == LEDGER


def test_another_key_opens_nothing(tmp_path: Path):
    new_key_file(tmp_path / "one")
    new_key_file(tmp_path / "two")
    path = written(tmp_path / "b.tar", seal=seal_of_file(tmp_path / "one"))
    error = refused(path, tmp_path / "out", secret_of_file(tmp_path / "two"))
    assert (type(error), error.key) == (Denied, "backup.wrong_key")
    assert refused(path, tmp_path / "again").key == "backup.key_needed"


def test_no_key_file_is_overwritten_and_what_is_none_is_refused(tmp_path: Path):
    new_key_file(tmp_path / "key")
    with pytest.raises(Conflict):
        new_key_file(tmp_path / "key")
    for text in ("", "hello", "AGE-SECRET-KEY-1XXX", "\xff"):
        (tmp_path / "wrong").write_text(text)
        with pytest.raises(InvalidInput) as caught:
            seal_of_file(tmp_path / "wrong")
        assert caught.value.key == "backup.key_file"


# --- damaged


@pytest.mark.parametrize("sealed", [False, True])
def test_a_file_that_was_cut_off_anywhere_is_refused(tmp_path: Path, *, sealed: bool):
    new_key_file(tmp_path / "key")
    seal, secret = seal_of_file(tmp_path / "key"), secret_of_file(tmp_path / "key")
    path = written(tmp_path / "b.tar", seal=seal if sealed else None)
    whole = path.read_bytes()
    end = whole.rindex(b"}")
    cuts = [0, 1, 511, 512, 513, 1024, *range(2000, end, max(1, end // 40)), end]
    for number, cut in enumerate(cuts):
        path.write_bytes(whole[:cut])
        error = refused(path, tmp_path / f"out{number}", secret if sealed else None)
        assert error.key in {"backup.truncated", "backup.not_one", "backup.manifest"}, cut


@pytest.mark.parametrize("sealed", [False, True])
def test_a_byte_that_changed_anywhere_is_noticed(tmp_path: Path, *, sealed: bool):
    new_key_file(tmp_path / "key")
    seal, secret = seal_of_file(tmp_path / "key"), secret_of_file(tmp_path / "key")
    path = written(tmp_path / "b.tar", seal=seal if sealed else None)
    whole = path.read_bytes()
    silent = []
    for number, place in enumerate(range(0, len(whole), 37)):
        changed = bytearray(whole)
        changed[place] ^= 0x41
        path.write_bytes(changed)
        out = tmp_path / f"out{number}"
        try:
            read(path, out, secret if sealed else None)
        except DamalsError:
            continue
        silent.append(place)
        assert (out / "ledger.db").read_bytes() == LEDGER
    # What is left is padding, and what a header says beside name, size and checksum.
    assert all(not any(whole[place : place + 1]) for place in silent)


def test_a_changed_member_is_named(tmp_path: Path):
    path = written(tmp_path / "b.tar", replace(PLAIN, compression="none"))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"lang: de", b"lang: en"))
    error = refused(path, tmp_path / "out")
    assert (error.key, error.values["name"]) == ("backup.digest", "config.yaml")


def test_what_a_newer_program_wrote_is_left_alone(tmp_path: Path):
    text = manifests.written(replace(PLAIN, members=members()))
    newer = text.replace(b'"format": 1', b'"format": 2')
    path = hostile(tmp_path, [("ledger.db.gz", b"x")], manifest=newer)
    error = refused(path, tmp_path / "out")
    assert (type(error), error.key) == (Unavailable, "backup.newer")


# --- hostile


def members(data: bytes = b"x", unpacked: int = 1) -> tuple[Member, ...]:
    digest = sha256(data).hexdigest()
    return (Member("ledger.db", "ledger.db.gz", len(data), digest, unpacked),)


def hostile(
    tmp_path: Path,
    files: list[tuple[str, bytes]],
    *,
    manifest: bytes | None = None,
    kind: bytes = tarfile.REGTYPE,
) -> Path:
    """A tar that somebody else made."""
    path = tmp_path / "hostile.tar"
    told = manifest or manifests.written(replace(PLAIN, members=members(files[0][1])))
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as tar:
        for name, data in [*files, ("manifest.json", told)]:
            info = tarfile.TarInfo(name)
            if name != "manifest.json" and kind != tarfile.REGTYPE:
                info.type, info.linkname = kind, "/etc/passwd"
                tar.addfile(info)
            else:
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("name", ["../evil", "/evil/evil", "ledger.db.gz/../../evil", "x" * 300])
def test_no_path_of_an_archive_leads_anywhere(tmp_path: Path, name: str):
    path = hostile(tmp_path, [("ledger.db.gz", b"x"), (name, b"evil")])
    assert isinstance(refused(path, tmp_path / "out"), Corrupt)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["hostile.tar", "out"]
    assert list((tmp_path / "out").iterdir()) == []


def test_a_manifest_cannot_name_a_file_outside(tmp_path: Path):
    (one,) = members()
    for name in ("../evil", "/evil/evil", "damals.lock", "index/x"):
        told = replace(PLAIN, members=(one, replace(one, name=name, stored=f"{name}.gz")))
        path = hostile(tmp_path, [("ledger.db.gz", b"x")], manifest=manifests.written(told))
        with path.open("rb") as file, pytest.raises(Corrupt) as caught:
            TarArchive(file, path)
        assert caught.value.key == "backup.manifest"


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE]
)
def test_only_regular_files_are_read(tmp_path: Path, kind: bytes):
    path = hostile(tmp_path, [("ledger.db.gz", b"x")], kind=kind)
    assert refused(path, tmp_path / "out").key == "backup.manifest"


def test_what_unpacks_to_more_than_it_says_is_stopped_there(tmp_path: Path):
    import gzip  # noqa: PLC0415 -- of this test alone

    bomb = gzip.compress(b"\0" * (50 << 20))
    told = replace(PLAIN, members=members(bomb, unpacked=1 << 20))
    path = hostile(tmp_path, [("ledger.db.gz", bomb)], manifest=manifests.written(told))
    assert refused(path, tmp_path / "out").key == "backup.packed"
    assert (tmp_path / "out" / "ledger.db").stat().st_size <= 1 << 20


def test_files_of_other_kinds_are_no_backups(tmp_path: Path):
    for number, data in enumerate((b"", b"hello", b"\0" * 1024, os.urandom(5000))):
        (tmp_path / "x.tar").write_bytes(data)
        assert refused(tmp_path / "x.tar", tmp_path / f"o{number}").key == "backup.not_one"


def test_a_long_ledger_is_packed_and_unpacked_in_little_memory(tmp_path: Path):
    class Long(io.BytesIO):
        left = 48 << 20

        def read(self, size: int | None = -1, /) -> bytes:
            size = min(self.left, size or 0)
            self.left -= size
            return b"damals " * (size // 7) + b"x" * (size % 7)

    new_key_file(tmp_path / "key")
    manifest = replace(PLAIN, recipient=seal_of_file(tmp_path / "key").recipient)
    tracemalloc.start()
    try:
        with (tmp_path / "b.tar").open("w+b") as file:
            archive = TarWriter(file, manifest, seal_of_file(tmp_path / "key"))
            archive.add("ledger.db", Long(), nothing)
            archive.finish(lambda: manifest)
        read(tmp_path / "b.tar", tmp_path / "out", secret_of_file(tmp_path / "key"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (tmp_path / "out" / "ledger.db").stat().st_size == 48 << 20
    assert peak < 8 << 20
