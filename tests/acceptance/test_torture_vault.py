"""One vault with all the oddities at once: each has its right value, and none harms another."""

import signal
from collections.abc import Iterator
from unicodedata import normalize

import pytest
from torture_vault import SENTENCES, build

from damals.bootstrap import open_home

PATIENCE_S = 240
"""Whatever takes the square of a length takes hours; this vault takes seconds."""


class Imported:
    """What the library says of the vault after one import."""

    def __init__(self, folder):
        self.home = folder / "home"
        self.vault = folder / "vault"
        build(self.vault)
        with self.open() as damals:
            self.report = damals.import_(self.vault)
            self.entries = {e.source.path: e for e in damals.entries(limit=None)}
            self.titles = {e.id: e.title for e in self.entries.values()}
            self.relations = {
                path: damals.get(entry.id).relations for path, entry in self.entries.items()
            }
        self.warned = {one.path for one in self.report.warnings}

    def open(self):
        return open_home(self.home, embedder="none")

    def on_disk(self):
        """The notes that are there, but for the one whose name is no text."""
        for file in self.vault.rglob("*"):
            path = normalize("NFC", file.relative_to(self.vault).as_posix())
            hidden = any(part.startswith(".") for part in file.parts)
            note = file.suffix.lower() in {".md", ".markdown", ".canvas"}
            if note and not hidden and "\udcff" not in path:
                yield path

    def said(self, path, *types):
        """The relations that a note states, of some types or all: title of the other, flags."""
        return {
            (self.titles.get(one.entry_id, one.title), *one.flags)
            for one in self.relations[path]
            if one.direction == "out" and (not types or one.type in types)
        }


def stop(_signal, _frame):
    pytest.fail(f"it took more than {PATIENCE_S} s")


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Iterator[Imported]:
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE_S)
    try:
        yield Imported(tmp_path_factory.mktemp("torture"))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# What fails, and that it fails alone


def test_only_what_cannot_be_read_fails_each_with_its_line(found):
    assert {(one.path, one.line) for one in found.report.failed} == {
        ("latin1.md", 2),
        ("nul.md", 2),
        ("halb.md", 2),
        ("Kaputt.canvas", 2),
        ("Schleife/kaputt.md", None),
        ("vorn/doppelte id 2.md", None),
    }


def test_every_other_note_is_there_once_and_a_second_import_says_nothing_new(found):
    failed = {one.path for one in found.report.failed}
    there = {path for path in found.on_disk() if path not in failed}
    assert set(found.entries) == there | {"bytes\\xff.md"}
    assert found.report.added == len(found.entries) > 60
    with found.open() as damals:
        again = damals.import_(found.vault)
    assert (again.added, again.changed, again.moved, again.edges) == (0, 0, 0, 0)
    assert again.unchanged == len(found.entries)


def test_hidden_files_and_attachments_are_no_notes_and_loops_are_walked_once(found):
    paths = set(found.entries)
    assert not {path for path in paths if path.endswith((".pdf", ".png", ".txt", ".json"))}
    assert not {path for path in paths if path.startswith((".", "Schleife")) or "/." in path}


def test_nothing_links_where_no_link_is(found):
    titles = {one.title or "" for relations in found.relations.values() for one in relations}
    assert not {title for title in titles if "erboten" in title or "{{" in title}


# Links


def test_wikilinks_and_markdown_links_in_each_way_of_writing(found):
    assert found.said("Verweise.md") == {
        ("Kopf",), ("mit Leerzeichen",), ("Tabelle",), ("Leer",),
    }  # fmt: skip


def test_embeds_are_edges_with_sizes_circles_and_attachments_left_out(found):
    assert found.said("Einbettung.md") == {("Kopf", "embed"), ("Kreis 2", "embed")}
    assert found.said("Kreis 2.md") == {("Einbettung", "embed")}
    assert found.entries["Kreis 2.md"].content == "![[Einbettung]]"


def test_code_comments_and_math_are_no_links_tags_or_headings(found):
    assert found.said("Zonen.md") == {("Kopf",), ("Leer",), ("Versteckt", "hidden")}
    assert found.said("Zonen.md", "links_to") == found.said("Zonen.md")
    assert found.entries["Zonen.md"].tags == ()
    assert found.entries["Zonen.md"].title == "Zonen"


