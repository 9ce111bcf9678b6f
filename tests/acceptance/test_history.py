"""A vault's Git history, replayed as recorded time."""

import subprocess

import pytest

from damals.bootstrap import open_home
from damals.domain.access import Principal
from damals.errors import InvalidInput
from damals.local import LocalDamals
from git_repository import Repository


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    with open_home(tmp_path_factory.mktemp("home"), embedder="none", timezone="UTC") as opened:
        opened.remember("Made")
        yield opened


def name_of(request) -> str:
    return request.node.name.replace("_", "-")[:60]


@pytest.fixture
def memory(home, request):
    """A workspace of its own."""
    name = name_of(request)
    home.create_workspace(name, timezone="UTC")
    return LocalDamals(home.opened, name, guest=True)


@pytest.fixture
def repository(tmp_path) -> Repository:
    return Repository(tmp_path / "vault")


def notes(memory, known_at=None):
    """Path and text of each note as known at an instant."""
    asked = {"known_at": known_at, "as_of": known_at} if known_at else {}
    pages = memory.pages(limit=100, **asked)
    return {one.source.path: one.content for page in pages for one in page.entries}


def titles(memory, known_at):
    return sorted(
        one.title
        for page in memory.pages(known_at=known_at, as_of=known_at)
        for one in page.entries
    )


def test_each_commit_is_known_from_its_committers_date_on(memory, repository):
    repository.commit("2015-01-10", "First", a="# A\n\nold\n")
    repository.commit("2015-03-10", "Second", a="# A\n\nnew\n", b="# B\n")
    report = memory.import_(repository.root, history=True)
    assert (report.added, report.changed, report.failed, report.late) == (2, 1, (), ())
    assert notes(memory, "2015-01-09") == {}
    assert notes(memory, "2015-01-10") == {"a.md": "# A\n\nold\n"}
    assert notes(memory, "2015-03-10") == {"a.md": "# A\n\nnew\n", "b.md": "# B\n"}
    first, second = memory.log().transactions
    assert (first.recorded_at, first.actor, first.reason) == (
        "2015-01-10T00:00:00.000000Z",
        "Anna",
        "First",
    )
    assert second.reason == "Second"


def test_a_note_says_which_commit_it_comes_from(memory, repository):
    repository.commit("2015-01-10", a="# A\n")
    sha = repository.commit("2015-03-10T08:00", a="# A\n\nnew\n")
    memory.import_(repository.root, history=True)
    [entry] = memory.entries().entries
    assert (entry.source.commit, entry.source.committed_at) == (
        sha,
        "2015-03-10T08:00:00.000000Z",
    )
    assert entry.source.kind == "vault"


def test_recall_at_an_earlier_instant_answers_from_the_notes_as_they_were(memory, repository):
    repository.commit("2015-01-10", a="# Kündigung\n\nDie Frist beträgt drei Monate.\n")
    repository.commit("2015-03-10", a="# Kündigung\n\nDie Frist beträgt sechs Wochen.\n")
    memory.import_(repository.root, history=True)
    [then] = memory.recall("Frist Kündigung", known_at="2015-02-01").results
    [now] = memory.recall("Frist Kündigung").results
    assert "drei Monate" in then.entry.content
    assert "sechs Wochen" in now.entry.content


def test_a_renamed_note_keeps_id_and_history(memory, repository):
    text = "# A\n\n" + "A line that stays.\n" * 10
    repository.commit(a=text)
    repository.git("mv", "a.md", "b.md")
    repository.commit()
    repository.git("mv", "b.md", "c.md")
    repository.write("c.md", text + "One more.\n")
    repository.commit()
    report = memory.import_(repository.root, history=True)
    assert (report.added, report.moved, report.removed) == (1, 2, 0)
    [entry] = memory.entries().entries
    assert entry.source.path == "c.md"
    paths = [one.source.path for one in memory.history(entry.id).versions]
    assert paths == ["a.md", "b.md", "c.md"]


def test_a_folder_may_be_renamed_with_many_equal_notes_in_it(memory, repository):
    for number in range(5):
        repository.write(f"old/{number}.md", "# Same\n")
    repository.commit()
    repository.git("mv", "old", "new")
    repository.commit()
    report = memory.import_(repository.root, history=True)
    assert (report.added, report.moved, report.removed) == (5, 5, 0)


