"""Which note a link means."""

from unicodedata import normalize
from uuid import UUID, uuid5

import pytest

from damals.app.linking import LinkResolver, Resolution

SPACE = UUID(int=0)


def entry(path: str) -> UUID:
    return uuid5(SPACE, path)


def vault(*paths: str, **aliases: str) -> LinkResolver:
    named = [(alias, entry(path)) for alias, path in aliases.items()]
    return LinkResolver({path: entry(path) for path in paths}, named)


@pytest.mark.parametrize(
    ("target", "path", "via"),
    [
        ("", "x/von.md", "self"),
        ("./b", "x/b.md", "relative"),
        ("../a", "a.md", "relative"),
        ("../y/c", "y/c.md", "relative"),
        ("x/b", "x/b.md", "path"),
        ("/x/b", "x/b.md", "path"),
        ("/a", "a.md", "path"),
        ("z/d", "y/z/d.md", "suffix"),
        ("d", "y/z/d.md", "stem"),
        ("D.MD", "y/z/d.md", "stem"),
        ("bericht.pdf", "y/bericht.pdf", "stem"),
        ("../d", "y/z/d.md", "stem"),
    ],
)
def test_each_rule_in_turn(target: str, path: str, via: str):
    notes = vault("a.md", "x/von.md", "x/b.md", "y/c.md", "y/z/d.md", "y/bericht.pdf")
    assert notes.resolve(target, "x/von.md") == Resolution(entry(path), via=via)


@pytest.mark.parametrize("target", ["nichts", "../../../a", "/d", "x/", "x", "md", ".", "/", "a/"])
def test_what_is_not_there_is_unresolved(target: str):
    notes = vault("x/y.md", "b/d.md")
    assert notes.resolve(target, "x/y.md") == Resolution(None)


def test_of_several_the_root_wins_then_the_shortest_then_the_first_and_it_is_flagged():
    deep, short, root = "b/c/a.md", "b/a.md", "a.md"
    also_short = "c/a.md"
    for paths, expected in [
        ((deep, short, root), root),
        ((deep, also_short, short), short),
        ((deep, "bcdef/a.md"), deep),
    ]:
        found = vault(*paths).resolve("a", "x.md")
        assert (found.entry_id, found.ambiguous) == (entry(expected), True)


@pytest.mark.parametrize("source", ["von.md", "b/von.md", "b/c/von.md"])
def test_a_wikilink_means_the_same_from_every_folder(source: str):
    notes = vault("a.md", "b/a.md", "b/c/a.md", "von.md", "b/von.md", "b/c/von.md")
    assert notes.resolve("a", source).entry_id == entry("a.md")
    assert notes.resolve("b/a", source) == Resolution(entry("b/a.md"), via="path")


def test_a_markdown_link_looks_in_its_own_folder_first():
    notes = vault("a.md", "b/a.md", "b/von.md", "c/d.md")
    found = notes.resolve("a", "b/von.md", relative_first=True)
    assert found == Resolution(entry("b/a.md"), via="relative")
    assert notes.resolve("d", "b/von.md", relative_first=True).entry_id == entry("c/d.md")


def test_composed_and_decomposed_names_meet_in_any_case():
    notes = vault(normalize("NFD", "Büro/Übung Straße.md"))
    found = notes.resolve(normalize("NFC", "übung strasse"), "x.md")
    assert found.entry_id == entry(normalize("NFD", "Büro/Übung Straße.md"))


def test_names_that_differ_in_case_only_are_told_apart_as_written():
    notes = vault("A.md", "a.md", "x/B.md", "x/b.md")
    for target in ("A", "a", "x/B", "x/b", "B", "b"):
        found = notes.resolve(target, "von.md")
        path = f"{target}.md" if "/" in target or target in "Aa" else f"x/{target}.md"
        assert (found.entry_id, found.ambiguous) == (entry(path), False)


def test_a_case_that_fits_neither_is_ambiguous():
    assert vault("AB.md", "ab.md").resolve("aB", "von.md").ambiguous


def test_an_alias_comes_last():
    notes = vault("Köln.md", "Colonia.md", Colonia="Köln.md", Domstadt="Köln.md")
    assert notes.resolve("colonia", "x.md").via == "stem"
    assert notes.resolve("domstadt", "x.md") == Resolution(entry("Köln.md"), via="alias")


def test_an_alias_of_two_notes_is_ambiguous():
    named = [("Anna", entry("a.md")), ("anna", entry("b.md")), ("Anna", entry("a.md"))]
    notes = LinkResolver({"a.md": entry("a.md"), "b.md": entry("b.md")}, named)
    assert notes.resolve("Anna", "x.md") == Resolution(entry("a.md"), True, "alias")


def test_the_same_name_in_two_folders_stays_two_notes():
    notes = vault("x/a.md", "y/a.md")
    assert notes.resolve("x/a", "v.md").entry_id != notes.resolve("y/a", "v.md").entry_id


def test_dots_in_names_are_no_suffix():
    notes = vault("Version 1.2.md", "Ende..md")
    assert notes.resolve("Version 1.2", "x.md").entry_id == entry("Version 1.2.md")
    assert notes.resolve("Ende.", "x.md").entry_id == entry("Ende..md")
