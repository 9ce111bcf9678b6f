"""Annotating a note: exactly the asked fields change, and not a byte of anything else."""

from collections.abc import Callable, Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from damals.adapters.vault.annotate import FrontmatterEditor
from damals.adapters.vault.annotate_file import NoteFile
from damals.adapters.vault.frontmatter import split_frontmatter
from damals.app.annotating import Annotated, Wanted, annotate
from damals.domain.errors import Conflict, InvalidInput, NotFound
from damals.domain.fields import When
from damals.domain.types import RelationType, TypeCatalogue

NOW = 1_767_225_600_000_000  # 2026-01-01
READING = (
    When(ZoneInfo("Europe/Berlin"), NOW),
    lambda: TypeCatalogue(relations={"supersedes": RelationType("supersedes")}),
)

Change = Callable[..., list[str]]


def said(path: Path, unset: tuple[str, ...] = (), **fields: object) -> Annotated:
    return annotate(FrontmatterEditor(), path, Wanted(fields, {}, {}, unset), READING)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    return tmp_path / "Notiz.md"


def write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def untouched(path: Path) -> tuple[int, int, int]:
    """What tells that a file was not written; the time of reading it may move on."""
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def differing(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that are only in one of two texts, ends included."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return [one for one in old if one not in new], [one for one in new if one not in old]


ODD = """\
---
# Ein Kommentar
title:   "Umzug"   # mit Anführung
Valid_From:  2023-01-01  # seit
tags:
- haus   # eins
# dazwischen
- '#garten'
aliases: [ Umzug 24,   "Der Umzug" ]
lang: 'de'
\x20\x20
long: >-
   gefaltet
   und weiter
up: [[Zuhause]]
nested: {a: 1, b: [x, y]}
zahl: 007
leer:
ja: no\t
---
  Text mit zwei Leerzeichen am Ende\x20\x20
\t---
ohne Zeilenende"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_the_lines_of_the_asked_fields_differ(note: Path, end: str, mark: str):
    before = mark + ODD.replace("\n", end)
    write(note, before)
    said(note, valid_from="2024-09", tags=["haus", "keller"], lang="en", importance=4)
    after = note.read_bytes().decode()
    assert differing(before, after) == (
        [f"Valid_From:  2023-01-01  # seit{end}", f"- '#garten'{end}", f"lang: 'de'{end}"],
        [
            f"Valid_From:  2024-09  # seit{end}",
            f"- keller{end}",
            f"lang: 'en'{end}",
            f"importance: 4{end}",
        ],
    )


WAYS: list[tuple[str, Mapping[str, object], str]] = [
    ("valid_from: 2024", {"valid_from": "2025-01"}, "valid_from: 2025-01"),
    ("valid_from: '2024'", {"valid_from": "2025-01"}, "valid_from: '2025-01'"),
    ('valid_from: "2024" # k', {"valid_from": "2025"}, 'valid_from: "2025" # k'),
    ("valid_from:", {"valid_from": "2025"}, "valid_from: 2025"),
    ("valid_from: # offen", {"valid_from": "2025"}, "valid_from: 2025 # offen"),
    ("valid_from: ~", {"valid_from": "2025"}, "valid_from: 2025"),
    ("valid_until: 2024", {"valid_to": "2025"}, "valid_until: 2025"),
    ("VALID_TO : 2024", {"valid_to": "open"}, "VALID_TO : open"),
    ('"valid_to": 2024', {"valid_to": "2025~"}, '"valid_to": 2025~'),
    ("tags: [a, b]", {"tags": ["b", "c d"]}, "tags: [b, c d]"),
    ("tags: [#a, #b]", {"tags": ["a", "c"]}, "tags: [#a, c]"),
    ("tags: a, b", {"tags": ["a", "c"]}, "tags: a, c"),
    ("tags: a", {"tags": ["b"]}, "tags: b"),
    ("tags: #a", {"tags": ["b"]}, "tags: b"),
    ("tags: a", {"tags": ["a", "b"]}, "tags: [a, b]"),
    ("tag: a", {"tags": ["b"]}, "tag: b"),
    ("tags:\n  - a\n  - b # k", {"tags": ["b", "c"]}, "tags:\n  - b # k\n  - c"),
    ("tags:\n  - #a\n  - b", {"tags": ["a", "c"]}, "tags:\n  - #a\n  - c"),
    ("tags:\n  - a\nx: 1", {"tags": []}, "tags: []\nx: 1"),
    ("tags:\n  [a,\n   b]", {"tags": ["c"]}, "tags: [c]"),
    ("x:\n  - 1", {"aliases": ["A", "B"]}, "x:\n  - 1\naliases:\n  - A\n  - B"),
    ("x:\n- 1", {"aliases": ["A", "B"]}, "x:\n- 1\naliases:\n- A\n- B"),
    ("x: [1]", {"aliases": ["A", "B: C"]}, 'x: [1]\naliases: [A, "B: C"]'),
    ("x: 1", {"aliases": ["A"]}, "x: 1\naliases:\n  - A"),
    ("  x: 1", {"status": "done"}, "  x: 1\n  status: done"),
    ("title: >\n  lang\n  er", {"title": "Kurz"}, "title: Kurz"),
    ("title: eins\n  zwei", {"title": "Kurz"}, "title: Kurz"),
    ("x: 1", {"title": 'A: "B" #c'}, 'x: 1\ntitle: "A: \\"B\\" #c"'),
    ("x: 1", {"title": "no", "id": "007"}, 'x: 1\ntitle: "no"\nid: "007"'),
    ("x: 1", {"created": "01.06.2024"}, "x: 1\ncreated: 01.06.2024"),
    ("x: 1", {"pinned": False}, "x: 1\npinned: false"),
    ("x: 1", {"persona_weight": 0.25}, "x: 1\npersona_weight: 0.25"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "fields", "after"), WAYS)
def test_a_value_is_written_in_the_way_that_stands_there(
    note: Path, block: str, fields: Mapping[str, object], after: str
):
    write(note, f"---\n{block}\n---\nText\n")
    said(note, **fields)
    assert note.read_text(encoding="utf-8") == f"---\n{after}\n---\nText\n"


def test_a_field_is_taken_away_with_all_its_lines_and_no_others(note: Path):
    write(note, "---\na: 1\ntags:\n  - x\n  - y # k\n# zu b\nb: |\n  eins\n\nc: 3\n---\n")
    said(note, unset=("tags", "b"))
    assert note.read_text(encoding="utf-8") == "---\na: 1\n# zu b\n\nc: 3\n---\n"


def test_both_names_of_an_end_are_taken_away(note: Path):
    write(note, "---\nvalid_to: 2024\nvalid_until: 2025\nx: 1\n---\n")
    said(note, unset=("valid-to",))
    assert note.read_text(encoding="utf-8") == "---\nx: 1\n---\n"


@pytest.mark.parametrize("text", ["", "Nur Text", "# Titel\r\nText\r\n", "---\nBrief\n---\nText\n"])
def test_a_note_without_frontmatter_gets_one(note: Path, text: str):
    write(note, text)
    said(note, valid_from="2024")
    end = "\r\n" if "\r\n" in text else "\n"
    assert note.read_bytes().decode() == f"---{end}valid_from: 2024{end}---{end}{text}"


def test_a_relation_and_a_property_are_written_as_people_write_them(note: Path):
    write(note, "---\nx: 1\n---\n")
    wanted = Wanted({}, {"supersedes": ["Alte Notiz"]}, {"Mein Feld": "ja: so"}, ())
    annotate(FrontmatterEditor(), note, wanted, READING)
    after = note.read_text(encoding="utf-8")
    assert after == '---\nx: 1\nsupersedes: "[[Alte Notiz]]"\nMein Feld: "ja: so"\n---\n'


def test_words_that_depend_on_today_are_written_as_their_date(note: Path):
    write(note, "")
    said(note, valid_from="gestern", created="vor zwei Wochen")
    fields = split_frontmatter(note.read_text(encoding="utf-8")).fields
    assert fields["valid_from"] == "2025-12-31"
    assert str(fields["created"]).startswith("2025-12-18")


@pytest.mark.parametrize(
    ("name", "text", "fields"),
    [
        ("a.md", "---\nvalid_from: 2024-05\n---\nT\n", {"valid_to": "2020-01-01"}),
        ("a.md", "---\nvalid_from: 2024-05\n---\nT\n", {"valid_to": "2024-04"}),
        ("a.md", "---\nvalid_until: 2020\n---\nT\n", {"valid_from": "2021"}),
        ("a.md", "T\n", {"valid_from": "2024", "valid_to": "2023"}),
        ("a.md", "---\nvalid_to: 2020\n---\nT\n", {"valid_from": "gestern"}),
        ("2024-05-01.md", "T\n", {"valid_to": "2024-04-30"}),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_note_that_would_end_before_it_begins_is_not_written(
    tmp_path: Path, name: str, text: str, fields: dict[str, str], dry_run: bool
):
    path = tmp_path / name
    write(path, text)
    before = untouched(path)
    with pytest.raises(InvalidInput) as refused:
        annotate(FrontmatterEditor(), path, Wanted(fields, {}, {}, ()), READING, dry_run=dry_run)
    assert refused.value.key == "period.empty"
    assert untouched(path) == before


@pytest.mark.parametrize("tag", ["2024", "1/3", "#007"])
def test_a_number_is_not_written_as_a_tag_since_no_import_would_read_it(note: Path, tag: str):
    write(note, "T\n")
    with pytest.raises(InvalidInput) as refused:
        said(note, tags=["a", tag])
    assert refused.value.key == "annotate.tag_number"
    assert note.read_text() == "T\n"


def test_a_note_that_ends_in_the_day_or_month_of_its_start_is_written(note: Path):
    write(note, "---\nvalid_from: 2024-05\n---\nT\n")
    assert said(note, valid_to="2024-05").changed
    write(note, "---\nvalid_from: irgendwann\n---\nT\n")
    assert said(note, valid_to="2020").changed, "what means nothing is a property"


def test_what_says_so_already_is_not_written_again(note: Path):
    write(note, "---\ntags: [b,   a]\nid: 007\n---\n")
    before = untouched(note)
    assert said(note, tags=["a", "b"], id="007").changed == ()
    assert said(note, unset=("valid_from",)).changed == ()
    assert untouched(note) == before


def test_a_trial_tells_the_same_and_writes_nothing(note: Path):
    write(note, "---\nx: 1\n---\n")
    wanted = Wanted({"valid_from": "2024"}, {}, {}, ())
    told = annotate(FrontmatterEditor(), note, wanted, READING, dry_run=True)
    assert [(one.name, one.before, one.after) for one in told.changed] == [
        ("valid_from", None, "2024")
    ]
    assert note.read_text(encoding="utf-8") == "---\nx: 1\n---\n"


REFUSED_FILES = {
    "annotate.yaml": b"---\na: [\n---\n",
    "annotate.duplicate_key": b"---\na: 1\na: 2\n---\n",
    "annotate.template": b"---\na: {{title}}\n---\n",
    "annotate.utf16": "---\na: 1\n---\n".encode("utf-16"),
    "vault.not_utf8": b"---\na: \xff\n---\n",
    "vault.nul": b"---\na: 1\n---\n\0",
    "annotate.by_hand": b"---\n{a: 1, b: 2}\n---\n",
}


@pytest.mark.parametrize("key", REFUSED_FILES)
def test_what_cannot_be_read_as_it_stands_is_left_alone(note: Path, key: str):
    note.write_bytes(REFUSED_FILES[key])
    before = untouched(note)
    with pytest.raises(InvalidInput) as refused:
        said(note, valid_from="2024")
    assert refused.value.key == key
    assert (note.read_bytes(), untouched(note)) == (REFUSED_FILES[key], before)


def test_a_comment_is_not_lost_with_a_value_of_several_lines(note: Path):
    text = "---\ntags: [a, # eins\n  b]\n---\n"
    write(note, text)
    with pytest.raises(InvalidInput, match=r"annotate\.by_hand"):
        said(note, tags=["c"])
    assert note.read_text(encoding="utf-8") == text


def test_an_anchor_that_others_need_stays(note: Path):
    text = "---\ntags: &t [a]\nother: *t\n---\n"
    write(note, text)
    with pytest.raises(InvalidInput, match=r"annotate\.by_hand"):
        said(note, tags=["c"])
    assert note.read_text(encoding="utf-8") == text


def test_what_is_no_note_is_refused(note: Path, tmp_path: Path):
    write(note, "")
    (tmp_path / "bild.png").write_bytes(b"")
    (tmp_path / ".versteckt.md").write_bytes(b"")
    (tmp_path / "ordner.md").mkdir()
    (tmp_path / "link.md").symlink_to(note)
    keys = {}
    for name in ("bild.png", ".versteckt.md", "ordner.md", "link.md"):
        with pytest.raises(InvalidInput) as refused:
            said(tmp_path / name, valid_from="2024")
        keys[name] = refused.value.key.removeprefix("annotate.")
    assert keys == {
        "bild.png": "not_a_note",
        ".versteckt.md": "not_a_note",
        "ordner.md": "not_a_file",
        "link.md": "link",
    }
    with pytest.raises(NotFound, match=r"path\.missing"):
        said(tmp_path / "fehlt.md", valid_from="2024")


def test_a_file_that_is_protected_or_has_two_names_is_refused(note: Path, tmp_path: Path):
    write(note, "Text")
    note.chmod(0o444)
    with pytest.raises(InvalidInput, match=r"annotate\.read_only"):
        said(note, valid_from="2024")
    note.chmod(0o644)
    (tmp_path / "zweiter Name.md").hardlink_to(note)
    with pytest.raises(InvalidInput, match=r"annotate\.hard_link"):
        said(note, valid_from="2024")
    assert note.read_text(encoding="utf-8") == "Text"


@pytest.mark.parametrize(
    ("wanted", "key"),
    [
        (Wanted({}, {}, {}, ()), "annotate.nothing"),
        (Wanted({"title": "A"}, {}, {}, ("title",)), "annotate.twice"),
        (Wanted({"valid_from": "2024-02-30"}, {}, {}, ()), "time.unreadable"),
        (Wanted({"valid_from": ""}, {}, {}, ()), "annotate.no_value"),
        (Wanted({"importance": 9}, {}, {}, ()), "field.range"),
        (Wanted({"visibility": "secret"}, {}, {}, ()), "field.choice"),
        (Wanted({"staleness_risk": "low"}, {}, {}, ()), "field.choice"),
        (Wanted({"status": "a\nb"}, {}, {}, ()), "annotate.line_break"),
        (Wanted({}, {"superseds": ["x"]}, {}, ()), "relation.unknown_type"),
        (Wanted({}, {"supersedes": ["[[]]"]}, {}, ()), "annotate.no_target"),
        (Wanted({}, {}, {"Tags": "x"}, ()), "annotate.own_option"),
        (Wanted({}, {}, {}, (" ",)), "annotate.no_field"),
    ],
)
def test_a_value_that_means_nothing_is_refused(note: Path, wanted: Wanted, key: str):
    write(note, "Text")
    with pytest.raises(InvalidInput) as refused:
        annotate(FrontmatterEditor(), note, wanted, READING)
    assert refused.value.key == key
    assert note.read_text(encoding="utf-8") == "Text"


def test_a_file_that_someone_saves_meanwhile_stays_theirs(note: Path):
    write(note, "alt")
    read = NoteFile.read(note)
    write(note, "neu")
    with pytest.raises(Conflict, match=r"annotate\.changed"):
        read.replace(b"meins")
    assert note.read_text(encoding="utf-8") == "neu"
    assert [one.name for one in note.parent.iterdir()] == [note.name]


def test_a_file_keeps_its_mode_and_leaves_nothing_beside_it(note: Path):
    write(note, "Text")
    note.chmod(0o640)
    said(note, valid_from="2024")
    assert note.stat().st_mode & 0o7777 == 0o640
    assert [one.name for one in note.parent.iterdir()] == [note.name]
