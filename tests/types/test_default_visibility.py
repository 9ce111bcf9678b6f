"""A type may say who sees its entries when they do not say so themselves."""

import pytest

from damals.bootstrap import init_home, open_home


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="UTC")
    return tmp_path / "home"


def types(folder, text):
    (folder / ".damals").mkdir(parents=True, exist_ok=True)
    (folder / ".damals/types.yaml").write_text(text, encoding="utf-8")


@pytest.fixture
def memory(home):
    types(home, "types:\n  journal: {visibility: restricted}\n  wiki: {visibility: public}\n")
    with open_home(home) as opened:
        yield opened


@pytest.mark.parametrize(
    ("type_", "visibility"),
    [("journal", "restricted"), ("Journal", "restricted"), ("wiki", "public"), ("x", "internal")],
)
def test_what_is_remembered_has_the_visibility_of_its_type(memory, type_, visibility):
    assert memory.remember("T", type=type_).visibility == visibility


def test_what_an_entry_says_itself_counts(memory):
    assert memory.remember("T", type="journal", visibility="public").visibility == "public"


def test_an_update_takes_over_the_visibility_of_the_entry(memory):
    made = memory.remember("T", type="journal", visibility="internal", valid_from="2020-01-01")
    assert memory.update(made.id, "U", "", reason="r").visibility == "internal"


def test_the_log_says_it_so_that_another_home_has_it_too(memory, tmp_path):
    made = memory.remember("T", type="journal")
    assert memory.log().transactions[-1].ops[0]["visibility"] == "restricted"
    memory.export(tmp_path / "alles.jsonl")
    init_home(tmp_path / "copy", timezone="UTC")
    with open_home(tmp_path / "copy") as copy:
        copy.import_(tmp_path / "alles.jsonl")
        assert copy.get(made.id).visibility == "restricted"


def test_notes_have_the_visibility_that_the_vault_gives_their_type(memory, tmp_path):
    vault = tmp_path / "vault"
    types(vault, "types:\n  wiki: {visibility: internal}\n  role: {visibility: restricted}\n")
    for name in ("journal", "wiki", "role", "note"):
        (vault / f"{name}.md").write_text(f"---\ntype: {name}\n---\n# {name}\n", encoding="utf-8")
    (vault / "own.md").write_text("---\ntype: role\nvisibility: public\n---\n", encoding="utf-8")
    memory.import_(vault)
    found = {one.title: one.visibility for one in memory.entries().entries}
    assert found == {
        "journal": "restricted",
        "wiki": "internal",
        "role": "restricted",
        "note": "internal",
        "own": "public",
    }


def note(vault, type_, text=""):
    vault.mkdir(exist_ok=True)
    said = f"---\ntype: {type_}\n---\n# A\n{text}\n"
    (vault / "a.md").write_text(said, encoding="utf-8")


def test_a_note_of_another_type_has_that_ones_visibility(memory, tmp_path):
    vault = tmp_path / "vault"
    for type_, visibility in (
        ("journal", "restricted"), ("wiki", "public"), ("note", "internal"), ("wiki", "public"),
    ):  # fmt: skip
        note(vault, type_)
        memory.import_(vault)
        [a] = memory.entries().entries
        assert a.visibility == visibility


def test_what_somebody_set_by_hand_stays(memory, tmp_path):
    vault = tmp_path / "vault"
    note(vault, "note")
    memory.import_(vault)
    [a] = memory.entries().entries
    memory.correct(a.id, visibility="restricted", reason="r")
    note(vault, "wiki", "mehr")
    memory.import_(vault)
    assert memory.get(a.id).visibility == "restricted"
