"""What links mean after an import, whatever was imported before."""

import pytest
from imported_vault import Vault, hide, note

from damals.app.vault import importing


def test_a_link_heals_when_its_note_appears_and_opens_when_it_is_pruned(vault):
    vault.write("a.md", "siehe [[b]]")
    vault.take_in()
    assert vault.links("a.md") == {None}
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.links("a.md") == {"b.md"}
    vault.remove("b.md")
    vault.take_in()
    assert vault.links("a.md") == {"b.md"}
    vault.take_in(prune=True)
    assert vault.links("a.md") == {None}


def test_a_link_follows_a_note_that_is_new_elsewhere(vault):
    vault.write("a.md", "siehe [[b]]")
    vault.write("b.md", "alt")
    vault.take_in()
    vault.remove("b.md")
    vault.write("sub/b.md", "neu und anders")
    vault.take_in(prune=True)
    assert vault.links("a.md") == {"sub/b.md"}


def test_a_link_follows_an_id_to_the_note_that_has_the_name_now(vault):
    vault.write("l.md", "siehe [[a]]")
    vault.write("a.md", note("A"))
    vault.write("b.md", note("B"))
    vault.take_in()
    vault.write("a.md", note("B"))
    vault.write("b.md", note("A"))
    vault.take_in()
    assert vault.links("l.md") == {"a.md"}


STEPS = {
    "tief/b.md": "in der Tiefe",
    "b.md": "in der Wurzel",
    "c.md": "---\naliases: [b, Zeichen]\n---\nmit anderem Namen",
    "a/d.md": "---\naliases: [Zeichen]\n---\nauch",
    "a/zeichen.md": "gleichnamig",
    "a/b.markdown": "daneben",
    "a/b.md": "doppelt",
}


@pytest.mark.parametrize("last", STEPS)
@pytest.mark.parametrize("link", ["[[b]] und [[tief/b]]", "[x](b.md)", "[[Zeichen]], [[b]]"])
def test_what_links_mean_does_not_depend_on_the_order_of_imports(vault, tmp_path, link, last):
    others = {path: text for path, text in STEPS.items() if path != last}
    vault.write("a/l.md", link)
    for path, text in {**others, last: STEPS[last]}.items():
        vault.write(path, text)
        vault.take_in()
    (tmp_path / "again").mkdir()
    whole = Vault(tmp_path / "again" / "vault")
    for path, text in {"a/l.md": link, **STEPS}.items():
        whole.write(path, text)
    whole.take_in()
    assert vault.links("a/l.md") == whole.links("a/l.md")
    vault.remove(last)
    vault.take_in(prune=True)
    without = Vault(tmp_path / "without")
    for path, text in {"a/l.md": link, **others}.items():
        without.write(path, text)
    without.take_in(name="vault")
    assert vault.links("a/l.md") == without.links("a/l.md")


def test_the_second_link_to_a_note_is_not_forgotten(vault):
    vault.write("l.md", "[[x/b]] und [[Beh]]")
    vault.write("x/b.md", "---\naliases: [Beh]\n---\nText")
    vault.take_in()
    assert vault.links("l.md") == {"x/b.md"}
    vault.write("beh.md", "ein Name geht über einen Beinamen")
    vault.take_in()
    assert vault.links("l.md") == {"x/b.md", "beh.md"}


def test_a_link_by_a_name_that_was_the_notes_own_follows_a_better_note_of_that_name(vault):
    vault.write("x/b.md", "[[b]]")
    vault.take_in()
    assert vault.links("x/b.md") == set()
    vault.write("b.md", "Wurzel")
    vault.take_in()
    assert vault.links("x/b.md") == {"b.md"}


def test_a_markdown_link_looks_beside_its_own_note_first_and_a_wikilink_does_not(vault):
    vault.write("b.md", "Wurzel")
    vault.write("a/b.md", "daneben")
    vault.write("a/md.md", "[x](b.md)")
    vault.write("a/wiki.md", "[[b]] ![[b]]")
    vault.take_in()
    assert vault.links("a/md.md") == {"a/b.md"}
    assert vault.links("a/wiki.md") == {"b.md"}


def test_only_notes_that_may_mean_another_note_now_are_read_again(vault):
    vault.write("a.md", "siehe [[b]]")
    vault.write("c.md", "siehe [[d]]")
    vault.write("d.md", "Text")
    vault.take_in()
    vault.reader.parsed.clear()
    vault.write("b.md", "da")
    vault.run()
    assert sorted(vault.reader.parsed) == ["a.md", "b.md"]


def test_a_link_heals_later_when_its_own_note_could_not_be_read_in_time(vault, monkeypatch):
    vault.write("sub/a.md", "siehe [[b]]")
    vault.take_in()
    vault.write("b.md", "da")
    with monkeypatch.context() as patched:
        hide(patched, "sub")
        vault.take_in()
    vault.take_in()
    assert vault.links("sub/a.md") == {"b.md"}


def test_a_link_to_a_note_that_was_retracted_by_hand_opens_and_heals(vault):
    vault.write("a.md", "siehe [[b]]")
    vault.write("b.md", "da")
    vault.take_in()
    b = vault.ids()["b.md"]
    vault.remove("b.md")
    vault.do(op="retract", target=str(b))
    vault.take_in()
    assert vault.links("a.md") == {None}


def test_an_import_that_breaks_off_is_taken_up_again(vault, monkeypatch):
    vault.write("a.md", "[[x/b]] und [[b]]")
    vault.write("x/b.md", "tief")
    vault.take_in()
    vault.write("b.md", "Wurzel")
    vault.write("z.md", "mehr")
    monkeypatch.setattr(importing, "BATCH_NOTES", 1)
    for stage in ("read", "store", "store"):
        vault.break_off(after=stage)
    vault.take_in()
    assert set(vault.ids()) == {"a.md", "b.md", "x/b.md", "z.md"}
    assert vault.links("a.md") == {"x/b.md", "b.md"}
