"""The commands about backups: what people and programs type, see and get."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from program import Program

from damals import Damals
from damals.bootstrap.backups import list_backups

PASSPHRASE = "Öl & Wasser, dreimal"  # noqa: S105 -- of backups that are gone at once
ONE = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}")

KEEPER = """
import sys
from damals.opening import Stay, open_damals

with open_damals(sys.argv[1], stay=Stay.PROCESS) as memory:
    memory.remember("vom Halter", "x")
    print("ready", flush=True)
    sys.stdin.read()
"""


def told(program: Program, *words: str, code: int = 0) -> list[dict]:
    return program.json("backup", *words, code=code)["backups"]


def key_of(program: Program, *words: str, code: int) -> str:
    return program.json("backup", *words, code=code)["error"]["message"]


@pytest.fixture
def filled(program: Program) -> Program:
    program.text("remember", "--title", "Mietvertrag", "--content", "Die Miete beträgt 900 Euro.")
    return program


def test_a_backup_is_made_listed_checked_restored_and_removed(filled: Program, home: Path):
    [made] = told(filled, "create")
    assert {"id", "path", "created_at", "size", "verified"} <= made.keys()
    assert ONE.fullmatch(made["id"])
    assert made["verified"] is None
    assert told(filled, "list") == [made]
    [checked] = told(filled, "verify", made["id"])
    assert checked["verified"] is True
    filled.text("remember", "--title", "Danach")
    done = filled.json("backup", "restore", made["id"], "--yes")
    assert done["transactions"] == {"default": 1}
    assert done["home"] == str(home)
    assert Path(done["before"]).is_dir()
    titles = [one["title"] for one in filled.json("list")["entries"]]
    assert titles == ["Mietvertrag"]
    for _ in range(2):
        time.sleep(0.002)
        told(filled, "create")
    told(filled, "verify")
    dry = filled.json("backup", "prune", "--keep-last", "1", "--dry-run")
    assert (len(dry["backups"]), len(dry["removed"]), dry["dry_run"]) == (1, 2, True)
    assert len(told(filled, "list")) == 3
    gone = filled.json("backup", "prune", "--keep-last", "1")
    assert {one["id"] for one in gone["removed"]} == {one["id"] for one in dry["removed"]}
    assert [one["id"] for one in told(filled, "list")] == [one["id"] for one in gone["backups"]]


@pytest.mark.parametrize("lang", ["en", "de"])
def test_people_read_what_was_done(filled: Program, monkeypatch, lang: str):
    monkeypatch.setenv("DAMALS_LANG", lang)
    words = {"en": ("Made backup", "sound", "no", "Restored"),
             "de": ("angelegt", "heil", "nein", "wiederhergestellt")}[lang]  # fmt: skip
    shown = filled.text("backup", "create")
    assert words[0] in shown
    found = ONE.search(shown)
    assert found is not None
    assert words[1] in filled.text("backup", "verify")
    assert words[2] in filled.text("backup", "list")
    assert words[3] in filled.text("backup", "restore", found[0], "--yes")
    assert found[0] in filled.text("backup", "prune", "--keep-daily", "3")


def test_nothing_is_replaced_and_nothing_removed_without_being_told(filled: Program, home: Path):
    [made] = told(filled, "create")
    before = (home / "ledger.db").stat().st_ino
    assert "nobody confirmed" in key_of(filled, "restore", made["id"], code=2)
    assert "No rule" in key_of(filled, "prune", code=2)
    assert "whole number" in key_of(filled, "prune", "--keep-last", "-1", code=2)
    assert (home / "ledger.db").stat().st_ino == before
    assert len(told(filled, "list")) == 1


def test_the_newest_that_was_found_sound_outlives_those_that_nobody_has_checked(filled: Program):
    first, sound = told(filled, "create")[0]["id"], told(filled, "create")[0]["id"]
    assert told(filled, "verify", sound)[0]["checked"] == "all"
    new = [told(filled, "create")[0]["id"] for _ in range(2)]
    gone = filled.json("backup", "prune", "--keep-last", "2")
    assert [one["id"] for one in gone["removed"]] == [first]
    assert gone["kept_by"][sound] == ["checked"]
    told(filled, "verify", new[1])
    gone = filled.json("backup", "prune", "--keep-last", "2")
    assert [one["id"] for one in gone["removed"]] == [sound]


def test_one_that_was_found_damaged_pushes_no_good_one_out(filled: Program):
    good, bad = told(filled, "create")[0], told(filled, "create")[0]
    path = Path(bad["path"])
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert [one["verified"] for one in told(filled, "verify", code=7)] == [True, False]
    gone = filled.json("backup", "prune", "--keep-last", "1")
    assert gone["removed"] == []
    assert gone["kept_by"] == {good["id"]: ["last"], bad["id"]: ["damaged"]}


def test_wrong_usage_is_told_without_a_traceback(filled: Program, tmp_path: Path):
    (tmp_path / "notes.txt").write_text("hello")
    assert "no backup of damals" in key_of(filled, "restore", str(tmp_path / "notes.txt"), code=7)
    assert "no backup “x”" in key_of(filled, "verify", "x", code=3)
    assert "no backup" in key_of(filled, "restore", "/nowhere/x.tar", code=3)
    assert "no key file" in key_of(
        filled, "create", "--key-file", str(tmp_path / "notes.txt"), code=2
    )
    assert "cannot be read" in key_of(filled, "create", "--key-file", "/nowhere/key", code=5)
    assert "Nobody gave" in key_of(filled, "create", "--passphrase", code=2)


def test_backups_of_a_lost_home_are_listed_checked_and_restored(filled: Program, home: Path):
    told(filled, "create")
    shutil.rmtree(home)
    [found] = told(filled, "list")
    assert told(filled, "verify", "all")[0]["verified"] is True
    assert filled.json("backup", "restore", found["id"])["before"] is None
    assert filled.json("list")["entries"][0]["title"] == "Mietvertrag"


def test_a_home_without_backups_says_so(program: Program):
    assert told(program, "list") == []
    assert told(program, "verify") == []
    assert "no backups" in program.text("backup", "list")


# --- encrypted


def test_a_key_file_encrypts_and_only_it_opens(filled: Program, tmp_path: Path):
    key, other = str(tmp_path / "key"), str(tmp_path / "other")
    public = filled.json("backup", "key", key)["public_key"]
    assert public.startswith("age1")
    filled.text("backup", "key", other)
    [made] = told(filled, "create", "--key-file", key)
    assert made["encrypted"] is True
    whole = Path(made["path"]).read_bytes()
    assert b"Miete" not in whole
    assert b"default" not in whole
    # Without its key the bytes are compared, and that is said.
    [checked] = told(filled, "verify")
    assert (checked["verified"], checked["verified_at"] is None) == (None, False)
    assert "key is needed" in filled.text("backup", "verify")
    assert "is encrypted" in key_of(filled, "restore", made["id"], "--yes", code=2)
    wrong = key_of(filled, "restore", made["id"], "--yes", "--key-file", other, code=6)
    assert "does not open" in wrong
    [checked] = told(filled, "verify", "--key-file", key)
    assert checked["verified"] is True
    done = filled.json("backup", "restore", made["id"], "--yes", "--key-file", key)
    assert done["transactions"] == {"default": 1}


def test_a_passphrase_of_the_environment_encrypts_and_opens(filled: Program, monkeypatch):
    monkeypatch.setenv("DAMALS_BACKUP_PASSPHRASE", PASSPHRASE)
    [made] = told(filled, "create")
    assert made["encrypted"] is True
    monkeypatch.setenv("DAMALS_BACKUP_PASSPHRASE", "eine andere")
    assert "passphrase does not open" in key_of(filled, "verify", made["id"], code=6)
    monkeypatch.setenv("DAMALS_BACKUP_PASSPHRASE", PASSPHRASE)
    assert filled.json("backup", "restore", made["id"], "--yes")["before"]
    settings = filled.json("config", "show")["settings"]
    shown = {one["name"]: one["value"] for one in settings}
    assert {shown["backup_passphrase"]} == {"***"}


def test_a_key_of_the_settings_does_the_same(filled: Program, tmp_path: Path, monkeypatch):
    filled.text("backup", "key", str(tmp_path / "key"))
    monkeypatch.setenv("DAMALS_BACKUP_KEY_FILE", str(tmp_path / "key"))
    [made] = told(filled, "create")
    assert made["encrypted"] is True
    assert told(filled, "verify")[0]["verified"] is True


# --- when another process owns the home


def test_the_owner_of_a_home_makes_its_backups_and_nobody_restores_over_it(
    home: Path, program: Program, tmp_path: Path, monkeypatch
):
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "20")
    with subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=os.environ.copy(), text=True,
    ) as keeper:  # fmt: skip
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == "ready\n"
        filled = program
        filled.text("backup", "key", str(tmp_path / "key"))
        [plain] = told(filled, "create")
        [sealed] = told(filled, "create", "--key-file", str(tmp_path / "key"))
        monkeypatch.setenv("DAMALS_BACKUP_PASSPHRASE", PASSPHRASE)
        [locked] = told(filled, "create")
        assert [plain["encrypted"], sealed["encrypted"], locked["encrypted"]] == [
            False, True, True,
        ]  # fmt: skip
        with Damals.open(home) as memory:
            assert [one.id for one in memory.backups()] == [plain["id"], sealed["id"], locked["id"]]
            assert memory.verify_backup(plain["id"]).verified is True
            assert memory.verify_backup(sealed["id"]).verified is None
        found = told(filled, "verify", "--key-file", str(tmp_path / "key"))
        assert [one["verified"] for one in found] == [True, True, True]
        refused = key_of(filled, "restore", plain["id"], "--yes", code=4)
        assert "Somebody works in the home" in refused
        aside = filled.json("backup", "restore", plain["id"], "--to", str(tmp_path / "aside"))
        assert aside["home"] == str(tmp_path / "aside")
        keeper.communicate("")
    assert filled.json("backup", "restore", plain["id"], "--yes")["transactions"] == {"default": 1}
    assert [one.verified for one in list_backups(home)] == [True, True, True]


def test_progress_goes_to_standard_error_and_json_stays_one_document(filled: Program, home: Path):
    ran = subprocess.run(
        [sys.executable, "-m", "damals", "backup", "create", "--json"],
        capture_output=True, text=True, check=True, env=os.environ.copy(),
    )  # fmt: skip
    assert len(json.loads(ran.stdout)["backups"]) == 1
    assert [one.id for one in list_backups(home)] == [json.loads(ran.stdout)["backups"][0]["id"]]
    assert filled.json("list")["entries"]
