"""A replay that was killed is finished by the next one as if it had not been."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from damals.app.history import replay
from damals.bootstrap import open_home
from git_repository import Repository

COMMITS = 14


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Repository:
    """Renames, deletions, links that heal, equal dates, a side branch, a file that is broken."""
    made = Repository(tmp_path_factory.mktemp("killed") / "vault")
    body = "A line that stays.\n" * 10
    made.commit("2015-01-01", a=f"# A\n\n[[b]] [[Bee]] [[d]]\n\n{body}", e="# E\n\n[[a]]\n")
    made.commit("2015-01-01", b="---\naliases: [Bee]\n---\n# B\n")
    made.commit("2015-01-01", e=None)
    made.commit("2014-06-01", b="# B\n", c=b"\xff\xff")
    made.git("checkout", "-q", "-b", "side")
    made.commit("2015-02-01", a=f"# A\n\n[[b]] [[Bee]] [[d]]\n\n{body}side\n", s="# S\n\n[[c]]\n")
    made.commit("2015-02-03", b=None, d="# D\n")
    made.git("checkout", "-q", "main")
    made.git("mv", "a.md", "z.md")
    made.commit("2015-02-02")
    made.commit("2015-02-02", b="# B\n\n[[z]]\n", c="# C\n")
    with pytest.raises(subprocess.CalledProcessError):
        made.git("merge", "-q", "--no-ff", "side", at=made.date("2015-03-01"))
    made.git("rm", "-q", "--cached", "-r", "--ignore-unmatch", ".")
    made.write("b.md", "# B\n\n[[z]] [[d]]\n")
    made.commit("2015-03-01", "Merge")
    for number in range(4):
        made.commit("2015-03-02", e=f"# E\n\n{number} [[a]]\n")
    made.commit("2015-03-02", e=None)
    return made


def state(memory) -> tuple:
    """Everything that was ever recorded, as of every transaction."""
    log = memory.log().transactions
    told = [(one.recorded_at, one.actor, one.reason, *map(_lean, one.ops)) for one in log]
    known = []
    for one in log:
        at = one.recorded_at
        pages = memory.pages(known_at=at, as_of=at, limit=100)
        for entry in (one for page in pages for one in page.entries):
            whole = memory.get(entry.id, known_at=at, as_of=at)
            relations = sorted((r.type, r.direction, r.entry_id) for r in whole.relations)
            known.append((at, entry.id, whole.title, whole.content, entry.source.path, relations))
    return told, known


def _lean(operation):
    kept = dict(operation)
    source = dict(kept.pop("source", None) or {})
    source.pop("imported_at", None)
    return kept, source


@pytest.fixture(scope="module")
def whole(repository, tmp_path_factory):
    with open_home(tmp_path_factory.mktemp("w"), embedder="none", timezone="UTC") as memory:
        report = memory.import_(repository.root, history=True)
        assert report.late == ()
        assert [one.path for one in report.failed] == ["c.md"]
        return state(memory)


@pytest.mark.parametrize("size", [0, 60_000])
@pytest.mark.parametrize("commits", [2, 5, 8, 11])
def test_a_killed_replay_is_finished_exactly(
    repository, whole, tmp_path, monkeypatch, commits, size
):
    program = Path(__file__).with_name("replaying_process.py")
    code = "import runpy, sys; from damals.app.history import replay;"
    code += f"replay.BATCH_CHARACTERS = {size};"
    code += "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0])"
    command = [sys.executable, "-c", code, program, tmp_path / "home", repository.root]
    killed = subprocess.run([*command, str(commits)], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    monkeypatch.setattr(replay, "BATCH_CHARACTERS", size)
    with open_home(tmp_path / "home", embedder="none", timezone="UTC") as memory:
        if size == 0:
            assert memory.log().transactions
        assert memory.import_(repository.root, history=True).late == ()
        told, known = state(memory)
    assert told == whole[0]
    assert known == whole[1]


def test_a_replay_commit_by_commit_is_that_of_the_whole(repository, whole, tmp_path):
    """Each commit of the main line is imported as soon as it is there."""
    clone = Repository(tmp_path / "vault", made=False)
    clone.git("clone", "-q", str(repository.root), ".")
    line = clone.git("rev-list", "--reverse", "--topo-order", "HEAD").split()
    with open_home(tmp_path / "home", embedder="none", timezone="UTC") as memory:
        for sha in line:
            clone.git("checkout", "-q", sha)
            if sha in clone.git("rev-list", "--first-parent", "main").split():
                assert memory.import_(clone.root, history=True).late == ()
        _, known = state(memory)
    final = whole[0][-1][0]
    assert {one[1:] for one in _frozen(known) if one[0] == final} == {
        one[1:] for one in _frozen(whole[1]) if one[0] == final
    }


def _frozen(known):
    return [(*one[:-1], tuple(one[-1])) for one in known]
