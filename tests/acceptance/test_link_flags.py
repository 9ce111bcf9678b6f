"""How a link was read stays with its relation: a flag in every answer and in what is exported."""

from unicodedata import normalize

import pytest

from damals.bootstrap import init_home, open_home


class Vault:
    """A vault and the home it is imported into."""

    def __init__(self, folder):
        self.root = folder / "vault"
        self.home = folder / "home"

    def write(self, path, text="Text"):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def take_in(self):
        with open_home(self.home, embedder="none") as damals:
            return damals.import_(self.root)

    def out(self, path="von.md", home=None):
        """The relations of a note to others: type, path or title of the other one, and flags."""
        with open_home(home or self.home, embedder="none") as damals:
            entries = {e.id: e for e in damals.entries(limit=None)}
            (found,) = [e for e in entries.values() if e.source.path == path]
            return {
                (
                    one.type,
                    entries[one.entry_id].source.path if one.entry_id in entries else one.title,
                ): one.flags
                for one in damals.get(found.id).relations
                if one.direction == "out"
            }


@pytest.fixture
def vault(tmp_path):
    return Vault(tmp_path)


@pytest.mark.parametrize(
    ("written", "flags"),
    [
        ("[[ziel]]", ()),
        ("![[ziel|640x480]]", ("embed",)),
        ("[[zweitname]]", ("alias",)),
        ("[[Dritter Name]]", ("alias",)),
        ("%%[[ziel]]%%", ("hidden",)),
        ("%%\n![[Zweitname]]\n%%", ("alias", "embed", "hidden")),
        ("%%[[ziel]]%% [[ziel]]", ()),
        ("[[ziel]] ![[ziel]]", ("embed",)),
        ("[[zweitname]] [[ziel]]", ()),
    ],
)
def test_a_relation_is_flagged_as_what_each_of_its_links_is(vault, written, flags):
    vault.write("von.md", written)
    vault.write("ordner/ziel.md", "---\naliases: Zweitname, Dritter Name\n---\nText")
    assert vault.take_in().warnings == ()
    assert vault.out() == {("links_to", "ordner/ziel.md"): flags}


def test_a_link_that_may_mean_several_notes_means_the_nearest_is_flagged_and_reported(vault):
    vault.write("von.md", "eins\n\n[[Notiz]] [[b/Notiz]]")
    vault.write("b/Notiz.md")
    vault.write("a/tief/Notiz.md")
    (warning,) = vault.take_in().warnings
    assert (warning.path, warning.line) == ("von.md", 3)
    assert "b/Notiz was taken" in warning.reason
    assert vault.out() == {("links_to", "b/Notiz.md"): ()}
    vault.write("von.md", "[[notiz#Kopf]]")
    vault.take_in()
    assert vault.out() == {("links_to", "b/Notiz.md"): ("ambiguous",)}


def test_a_flag_comes_and_goes_with_the_notes_that_there_are(vault):
    vault.write("von.md", "[[Notiz]]")
    vault.write("b/Notiz.md")
    vault.take_in()
    assert vault.out() == {("links_to", "b/Notiz.md"): ()}
    vault.write("c/d/Notiz.md")
    report = vault.take_in()
    assert vault.out() == {("links_to", "b/Notiz.md"): ("ambiguous",)}
    assert [one.path for one in report.warnings] == ["von.md"]
    vault.write("Notiz.md")
    vault.take_in()
    assert vault.out() == {("links_to", "Notiz.md"): ("ambiguous",)}


def test_a_comment_states_no_typed_relation_and_takes_nothing_over(vault):
    vault.write("von.md", "---\nvalid_from: 2024-01-01\n---\n%%\nsupersedes:: [[ziel]]\n%%")
    vault.write("ziel.md", "---\nvalid_from: 2020-01-01\n---\nalt")
    vault.take_in()
    assert vault.out() == {("links_to", "ziel.md"): ("hidden",)}


def test_links_in_fields_that_are_no_relations_are_plain_links_and_the_field_stays(vault):
    vault.write("von.md", "---\noben: [[ziel]]\nliste:\n- '[[ziel]]'\n- \"[[fehlt|F]]\"\n---\n")
    vault.write("ziel.md")
    vault.take_in()
    assert vault.out() == {("links_to", "ziel.md"): (), ("links_to", "fehlt"): ()}
    with open_home(vault.home, embedder="none") as damals:
        (von,) = [e for e in damals.entries(limit=None) if e.source.path == "von.md"]
        assert von.properties["oben"] == "[[ziel]]"


def test_a_stub_heals_and_names_meet_in_any_case_and_either_encoding(vault):
    vault.write("von.md", "[[" + normalize("NFD", "Über Öl") + "]]")
    vault.take_in()
    assert list(vault.out().values()) == [()]
    vault.write("tief/" + normalize("NFC", "über ÖL.md"))
    assert vault.take_in().changed == 0
    assert vault.out() == {("links_to", "tief/über ÖL.md"): ()}


def test_of_names_that_differ_in_case_only_each_link_means_the_one_it_writes(vault):
    vault.write("von.md", "[[Name]]")
    vault.write("dort.md", "[[name]]")
    vault.write("egal.md", "[[NAME]]")
    vault.write("x/Name.md", "groß")
    vault.write("x/name.md", "klein")
    vault.take_in()
    assert vault.out() == {("links_to", "x/Name.md"): ()}
    assert vault.out("dort.md") == {("links_to", "x/name.md"): ()}
    assert vault.out("egal.md") == {("links_to", "x/Name.md"): ("ambiguous",)}


def test_flags_are_in_the_json_of_relations_and_survive_an_export(vault, tmp_path):
    vault.write("von.md", "%%[[ziel]]%% ![[fehlt]]")
    vault.write("ziel.md")
    vault.take_in()
    events = tmp_path / "events.jsonl"
    with open_home(vault.home, embedder="none") as damals:
        damals.export(events)
        (von,) = [e for e in damals.entries(limit=None) if e.title == "von"]
        told = {one["title"]: one["flags"] for one in damals.get(von.id).to_dict()["relations"]}
    assert told == {"ziel": ["hidden"], "fehlt": ["embed"]}
    other = tmp_path / "other"
    init_home(other)
    with open_home(other, embedder="none") as damals:
        damals.import_(events)
    assert vault.out(home=other) == vault.out()


def test_notes_that_show_each_other_are_links_in_a_circle_and_their_texts_stay_apart(vault):
    vault.write("von.md", "eins ![[ziel]] ![[von]]")
    vault.write("ziel.md", "zwei ![[von]]")
    vault.take_in()
    assert vault.out() == {("links_to", "ziel.md"): ("embed",)}
    assert vault.out("ziel.md") == {("links_to", "von.md"): ("embed",)}
    with open_home(vault.home, embedder="none") as damals:
        assert [hit.entry.title for hit in damals.recall("eins").results] == ["von"]
