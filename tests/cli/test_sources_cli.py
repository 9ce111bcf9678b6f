"""Sources and annotations on the command line."""

from pathlib import Path

import pytest
from program import Program, home_of_its_own


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home_of_its_own(tmp_path, monkeypatch)


@pytest.fixture
def damals(capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(capsys)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    folder = tmp_path / "Vault"
    folder.mkdir()
    path = folder / "Umzug.md"
    path.write_text("---\nimportance: 9\n---\nKisten.\n", encoding="utf-8")
    return path


def test_what_was_imported_is_told_as_a_table_and_as_a_document(damals: Program, note: Path):
    assert damals.json("sources", code=3)["error"]["code"] == "not_found"
    damals.json("import", str(note.parent))
    [told] = damals.json("sources")["sources"]
    assert (told["name"], told["kind"], told["entries"]) == ("Vault", "vault", 1)
    assert told["result"]["warnings"][0]["path"] == "Umzug.md"
    head, row = damals.lines("sources")
    assert head.split() == ["source", "kind", "last", "import", "notes", "result", "from"]
    assert "1 added, 1 warnings" in row


def test_an_annotation_is_in_the_memory_after_the_next_import(damals: Program, note: Path):
    damals.json("import", str(note.parent))
    told = damals.json(
        "annotate", str(note), "--valid-from", "2024-09", "--tag", "wohnung", "--importance", "4",
        "--property", "Ort=Bonn", "--relate", "supersedes Alte Wohnung", "--own-id", "umzug",
    )  # fmt: skip
    assert {one["name"]: (one["before"], one["after"]) for one in told["changed"]} == {
        "importance": ("9", "4"),
        "valid_from": (None, "2024-09"),
        "tags": (None, ["wohnung"]),
        "Ort": (None, "Bonn"),
        "supersedes": (None, "[[Alte Wohnung]]"),
        "id": (None, "umzug"),
    }
    assert damals.json("import", str(note.parent))["added"] == 1
    entry = damals.json("show", "umzug")["entry"]
    assert (entry["valid_from"], entry["importance"]) == ("2024-09", 4)
    assert entry["tags"] == ["wohnung"]
    assert entry["properties"]["Ort"] == "Bonn"


def test_an_annotation_says_what_it_did_and_what_is_to_be_done(damals: Program, note: Path):
    would = damals.lines("annotate", str(note), "--status", "archived", "--dry-run")
    assert would == [f"Would change {note}:", "  status: – → archived"]
    done = damals.lines("annotate", str(note), "--status", "archived", "--unset", "importance")
    assert done[:3] == [f"Changed {note}:", "  importance: 9 → –", "  status: – → archived"]
    assert "damals import" in done[3]
    [same] = damals.lines("annotate", str(note), "--status", "archived")
    assert same.endswith("says so already.")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--importance", "9"], 2),
        (["--valid-from", "2024-02-30"], 2),
        (["--relate", "superseds X"], 2),
        ([], 2),
    ],
)
def test_an_annotation_that_means_nothing_leaves_the_file(
    damals: Program, note: Path, words: list[str], code: int
):
    before = note.read_bytes()
    assert damals.json("annotate", str(note), *words, code=code)["error"]["message"]
    assert note.read_bytes() == before


def test_a_note_that_is_not_there_is_not_found(damals: Program, note: Path):
    damals.json("annotate", str(note.with_name("fehlt.md")), "--status", "x", code=3)
