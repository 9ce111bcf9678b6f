"""What is read of a repository, and that nothing in it is run."""

import os
import shutil
import stat
import time
from pathlib import Path

import pytest

from damals.adapters.git.repository import GitHistories
from damals.app.history.model import FileChange
from damals.errors import InvalidInput, Unavailable
from git_repository import Repository, instant


@pytest.fixture
def repository(tmp_path) -> Repository:
    return Repository(tmp_path / "r")


def read(root: Path, *, confined: bool = False):
    """All commits of a folder with their changes, as names and texts."""
    with GitHistories().open(root, confined=confined) as history:
        commits = history.commits()
        told = [[_told(history, one) for one in found] for found in history.changes(commits)]
        return commits, told


def _told(history, change: FileChange):
    text = None if change.blob is None else history.blob(change.blob).data
    came_from = "/".join(change.came_from) if change.came_from else None
    return "/".join(change.parts), text, came_from


def test_commits_come_with_their_changes_parents_first(repository):
    first = repository.commit("2015-01-01", "One\n\nmore", a="A\n", b="B\n")
    second = repository.commit("2014-01-01", "Zwei: Ä", a="A2\n", b=None)
    commits, told = read(repository.root)
    assert [(c.sha, c.parents, c.summary, c.author) for c in commits] == [
        (first, (), "One", "Anna"),
        (second, (first,), "Zwei: Ä", "Anna"),
    ]
    assert commits[1].committed_at == instant("2014-01-01")
    assert told == [
        [("a.md", b"A\n", None), ("b.md", b"B\n", None)],
        [("a.md", b"A2\n", None), ("b.md", None, None)],
    ]


def test_a_rename_is_one_change_even_with_an_edit(repository):
    text = "".join(f"line {number}\n" for number in range(20))
    repository.commit(a=text)
    repository.commit(a=None, b=text + "new\n")
    assert read(repository.root)[1][1] == [("b.md", (text + "new\n").encode(), "a.md")]


def test_a_commit_that_changed_nothing_has_no_changes(repository):
    repository.commit(a="A\n")
    repository.commit()
    repository.commit(a="B\n")
    assert [len(found) for found in read(repository.root)[1]] == [1, 0, 1]


def test_a_merge_is_compared_with_its_first_parent(repository):
    repository.commit(a="A\n")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(s="S\n")
    repository.git("checkout", "-q", "main")
    repository.commit(m="M\n")
    repository.git("merge", "-q", "--no-ff", "side", at=repository.date())
    commits, told = read(repository.root)
    assert len(commits[-1].parents) == 2
    assert told[-1] == [("s.md", b"S\n", None)]
    with GitHistories().open(repository.root, confined=False) as history:
        assert set(history.files(commits[-1])) == {("a.md",), ("m.md",), ("s.md",)}


def test_a_subfolder_knows_nothing_of_what_lies_outside(repository):
    repository.write("x/y/in.md", "in\n")
    repository.write("out.md", "out\n")
    repository.commit()
    repository.git("mv", "out.md", "x/y/came.md")
    repository.commit()
    commits, told = read(repository.root / "x" / "y")
    assert told == [[("in.md", b"in\n", None)], [("came.md", b"out\n", None)]]
    with GitHistories().open(repository.root / "x" / "y", confined=False) as history:
        assert set(history.files(commits[-1])) == {("in.md",), ("came.md",)}


def test_a_bare_repository_has_a_history(repository, tmp_path):
    repository.commit(a="A\n")
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    commits, told = read(tmp_path / "bare.git")
    assert told == [[("a.md", b"A\n", None)]]
    with GitHistories().open(tmp_path / "bare.git", confined=False) as history:
        assert set(history.files(commits[0])) == {("a.md",)}


def test_a_shallow_clone_says_so_and_begins_with_all_its_files(repository, tmp_path):
    repository.commit(a="A\n")
    repository.commit(b="B\n")
    repository.git("clone", "-q", "--depth=1", f"file://{repository.root}", str(tmp_path / "s"))
    with GitHistories().open(tmp_path / "s", confined=False) as history:
        assert history.shallow
        [commit] = history.commits()
        [changes] = history.changes([commit])
        assert {one.parts for one in changes} == {("a.md",), ("b.md",)}
    with GitHistories().open(repository.root, confined=False) as history:
        assert not history.shallow


def test_links_and_submodules_are_no_plain_files(repository):
    repository.commit(a="A\n", b="B\n")
    (repository.root / "a.md").unlink()
    (repository.root / "a.md").symlink_to("b.md")
    repository.git("add", "--all")
    sha = repository.head()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{sha},sub.md")
    repository.git("commit", "-q", "-m", "x", at=repository.date())
    commits, told = read(repository.root)
    changes = {one[0]: one[1] for one in told[1]}
    assert changes == {"a.md": None, "sub.md": None}
    with GitHistories().open(repository.root, confined=False) as history:
        assert set(history.files(commits[1])) == {("b.md",)}


def test_any_name_and_any_bytes_come_through(repository):
    for name in ("a b", "ü\t\"quoted'", "zwei\nZeilen", "-n", "%s"):
        repository.write(f"{name}.md", b"\x00\xff\n\n")
    Path(os.fsdecode(os.fsencode(repository.root) + b"/latin-\xfc.md")).write_bytes(b"")
    repository.commit()
    _, [told] = read(repository.root)
    assert len(told) == 6
    assert {one[1] for one in told} == {b"\x00\xff\n\n", b""}
    assert os.fsdecode(b"latin-\xfc.md") in {one[0] for one in told}


def test_a_pointer_of_large_file_storage_is_no_text(repository):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"
    repository.commit(a=pointer)
    with GitHistories().open(repository.root, confined=False) as history:
        [[change]] = history.changes(history.commits())
        assert history.blob(change.blob).failure == "history.lfs"


