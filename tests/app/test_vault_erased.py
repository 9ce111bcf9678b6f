"""What was erased is not imported again, wherever its file lies by then."""

from pathlib import Path

import pytest
from imported_vault import Vault, failures

from damals.app.erased_marks import OWN_TEXT
from damals.app.history.replay import HistoryImport
from damals.app.index_model import AccessFilter
from damals.app.indexing import silent
from damals.app.results import ImportReport
from damals.app.vault.run import Options
from damals.bootstrap import open_home
from git_repository import Repository

TEXT = "# Alt\n\nEin alter Vertrag.\n"
LONG = "# Alt\n\n" + "Ein alter Vertrag über vieles. " * 20 + "\n"


@pytest.fixture
def repository(vault: Vault) -> Repository:
    return Repository(vault.root)


def erase(vault: Vault, path: str) -> None:
    vault.do(op="erase", target=str(vault.ids()[path]))


def erased(vault: Vault, path: str = "alt.md", text: str = TEXT) -> None:
    """A note is imported and erased, its file is still there, and another note as well."""
    vault.write(path, text)
    vault.write("neu.md", "# Neu\n")
    vault.run()
    erase(vault, path)


def refused(report: ImportReport) -> list[str]:
    assert all("entry.erased_before" in one.reason for one in report.failed)
    return failures(report)


def replay(vault: Vault, repository: Repository) -> ImportReport:
    run = HistoryImport(vault.ledger, "w", vault.vaults, vault.tools, Options(history=True))
    return run.run(repository.root, silent)


def test_a_file_that_moved_before_the_next_import_is_refused(vault: Vault):
    erased(vault)
    vault.rename("alt.md", "x/neuer.md")
    assert refused(vault.take_in()) == ["x/neuer.md"]
    assert vault.places() == {"neu.md": None}


def test_a_file_that_moves_after_it_was_refused_is_refused_again(vault: Vault):
    erased(vault)
    assert refused(vault.take_in()) == ["alt.md"]
    vault.rename("alt.md", "x/neuer.md")
    assert refused(vault.take_in()) == ["x/neuer.md"]


def test_a_copy_is_refused(vault: Vault):
    erased(vault)
    vault.write("kopie.md", TEXT)
    assert refused(vault.take_in()) == ["alt.md", "kopie.md"]


def test_a_copy_that_is_a_note_of_its_own_stays_one(vault: Vault):
    vault.write("kopie.md", TEXT)
    erased(vault)
    vault.write("kopie.md", f"{TEXT}\nMehr.\n")
    assert refused(vault.take_in()) == ["alt.md"]
    vault.rename("kopie.md", "weg.md")
    vault.take_in()
    assert set(vault.places()) == {"neu.md", "weg.md"}


def test_a_file_that_was_edited_at_its_place_is_refused(vault: Vault):
    erased(vault)
    vault.write("alt.md", f"{TEXT}\nMehr.\n")
    assert refused(vault.take_in()) == ["alt.md"]


def test_a_file_at_the_last_place_of_a_note_that_had_moved_is_refused(vault: Vault):
    vault.write("alt.md", TEXT)
    vault.run()
    vault.rename("alt.md", "x/neuer.md")
    vault.run()
    erase(vault, "x/neuer.md")
    vault.write("x/neuer.md", "# Ganz anders\n")
    assert refused(vault.take_in()) == ["x/neuer.md"]


def test_an_older_text_of_the_note_is_refused(vault: Vault):
    vault.write("alt.md", TEXT)
    vault.run()
    vault.write("alt.md", f"{TEXT}\nMehr.\n")
    vault.run()
    erase(vault, "alt.md")
    vault.remove("alt.md")
    vault.write("backup/alt.md", TEXT)
    assert refused(vault.take_in()) == ["backup/alt.md"]


@pytest.mark.parametrize("name", ["own-name", "0f8fad5b-d9cb-469f-a165-70867728950e"])
def test_a_file_that_says_who_it_is_is_refused_wherever_it_lies(vault: Vault, name: str):
    erased(vault, text=f"---\nid: {name}\n---\nText\n")
    vault.remove("alt.md")
    vault.write("x/neuer.md", f"---\nid: {name}\n---\nGanz anders\n")
    assert refused(vault.take_in()) == ["x/neuer.md"]


def test_a_name_that_an_entry_had_which_became_a_note_is_refused(vault: Vault):
    vault.do(op="remember", title="Hand", external_id="own-name")
    vault.do(op="retract", target="own-name")
    erased(vault, text="---\nid: own-name\n---\nText\n")
    vault.remove("alt.md")
    vault.write("x/neuer.md", "---\nid: own-name\n---\nGanz anders\n")
    assert refused(vault.take_in()) == ["x/neuer.md"]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: f"---\ntags: [a]\n---\n{text}",
        lambda text: f"{text}\n\n\n",
        lambda text: "\ufeff" + text,
    ],
)
def test_a_long_text_is_known_again_whatever_stands_around_it(vault: Vault, change):
    assert len(LONG) > OWN_TEXT
    erased(vault, text=LONG)
    vault.remove("alt.md")
    vault.write("x/neuer.md", change(LONG))
    assert refused(vault.take_in()) == ["x/neuer.md"]


def test_an_empty_note_that_was_erased_leaves_others_alone(vault: Vault):
    erased(vault, text="")
    vault.write("x/leer.md", "")
    assert refused(vault.take_in()) == ["alt.md"]
    assert set(vault.places()) == {"neu.md", "x/leer.md"}


