"""A vault's history is replayed the same, whoever owns the home."""

import os

import pytest

from damals.errors import InvalidInput
from git_repository import Repository


@pytest.fixture
def repository(asked) -> Repository:
    made = Repository(asked.folder / "Notizen")
    made.commit("2015-01-10", "Erste", a="# A\n\nalt\n")
    made.commit("2015-02-10", "Zweite", a="# A\n\nneu\n", b=b"\xff\xff\xff")
    return made


def test_the_flag_reaches_the_owner_and_the_report_comes_back(asked, repository):
    asked.memory.remember("Vorher")
    heard = []
    report = asked.memory.import_(repository.root, history=True, progress=heard.append)
    assert (report.added, report.changed, len(report.failed)) == (1, 1, 1)
    assert [one["commit"] for one in report.late] == [
        repository.git("rev-parse", "HEAD~1"),
        repository.head(),
    ]
    [entry] = [one for one in asked.memory.entries().entries if one.source.kind == "vault"]
    assert entry.source.commit == repository.head()
    assert entry.source.committed_at == "2015-02-10T00:00:00.000000Z"
    again = asked.memory.import_(repository.root, history=True)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 1)


def test_a_trial_replays_and_stores_nothing(asked, repository):
    report = asked.memory.import_(repository.root, history=True, dry_run=True)
    assert (report.added, report.changed) == (1, 1)
    assert asked.own.log().transactions == ()


def test_refusals_are_the_same(asked):
    (asked.folder / "leer").mkdir()
    (asked.folder / "a.jsonl").write_text("")
    for path, key in (("leer", "history.no_repository"), ("a.jsonl", "import.events_options")):
        with pytest.raises(InvalidInput) as refused:
            asked.memory.import_(os.fspath(asked.folder / path), history=True)
        assert refused.value.key == key
