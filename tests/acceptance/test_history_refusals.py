"""Replays that are watched, tried or refused."""

import unicodedata

import pytest

from damals.errors import InvalidInput, Unavailable
from git_repository import Repository


@pytest.fixture
def repository(tmp_path) -> Repository:
    return Repository(tmp_path / "vault")


def paths(memory):
    return {one.source.path for page in memory.pages() for one in page.entries}


def test_progress_is_told_in_commits(memory, repository):
    for number in range(5):
        repository.commit(a=f"# {number}\n")
    told = []
    memory.import_(repository.root, history=True, progress=told.append)
    replayed = [(one.done, one.total, one.unit) for one in told if one.stage == "replay"]
    assert replayed == [(number, 5, "commits") for number in range(1, 6)]


def test_what_has_no_history_says_what_to_do(memory, tmp_path, repository, monkeypatch):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    refusals = {}
    for name, path in {
        "plain": folder,
        "unborn": repository.root,
        "file": folder / "a.md",
    }.items():
        with pytest.raises(InvalidInput) as refused:
            memory.import_(path, history=True)
        refusals[name] = refused.value.key
    assert refusals == {
        "plain": "history.no_repository",
        "unborn": "history.no_commits",
        "file": "history.not_a_folder",
    }
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(Unavailable) as missing:
        memory.import_(folder, history=True)
    assert missing.value.key == "history.no_git"


def test_events_have_no_git_history(memory, tmp_path):
    (tmp_path / "e.jsonl").write_text("")
    with pytest.raises(InvalidInput) as refused:
        memory.import_(tmp_path / "e.jsonl", history=True)
    assert refused.value.key == "import.events_options"


def test_a_part_of_a_known_source_is_refused(memory, repository):
    repository.write("part/a.md", "# A\n")
    repository.commit()
    memory.import_(repository.root, history=True)
    with pytest.raises(InvalidInput) as refused:
        memory.import_(repository.root / "part", history=True)
    assert refused.value.key == "history.part"


def test_names_are_stored_composed_whatever_git_has(memory, repository):
    decomposed = unicodedata.normalize("NFD", "Übergröße/Ärger.md")
    repository.write(decomposed, "# Ä\n")
    repository.commit()
    repository.write(decomposed, "# Ö\n")
    repository.commit()
    report = memory.import_(repository.root, history=True)
    assert (report.added, report.changed) == (1, 1)
    assert paths(memory) == {"Übergröße/Ärger.md"}


def test_hidden_folders_links_and_other_files_are_no_notes(memory, repository):
    repository.write(".obsidian/x.md", "# X\n")
    repository.write("code.py", "x = 1\n")
    (repository.root / "link.md").symlink_to("real.md")
    repository.write("real.md", "# Real\n")
    repository.commit()
    report = memory.import_(repository.root, history=True)
    assert (report.added, paths(memory)) == (1, {"real.md"})
