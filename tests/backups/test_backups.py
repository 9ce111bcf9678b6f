"""Backups of a home: made while others work, checked, restored whole or not at all."""

import json
import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from program import Program
from restoring import NO_KEYS, nothing, restored

from damals import Damals
from damals.adapters.backups import staging
from damals.app.backups.creating import Wanted, create
from damals.bootstrap import system_clock
from damals.bootstrap.backups import (
    backup_named,
    keeping_of,
    list_backups,
    verify_backups,
)
from damals.domain.errors import Corrupt, DamalsError, InvalidInput, NotFound
from damals.settings import Loaded

SAMPLES = Path(__file__).parent.parent / "sql" / "data"


def filled(home: Path, count: int = 3) -> list[str]:
    with Damals.open(home) as memory:
        return [memory.remember(f"Titel {n}", f"Inhalt {n}").id for n in range(count)]


def made(home: Path, **options: object):
    with Damals.open(home) as memory:
        return memory.backup(**options)


def titles(home: Path) -> list[str]:
    with Damals.open(home) as memory:
        return sorted(entry.title for entry in memory.entries(limit=None))


def beside(home: Path) -> list[str]:
    return sorted(one.name for one in home.parent.iterdir() if one.name.startswith(home.name))


# --- making


def test_a_backup_lies_beside_the_home_and_is_for_its_user_alone(home: Path):
    filled(home)
    one = made(home)
    path = Path(one.path)
    assert path.parent == home.with_name("home.backups")
    assert path.name == f"damals-{one.id}.tar"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert one.size == path.stat().st_size
    assert (one.verified, one.encrypted, one.ledger) == (None, False, "sqlite")
    assert one.transactions == {"default": 3}
    assert [each.id for each in list_backups(home)] == [one.id]


