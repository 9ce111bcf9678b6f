"""``damals types check``: what is in force, and who says so; also without an archive."""

import json
import os
from pathlib import Path

import pytest

from damals.interfaces.cli.main import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("DAMALS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DAMALS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def say(folder: Path, text: str) -> Path:
    file = folder / ".damals" / "types.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_json_names_every_relation_with_its_values_and_where_they_are_said(home, capsys):
    mine = say(home, "relations: {extends: {weight: 0.1}}\n")
    vault = home.parent / "vault"
    theirs = say(vault, "relations: {up: {inverse: down}, down: }\ntypes: {mine: }\n")
    assert main(["types", "check", str(vault), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"types", "relations", "layers", "domains", "derive", "files"}
    relations = {one["name"]: one for one in told["relations"]}
    assert relations["up"] == {
        "name": "up",
        "weight": 0.5,
        "directed": True,
        "symmetric": False,
        "transitive": False,
        "inverse": "down",
        "scoring": 1.0,
        "min_visibility": "public",
        "origin": "vault",
    }
    origins = {name: relations[name]["origin"] for name in ("extends", "revises", "down")}
    assert origins == {"extends": "home", "revises": "packaged", "down": "vault"}
    types = {one["name"]: one for one in told["types"]}
    assert (types["mine"]["origin"], types["principle"]["half_life_days"]) == ("vault", "inf")
    assert [(one["origin"], one["path"]) for one in told["files"][1:]] == [
        ("home", str(mine)),
        ("vault", str(theirs)),
    ]
    assert not (home / "ledger.db").exists()


def test_without_a_path_no_vault_is_read(home, capsys):
    say(home.parent, "relations: {up: }\n")
    assert main(["types", "check", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["origin"] for one in told["files"]] == ["packaged"]


@pytest.mark.usefixtures("home")
def test_people_see_tables_and_the_files(capsys):
    assert main(["types", "check", "--lang", "de"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Beziehungen\n")
    line = next(line for line in told.splitlines() if line.startswith("inspired_by"))
    assert line.split() == [
        "inspired_by", "0.6", "true", "false", "inspires", "0.5", "internal", "packaged",
    ]  # fmt: skip
    assert told.rstrip().endswith("types.yaml")


def test_a_wrong_file_is_refused_with_exit_code_2_line_and_legal_values(home, capsys):
    vault = home.parent / "vault"
    file = say(vault, "relations:\n  up: {min_visibility: geheim}\n")
    assert main(["types", "check", str(vault)]) == 2
    told = capsys.readouterr().err
    assert f"{file}, line 2: relations.up.min_visibility cannot be “geheim”" in told
    assert "public, internal, restricted" in told
    assert main(["types", "check", str(file), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "invalid_input"


@pytest.mark.usefixtures("home")
def test_a_vault_that_is_not_there_is_exit_code_3(capsys):
    assert main(["types", "check", "nowhere"]) == 3
    assert "nowhere" in capsys.readouterr().err
