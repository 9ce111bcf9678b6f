"""Vaults as people really change them: ids that come and go, files that swap, folders that vanish.

Every case imports real files into a home of its own and asks what the library says afterwards.
"""

import os
import sqlite3
from pathlib import Path
from unicodedata import normalize

import pytest

from damals.bootstrap import init_home, open_home


class Archive:
    """A vault and the home it is imported into."""

    def __init__(self, folder: Path) -> None:
        self.vault = folder / "vault"
        self.vault.mkdir()
        self.home = folder / "home"

    def open(self, **options):
        return open_home(self.home, **{"embedder": "none", **options})

    def write(self, path, text):
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def rename(self, old, new):
        (self.vault / old).rename(self.vault / new)

    def take_in(self, **options):
        with self.open() as damals:
            return damals.import_(self.vault, **options)

    def entries(self):
        with self.open() as damals:
            return list(damals.entries(limit=None))

    def places(self):
        """External id and text by path; a path that two entries claim fails the test."""
        found = {}
        for entry in self.entries():
            assert entry.source.path not in found, f"{entry.source.path} is two entries"
            found[entry.source.path] = (entry.external_id, entry.content.strip())
        return found


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path)


def note(name, text):
    return f"---\nid: {name}\n---\n{text}\n"


# --- identity: a frontmatter id decides


def test_a_note_that_is_given_an_id_leaves_no_double_behind(archive):
    archive.write("a.md", "Der Kater schläft.")
    archive.take_in()
    archive.write("a.md", note("A", "Der Kater schläft."))
    archive.take_in(prune=True)
    assert archive.places() == {"a.md": ("A", "Der Kater schläft.")}
    again = archive.take_in(prune=True)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 1)


def test_a_note_whose_id_changes_leaves_no_double_behind(archive):
    archive.write("a.md", note("A", "Text"))
    archive.take_in()
    archive.write("a.md", note("B", "Text"))
    archive.take_in(prune=True)
    assert archive.places() == {"a.md": ("B", "Text")}


def test_two_notes_with_ids_may_swap_their_names(archive):
    archive.write("a.md", note("A", "alpha"))
    archive.write("b.md", note("B", "beta"))
    archive.take_in()
    archive.write("a.md", note("B", "beta"))
    archive.write("b.md", note("A", "alpha"))
    assert archive.take_in().failed == ()
    assert archive.places() == {"a.md": ("B", "beta"), "b.md": ("A", "alpha")}


def test_a_note_may_take_the_name_that_another_gave_up_in_the_same_import(archive):
    archive.write("a.md", note("A", "alpha"))
    archive.write("b.md", note("B", "beta"))
    archive.take_in()
    archive.rename("b.md", "c.md")
    archive.rename("a.md", "b.md")
    assert archive.take_in().failed == ()
    assert archive.places() == {"b.md": ("A", "alpha"), "c.md": ("B", "beta")}


def test_a_new_note_under_the_old_name_of_a_moved_one_does_not_take_its_id(archive):
    archive.write("a.md", note("A", "alpha"))
    archive.take_in()
    archive.rename("a.md", "b.md")
    archive.write("a.md", "etwas Neues")
    assert archive.take_in().failed == ()
    assert archive.places() == {"a.md": (None, "etwas Neues"), "b.md": ("A", "alpha")}


def test_a_note_that_moves_to_the_place_of_a_removed_one_keeps_its_own_history(archive):
    archive.write("x.md", "eins")
    archive.write("y.md", "zwei")
    archive.take_in()
    (kept,) = [entry.id for entry in archive.entries() if entry.content == "zwei"]
    (archive.vault / "x.md").unlink()
    archive.take_in(prune=True)
    archive.rename("y.md", "x.md")
    assert archive.take_in(prune=True).moved == 1
    assert [entry.id for entry in archive.entries()] == [kept]


def test_of_two_names_that_differ_in_encoding_only_one_is_read_and_one_reported(archive):
    archive.write(normalize("NFC", "Büro.md"), "eins")
    archive.write(normalize("NFD", "Büro.md"), "zwei")
    if len(list(archive.vault.iterdir())) < 2:
        pytest.skip("this file system does not tell NFC from NFD")
    report = archive.take_in()
    assert (report.added, len(report.failed)) == (1, 1)


# --- one bad file never stops the rest


def test_a_note_with_an_open_link_that_has_become_unreadable_does_not_stop_the_import(archive):
    archive.write("a.md", "siehe [[b]]")
    archive.take_in()
    archive.write("a.md", b"siehe [[b]] \xff\xfe")
    archive.write("b.md", "da")
    report = archive.take_in()
    assert report.added == 1
    assert [failure.path for failure in report.failed] == ["a.md"]