def test_the_folder_can_be_another_one(home: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("DAMALS_BACKUPS", str(tmp_path / "usb" / "damals"))
    filled(home)
    assert Path(made(home).path).parent == tmp_path / "usb" / "damals"


def test_what_was_acknowledged_before_is_in_it_while_others_write(home: Path):
    filled(home)
    stop, told = threading.Event(), [3]
    with Damals.open(home) as memory:

        def write() -> None:
            while not stop.is_set():
                memory.remember(f"Daneben {told[0]}", "x" * 2000)
                told[0] += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            before, backups = [], []
            for _ in range(4):
                before.append(told[0])
                backups.append(memory.backup())
        finally:
            stop.set()
            writer.join()
        after = told[0]
    for least, one in zip(before, backups, strict=True):
        assert least <= one.transactions["default"] <= after + 1
    assert all(one.verified for one in verify_backups(home, (), NO_KEYS, nothing))


def test_a_home_that_is_not_there_has_no_backup(home: Path):
    with Damals.open(home) as memory, pytest.raises(NotFound) as refused:
        memory.backup()
    assert refused.value.key == "home.missing"


def test_a_damaged_ledger_is_no_backup(home: Path):
    filled(home, 40)
    with sqlite3.connect(home / "ledger.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with (home / "ledger.db").open("r+b") as file:
        file.seek(4096 * 8)
        file.write(os.urandom(4096 * 12))
    with pytest.raises(DamalsError) as refused:
        made(home)
    assert isinstance(refused.value, Corrupt)
    assert list_backups(home) == ()


def test_a_folder_that_cannot_be_written_is_told_and_nothing_is_left(home: Path, monkeypatch):
    filled(home)
    taken = home.with_name("taken")
    taken.write_text("a file")
    monkeypatch.setenv("DAMALS_BACKUPS", str(taken))
    with Damals.open(home) as memory, pytest.raises(DamalsError) as refused:
        memory.backup()
    assert refused.value.key == "backup.unwritable"
    assert list((home / "cache").glob("backup-*")) == []


def test_what_killed_backups_left_is_removed_by_the_next(home: Path):
    filled(home)
    folder = home.with_name("home.backups")
    folder.mkdir()
    left = [
        folder / "damals-20200101T000000Z-abcdef.tar.part",
        home / "cache" / "backup-0123.part",
        home / "cache" / "backup-0123.part-journal",
        home.with_name("home.looking-0123") / staging.MARKER,
        home.with_name("home.restoring-0123") / staging.MARKER,
    ]
    for one in left:
        one.parent.mkdir(exist_ok=True)
        one.write_text("half")
    made(home)
    assert [one for one in left if one.exists()] == []
    assert beside(home) == ["home", "home.backups"]


# --- checking


def test_checking_notes_what_it_found(home: Path):
    filled(home)
    one = made(home)
    [checked] = verify_backups(home, [one.id], NO_KEYS, nothing)
    assert checked.verified is True
    assert list_backups(home)[0].verified_at == checked.verified_at
    assert beside(home) == ["home", "home.backups"]


def test_checking_looks_into_the_ledger(home: Path):
    """A backup whose bytes are as written, of a ledger that somebody changed in secret."""
    filled(home)
    with sqlite3.connect(home / "ledger.db") as connection:
        connection.execute("UPDATE contents SET text = 'Falsch' WHERE text = 'Inhalt 1'")
    connection.close()
    one = made(home)
    [checked] = verify_backups(home, [], NO_KEYS, nothing)
    assert (checked.verified, checked.problem) == (False, "backup.ledger_broken")
    with pytest.raises(Corrupt):
        restored(home, one.id)


def test_a_damaged_backup_is_listed_and_told_apart(home: Path, program: Program):
    filled(home)
    good, bad = made(home), made(home)
    data = bytearray(Path(bad.path).read_bytes())
    data[2000] ^= 1
    Path(bad.path).write_bytes(data)
    Path(bad.path).with_name("damals-20200101T000000Z-half.tar").write_bytes(data[:3000])
    told = program.json("backup", "verify", "all", code=7)["backups"]
    found = {one["id"]: one["verified"] for one in told}
    assert found == {good.id: True, bad.id: False, "20200101T000000Z-half": False}
    shown = program.text("backup", "list")
    assert "damaged" in shown
    assert "end is missing" in shown


def test_a_ledger_of_an_older_format_is_checked_and_restored(home: Path):
    home.mkdir()
    with sqlite3.connect(home / "ledger.db") as connection:
        connection.executescript((SAMPLES / "format_3.sql").read_text(encoding="utf-8"))
    connection.close()
    backing = keeping_of(Loaded.load(home=home).settings).backing
    one = create(backing, Wanted(), system_clock, nothing)
    assert one.manifest is not None
    assert one.manifest.ledger_format == 3
    assert [each.verified for each in verify_backups(home, (), NO_KEYS, nothing)] == [True]
    done = restored(home, one.id)
    assert done.transactions.keys() == {each.name for each in one.manifest.workspaces}
    # What an upgrade keeps to go back would hold what is erased once more.
    assert list(home.glob("*.backup")) == []


# --- restoring


def test_a_restore_brings_back_what_was_and_keeps_what_is(home: Path):
    (home).mkdir()
    (home / "config.yaml").write_text("lang: de\n")
    filled(home)
    one = made(home)
    with Damals.open(home) as memory:
        memory.remember("Danach", "x")
    (home / "config.yaml").write_text("lang: en\n")
    done = restored(home, one.id)
    assert done.transactions == {"default": 3}
    assert titles(home) == ["Titel 0", "Titel 1", "Titel 2"]
    assert (home / "config.yaml").read_text() == "lang: de\n"
    assert done.before is not None
    before = Path(done.before)
    assert before.name.startswith("home.before-")
    assert "Danach" in titles(before)
    with Damals.open(home) as memory:
        assert memory.audit().ok
        assert [hit.entry.title for hit in memory.recall("Inhalt", limit=9)]
    assert beside(home) == ["home", "home.backups", before.name]


def test_the_home_that_was_there_goes_when_that_is_asked_for(home: Path):
    filled(home)
    one = made(home)
    assert restored(home, one.id, discard=True).before is None
    assert beside(home) == ["home", "home.backups"]
    assert len(titles(home)) == 3


def test_a_lost_home_comes_back(home: Path):
    import shutil  # noqa: PLC0415 -- of this test alone

    filled(home)
    one = made(home)
    shutil.rmtree(home)
    done = restored(home, one.id)
    assert done.before is None
    assert len(titles(home)) == 3


def test_a_backup_is_restored_to_another_folder(home: Path, tmp_path: Path):
    filled(home)
    one = made(home)
    with Damals.open(home):
        restored(home, one.id, tmp_path / "elsewhere" / "home")
    assert len(titles(tmp_path / "elsewhere" / "home")) == 3
    assert stat.S_IMODE((tmp_path / "elsewhere" / "home").stat().st_mode) == 0o700


def test_a_home_in_use_is_never_replaced(home: Path):
    filled(home)
    one = made(home)
    with Damals.open(home) as memory:
        memory.remember("Noch da", "x")
        with pytest.raises(DamalsError) as refused:
            _restore_from_another_process(home, one.id)
    assert refused.value.key in {"backup.home_in_use", "home.held"}
    assert "Noch da" in titles(home)
    assert beside(home) == ["home", "home.backups"]


def _restore_from_another_process(home: Path, id: str):
    os.environ["DAMALS_LOCK_TIMEOUT_S"] = "0.2"
    try:
        return restored(home, id)
    finally:
        del os.environ["DAMALS_LOCK_TIMEOUT_S"]


def test_a_folder_with_something_else_is_never_replaced(home: Path, tmp_path: Path):
    filled(home)
    one = made(home)
    (tmp_path / "fotos").mkdir()
    (tmp_path / "fotos" / "urlaub.jpg").write_bytes(b"x")
    for taken in (tmp_path / "fotos", tmp_path / "fotos" / "urlaub.jpg"):
        with pytest.raises(DamalsError) as refused:
            restored(home, one.id, taken)
        assert refused.value.key in {"backup.target_taken", "home.not_a_folder"}
    assert (tmp_path / "fotos" / "urlaub.jpg").exists()


def test_a_damaged_backup_changes_nothing(home: Path):
    filled(home)
    one = made(home)
    data = bytearray(Path(one.path).read_bytes())
    data[1500] ^= 1
    Path(one.path).write_bytes(data)
    ledger = (home / "ledger.db").read_bytes()
    with pytest.raises(Corrupt):
        restored(home, one.id)
    assert (home / "ledger.db").read_bytes() == ledger
    assert beside(home) == ["home", "home.backups"]


def test_what_is_not_there_is_told(home: Path, tmp_path: Path):
    filled(home)
    for named in ("20200101T000000Z-abcdef", str(tmp_path / "nowhere.tar")):
        with pytest.raises(NotFound):
            backup_named(home, named)


def test_a_backup_from_elsewhere_is_restored_by_its_path(home: Path, tmp_path: Path):
    filled(home)
    one = made(home)
    moved = tmp_path / "usb.tar"
    Path(one.path).rename(moved)
    restored(home, str(moved), tmp_path / "new")
    assert len(titles(tmp_path / "new")) == 3


# --- vectors


def test_computed_vectors_travel_when_they_are_asked_for(home: Path, tmp_path: Path):
    filled(home)
    (home / "cache").mkdir(exist_ok=True)
    with sqlite3.connect(home / "cache" / "vectors.db") as connection:
        connection.execute("CREATE TABLE vector (x)")
        connection.execute("INSERT INTO vector VALUES (7)")
    connection.close()
    assert not made(home).vectors
    one = made(home, with_index=True)
    assert one.vectors
    restored(home, one.id, tmp_path / "new")
    with sqlite3.connect(tmp_path / "new" / "cache" / "vectors.db") as connection:
        assert connection.execute("SELECT x FROM vector").fetchall() == [(7,)]
    connection.close()


def test_a_locked_key_comes_with_its_public_key_and_is_base64(home: Path):
    filled(home)
    with Damals.open(home) as memory:
        for given in ({"locked_key": "YQ=="}, {"recipient": "age1x", "locked_key": "%"}):
            with pytest.raises(InvalidInput) as refused:
                memory.backup(**given)
            assert refused.value.key == "backup.locked_key"
        for wrong in ("age1x", "ssh-rsa x"):
            with pytest.raises(InvalidInput) as refused:
                memory.backup(recipient=wrong)
            assert refused.value.key == "backup.recipient"
        with pytest.raises(InvalidInput):
            memory.backup(compression="zip")
    assert list_backups(home) == ()
    assert list((home.with_name("home.backups")).glob("*.part")) == []


def test_the_check_of_another_file_of_the_same_name_counts_for_nothing(home: Path):
    filled(home)
    first, second = made(home), made(home)
    verify_backups(home, [first.id], NO_KEYS, nothing)
    Path(second.path).replace(first.path)
    assert [one.verified for one in list_backups(home)] == [None]


def test_what_checks_noted_may_be_lost(home: Path):
    filled(home)
    one = made(home)
    checks = home.with_name("home.backups") / "checks.json"
    for text in ("", "[]", "{", json.dumps({Path(one.path).name: 3}), "\xff"):
        checks.write_text(text, encoding="latin-1")
        assert [each.verified for each in list_backups(home)] == [None]
