"""The erasure journal: ids only, on the disk before anything is purged, and never half read."""

import json
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from damals.adapters.backups.journal import FILE, JournalFile
from damals.app.erasures_journal import ErasureRecord
from damals.domain.errors import Corrupt, Unavailable


def a_record() -> ErasureRecord:
    return ErasureRecord(
        erasure_id=uuid4(),
        home="0b0c",
        workspace="Büro",
        workspace_made=1,
        kind="source",
        entries=(uuid4(), uuid4()),
        marks=(b"\x00\xff" * 16,),
        number=7,
        erased_at=1_800_000_000_000_000,
        actor="owner",
    )


def test_what_was_written_down_is_read_again_in_order(tmp_path: Path):
    journal = JournalFile(tmp_path / "home.backups")
    assert journal.records() == ()
    written = [a_record() for _ in range(3)]
    for record in written:
        journal.append(record)
    assert list(JournalFile(tmp_path / "home.backups").records()) == written


def test_an_erasure_that_is_written_down_twice_counts_once(tmp_path: Path):
    journal, record = JournalFile(tmp_path), a_record()
    journal.append(record)
    journal.append(record)
    assert journal.records() == (record,)


def test_only_the_user_may_read_it(tmp_path: Path):
    journal = JournalFile(tmp_path / "b")
    journal.append(a_record())
    assert (tmp_path / "b" / FILE).stat().st_mode & 0o077 == 0
    assert (tmp_path / "b").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("left", [1, 10, 100])
def test_a_line_that_a_kill_cut_off_never_was_and_hides_no_other(tmp_path: Path, left: int):
    journal, first, second = JournalFile(tmp_path), a_record(), a_record()
    journal.append(first)
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole + whole[:left])
    assert journal.records() == (first,)
    journal.append(second)
    assert journal.records() == (first, second)


def test_a_damaged_line_is_an_error_that_names_it(tmp_path: Path):
    journal = JournalFile(tmp_path)
    for _ in range(3):
        journal.append(a_record())
    lines = (tmp_path / FILE).read_text().splitlines()
    said = json.loads(lines[1])
    for changed in ({**said, "entries": []}, {**said, "number": 8}, {"x": 1}, 3):
        (tmp_path / FILE).write_text("\n".join([lines[0], json.dumps(changed), lines[2], ""]))
        with pytest.raises(Corrupt) as refused:
            journal.records()
        assert (refused.value.key, refused.value.values["line"]) == ("backup.journal", 2)


def test_a_journal_that_cannot_be_written_is_told(tmp_path: Path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(Unavailable) as refused:
        JournalFile(tmp_path / "taken").append(a_record())
    assert refused.value.key == "backup.unwritable"


def test_a_long_line_is_cut_off_too(tmp_path: Path):
    journal = JournalFile(tmp_path)
    long = replace(a_record(), entries=tuple(uuid4() for _ in range(5000)))
    journal.append(long)
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole + whole[:-1])
    second = a_record()
    journal.append(second)
    assert journal.records() == (long, second)
