"""Who a note is, what a bad file must not do, and what has vanished."""

import os
from itertools import pairwise
from unicodedata import normalize

import pytest
from imported_vault import failures, hide, note

from damals.domain.errors import InvalidInput

# --- who a note is


@pytest.mark.parametrize("before", ["Text", note("old", "Text")])
def test_a_note_that_gets_another_id_is_another_note_and_the_old_one_has_vanished(vault, before):
    vault.write("a.md", before)
    vault.take_in()
    vault.write("a.md", note("new", "Text"))
    kept = vault.take_in()
    assert (kept.added, kept.removed) == (1, 1)
    pruned = vault.take_in(prune=True)
    assert (pruned.added, pruned.removed, pruned.unchanged) == (0, 1, 1)
    assert vault.places() == {"a.md": "new"}


def test_a_note_that_loses_its_id_is_still_the_same_note(vault):
    vault.write("a.md", note("A"))
    vault.take_in()
    before = vault.ids()
    vault.write("a.md", "ohne Kennung")
    assert vault.take_in().changed == 1
    assert vault.ids() == before


def test_notes_with_ids_swap_names(vault):
    vault.write("a.md", note("A"))
    vault.write("b.md", note("B"))
    vault.take_in()
    before = vault.ids()
    vault.write("a.md", note("B"))
    vault.write("b.md", note("A"))
    report = vault.take_in(prune=True)
    assert (report.moved, report.removed, report.failed) == (2, 0, ())
    assert vault.ids() == {"a.md": before["b.md"], "b.md": before["a.md"]}


@pytest.mark.parametrize("order", ["abcd", "dcba"])
def test_notes_with_ids_move_up_a_chain_of_names_in_either_direction(vault, order):
    for name in order[:3]:
        vault.write(f"{name}.md", note(name))
    vault.take_in()
    for old, new in [(2, 3), (1, 2), (0, 1)]:
        vault.rename(f"{order[old]}.md", f"{order[new]}.md")
    report = vault.take_in(prune=True)
    assert (report.moved, report.removed, report.failed) == (3, 0, ())
    assert vault.places() == {f"{new}.md": old for old, new in pairwise(order)}


def test_a_new_note_does_not_take_the_id_of_the_one_that_left_its_path(vault):
    vault.write("a.md", note("A"))
    vault.take_in()
    vault.rename("a.md", "b.md")
    vault.write("a.md", "neu")
    assert vault.take_in().failed == ()
    assert vault.places() == {"a.md": None, "b.md": "A"}


def test_a_moved_note_without_an_id_keeps_it_wherever_it_goes(vault):
    vault.write("x.md", "eins")
    vault.write("y.md", "zwei")
    vault.take_in()
    kept = vault.ids()["y.md"]
    vault.remove("x.md")
    vault.take_in(prune=True)
    vault.rename("y.md", "x.md")
    report = vault.take_in(prune=True)
    assert (report.moved, report.removed) == (1, 0)
    assert vault.ids() == {"x.md": kept}


def test_a_note_that_returns_is_the_note_it_was(vault):
    vault.write("a.md", "eins")
    vault.take_in()
    before = vault.ids()
    vault.remove("a.md")
    vault.take_in(prune=True)
    assert vault.ids() == {}
    vault.write("a.md", "eins")
    vault.take_in(prune=True)
    assert vault.ids() == before


def test_a_copy_of_a_note_does_not_take_over_its_id(vault):
    vault.write("b.md", note("B"))
    vault.take_in()
    vault.write("b copy.md", note("B"))
    report = vault.take_in(prune=True)
    assert failures(report) == ["b copy.md"]
    assert vault.places() == {"b.md": "B"}


def test_of_two_new_files_with_one_id_the_first_is_read_and_the_second_reported(vault):
    vault.write("a.md", note("A", "eins"))
    vault.write("b.md", note("A", "zwei"))
    report = vault.take_in(prune=True)
    assert (report.added, failures(report)) == (1, ["b.md"])
    assert vault.places() == {"a.md": "A"}


def test_a_note_is_not_pruned_because_its_file_claims_the_id_of_another(vault):
    vault.write("a.md", "alpha")
    vault.write("b.md", note("B"))
    vault.take_in()
    vault.write("a.md", note("B"))
    report = vault.take_in(prune=True)
    assert (failures(report), report.removed) == (["a.md"], 0)
    assert vault.places() == {"a.md": None, "b.md": "B"}


def test_an_id_that_an_entry_from_elsewhere_has_is_reported(vault):
    vault.do(op="remember", title="T", content="von Hand", external_id="A")
    vault.write("a.md", note("A"))
    assert failures(vault.take_in()) == ["a.md"]


