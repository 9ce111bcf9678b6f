"""A folder of notes for people, which is a vault: what is in it, and what comes back from it."""

from contextlib import contextmanager
from unicodedata import normalize

import pytest

from damals.app.markdown_export.folder import Folder
from damals.app.markdown_export.model import Head, NoteFile
from damals.domain.access import Principal
from damals.errors import Conflict, InvalidInput

KEPT = (
    "id", "external_id", "type", "title", "content", "tags", "key", "valid_from", "valid_to",
    "bounds", "uncertain", "created", "updated", "importance", "pinned", "domain",
    "staleness_risk", "retrieved_at", "last_reviewed", "persona_weight", "lang", "lang_original",
    "source_id", "visibility", "sensitivity", "acl",
)  # fmt: skip


def state(memory, **at):
    """What holds now, without what belongs to the home it is in."""
    found = {}
    for entry in memory.entries(limit=None, **at):
        told = entry.to_dict()
        kept = {name: told[name] for name in KEPT}
        kept["properties"] = {k: v for k, v in told["properties"].items() if k != "damals_source"}
        kept["relations"] = {
            (one["type"], one["direction"], one["entry_id"])
            for one in told["relations"]
            if not one["derived"]
        }
        found[entry.id] = kept
    return found


@contextmanager
def refused(kind, key):
    with pytest.raises(kind) as caught:
        yield
    assert caught.value.key == key


def notes(folder):
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.md")
        if path.name != "damals-index.md"
    )


def written(memory, folder, **options):
    return memory.export(folder, format="markdown", **options)


@pytest.fixture
def everything(memory):
    """Entries of every kind, with all that can be said of one."""
    memory.remember(
        'Anschrift: "Müller"/Söhne?', "Hauptstraße 1\n\n```\n---\n```\n", external_id="crm-12",
        key="mueller/anschrift", tags=["adresse", "kunde/a"], valid_from="2024-09",
        importance=5, pinned=True, domain="crm", staleness_risk="stable", lang="en",
        visibility="restricted", sensitivity=2, acl=["vertrieb", "chef"], created="2020-01-02",
        retrieved_at="2024-03-04", last_reviewed="2024-05-06", persona_weight=0.25,
        properties={
            "zahl": 3, "bruch": 2.5, "wahr": True, "nichts": None, "text": "no", "alt": "007",
            "liste": [1, "zwei", None, [False]], "tief": {"a": {"b": "{{x}}"}}, "title": "anders",
            "aliases": ["Mü", "M: S"], "status": "in Arbeit", "leer": "", "eigen name": "x: y #z",
            "Zeilen": "eine\nzweite\x7f\u2028dritte", "verweis": "[[Nirgendwo]]",
            "part_of": "Prosa",
        },
    )  # fmt: skip
    memory.remember("Bis irgendwann", "x", valid_from=None, valid_to="unknown", type="note")
    memory.remember("Vielleicht", "x", valid_from="2024-09-01~", valid_to="2099")
    memory.remember("Tag 2024-05-05", "sonst wäre es der Tag im Namen", valid_from=None)
    memory.remember("Genau", "x", valid_from="2024-03-01T12:30:00.000001Z", type="decision")
    memory.remember("Leer", "", external_id="Leer")
    memory.remember("Erst", "x", external_id="Erst", valid_from="2020-01-01")
    memory.relate("Leer", "part_of", "crm-12")
    memory.relate("Leer", "links_to", "Erst")
    memory.contradict("Erst", "Leer", reason="beides kann nicht sein")
    return memory


@pytest.mark.parametrize("history", [False, True])
def test_an_export_imported_into_another_home_says_the_same(everything, opens, tmp_path, history):
    report = written(everything, tmp_path / "out", history=history)
    assert report.notes == 6
    assert report.written == 7
    assert report.kept == ()
    other = opens("other")
    told = other.import_(tmp_path / "out")
    assert told.failed == ()
    assert told.warnings == ()
    assert state(other) == state(everything)
    written(other, tmp_path / "again", history=history)
    third = opens("third")
    third.import_(tmp_path / "again", name="again")
    assert state(third) == state(everything)


def test_what_held_once_comes_back_as_it_was(everything, opens, tmp_path):
    written(everything, tmp_path / "out", as_of="2000")
    other = opens("other")
    other.import_(tmp_path / "out")
    then = state(everything, as_of="2000")
    assert {one["title"] for one in then.values()} == {"Bis irgendwann", "Tag 2024-05-05"}
    assert state(other, as_of="2000") == then


