"""Which source a folder is a part of, and what becomes of a note's fields."""

import pytest
from imported_vault import failures, note

from damals.domain.errors import Conflict
from damals.domain.ids import parse_uuid

# --- where it lies


@pytest.mark.parametrize("part", ["sub", "sub/deep", "sub/a.md"])
def test_a_part_of_a_known_source_is_imported_as_that_part(vault, part):
    for path in ("sub/a.md", "sub/deep/b.md", "sub/deep/d.md", "c.md"):
        vault.write(path, path)
    vault.take_in()
    before = vault.ids()
    vault.remove("c.md")
    vault.remove("sub/deep/d.md")
    vault.write("sub/a.md", "anders")
    vault.write("sub/deep/b.md", "anders")
    report = vault.take_in(part, prune=True)
    assert report.source == "vault"
    vanished = set() if part == "sub/a.md" else {"sub/deep/d.md"}
    assert vault.ids() == {p: i for p, i in before.items() if p not in vanished}
    vault.take_in()
    assert {p: i for p, i in vault.ids().items() if p in before} == vault.ids()


def test_a_part_resolves_links_among_all_notes_of_its_source(vault):
    vault.write("sub/a.md", "Text")
    vault.write("c.md", "siehe [[neu]]")
    vault.take_in()
    vault.write("sub/neu.md", "siehe [[c]]")
    vault.take_in("sub")
    assert vault.links("sub/neu.md") == {"c.md"}
    vault.take_in()
    assert vault.links("c.md") == {"sub/neu.md"}


def test_a_part_does_not_take_the_id_of_a_note_that_is_still_outside_of_it(vault):
    vault.write("a.md", note("A"))
    vault.write("sub/b.md", "Text")
    vault.take_in()
    vault.write("sub/a.md", note("A"))
    assert failures(vault.take_in("sub")) == ["sub/a.md"]
    vault.remove("a.md")
    assert vault.take_in("sub").moved == 1
    assert vault.places() == {"sub/a.md": "A", "sub/b.md": None}


def test_a_part_with_a_name_of_its_own_is_a_source_of_its_own(vault):
    vault.write("sub/a.md", "Text")
    vault.take_in()
    assert vault.take_in("sub", name="eigen").added == 1
    assert [one.path for one in vault.current("eigen")] == ["a.md"]


def test_a_part_of_a_source_with_a_given_name_is_found_by_that_name(vault):
    vault.write("sub/a.md", "Text")
    vault.take_in(name="Notizen")
    assert vault.take_in("sub", name="Notizen").unchanged == 1
    assert [one.path for one in vault.current("Notizen")] == ["sub/a.md"]


def test_a_hidden_folder_is_not_a_part_of_what_lies_above(vault):
    vault.write("a.md", "Text")
    vault.take_in()
    vault.write(".alt/b.md", "Text")
    assert vault.take_in(".alt").source == ".alt"
    assert set(vault.ids()) == {"a.md"}


def test_a_linked_folder_is_imported_under_the_path_that_a_whole_import_gives_it(vault):
    vault.write("sub/a.md", "Text")
    vault.write(".store/e.md", "Text im Lager")
    (vault.root / "auch").symlink_to(vault.root / "sub")
    (vault.root / "lager").symlink_to(vault.root / ".store")
    vault.take_in()
    assert vault.take_in("auch").unchanged == 1
    assert vault.take_in("lager").unchanged == 1
    assert set(vault.ids()) == {"lager/e.md", "sub/a.md"}


def test_a_folder_that_a_link_leads_out_to_is_a_source_of_its_own(vault, tmp_path):
    drive = tmp_path / "drive"
    drive.mkdir()
    (drive / "e.md").write_text("extern", encoding="utf-8")
    (vault.root / "ext").symlink_to(drive)
    vault.write("a.md", "Text")
    vault.take_in()
    assert vault.take_in("ext").source == "drive"
    assert vault.take_in().unchanged == 1


def test_only_the_last_folder_of_a_source_keeps_its_name(vault, tmp_path):
    vault.write("a.md", "eins")
    vault.take_in()
    moved = tmp_path / "new" / "vault"
    moved.parent.mkdir()
    vault.root.rename(moved)
    (moved / "b.md").write_text("zwei", encoding="utf-8")
    vault.take_in(moved)
    vault.root.mkdir()
    assert vault.take_in(moved).unchanged == 2
    with pytest.raises(Conflict) as refused:
        vault.run()
    assert refused.value.key == "source.name_taken"


# --- what a note's fields say


def test_values_that_mean_nothing_are_named_and_kept(vault):
    vault.write(
        "a.md",
        "---\nid: [1, 2]\ntitle: {a: b}\nvalid_from: 2024-02-30\nvalid_to: [2024]\n"
        "valid_until: 2025\ntags: {x: y}\nimportance: neun\n---\nText",
    )
    report = vault.take_in()
    (kept,) = vault.current()
    assert kept.attributes.properties == {
        "id": ["1", "2"],
        "title": {"a": "b"},
        "valid_from": "2024-02-30",
        "valid_to": ["2024"],
        "valid_until": "2025",
        "tags": {"x": "y"},
        "importance": "neun",
    }
    named = {"id", "title", "valid_from", "valid_to", "tags", "importance"}
    reasons = [warning.reason for warning in report.warnings]
    assert {name for name in named if any(f"'field': '{name}'" in one for one in reasons)} == named


def test_a_dry_run_tells_the_same_and_stores_nothing(vault):
    vault.write("a.md", "siehe [[b]]")
    vault.write("c.md", "weg")
    vault.take_in()
    vault.remove("c.md")
    vault.write("b.md", "da")
    head = vault.head()
    tried = vault.run(prune=True, dry_run=True)
    assert vault.head() == head
    done = vault.take_in(prune=True)
    assert (tried.added, tried.changed, tried.removed) == (done.added, done.changed, done.removed)
    assert parse_uuid(str(vault.ids()["b.md"]))