def test_an_id_in_the_frontmatter_decides_over_renames(memory, repository):
    repository.commit(a="---\nid: one\n---\n# A\n\nfirst text\n")
    repository.commit(a=None, z="---\nid: one\n---\n# Z\n\nnothing in common any more at all\n")
    memory.import_(repository.root, history=True)
    [entry] = memory.entries().entries
    assert (entry.external_id, entry.title) == ("one", "Z")
    assert len(memory.history(entry.id).versions) == 2


def test_a_deleted_note_is_known_no_more_and_returns_as_the_same(memory, repository):
    repository.commit("2015-01-10", a="# A\n", b="# B\n")
    repository.commit("2015-02-10", a=None)
    repository.commit("2015-03-10", a="# A again\n")
    report = memory.import_(repository.root, history=True)
    assert report.removed == 1
    assert titles(memory, "2015-01-15") == ["A", "B"]
    assert titles(memory, "2015-02-15") == ["B"]
    assert titles(memory, "2015-03-15") == ["A again", "B"]
    ids = {one.id for page in memory.pages() for one in page.entries}
    assert len(ids) == 2


def test_a_merge_settles_every_note_to_its_own_tree(memory, repository):
    repository.commit("2015-01-01", a="# A\n\n1\n", b="# B\n\n1\n", c="# C\n")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("2015-01-05", a="# A\n\nside\n", d="# D\n", c=None)
    repository.git("checkout", "-q", "main")
    repository.commit("2015-01-03", a="# A\n\nmain\n", b="# B\n\n2\n")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "-q", "--no-ff", "side", at=repository.date("2015-01-10"))
    repository.write("a.md", "# A\n\nboth\n")
    repository.commit("2015-01-10", "Merge")
    report = memory.import_(repository.root, history=True)
    assert report.failed == ()
    expected = {"a.md": "# A\n\nboth\n", "b.md": "# B\n\n2\n", "d.md": "# D\n"}
    assert notes(memory) == notes(memory, "2015-01-10T00:01:00Z") == expected
    assert len(memory.log().transactions) == 4


def test_what_a_side_branch_does_to_a_renamed_note_goes_to_that_note(memory, repository):
    text = "# A\n\n" + "A line that stays.\n" * 10
    repository.commit(a=text)
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(a=text + "From the side.\n")
    repository.git("checkout", "-q", "main")
    repository.git("mv", "a.md", "b.md")
    repository.commit()
    repository.git("merge", "-q", "--no-ff", "side", at=repository.date())
    memory.import_(repository.root, history=True)
    [entry] = memory.entries().entries
    assert (entry.source.path, entry.content) == ("b.md", text + "From the side.\n")
    told = {op.get("target") or op["id"] for one in memory.log().transactions for op in one.ops}
    assert told == {entry.id}


def test_dates_that_run_backwards_follow_by_a_microsecond(memory, repository):
    repository.commit("2015-03-01", a="# 1\n")
    repository.commit("2015-02-01", a="# 2\n")
    repository.commit("2015-02-01", a="# 3\n")
    repository.commit("2015-04-01", a="# 4\n")
    report = memory.import_(repository.root, history=True)
    assert report.late == ()
    assert [one.recorded_at for one in memory.log().transactions] == [
        "2015-03-01T00:00:00.000000Z",
        "2015-03-01T00:00:00.000001Z",
        "2015-03-01T00:00:00.000002Z",
        "2015-04-01T00:00:00.000000Z",
    ]


def test_author_dates_say_nothing(memory, repository):
    repository.write("a.md", "# A\n")
    repository.git("add", "--all")
    dates = {"GIT_AUTHOR_DATE": "1999-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2015-01-01T00:00Z"}
    repository.git("commit", "-q", "-m", "x", **dates)
    memory.import_(repository.root, history=True)
    [one] = memory.log().transactions
    assert one.recorded_at == "2015-01-01T00:00:00.000000Z"


def test_links_mean_the_notes_of_their_time_and_heal(memory, repository):
    repository.commit("2015-01-10", a="# A\n\nsee [[b]] and [[b]]\n")
    repository.commit("2015-02-10", b="# B\n")
    repository.commit("2015-03-10", b=None)
    memory.import_(repository.root, history=True)
    a = next(one.id for one in memory.entries().entries)

    def target(at):
        [one] = memory.get(a, as_of=at, known_at=at).relations
        return one.title

    assert target("2015-02-15") == "B"
    assert target("2015-01-15") != "B"
    assert target("2015-03-15") != "B"