def test_where_an_entry_came_from_is_kept_however_often_it_moves(memory, opens, tmp_path):
    made = memory.remember("A", "x", source={"kind": "call", "session": "s 1"})
    written(memory, tmp_path / "one")
    other = opens("other")
    other.import_(tmp_path / "one")
    written(other, tmp_path / "two")
    third = opens("third")
    third.import_(tmp_path / "two")
    told = third.get(made.id).properties["damals_source"]
    assert told == {"kind": "call", "session": "s 1"}


def test_a_key_that_people_give_their_notes_is_a_property(memory, tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Lied.md").write_text("---\nkey: C-Dur\n---\nx")
    memory.import_(tmp_path / "vault")
    entry = memory.entries().entries[0]
    assert entry.key is None
    assert entry.properties == {"key": "C-Dur"}


@pytest.mark.parametrize(
    ("title", "file"),
    [
        ("CON", "_CON"),
        ("aux.txt", "_aux.txt"),
        ("com1", "_com1"),
        ("..", "{id}"),
        ("...versteckt...", "versteckt"),
        ('a/b\\c:d*e?f"g<h>i|j', "a_b_c_d_e_f_g_h_i_j"),
        ("[[Link]] #tag ^block", "_Link_ _tag _block"),
        ("Fazit.md", "Fazit"),
        ("Zeile\teins", "Zeile eins"),
        ("\u202ekehrt", "kehrt"),
        (normalize("NFD", "Übung"), "Übung"),
        ("👩\u200d💻 Büro", "👩\u200d💻 Büro"),
        ("???", "{id}"),
        ("ä" * 300, "ä" * 60),
        ("damals-index", "damals-index"),
    ],
)
def test_a_file_has_a_name_that_every_system_can_hold(memory, tmp_path, title, file):
    made = memory.remember(title, "x")
    written(memory, tmp_path / "out")
    name = file.replace("{id}", made.id.replace("-", ""))
    expected = f"fact/{name}.md"
    if title == "damals-index":
        expected = f"fact/{name} ({made.id[-8:]}).md"
    assert notes(tmp_path / "out") == [expected]


def test_names_that_differ_in_case_only_become_different_files_on_every_system(memory, tmp_path):
    made = [memory.remember(title, title).id for title in ("Straße", "STRASSE", "strasse")]
    written(memory, tmp_path / "out")
    assert notes(tmp_path / "out") == sorted(
        ["fact/Straße.md", f"fact/STRASSE ({made[1][-8:]}).md", f"fact/strasse ({made[2][-8:]}).md"]
    )


def test_notes_of_a_vault_keep_their_paths_so_that_their_links_lead_where_they_led(
    memory, opens, tmp_path
):
    vault = tmp_path / "Archiv"
    (vault / "Kunden").mkdir(parents=True)
    (vault / "Kunden" / "Meier.md").write_text("Siehe [[Haus]] und [dort](../Haus.md).")
    (vault / "Haus.md").write_text(
        "---\npart_of: '[[Meier]]'\n---\n[[Kunden/Meier|M]] ![[bild.png]]"
    )
    memory.import_(vault)
    memory.remember("Meier", "ein anderer", type="Archiv")
    written(memory, tmp_path / "out")
    files = notes(tmp_path / "out")
    assert files[:2] == ["Archiv/Haus.md", "Archiv/Kunden/Meier.md"]
    assert len(files) == 3
    assert files[2] != "Archiv/Meier.md", "nothing else goes by that name"
    other = opens("other")
    told = other.import_(tmp_path / "out")
    assert told.failed == ()
    assert told.warnings == ()
    assert state(other) == state(memory)


def test_links_that_would_mean_another_note_in_the_folder_are_written_anew(memory, opens, tmp_path):
    for name in ("A", "B"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Ziel.md").write_text(f"Ziel in {name}")
        (tmp_path / name / "Wer?.md").write_text("[[Ziel]], [[Ziel#Teil|dort]] und ![[Ziel]]")
        (tmp_path / name / "Frage.md").write_text("[[Wer?]]")
        memory.import_(tmp_path / name)
    written(memory, tmp_path / "out")
    other = opens("other")
    told = other.import_(tmp_path / "out")
    assert told.failed == ()
    assert told.warnings == ()
    first, second = state(memory), state(other)
    assert {i: one["relations"] for i, one in second.items()} == {
        i: one["relations"] for i, one in first.items()
    }
    text = (tmp_path / "out" / "B" / "Wer_.md").read_text()
    assert "[[B/Ziel|Ziel]], [[B/Ziel#Teil|dort]] und ![[B/Ziel]]" in text


def test_relations_are_links_of_the_frontmatter_and_only_to_notes_that_are_there(memory, tmp_path):
    memory.remember("Alt", "x", external_id="Alt", valid_from="2020-01-01")
    new = memory.update("Alt", "Neu", "y", reason="Umzug", valid_from="2021-01-01")
    memory.remember("Teil", "z", external_id="Teil")
    memory.relate("Teil", "part_of", new.id)
    written(memory, tmp_path / "out")
    assert notes(tmp_path / "out") == ["fact/Neu.md", "fact/Teil.md"]
    assert 'part_of:\n  - "[[fact/Neu|Neu]]"\n' in (tmp_path / "out/fact/Teil.md").read_text()
    assert "supersedes" not in (tmp_path / "out/fact/Neu.md").read_text()


def test_notes_are_those_of_the_asked_pair(memory, tmp_path):
    memory.remember("Alt", "x", external_id="Alt", valid_from="2020-01-01")
    memory.update("Alt", "Neu", "y", reason="Umzug", valid_from="2021-01-01")
    before = memory.log().transactions[0].recorded_at
    memory.retract("Alt", reason="falsch")
    written(memory, tmp_path / "now")
    written(memory, tmp_path / "then", as_of="2020-06-01", known_at=before)
    written(memory, tmp_path / "before", as_of="2019-06-01")
    assert notes(tmp_path / "now") == ["fact/Neu.md"]
    assert notes(tmp_path / "then") == ["fact/Alt.md"]
    assert notes(tmp_path / "before") == []


def test_the_history_stands_below_the_text_and_is_not_known_before_it_was(memory, tmp_path):
    memory.remember("A", "erst", external_id="A", valid_from="2020-01-01")
    before = memory.log().transactions[0].recorded_at
    memory.correct("A", title="B", content="dann", reason="[Grund] | mit <b>")
    written(memory, tmp_path / "out", history=True, lang="de")
    text = (tmp_path / "out/fact/B.md").read_text()
    assert text.index("dann") < text.index("## Verlauf") < text.index("| remember |")
    assert "\\[Grund\\] \\| mit \\<b>" in text
    written(memory, tmp_path / "then", history=True, known_at=before, lang="en")
    text = (tmp_path / "then/fact/A.md").read_text()
    assert "## History" in text
    assert "correct" not in text


def test_the_overview_links_all_notes_and_no_import_takes_it_for_one(memory, opens, tmp_path):
    memory.remember("Eins | [zwei]", "x", type="fact")
    memory.remember("Drei", "x", type="person")
    written(memory, tmp_path / "out", lang="de")
    page = (tmp_path / "out/damals-index.md").read_text()
    assert "[[fact/Eins _ _zwei_|Eins zwei]]" in page
    assert "[[person/Drei|Drei]]" in page
    assert opens("other").import_(tmp_path / "out").added == 2


def test_a_key_exports_only_what_it_may_see(memory, tmp_path):
    memory.remember("Offen", "x", external_id="Offen", visibility="public")
    memory.remember("Geheim", "x", external_id="Geheim", visibility="restricted")
    memory.relate("Offen", "part_of", "Geheim")
    guest = memory.under(Principal("gast", visibility="public"))
    report = written(guest, tmp_path / "out", history=True)
    assert report.notes == 1
    assert notes(tmp_path / "out") == ["fact/Offen.md"]
    everything = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.*"))
    assert "Geheim" not in everything


class TestTheFolder:
    def test_again_only_what_changed_is_written_and_what_is_no_more_is_removed(
        self, memory, tmp_path
    ):
        for name in ("A", "B", "C"):
            memory.remember(name, "x", external_id=name, valid_from="2020-01-01")
        written(memory, tmp_path / "out")
        memory.correct("B", content="y", reason="r")
        memory.end("C", "2021-01-01", reason="r")
        unchanged = (tmp_path / "out/fact/A.md").stat().st_mtime_ns
        report = written(memory, tmp_path / "out")
        assert (report.written, report.unchanged, report.removed) == (2, 1, 1)
        assert (tmp_path / "out/fact/A.md").stat().st_mtime_ns == unchanged
        assert notes(tmp_path / "out") == ["fact/A.md", "fact/B.md"]

    def test_a_note_that_somebody_edited_is_left_as_it_is_and_told(self, memory, tmp_path):
        for name in ("A", "B"):
            memory.remember(name, "x", external_id=name, valid_from="2020-01-01")
        written(memory, tmp_path / "out")
        for name in ("A", "B"):
            (tmp_path / f"out/fact/{name}.md").write_text("von Hand")
        memory.correct("A", content="y", reason="r")
        memory.end("B", "2021-01-01", reason="r")
        for _ in range(2):
            report = written(memory, tmp_path / "out")
            assert set(report.kept) == {"fact/A.md", "fact/B.md"}
            assert (tmp_path / "out/fact/A.md").read_text() == "von Hand"
            assert (tmp_path / "out/fact/B.md").read_text() == "von Hand"

    def test_the_home_that_it_came_from_has_its_entries_once_only(self, memory, tmp_path):
        made = memory.remember("A", "x")
        written(memory, tmp_path / "out")
        report = memory.import_(tmp_path / "out")
        assert [one.path for one in report.failed] == ["fact/A.md"]
        assert [one.id for one in memory.entries()] == [made.id]

    def test_what_somebody_else_put_there_is_never_touched(self, memory, tmp_path):
        written(memory, tmp_path / "out")
        (tmp_path / "out/fact").mkdir()
        (tmp_path / "out/fact/A.md").write_text("meins")
        (tmp_path / "out/.obsidian").mkdir()
        made = memory.remember("A", "x", external_id="A")
        assert written(memory, tmp_path / "out").kept == ("fact/A.md",)
        memory.erase("entry", made.id)
        written(memory, tmp_path / "out")
        assert (tmp_path / "out/fact/A.md").read_text() == "meins"
        assert (tmp_path / "out/.obsidian").is_dir()

    def test_no_link_leads_a_note_out_of_the_folder(self, memory, tmp_path):
        (tmp_path / "away").mkdir()
        written(memory, tmp_path / "out")
        (tmp_path / "out/fact").symlink_to(tmp_path / "away")
        memory.remember("A", "x")
        assert written(memory, tmp_path / "out").kept == ("fact/A.md",)
        assert not any((tmp_path / "away").iterdir())

    def test_a_folder_with_something_else_in_it_is_refused(self, memory, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out/meins.txt").write_text("x")
        with refused(Conflict, "export.not_ours"):
            written(memory, tmp_path / "out")
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["meins.txt"]

    def test_a_folder_of_another_workspace_is_refused(self, memory, opens, tmp_path):
        written(memory, tmp_path / "out")
        with refused(Conflict, "export.other"):
            written(opens("other"), tmp_path / "out")

    def test_a_marker_that_cannot_be_read_is_not_guessed(self, memory, tmp_path):
        written(memory, tmp_path / "out")
        (tmp_path / "out/.damals-export.json").write_text("{")
        with refused(InvalidInput, "export.marker"):
            written(memory, tmp_path / "out")

    def test_a_file_in_the_place_of_the_folder_is_refused(self, memory, tmp_path):
        (tmp_path / "out").write_text("x")
        with refused(InvalidInput, "path.unwritable"):
            written(memory, tmp_path / "out")

    def test_what_a_killed_export_wrote_is_not_taken_for_an_edit(self, tmp_path):
        head = Head("base", "w", "UTC", "2024", "2024", 1)

        def files(text, *, dies=False):
            yield NoteFile("A.md", "a", text)
            if dies:
                raise KeyboardInterrupt
            yield NoteFile("B.md", "b", text)

        with pytest.raises(KeyboardInterrupt):
            Folder.at(tmp_path, head).bring_up_to_date(files("1", dies=True), head)
        with pytest.raises(KeyboardInterrupt):
            Folder.at(tmp_path, head).bring_up_to_date(files("2", dies=True), head)
        with (tmp_path / ".damals-export.part").open("a") as journal:
            journal.write('["C.m')  # the kill came in the middle of a line
        report = Folder.at(tmp_path, head).bring_up_to_date(files("3"), head)
        assert (report.kept, report.written) == ((), 2)
        assert [(tmp_path / name).read_text() for name in ("A.md", "B.md")] == ["3", "3"]
        assert not (tmp_path / ".damals-export.part").exists()
