"""Exports on the command line: what is told, and in which language."""

import json
from pathlib import Path

import pytest
from program import Program, home_of_its_own


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home_of_its_own(tmp_path, monkeypatch)


@pytest.fixture
def damals(capsys: pytest.CaptureFixture[str]) -> Program:
    program = Program(capsys)
    program.json(
        *("remember", "--title", "Anna Müller", "--type", "person"),
        *("--external-id", "anna", "--valid-from", "2020-01-01"),
    )
    return program


def test_a_folder_of_notes_is_told_in_figures(damals: Program, tmp_path: Path):
    folder = tmp_path / "Notizen"
    told = damals.json("export", str(folder), "--format", "markdown", "--history")
    assert (told["format"], told["notes"], told["written"], told["kept"]) == ("markdown", 1, 2, [])
    assert (folder / "person/Anna Müller.md").is_file()
    [line] = damals.lines("export", str(folder), "--format", "markdown", "--lang", "de")
    assert line.startswith(f"1 Notizen in {folder} (")


def test_a_note_that_is_kept_is_named(damals: Program, tmp_path: Path):
    folder = tmp_path / "Notizen"
    damals.json("export", str(folder), "--format", "markdown")
    (folder / "person/Anna Müller.md").write_text("mein")
    told = damals.lines("export", str(folder), "--format", "markdown", "--lang", "en")
    assert "person/Anna Müller.md: not touched" in told[1]


def test_a_person_is_told_in_the_language_that_was_asked_for(damals: Program, tmp_path: Path):
    for lang, word in (("de", "Was über Anna Müller"), ("en", "What is kept about Anna Müller")):
        damals.json("export", str(tmp_path / "a.html"), "--person", "anna", "--lang", lang)
        assert word in (tmp_path / "a.html").read_text("utf-8")
    told = damals.json("export", str(tmp_path / "a.json"), "--person", "anna")
    assert (told["format"], told["notes"]) == ("person", 0)
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["person"]["title"] == "Anna Müller"


def test_wrong_usage_is_named(damals: Program, tmp_path: Path):
    error = damals.json("export", str(tmp_path / "x"), "--history", code=2)["error"]
    assert "history" in error["message"]
    assert "--format markdown" in error["hint"]
    damals.json("export", str(tmp_path / "x"), "--person", "nobody", code=3)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("x")
    damals.json("export", str(tmp_path / "full"), "--format", "markdown", code=4)


def test_what_was_erased_comes_back_only_when_it_is_said(damals: Program, tmp_path: Path):
    (tmp_path / "Archiv").mkdir()
    (tmp_path / "Archiv/Weg.md").write_text("---\nid: weg\n---\nText")
    damals.json("import", str(tmp_path / "Archiv"))
    damals.json("erase", "entry", "weg", "--yes")
    assert damals.json("import", str(tmp_path / "Archiv"))["failed"]
    assert damals.json("import", str(tmp_path / "Archiv"), "--readmit")["added"] == 1
