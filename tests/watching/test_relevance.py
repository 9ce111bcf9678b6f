"""Which changes in a vault are worth an import."""

from pathlib import Path

import pytest

from damals.adapters.watching.relevance import Relevance

SUFFIXES = (".md", ".markdown")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "Projekte" / "Haus").mkdir(parents=True)
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Bild.PNG").mkdir()
    return tmp_path


@pytest.fixture
def known(vault: Path) -> Relevance:
    relevance = Relevance(vault, SUFFIXES)
    relevance.learn()
    return relevance


@pytest.mark.parametrize(
    "name", ["Notiz.md", "NOTIZ.MD", "a/b.markdown", "Projekte/neu.md", ".damals/types.yaml"]
)
def test_notes_and_the_types_of_the_vault_matter(vault: Path, known: Relevance, name: str):
    assert known.matters(str(vault / name), modified=False)
    assert known.matters(str(vault / name), modified=True)


@pytest.mark.parametrize(
    "name",
    [
        ".Notiz.md.swp", "Notiz.md~", ".#Notiz.md", "#Notiz.md#", "4913", "Notiz.md.tmp", "x.swx",
        ".obsidian/workspace.json", ".obsidian", ".git/index", ".trash/alt.md", "Bild.png",
        ".Notiz.md.damals~", "Notiz.md.crdownload", "sedAb12C", ".damals/notes.txt", "a/.b/c.md",
    ],
)  # fmt: skip
def test_what_editors_leave_for_a_moment_does_not(vault: Path, known: Relevance, name: str):
    assert not known.matters(str(vault / name), modified=False)


def test_a_folder_matters_when_it_comes_and_when_it_goes(vault: Path, known: Relevance):
    new = vault / "Neu" / "darin"
    new.mkdir(parents=True)
    assert known.matters(str(vault / "Neu"), modified=False)
    new.rmdir()
    assert known.matters(str(new), modified=False)  # it came with the one above
    (vault / "Projekte" / "Haus").rmdir()
    assert known.matters(str(vault / "Projekte" / "Haus"), modified=False)


def test_that_something_in_a_folder_changed_is_told_by_that(vault: Path, known: Relevance):
    assert not known.matters(str(vault / "Projekte"), modified=True)
    assert not known.matters(str(vault), modified=True)


def test_what_lies_beside_the_vault_does_not_matter(vault: Path, known: Relevance):
    assert not known.matters(str(vault.parent / "anders.md"), modified=False)


def test_hidden_notes_and_other_files_are_no_notes(vault: Path, known: Relevance):
    (vault / ".obsidian" / "x.md").write_text("", encoding="utf-8")
    (vault / "Projekte" / "Liste.txt").write_text("", encoding="utf-8")
    assert not known.holds_notes()
    (vault / "Projekte" / "Haus" / "Dach.MD").write_text("", encoding="utf-8")
    assert known.holds_notes()


def test_a_loop_of_links_is_walked_once(vault: Path, known: Relevance):
    (vault / "Projekte" / "Kreis").symlink_to(vault, target_is_directory=True)
    assert not known.holds_notes()


def test_notes_behind_a_link_that_leads_out_are_no_notes_of_it(vault: Path, known: Relevance):
    outside = vault.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("", encoding="utf-8")
    (vault / "Projekte" / "Fremd").symlink_to(outside, target_is_directory=True)
    assert not known.holds_notes()