def test_a_name_is_resolved_in_the_order_of_the_rules(found):
    assert found.said("Auflösung.md") == {
        ("Mehrfach", "ambiguous"), ("Mehrfach",), ("Eins",), ("Benannt", "alias"), ("Fehlt noch",),
    }  # fmt: skip
    assert [one.line for one in found.report.warnings if one.path == "Auflösung.md"] == [1]
    ids = {one.entry_id: one.flags for one in found.relations["Auflösung.md"]}
    assert ids[found.entries["a/Mehrfach.md"].id] == ("ambiguous",)
    assert ids[found.entries["b/tief/Mehrfach.md"].id] == ()
    there = {one.entry_id for one in found.relations["b/tief/relativ.md"]}
    assert there == {
        found.entries[path].id
        for path in ("b/tief/Mehrfach.md", "b/tief/Eins.md", "a/Mehrfach.md", "Ziel.md")
    }


def test_names_that_differ_in_case_only_are_two_notes(found):
    there = {one.entry_id for one in found.relations["Groß.md"]}
    assert there == {found.entries[path].id for path in ("Fall/Name.md", "Fall/name.md")}


def test_a_stub_heals_when_its_note_appears(found):
    path = found.vault / "c" / "Fehlt noch.md"
    path.parent.mkdir()
    path.write_text("da", encoding="utf-8")
    with found.open() as damals:
        report = damals.import_(found.vault)
        assert (report.added, report.changed) == (1, 0)
        ids = {e.source.path: e.id for e in damals.entries(limit=None)}
        out = {r.entry_id for r in damals.get(ids["Auflösung.md"]).relations}
        assert ids["c/Fehlt noch.md"] in out
        path.unlink()
        damals.import_(found.vault, prune=True)


# Tags, properties, fields


def test_tags(found):
    assert found.entries["Schlagwörter.md"].tags == (
        "vorn", "zwei/Drei", "Größe", "a-b_c/d", "2024q1", "🚀", "klammer", "U\u0308bung",
    )  # fmt: skip
    with found.open() as damals:
        titles = {e.title for e in damals.entries(tag="zwei", limit=None)}
    assert titles == {"Schlagwörter"}


def test_properties_stay_what_was_written(found):
    entry = found.entries["Eigenschaften.md"]
    assert dict(entry.properties) == {
        "up": "[[Ziel]]", "liste": "a, b", "nichts": None, "leer": None, "nein": "no",
        "zeit": "12:30", "null_sieben": "007", "zahl": "4.50", "datum": "2024-02-30",
        "created": "2024-02-30", "doppelt": "zwei", "tags": ["2024"],
    }  # fmt: skip
    assert entry.tags == ("raute", "ohne")
    assert entry.content == "Text.\n"
    assert found.said("Eigenschaften.md", "part_of", "links_to") == {("Kopf",)}
    lines = sorted(one.line or 0 for one in found.report.warnings if one.path == "Eigenschaften.md")
    assert lines == [0, 1, 18]


def test_frontmatter_that_cannot_be_read_costs_the_fields_and_never_the_text(found):
    broken = ("kaputt", "tief", "eingerückt", "Bombe", "zu groß")
    for name in broken:
        assert found.entries[f"vorn/{name}.md"].content.startswith("Text"), name
        assert f"vorn/{name}.md" in found.warned, name
    assert found.said("vorn/kaputt.md") == {("Kopf",)}
    assert found.entries["vorn/riesig.md"].properties["wort"].startswith("x x x")
    assert "vorn/riesig.md" not in found.warned


def test_templates_keep_their_text_and_have_no_edges(found):
    for name in ("Vorlage", "Templater"):
        assert found.said(f"vorn/{name}.md") == set()
        assert f"vorn/{name}.md" in found.warned
    assert "[[Verboten30]]" in found.entries["vorn/Vorlage.md"].content


def test_what_only_looks_like_frontmatter_is_text(found):
    assert found.entries["vorn/Brief.md"].content.startswith("---\nSehr geehrte Frau Öz")
    assert found.entries["vorn/nicht oben.md"].content == "\n---\nid: x\n---\nText"
    assert found.entries["vorn/nur.md"].content == ""
    assert found.entries["vorn/ohne Felder.md"].content == "Text"


def test_fields_in_the_text_and_lists_are_relations_when_they_are_declared(found):
    assert found.said("Dataview.md", "part_of") == {("Kopf",)}
    assert found.said("Dataview.md", "based_on") == {("Leer",)}
    assert found.said("Dataview.md", "example_of") == {("Zuhause",)}
    assert found.said("Dataview.md", "links_to", "depends_on") == {("Tabelle",)}
    assert found.said("Typen.md", "depends_on") == {("Kopf",)}
    assert found.said("Typen.md", "part_of") == {("Leer",), ("Zuhause",)}
    assert found.said("Typen.md", "links_to", "based_on") == {("Tabelle",)}