def test_a_second_run_changes_nothing_and_a_plain_import_finds_all_unchanged(memory, repository):
    repository.commit(a="# A\n\n[[b]]\n")
    repository.commit(b="---\naliases: [Bee]\nvalid_from: 2014-01-01\n---\n# B\n\n[[a]]\n")
    repository.git("mv", "a.md", "c.md")
    repository.commit()
    memory.import_(repository.root, history=True)
    before = memory.log().transactions
    again = memory.import_(repository.root, history=True)
    plain = memory.import_(repository.root)
    for report in (again, plain):
        counts = (report.added, report.changed, report.moved, report.removed)
        assert (counts, report.unchanged) == ((0, 0, 0, 0), 2)
    assert memory.log().transactions == before


def test_a_replay_ends_where_a_plain_import_would(memory, repository, tmp_path, request):
    repository.commit(a="# A\n\nsee [[b]], [[Bee]] and [[nothing]]\n", x="# X\n")
    repository.commit(b="---\naliases: [Bee]\ntags: [t]\n---\n# B\n\n![[a]]\n")
    repository.commit(x=None, c="# C\n\n[[a#A|x]]\n", b="---\naliases: Bee\n---\n# B2\n\n[[c]]\n")
    memory.import_(repository.root, history=True)
    name = name_of(request)
    with open_home(tmp_path / "other", embedder="none", timezone="UTC") as opened:
        opened.remember("Made")
        opened.create_workspace(name, timezone="UTC")
        other = LocalDamals(opened.opened, name, guest=True)
        other.import_(repository.root)
        assert standing(memory) == standing(other)


def standing(memory):
    """All that holds now, without when it was told."""
    found = {}
    for page in memory.pages():
        for one in page.entries:
            whole = memory.get(one.id)
            relations = sorted(
                (r.type, r.direction, r.entry_id, r.title or "") for r in whole.relations
            )
            digest = whole.source.digest
            found[one.id] = (one.title, whole.content, whole.tags, digest, relations)
    return found


def test_new_commits_are_added_and_known_ones_skipped(memory, repository):
    repository.commit("2015-01-10", a="# A\n")
    memory.import_(repository.root, history=True)
    repository.commit("2015-02-10", b="# B\n\n[[a]]\n")
    repository.commit("2015-03-10", a=None)
    report = memory.import_(repository.root, history=True)
    assert (report.added, report.removed, report.late) == (1, 1, ())
    instants = [one.recorded_at[:10] for one in memory.log().transactions]
    assert instants == ["2015-01-10", "2015-02-10", "2015-03-10"]


def test_a_branch_that_is_merged_later_is_added(memory, repository):
    repository.commit("2015-01-01", a="# A\n", b="# B\n")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("2015-01-02", s="# S\n")
    repository.git("checkout", "-q", "main")
    repository.commit("2015-01-05", b="# B\n\nmain\n")
    memory.import_(repository.root, history=True)
    repository.git("merge", "-q", "--no-ff", "side", at=repository.date("2015-02-01"))
    report = memory.import_(repository.root, history=True)
    assert (report.added, report.changed, report.removed, report.late) == (1, 0, 0, ())
    assert set(notes(memory)) == {"a.md", "b.md", "s.md"}


def test_a_rewritten_history_ends_with_what_it_says(memory, repository):
    first = repository.commit("2015-01-01", a="# A\n")
    repository.commit("2015-01-02", b="# B\n", a="# A\n\nchanged\n")
    memory.import_(repository.root, history=True)
    repository.git("reset", "-q", "--hard", first)
    repository.commit("2015-01-03", c="# C\n")
    report = memory.import_(repository.root, history=True)
    assert report.failed == ()
    assert notes(memory) == {"a.md": "# A\n", "c.md": "# C\n"}


def test_what_is_older_than_the_workspaces_last_transaction_is_recorded_now(memory, repository):
    memory.remember("Before", content="x")
    sha = repository.commit("2015-01-10", a="# A\n")
    report = memory.import_(repository.root, history=True)
    [late] = report.late
    assert late["commit"] == sha
    assert "2015-01-10" in late["reason"]
    assert notes(memory, "2016-01-01") == {}
    entry = next(one for one in memory.entries().entries if one.title == "A")
    assert entry.source.committed_at == "2015-01-10T00:00:00.000000Z"
    assert memory.import_(repository.root, history=True).late == ()


