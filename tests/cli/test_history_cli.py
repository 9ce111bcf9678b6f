"""``damals import --history`` on the command line."""

import json

import pytest

from damals.interfaces.cli.main import main
from git_repository import Repository


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Repository:
    monkeypatch.setenv("DAMALS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    made = Repository(tmp_path / "vault")
    made.commit("2015-01-10", "First", a="# A\n\nold\n")
    made.commit("2015-02-10", "Second", a="# A\n\nnew\n")
    return made


def test_a_history_is_replayed_and_told(repository, capsys):
    assert main(["import", str(repository.root), "--history"]) == 0
    assert "1 added, 1 changed" in capsys.readouterr().out
    listed = ["list", "--as-of", "2015-01-20", "--known-at", "2015-01-20", "--json"]
    assert main(listed) == 0
    [entry] = json.loads(capsys.readouterr().out)["entries"]
    assert entry["content"] == "# A\n\nold\n"
    assert entry["source"]["committed_at"] == "2015-01-10T00:00:00.000000Z"
    assert main(["log"]) == 0
    assert "Second" in capsys.readouterr().out


def test_a_late_commit_is_told_and_nothing_fails(repository, capsys):
    assert main(["remember", "--title", "Before"]) == 0
    capsys.readouterr()
    assert main(["import", str(repository.root), "--history", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["commit"] for one in told["late"]][-1] == repository.head()


def test_a_folder_without_history_says_what_to_do(repository, tmp_path, capsys):
    assert repository.root.parent == tmp_path
    (tmp_path / "plain").mkdir()
    assert main(["import", str(tmp_path / "plain"), "--history"]) == 2
    assert "without --history" in capsys.readouterr().err