def test_a_note_that_moved_to_another_vault_is_the_note_it_was(vault, tmp_path):
    vault.write("a.md", note("A"))
    vault.take_in()
    before = vault.ids()["a.md"]
    vault.remove("a.md")
    vault.take_in(prune=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.md").write_text(note("A"), encoding="utf-8")
    assert vault.take_in(tmp_path / "other").added == 1
    assert [one.entry_id for one in vault.current("other")] == [before]


# --- one bad file, and what it must not do


def test_of_names_that_meet_in_one_path_the_first_is_read_and_the_others_reported(vault):
    vault.write(normalize("NFC", "Büro.md"), "eins")
    vault.write(normalize("NFD", "Büro.md"), "zwei")
    if len(list(vault.root.iterdir())) < 2:
        pytest.skip("this file system does not tell NFC from NFD")
    report = vault.take_in()
    assert (report.added, failures(report)) == (1, [normalize("NFC", "Büro.md")])


def test_an_unreadable_note_with_an_open_link_is_reported_once_and_the_rest_goes_on(vault):
    vault.write("a.md", "siehe [[b]]")
    vault.write("c.md", "siehe [[b]]")
    vault.take_in()
    vault.write("a.md", b"siehe [[b]] \xff")
    vault.write("b.md", "da")
    report = vault.take_in(prune=True)
    assert (report.added, report.removed, failures(report)) == (1, 0, ["a.md"])
    assert vault.links("c.md") == {"b.md"}


def test_an_unchanged_note_that_cannot_be_read_again_is_reported_alone(vault, monkeypatch):
    vault.write("a.md", "siehe [[b]]")
    vault.write("c.md", "siehe [[b]]")
    vault.take_in()
    vault.write("b.md", "da")
    parse = vault.reader.parse

    def refusing(file):
        if file.path == "a.md":
            raise InvalidInput("vault.unreadable", path=file.path)
        return parse(file)

    monkeypatch.setattr(vault.reader, "parse", refusing)
    report = vault.run()
    assert (report.added, failures(report)) == (1, ["a.md"])
    assert vault.links("c.md") == {"b.md"}


def test_a_note_that_the_ledger_refuses_is_left_out_and_reported(vault):
    vault.write("a.md", f"---\ntitle: {'lang ' * 400}\n---\n")
    vault.write("b.md", "gut")
    report = vault.take_in()
    assert (report.added, failures(report)) == (1, ["a.md"])


# --- what has vanished, and what was merely not seen


def test_without_prune_a_vanished_note_is_counted_and_stays_known(vault):
    vault.write("a.md", "eins")
    vault.take_in()
    vault.remove("a.md")
    assert vault.take_in().removed == 1
    assert set(vault.ids()) == {"a.md"}
    assert vault.take_in(prune=True).removed == 1
    assert vault.ids() == {}


def test_notes_below_a_folder_that_cannot_be_listed_are_kept(vault, monkeypatch):
    for path in ("sub/a.md", "sub/deep/b.md", "subway.md", "c.md"):
        vault.write(path, path)
    vault.take_in()
    vault.remove("subway.md")
    hide(monkeypatch, "sub")
    report = vault.take_in(prune=True)
    assert (failures(report), report.removed) == (["sub"], 1)
    assert set(vault.ids()) == {"sub/a.md", "sub/deep/b.md", "c.md"}


def test_a_root_that_cannot_be_listed_stops_the_import(vault, monkeypatch):
    vault.write("a.md", "eins")
    vault.take_in()

    def refusing(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(InvalidInput) as refused:
        vault.run(prune=True)
    assert refused.value.key == "vault.unreadable"
    assert set(vault.ids()) == {"a.md"}


@pytest.mark.parametrize("name", ["ext", "ext.d", "ext.md"])
def test_notes_behind_a_link_that_leads_nowhere_are_kept(vault, name):
    drive = vault.root / ".drive"
    drive.mkdir()
    (drive / "e.md").write_text("extern", encoding="utf-8")
    (vault.root / name).symlink_to(drive)
    vault.take_in()
    drive.rename(vault.root / ".unmounted")
    report = vault.take_in(prune=True)
    assert (failures(report), report.removed) == ([name], 0)
    assert set(vault.ids()) == {f"{name}/e.md"}


def test_a_link_that_leads_out_is_reported_and_what_was_known_behind_it_is_kept(vault, tmp_path):
    vault.write("ext/e.md", "Text")
    vault.take_in()
    (vault.root / "ext").rename(tmp_path / "drive")
    (vault.root / "ext").symlink_to(tmp_path / "drive")
    report = vault.take_in(prune=True)
    assert (failures(report), report.removed, report.added) == (["ext"], 0, 0)
    assert set(vault.ids()) == {"ext/e.md"}


def test_a_note_that_was_merely_not_seen_does_not_lend_its_id_to_a_copy(vault, monkeypatch):
    vault.write("sub/a.md", "eins")
    vault.take_in()
    before = vault.ids()["sub/a.md"]
    vault.write("b.md", "eins")
    with monkeypatch.context() as patched:
        hide(patched, "sub")
        vault.take_in(prune=True)
    vault.take_in(prune=True)
    assert vault.ids()["sub/a.md"] == before != vault.ids()["b.md"]