def test_only_what_others_recorded_makes_a_commit_late(memory, repository):
    repository.commit("2015-01-10", a="# A\n")
    memory.import_(repository.root, history=True)
    repository.commit("2015-01-10", a=None)
    assert memory.import_(repository.root, history=True).late == ()
    repository.commit("2015-01-09", a="# A\n\nagain\n")
    assert memory.import_(repository.root, history=True).late == ()
    memory.remember("Between", content="x")
    repository.commit("2015-02-10", b="# B\n")
    repository.commit("2015-03-10", c="# C\n")
    assert len(memory.import_(repository.root, history=True).late) == 2


def test_a_commit_from_the_future_is_recorded_now(memory, repository):
    repository.commit("2015-01-10", a="# A\n")
    repository.commit("2099-01-10", a="# A\n\nfuture\n")
    repository.commit("2015-03-10", a="# A\n\npast\n")
    report = memory.import_(repository.root, history=True)
    assert len(report.late) == 2
    assert notes(memory) == {"a.md": "# A\n\npast\n"}
    assert notes(memory, "2016-01-01") == {"a.md": "# A\n"}


def test_a_file_that_cannot_be_read_in_one_commit_is_reported_once(memory, repository):
    repository.commit(a="# A\n\ngood\n", b="# B\n")
    bad = repository.commit(a=b"# A\n\n\xff\xfe\xfa\n", b="# B\n\n2\n")
    repository.commit(a=b"# A\n\n\xff\xfe\xfb\n")
    repository.commit("2015-01-10", a="# A\n\ngood again\n")
    report = memory.import_(repository.root, history=True)
    [failure] = report.failed
    assert (failure.path, failure.line) == ("a.md", 3)
    assert bad[:12] in failure.reason
    assert notes(memory, "2015-01-05") == {"a.md": "# A\n\ngood\n", "b.md": "# B\n\n2\n"}
    assert notes(memory)["a.md"] == "# A\n\ngood again\n"


def test_a_vault_in_a_subfolder_has_the_history_of_that_folder(memory, tmp_path):
    repository = Repository(tmp_path / "repository")
    repository.write("code.md", "# Code\n")
    repository.commit()
    repository.write("my vault/a.md", "# A\n")
    repository.commit("2015-01-10")
    repository.write("code.md", "# Code\n\nmore\n")
    repository.commit()
    repository.git("mv", "code.md", "my vault/b.md")
    repository.commit("2015-02-10")
    report = memory.import_(repository.root / "my vault", history=True)
    assert (report.source, report.added) == ("my vault", 2)
    assert set(notes(memory)) == {"a.md", "b.md"}
    assert len(memory.log().transactions) == 2


def test_a_dry_run_tells_what_would_be_replayed_and_stores_nothing(memory, repository):
    repository.commit(a="# A\n", b="# B\n")
    repository.commit(a=None, b="# B\n\n2\n")
    trial = memory.import_(repository.root, history=True, dry_run=True)
    assert memory.log().transactions == ()
    real = memory.import_(repository.root, history=True)
    counts = [(one.added, one.changed, one.removed, one.chunks) for one in (trial, real)]
    assert counts[0] == counts[1] == (2, 1, 1, real.chunks)


def test_an_archived_status_and_relations_come_with_their_commits(memory, repository):
    repository.commit("2015-01-10", a="---\nsupersedes: '[[b]]'\n---\n# A\n", b="# B\n")
    repository.commit("2015-02-10", b="---\nstatus: archived\n---\n# B\n")
    repository.commit("2015-03-10", b=None)
    report = memory.import_(repository.root, history=True)
    assert report.failed == ()
    a = next(one for one in memory.entries().entries if one.title == "A")
    [relation] = memory.get(a.id).relations
    assert (relation.type, relation.title) == ("supersedes", "b")  # it is nowhere any more


def test_who_is_not_the_owner_is_the_actor_of_all_that_they_replay(home, repository, request):
    repository.commit("2015-01-10", a="# A\n")
    name = name_of(request)
    home.create_workspace(name, timezone="UTC")
    writer = Principal("kim", ("writer",))
    memory = LocalDamals(home.opened, name, writer, guest=True)
    report = memory.import_(repository.root, history=True)
    assert (report.added, report.late) == (1, ())
    [one] = LocalDamals(home.opened, name, guest=True).log().transactions
    assert (one.actor, one.recorded_at) == ("kim", "2015-01-10T00:00:00.000000Z")
    (repository.root / "sub").mkdir()
    with pytest.raises(InvalidInput) as refused:
        memory.import_(repository.root / "sub", history=True, name="sub")
    assert refused.value.key == "history.outside"