def test_notes_in_a_folder_that_cannot_be_read_are_not_taken_for_removed(archive, monkeypatch):
    archive.write("sub/a.md", "eins")
    archive.write("b.md", "zwei")
    archive.take_in()
    listed = os.scandir

    def refusing(path):
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refusing)
    report = archive.take_in(prune=True)
    assert [failure.path for failure in report.failed] == ["sub"]
    assert report.removed == 0
    assert set(archive.places()) == {"sub/a.md", "b.md"}


def test_notes_behind_a_folder_link_that_leads_nowhere_now_are_not_taken_for_removed(archive):
    drive = archive.vault / ".drive"
    drive.mkdir(parents=True)
    (drive / "e.md").write_text("extern", encoding="utf-8")
    (archive.vault / "ext").symlink_to(drive)
    archive.take_in()
    drive.rename(archive.vault / ".unmounted")
    report = archive.take_in(prune=True)
    assert [failure.path for failure in report.failed] == ["ext"]
    assert set(archive.places()) == {"ext/e.md"}


def test_notes_behind_a_folder_link_that_leads_out_of_the_vault_now_are_not_taken_for_removed(
    archive, tmp_path
):
    archive.write(".drive/e.md", "extern")
    (archive.vault / "ext").symlink_to(".drive")
    archive.take_in()
    (archive.vault / "ext").unlink()
    (archive.vault / ".drive").rename(tmp_path / "moved")
    (archive.vault / "ext").symlink_to(tmp_path / "moved")
    report = archive.take_in(prune=True)
    assert [failure.path for failure in report.failed] == ["ext"]
    assert set(archive.places()) == {"ext/e.md"}


def test_a_value_that_is_no_date_is_reported_with_its_field_and_kept(archive):
    archive.write("a.md", "---\nvalid_from: 2024-02-30\nvalid_to: [2024, 2025]\n---\nText")
    report = archive.take_in()
    reasons = " ".join(warning.reason for warning in report.warnings)
    assert len(report.warnings) == 2
    assert "2024-02-30" in reasons
    (entry,) = archive.entries()
    assert entry.properties == {"valid_from": "2024-02-30", "valid_to": ["2024", "2025"]}


# --- links


def targets(archive, path):
    (entry,) = [entry for entry in archive.entries() if entry.source.path == path]
    return {relation.entry_id for relation in entry.relations if relation.direction == "out"}


def ids(archive):
    return {entry.source.path: entry.id for entry in archive.entries()}


def test_a_link_follows_a_note_that_was_removed_and_stands_elsewhere_now(archive):
    archive.write("a.md", "siehe [[b]]")
    archive.write("b.md", "alt")
    archive.take_in()
    (archive.vault / "b.md").unlink()
    archive.write("sub/b.md", "neu und anders")
    archive.take_in(prune=True)
    assert targets(archive, "a.md") == {ids(archive)["sub/b.md"]}


def test_a_link_means_the_same_whichever_note_was_imported_first(archive):
    archive.write("a.md", "siehe [[b]]")
    archive.write("x/b.md", "tief")
    archive.take_in()
    archive.write("b.md", "in der Wurzel")
    archive.take_in()
    assert targets(archive, "a.md") == {ids(archive)["b.md"]}


# --- index and home


def test_a_dry_run_makes_no_home(archive):
    archive.write("a.md", "Text")
    assert archive.take_in(dry_run=True).added == 1
    assert not archive.home.exists()


def test_a_path_filter_meets_umlauts_in_either_encoding(archive):
    archive.write(normalize("NFD", "Büro") + "/a.md", "Der Kater schläft.")
    archive.take_in()
    with archive.open() as damals:
        for form in ("NFC", "NFD"):
            assert damals.recall("Kater", path=normalize(form, "Büro")).results, form


def test_an_index_whose_payloads_are_zeroed_is_rebuilt_by_the_next_question(archive):
    for number in range(20):
        archive.write(f"n{number}.md", f"Der Kater {number} schläft.")
    archive.take_in()
    damaged = list((archive.home / "index").rglob("payload_storage/page_0.dat"))
    assert damaged
    for file in damaged:
        file.write_bytes(bytes(file.stat().st_size))
    with archive.open() as damals:
        assert damals.recall("Kater 7").results[0].entry.source.path == "n7.md"


def test_another_workspace_that_is_behind_is_no_matter_of_this_one(archive):
    archive.write("a.md", "Der Kater schläft.")
    archive.take_in()
    init_home(archive.home, "zwei")
    with sqlite3.connect(archive.home / "ledger.db") as ledger:
        (index,) = ledger.execute("SELECT index_name FROM index_cursors").fetchone()
    with archive.open(workspace="zwei") as damals:
        damals.remember("Neu", "in einer anderen Ablage")
        damals.recall("Neu")
    with sqlite3.connect(archive.home / "ledger.db") as ledger:  # as if it had no vector yet
        ledger.execute(
            "INSERT INTO vector_queue (index_name, chunk) SELECT ?, max(id) FROM chunks", (index,)
        )
    with archive.open() as damals:
        assert damals.recall("Kater").index_lag == 0