def test_what_was_edited_and_moved_at_once_cannot_be_known_again(vault: Vault):
    erased(vault)
    vault.remove("alt.md")
    vault.write("x/neuer.md", "# Alt\n\nEin anderer Text.\n")
    assert vault.take_in().added == 1


def test_an_erased_entry_that_was_no_note_refuses_none(vault: Vault):
    vault.do(op="remember", title="Hand", content=LONG, external_id="own-name")
    with vault.ledger.read("w") as reader:
        target = str(reader.find_entry("own-name").id)
    vault.do(op="erase", target=target)
    vault.write("alt.md", LONG)
    vault.write("x/neuer.md", "---\nid: own-name\n---\nText\n")
    assert vault.take_in().added == 2


def test_who_does_not_see_what_was_erased_does_not_bring_it_back(vault: Vault):
    erased(vault)
    vault.rename("alt.md", "x/neuer.md")
    assert refused(vault.run(access=AccessFilter(max_sensitivity=1))) == ["x/neuer.md"]


def test_a_link_to_a_refused_file_leads_nowhere(vault: Vault):
    erased(vault)
    vault.rename("alt.md", "x/neuer.md")
    vault.write("neu.md", "[[neuer]] [[alt]]\n")
    vault.take_in()
    assert vault.links("neu.md") == {None}


# --- in a history


def test_a_history_brings_back_no_state_of_an_erased_note(vault: Vault, repository: Repository):
    repository.commit("2015-01-01", first="# Eins\n", neu="# Neu\n")
    repository.git("mv", "first.md", "second.md")
    repository.commit("2015-01-02", second="# Eins\n")
    repository.commit("2015-01-03", second="# Eins\n\nZwei\n")
    repository.git("mv", "second.md", "third.md")
    repository.commit("2015-01-04", third="# Eins\n\nZwei\n\nDrei\n")
    vault.run()
    erase(vault, "third.md")
    report = replay(vault, repository)
    assert set(refused(report)) == {"first.md", "second.md", "third.md"}
    assert vault.places() == {"neu.md": None}


def test_a_history_that_goes_on_brings_nothing_back(vault: Vault, repository: Repository):
    repository.commit("2015-01-01", a=LONG, neu="# Neu\n")
    replay(vault, repository)
    erase(vault, "a.md")
    repository.commit("2015-01-02", a=f"{LONG}\nZwei\n", neu="# Neu\n\nMehr\n")
    assert refused(replay(vault, repository)) == ["a.md"]
    repository.git("mv", "a.md", "b.md")
    repository.commit("2015-01-03", b=f"{LONG}\nZwei und noch mehr\n")
    assert "b.md" in refused(replay(vault, repository))
    assert vault.places() == {"neu.md": None}
    assert vault.content("neu.md") == "# Neu\n\nMehr\n"


def test_who_lay_at_the_place_of_an_erased_note_before_is_replayed(
    vault: Vault, repository: Repository
):
    repository.commit("2015-01-01", a="# Bleibt\n\nLange genug\n")
    repository.git("mv", "a.md", "b.md")
    repository.commit("2015-01-02")
    repository.commit("2015-01-03", a="# Geht\n")
    vault.run()
    erase(vault, "a.md")
    assert refused(replay(vault, repository)) == ["a.md"]
    assert set(vault.places()) == {"b.md"}


def test_a_state_on_another_branch_is_refused_too(vault: Vault, repository: Repository):
    repository.commit("2015-01-01", a="# Eins\n\nText\n\nMehr\n", neu="# Neu\n")
    repository.git("checkout", "--quiet", "-b", "side")
    repository.git("mv", "a.md", "b.md")
    repository.commit("2015-01-02")
    repository.git("checkout", "--quiet", "main")
    repository.commit("2015-01-03", a="# Eins\n\nText\n\nMehr und anders\n")
    repository.git("merge", "--quiet", "-m", "Merge", "side", at="2015-01-04T00:00:00Z")
    vault.run()
    erase(vault, "b.md")
    report = replay(vault, repository)
    assert "b.md" in refused(report)
    assert set(vault.places()) == {"neu.md"}


def test_a_history_with_an_id_that_came_later_is_refused_as_a_whole(
    vault: Vault, repository: Repository
):
    repository.commit("2015-01-01", a="# Eins\n\nText\n\nMehr\n")
    repository.commit("2015-01-02", a="---\nid: own\n---\n# Eins\n\nText\n\nMehr\n")
    vault.run()
    erase(vault, "a.md")
    vault.remove("a.md")
    repository.commit("2015-01-03")
    report = replay(vault, repository)
    assert (set(refused(report)), vault.places()) == ({"a.md"}, {})


def test_in_a_home_an_erased_note_stays_gone(tmp_path: Path):
    repository = Repository(tmp_path / "vault")
    repository.commit("2015-01-01", a=TEXT, b="# Neu\n")
    repository.git("mv", "a.md", "c.md")
    repository.commit("2015-01-02")
    with open_home(tmp_path / "home", embedder="none", timezone="UTC") as memory:
        memory.import_(repository.root)
        [gone] = [one for one in memory.entries().entries if one.source.path == "c.md"]
        memory.erase("entry", gone.id)
        repository.git("mv", "c.md", "d.md")
        assert [one.path for one in memory.import_(repository.root).failed] == ["d.md"]
        repository.commit("2015-01-03")
        report = memory.import_(repository.root, history=True)
        assert {one.path for one in report.failed} == {"a.md", "c.md", "d.md"}
        assert [one.source.path for one in memory.entries().entries] == ["b.md"]
        assert memory.audit().breaks == ()
