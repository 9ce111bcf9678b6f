"""Digests are computed once for a file that stays as it is, and anew for one that may not."""

import hashlib
import os
import time
from itertools import count
from pathlib import Path

import pytest

from damals.adapters.vault import digests
from damals.adapters.vault.digests import RACY_NS, DigestCache
from damals.adapters.vault.reader import VaultReader

LATER_NS = 10 * RACY_NS


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read."""
    read: list[Path] = []
    real = digests.file_digest

    def noting(location: Path) -> str:
        read.append(location)
        return real(location)

    monkeypatch.setattr(digests, "file_digest", noting)
    return read


@pytest.fixture
def patient() -> DigestCache:
    """Between any two of its looks goes more time than a coarse clock needs."""
    return DigestCache(count(0, LATER_NS).__next__)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_file_that_stays_as_it_is_is_read_no_more_once_it_has_looked_so_for_a_while(
    tmp_path: Path, hashed: list[Path], patient: DigestCache
):
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    reader = VaultReader(patient.digest)
    found = [[(one.path, one.digest) for one in reader.scan(tmp_path)] for _ in range(5)]
    assert found == [[("a.md", digest("a"))]] * 5
    assert hashed == [tmp_path / "a.md"] * 2


def test_a_file_that_was_just_written_is_read_again(tmp_path: Path, hashed: list[Path]):
    note = tmp_path / "a.md"
    cache = DigestCache()
    for text in ("a", "b"):  # same size, and perhaps the same time
        note.write_text(text, encoding="utf-8")
        assert cache.digest(note) == digest(text)
    assert hashed == [note, note]


@pytest.mark.parametrize("years", [-50, -1, 1])
def test_a_drive_whose_clock_is_coarse_and_wrong_hides_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, years: int
):
    note = tmp_path / "a.md"
    then_ns = time.time_ns() + years * 365 * 86_400 * 10**9
    # As of a drive that gives both files the same inode and the same second for all their times.
    monkeypatch.setattr(digests, "_stamp", lambda _: (1, 1, 1, then_ns, then_ns))
    cache = DigestCache()
    for text in ("a", "b"):
        note.write_text(text, encoding="utf-8")
        assert cache.digest(note) == digest(text)


def test_a_change_that_keeps_size_and_time_is_seen(tmp_path: Path, patient: DigestCache):
    note = tmp_path / "a.md"
    note.write_text("a", encoding="utf-8")
    times = note.stat()
    assert [patient.digest(note) for _ in range(3)] == [digest("a")] * 3
    note.write_text("b", encoding="utf-8")
    os.utime(note, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert patient.digest(note) == digest("b")


def test_another_file_in_the_same_place_is_seen(tmp_path: Path, patient: DigestCache):
    note, other = tmp_path / "a.md", tmp_path / "b"
    note.write_text("a", encoding="utf-8")
    for _ in range(3):
        patient.digest(note)
    other.write_text("b", encoding="utf-8")
    other.replace(note)
    assert patient.digest(note) == digest("b")


def test_a_file_that_is_gone_is_not_remembered(tmp_path: Path, patient: DigestCache):
    note = tmp_path / "a.md"
    note.write_text("a", encoding="utf-8")
    for _ in range(3):
        patient.digest(note)
    note.unlink()
    with pytest.raises(OSError, match=r"a\.md"):
        patient.digest(note)
