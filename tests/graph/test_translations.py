"""A note that is a translation leads to its original."""

import pytest

from damals.bootstrap import init_home, open_home

UUID = "6d0f6a3e-9a59-4b7e-8f0e-0d9c3c6f2b11"


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="UTC")
    with open_home(tmp_path / "home") as opened:
        yield opened


def write(vault, name, **fields):
    vault.mkdir(exist_ok=True)
    said = "".join(f"{key}: {value}\n" for key, value in fields.items())
    (vault / f"{name}.md").write_text(f"---\n{said}---\n# {name}\n", encoding="utf-8")


def found(memory, title="uebersetzt"):
    [entry] = [one for one in memory.entries().entries if one.title == title]
    return [(one.type, one.title) for one in entry.relations if one.direction == "out"]


@pytest.mark.parametrize(
    "named", ['"[[original]]"', "[[original]]", '"[[original#Teil|so]]"', UUID, UUID.upper()]
)
def test_the_original_is_named_by_id_or_link(memory, tmp_path, named):
    vault = tmp_path / "vault"
    write(vault, "original", id=UUID, lang="en")
    write(vault, "uebersetzt", type="translation", source_id=named, lang_original="en")
    memory.import_(vault)
    assert found(memory) == [("translation_of", "original")]
    [entry] = [one for one in memory.entries().entries if one.title == "uebersetzt"]
    assert (entry.lang, entry.lang_original, entry.type) == ("de", "en", "translation")


def test_the_original_is_named_as_it_names_itself(memory, tmp_path):
    vault = tmp_path / "vault"
    write(vault, "original", id="werk-7")
    write(vault, "uebersetzt", type="Translation", source_id="werk-7")
    memory.import_(vault)
    assert found(memory) == [("translation_of", "original")]


def test_an_original_that_comes_later_is_found(memory, tmp_path):
    vault = tmp_path / "vault"
    write(vault, "uebersetzt", type="translation", source_id=UUID)
    memory.import_(vault)
    assert found(memory) == [("translation_of", UUID)]
    write(vault, "original", id=UUID)
    memory.import_(vault)
    assert found(memory) == [("translation_of", "original")]
    assert memory.import_(vault).changed == 0
    number = memory.log().transactions[-1].number
    memory.import_(vault)
    assert memory.log().transactions[-1].number == number


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "note", "source_id": UUID},
        {"type": "translation", "source_id": "https://example.org/x"},
        {"type": "translation"},
    ],
)
def test_other_notes_have_no_original(memory, tmp_path, fields):
    vault = tmp_path / "vault"
    write(vault, "original", id=UUID)
    write(vault, "uebersetzt", **fields)
    memory.import_(vault)
    assert found(memory) == []


def test_a_relation_that_is_said_as_such_counts(memory, tmp_path):
    vault = tmp_path / "vault"
    write(vault, "original", id=UUID)
    write(vault, "anderes")
    write(vault, "uebersetzt", type="translation", source_id=UUID, translation_of='"[[anderes]]"')
    memory.import_(vault)
    assert found(memory) == [("translation_of", "anderes")]