def test_tasks_callouts_footnotes_and_prices_are_text(found):
    assert found.said("Aufgaben.md", "links_to") == {("Kopf",), ("Tabelle",), ("Leer",)}
    assert found.said("Aufgaben.md") == found.said("Aufgaben.md", "links_to")


# Canvases and daily notes


def test_a_canvas_is_a_note_and_its_arrows_are_relations(found):
    board = found.entries["Brett.canvas"]
    assert board.title == "Brett"
    assert board.tags == ("karte",)
    assert "# Gruppe\n\nKarte [[Tabelle]] #karte" in board.content
    assert found.said("Brett.canvas") == {
        ("Kopf", "embed"), ("Leer", "embed"), ("Zuhause", "embed"), ("Tabelle",),
    }  # fmt: skip
    assert found.said("Ziel.md", "part_of") == {("Leer", "drawn")}
    assert found.said("Ziel.md", "links_to") == {("Zuhause", "drawn")}
    assert found.entries["Neues.canvas"].content == ""


def test_the_date_in_a_name_is_a_start_and_no_end(found):
    spans = {
        path.rpartition("/")[2]: (entry.valid_from, entry.valid_to)
        for path, entry in found.entries.items()
        if path.startswith("Tage/")
    }
    assert spans == {
        "2024-05-06.md": ("2024-05-06", None),
        "2024-05-07 Dienstag.md": ("2024-05-07", None),
        "2024-05-08.md": ("2024-05-01", None),
        "2024-02-30.md": (None, None),
    }
    assert {path for path in found.warned if path.startswith("Tage/")} == {"Tage/2024-02-30.md"}


# Files


def test_names_of_every_kind_are_names(found):
    assert found.said("🚀 Emoji, Komma….md") == {("Punkte...",)}
    assert found.said("Zusammen.md") == {(normalize("NFC", "Zerlegt Übung"),)}
    assert "bytes\\xff.md" in found.entries
    titles = {"Anführung \"'.md", "LANG.MD", "anders.markdown", "~$temp.md"}
    assert titles <= set(found.entries)


def test_line_ends_marks_and_encodings_make_no_difference(found):
    for path in ("crlf.md", "cr.md", "utf16.md", "utf16be.md"):
        assert found.said(path) == {("Kopf",)}, path
        assert "\r" not in found.entries[path].content
    assert found.entries["crlf.md"].title == found.entries["cr.md"].title == "Kopf"
    assert found.entries["utf16.md"].content == found.entries["utf16be.md"].content
    assert found.entries["utf16.md"].content == "# Breit\n\n[[Ziel]] ü"
    assert found.entries["bom.md"].title == "Erste"
    assert found.entries["Leer.md"].content == ""


# Monsters


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("Zeile", {("Kopf",), ("Leer",)}),
        ("Wort", {("Kopf",)}),
        ("Listen", {("Leer",)}),
        ("Klammern", {("Leer",)}),
        ("Zeichen", {("Leer",)}),
        ("Prozent", {("Leer",)}),
    ],
)
def test_a_monstrous_text_is_read_like_any_other(found, name, others):
    assert found.said(f"riesig/{name}.md") == others


def test_ten_thousand_links_are_as_many_relations_as_notes_they_mean(found):
    assert len(found.said("riesig/Verweise.md")) == 5_001


def test_what_stands_behind_too_many_quotes_is_read(found):
    assert ("Leer",) in found.said("riesig/Zitate.md")


def test_each_part_of_a_huge_table_is_found_by_the_head_of_its_columns(found):
    with found.open() as damals:
        (hit, *_) = damals.recall("Nummer Wert2718").results
    assert hit.entry.title == "Tafel"
    assert "| 2718 | Wert2718 |" in hit.chunk.text
    assert "Nummer" not in hit.chunk.text


def test_chunks_of_sentences_begin_and_end_with_sentences(found):
    with found.open() as damals:
        (hit, *_) = damals.recall("Versand Jahrhundert Müller").results
    assert hit.entry.title == "Sätze"
    assert hit.chunk.text.startswith(tuple(one.strip() for one in SENTENCES))
    assert hit.chunk.text.endswith(tuple(one.strip() for one in SENTENCES))
