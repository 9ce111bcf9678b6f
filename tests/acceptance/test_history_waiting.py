"""Replays in which a note has to wait for another one: for its id, its name, or its circle."""

import pytest

from damals.bootstrap import open_home
from git_repository import Repository

UUID = "0190f4a1-0000-7000-8000-00000000000a"
SPELLED = ("orig", UUID, UUID.upper(), UUID.replace("-", ""), f"urn:uuid:{UUID}")


@pytest.fixture
def repository(tmp_path) -> Repository:
    return Repository(tmp_path / "vault")


def named(name: str, text: str) -> str:
    return f"---\nid: {name}\n---\n{text}"


def standing(memory, at=None):
    """Title and outgoing relations of each note by its path, as known at an instant."""
    asked = {"known_at": at, "as_of": at} if at else {}
    found = {}
    for page in memory.pages(**asked):
        for one in page.entries:
            whole = memory.get(one.id, **asked)
            out = sorted((r.type, r.title) for r in whole.relations if r.direction == "out")
            found[one.source.path] = (one.title, out)
    return found


def replayed(memory, repository, *, stepwise):
    """Replay at once, or as if each commit had been imported when it was made."""
    reports = []
    if stepwise:
        for sha in repository.git("rev-list", "--reverse", "main").split():
            repository.git("checkout", "-q", sha)
            reports.append(memory.import_(repository.root, history=True))
        repository.git("checkout", "-q", "main")
    reports.append(memory.import_(repository.root, history=True))
    return reports


def is_settled(memory, repository):
    """Whether a plain import finds nothing to do."""
    before = memory.log().transactions
    report = memory.import_(repository.root)
    return report.failed == () and memory.log().transactions == before


@pytest.mark.parametrize("stepwise", [False, True])
@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({"a": None}, {}),
        ({"a": "# A without it\n"}, {"a.md": ("A without it", [])}),
        ({"a": named("two", "# A named otherwise\n")}, {"a.md": ("A named otherwise", [])}),
    ],
)
def test_a_note_is_told_when_the_other_one_lets_go_of_its_id(
    memory, repository, change, left, stepwise
):
    repository.commit("2015-01-01", a=named("one", "# A\n"), b=named("one", "# B\n"))
    repository.commit("2015-01-02", c="# C\n\n[[b]]\n")
    repository.commit("2015-01-03", **change)
    reports = replayed(memory, repository, stepwise=stepwise)
    [failure] = {one for report in reports for one in report.failed}
    assert failure.path == "b.md"
    assert set(standing(memory, "2015-01-02")) == {"a.md", "c.md"}
    expected = {"b.md": ("B", []), "c.md": ("C", [("links_to", "B")])} | left
    assert standing(memory, "2015-01-03") == standing(memory) == expected
    assert is_settled(memory, repository)


@pytest.mark.parametrize("stepwise", [False, True])
def test_a_known_note_that_claims_an_id_waits_for_it_too(memory, repository, stepwise):
    repository.commit("2015-01-01", a=named("one", "# A\n"), b="# B\n\n[[d]]\n")
    repository.commit("2015-01-02", b=named("one", "# B claims\n\n[[e]]\n"))
    repository.commit("2015-01-03", d="# D\n", e="# E\n")
    repository.git("mv", "a.md", "z.md")
    repository.commit("2015-01-04")
    repository.commit("2015-01-05", z=None)
    replayed(memory, repository, stepwise=stepwise)
    # What it says since is not taken in: nor are its links.
    assert standing(memory, "2015-01-04")["b.md"] == ("B", [("links_to", "d")])
    assert standing(memory)["b.md"] == ("B claims", [("links_to", "E")])
    assert is_settled(memory, repository)


def test_links_of_a_text_that_returns_mean_the_notes_there_are(memory, repository):
    text = "# B\n\n[[d]]\n"
    repository.commit("2015-01-01", b=text)
    repository.commit("2015-01-02", b=b"# B\n\n\xff\xfe\xfa\n")
    repository.commit("2015-01-03", d="# D\n")
    repository.commit("2015-01-04", b=text)
    memory.import_(repository.root, history=True)
    assert standing(memory)["b.md"] == ("B", [("links_to", "D")])
    assert is_settled(memory, repository)


@pytest.mark.parametrize("stepwise", [False, True])
@pytest.mark.parametrize("spelled", SPELLED)
def test_a_translation_finds_an_original_that_comes_later(memory, repository, spelled, stepwise):
    name = "orig" if spelled == "orig" else UUID
    text = f"---\ntype: translation\nsource_id: '{spelled}'\n---\n# T\n"
    repository.commit("2015-01-01", t=text)
    repository.commit("2015-01-02", o=named(name, "# O\n"))
    repository.commit("2015-01-03", o=None)
    repository.commit("2015-01-04", p=named(name, "# P\n"))
    replayed(memory, repository, stepwise=stepwise)
    told = [standing(memory, f"2015-01-0{day}")["t.md"][1] for day in (1, 2, 4)]
    assert told[1:] == [[("translation_of", "O")], [("translation_of", "P")]]
    assert told[0] != told[1]
    assert is_settled(memory, repository)


def test_a_relation_that_closed_a_circle_is_told_when_there_is_none(memory, repository):
    cut = "---\nsupersedes: '[[{}]]'\n---\n"
    repository.commit("2015-01-01", a=cut.format("b") + "# A\n", b=cut.format("a") + "# B\n")
    repository.commit("2015-01-02", b="# B\n")
    report = memory.import_(repository.root, history=True)
    [told] = report.warnings
    assert told.path == "a.md"
    assert standing(memory) == {"a.md": ("A", [("supersedes", "B")])}
    assert is_settled(memory, repository)


@pytest.mark.parametrize("stepwise", [False, True])
@pytest.mark.parametrize(
    "gone", [None, "# B\n", "---\nvalid_from: 2016-06-01\nsupersedes: '[[a]]'\n---\n# B\n"]
)
def test_a_validity_that_another_note_stood_in_the_way_of_is_told_when_it_is_free(
    memory, repository, gone, stepwise
):
    until = "---\nvalid_from: 2015-01-01\nvalid_to: 2016-01-01\n---\n# A until\n"
    over = "---\nvalid_from: 2015-06-01\nsupersedes: '[[a]]'\n---\n# B\n"
    repository.commit("2015-01-01", a="---\nvalid_from: 2015-01-01\n---\n# A\n", b=over)
    repository.commit("2015-01-02", a=until)
    repository.commit("2015-01-03", c="# C\n")
    repository.commit("2015-01-04", b=gone)
    repository.commit("2015-01-05", c="# C\n\nMore\n")
    reports = replayed(memory, repository, stepwise=stepwise)
    assert {one.path for report in reports for one in report.failed} == {"a.md"}
    entry = next(
        one
        for page in memory.pages(as_of="2015-02-01")
        for one in page.entries
        if one.source.path == "a.md"
    )
    assert (entry.title, entry.valid_from, entry.valid_to) == (
        "A until",
        "2015-01-01",
        "2016-01-01",
    )
    assert is_settled(memory, repository)


@pytest.fixture
def memory(tmp_path):
    with open_home(tmp_path / "home", embedder="none", timezone="UTC") as opened:
        yield opened
