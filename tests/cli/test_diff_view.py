"""How changes look to people: marks in the text, and nothing that a terminal would obey."""

from types import SimpleNamespace

import pytest

from damals import Damals
from damals.app.diff_results import TextPart
from damals.bootstrap import init_home
from damals.interfaces.cli.diff_view import CONTEXT_CHARS, _wording, marked
from damals.interfaces.cli.main import main


def shown(*parts: tuple[str, str]) -> str:
    return "".join(text for text, _ in marked([TextPart(*part) for part in parts]))


def test_what_went_and_what_came_is_marked_between_what_stayed():
    assert shown(("equal", "Satz: "), ("delete", "128"), ("insert", "182"), ("equal", " EUR")) == (
        "Satz: [-128-]{+182+} EUR"
    )


def test_of_what_stayed_only_the_part_next_to_a_change_is_shown():
    long = "wort " * 40
    text = shown(("equal", long), ("insert", "neu"), ("equal", long), ("delete", "alt"),
                 ("equal", long))  # fmt: skip
    assert text.count("…") == 3
    assert text.startswith("… ")
    assert text.endswith(" …")
    assert "wort {+neu+}wort wort" in text
    assert len(text) < 4 * CONTEXT_CHARS + 40


def test_a_change_of_blanks_alone_is_not_marked_as_one_of_words():
    parts = (("delete", "##### § 10  (weggefallen) "), ("insert", "##### § 10 (weggefallen)\n"))
    assert shown(("equal", "a\n"), *parts, ("equal", "b")) == "a ##### § 10 (weggefallen) b"
    assert shown(("equal", "a"), ("delete", "\n\n"), ("insert", " "), ("equal", "b")) == "a b"
    assert shown(("equal", "a"), ("insert", "  "), ("equal", "b")) == "a b"


def spoken(*parts: TextPart) -> list[str]:
    session = SimpleNamespace(say=lambda key: key)
    return ["".join(text for text, _ in line) for line in _wording(session, parts)]


def test_changes_stand_under_the_headings_of_their_section():
    lines = spoken(
        TextPart("equal", "Anfang " * 20),
        TextPart("insert", "6a. die Anmeldung", ("BGB", "Buch 1", "§ 204")),
        TextPart("equal", " und " * 40),
        TextPart("delete", "eins", ("BGB", "Buch 2", "§ 300")),
        TextPart("insert", "zwei", ("BGB", "Buch 2", "§ 300")),
        TextPart("equal", " Ende"),
    )
    assert [lines[0], lines[2]] == ["BGB › Buch 1 › § 204", "BGB › Buch 2 › § 300"]
    assert "{+6a. die Anmeldung+}" in lines[1]
    assert "zwei" not in lines[1]
    assert lines[3].endswith("[-eins-]{+zwei+} Ende")
    assert "6a" not in lines[3]
    assert len(lines) == 4


def test_a_heading_that_changed_is_named_as_it_is_now_and_once():
    lines = spoken(
        TextPart("equal", "# "),
        TextPart("delete", "Alt", ("Alt",)),
        TextPart("insert", "Neu", ("Neu",)),
        TextPart("equal", " Text"),
    )
    assert lines == ["Neu", "# [-Alt-]{+Neu+} Text"]


def test_sections_in_which_only_blanks_changed_are_not_named():
    blank = (TextPart("delete", "\n", ("§ 1",)), TextPart("insert", "\n\n", ("§ 1",)))
    same = TextPart("equal", " Text ")
    assert spoken(same, *blank, same) == ["diff.blanks"]
    assert spoken(same, *blank, same, TextPart("insert", "neu", ("§ 2",)), same) == [
        "§ 2",
        " Text {+neu+} Text ",
    ]


def test_line_feeds_and_control_characters_of_content_stay_on_the_line():
    text = shown(("equal", "a\n\n"), ("insert", "\x1b[2Jb\r\n"), ("equal", "\nc"))
    assert text == "a {+\N{REPLACEMENT CHARACTER}[2Jb +} c"


def test_a_diff_prints_no_control_character_of_what_was_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="Europe/Berlin")
    with Damals.open(tmp_path / "home") as memory:
        before = memory.remember("T\x1b[31m", "alt\x07", valid_from="2024-01-01")
        memory.correct(before.id, content="neu\x9b", reason="Grund\x1b]0;x\x07")
    words = ["diff", "--from", before.recorded_from, "--to", "now", "--axis", "known"]
    assert main(["--home", str(tmp_path / "home"), "--lang", "de", *words]) == 0
    printed = capsys.readouterr().out
    assert "berichtigt" in printed
    assert all(char.isprintable() or char == "\n" for char in printed)
    assert "Zeitzone Europe/Berlin" in printed


@pytest.mark.parametrize("lang", ["de", "en"])
def test_an_erased_entry_is_named_by_its_id(tmp_path, monkeypatch, capsys, lang):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="UTC")
    events = tmp_path / "e.jsonl"
    events.write_text(
        '{"op": "remember", "recorded_at": "2024-01-01", "ref": "x", "title": "Geheim"}\n'
        '{"op": "erase", "recorded_at": "2024-01-03", "target": "x"}\n'
    )
    with Damals.open(tmp_path / "home") as memory:
        memory.import_(events)
    words = ["diff", "--from", "2024-01-02", "--to", "2024-01-04", "--lang", lang]
    assert main(["--home", str(tmp_path / "home"), *words]) == 0
    printed = capsys.readouterr().out
    assert {"de": "gelöscht", "en": "erased"}[lang] in printed
    assert "Geheim" not in printed