def test_bytes_that_are_missing_are_reported_and_the_next_are_read(repository):
    repository.commit(a="A\n", b="B\n")
    with GitHistories().open(repository.root, confined=False) as history:
        names = {one.parts: one.blob for one in next(history.changes(history.commits()))}
        assert history.blob("0" * 40).failure == "history.missing"
        assert history.blob(names["b.md",]).data == b"B\n"


@pytest.mark.parametrize("seconds", ["0", "1", "4102444800", "99999999999"])
def test_any_date_is_an_instant(repository, seconds):
    repository.write("a.md", "A\n")
    repository.git("add", "--all")
    tree = repository.git("write-tree")
    raw = f"tree {tree}\nauthor A <a> {seconds} +0000\ncommitter A <a> {seconds} +0000\n\nx\n"
    (repository.root / "commit").write_text(raw)
    sha = repository.git("hash-object", "-t", "commit", "-w", "--literally", "commit")
    repository.git("update-ref", "refs/heads/main", sha)
    [commit] = read(repository.root)[0]
    assert commit.committed_at == int(seconds) * 1_000_000


def test_a_date_that_is_none_does_not_stop_it(repository):
    repository.write("a.md", "A\n")
    repository.git("add", "--all")
    tree = repository.git("write-tree")
    for date in ("-5 +0000", "99999999999999999999999 +0000", "soon", "1e3 +9999"):
        raw = f"tree {tree}\nauthor A <a> {date}\ncommitter A <a> {date}\n\nx\n"
        (repository.root / "commit").write_text(raw)
        sha = repository.git("hash-object", "-t", "commit", "-w", "--literally", "commit")
        repository.git("update-ref", "refs/heads/main", sha)
        [commit] = read(repository.root)[0]
        assert isinstance(commit.committed_at, int)


def test_a_hostile_repository_runs_nothing(repository, tmp_path, monkeypatch):
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    repository.write(".gitattributes", "*.md diff=evil filter=evil merge=evil\n")
    repository.commit(a="A\n" * 50)
    repository.commit(a=None, b="A\n" * 50 + "B\n")
    for name in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass",
        "core.alternateRefsCommand", "diff.external", "diff.evil.command", "diff.evil.textconv",
        "filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "gpg.program",
        "credential.helper", "sequence.editor", "uploadpack.packObjectsHook",
    ):  # fmt: skip
        repository.git("config", name, str(program))
    for alias in ("rev-list", "diff-tree", "cat-file", "ls-tree", "rev-parse"):
        repository.git("config", f"alias.{alias}", f"!{program}")
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "core.hooksPath", str(tmp_path))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    _, told = read(repository.root)
    assert [one[2] for one in told[1]] == ["a.md"]
    assert not ran.exists()


def test_objects_that_are_missing_are_not_fetched(repository, tmp_path):
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
    program.chmod(0o755)
    repository.commit(a="A\n")
    blob = repository.git("rev-parse", "HEAD:a.md")
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(program),
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
    }.items():
        repository.git("config", name, value)
    (repository.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with GitHistories().open(repository.root, confined=False) as history:
        [[change]] = history.changes(history.commits())
        assert history.blob(change.blob).failure == "history.missing"
    assert not ran.exists()


@pytest.mark.parametrize("way", ["gitfile", "alternates", "subfolder", "linked"])
def test_what_is_kept_elsewhere_is_refused_when_confined(repository, tmp_path, way):
    repository.commit(a="A\n")
    assert read(repository.root, confined=True)[1] == [[("a.md", b"A\n", None)]]
    inside = tmp_path / "inside"
    if way == "gitfile":
        inside.mkdir()
        (inside / ".git").write_text(f"gitdir: {repository.root / '.git'}\n")
    elif way == "alternates":
        repository.git("clone", "-q", "--shared", ".", str(inside))
    elif way == "subfolder":
        inside = repository.root / "sub"
        inside.mkdir()
    else:
        inside.mkdir()
        (inside / ".git").symlink_to(repository.root / ".git")
    with pytest.raises(InvalidInput) as refused:
        read(inside, confined=True)
    assert refused.value.key == "history.outside"


def hanging(folder: Path, *, at: str = "", whole: bool = False) -> Path:
    """A folder with a program ``git`` that hangs at a command, and leaves another one behind."""
    real = shutil.which("git")
    script = folder / "git"
    script.parent.mkdir()
    told = "printf x; " if whole else ""
    script.write_text(
        f'#!/bin/sh\ncase " $* " in *" {at} "*) {told}sleep 600 & sleep 600;; '
        f'*) exec {real} "$@";; esac\n'
    )
    script.chmod(0o755)
    return folder


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("command", ["rev-parse", "rev-list", "diff-tree", "ls-tree", "cat-file"])
def test_a_program_that_hangs_is_ended_and_reported(
    repository, tmp_path, monkeypatch, command, told
):
    repository.commit(a="A\n")
    path = hanging(tmp_path / "bin", at=command, whole=told)
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    with (
        pytest.raises(Unavailable, match=r"history\.silent"),
        GitHistories(silence_s=0.5).open(repository.root, confined=False) as history,
    ):
        commits = history.commits()
        list(history.changes(commits))
        [blob] = history.files(commits[0]).values()
        history.blob(blob)


def test_however_slowly_history_is_taken_in_its_program_does_not_hang(repository):
    for number in range(3):
        repository.commit(a=f"{number}\n")
    with GitHistories(silence_s=0.3).open(repository.root, confined=False) as history:
        commits = history.commits()
        for found in history.changes(commits):
            time.sleep(0.5)
            assert history.blob(found[0].blob).data
