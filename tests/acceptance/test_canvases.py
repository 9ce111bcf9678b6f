"""Canvases in a vault: notes of their own, and arrows that their notes state."""

import json

import pytest

from damals.bootstrap import open_home

TYPES = "relations:\n  stuetzt: {directed: true}\n"


class Desk:
    """A vault with canvases and the home it is imported into."""

    def __init__(self, folder):
        self.vault = folder / "vault"
        self.home = folder / "home"
        for name in "abc":
            self.write(f"{name}.md", f"Notiz {name}")
        self.write(".damals/types.yaml", TYPES)

    def write(self, path, text):
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def draw(self, path, *arrows):
        """A canvas with a card for each end of its arrows: start, end and label."""
        files = sorted({name for start, end, _ in arrows for name in (start, end)})
        nodes = [{"id": name, "type": "file", "file": name, "y": y} for y, name in enumerate(files)]
        edges = [
            {"id": str(n), "fromNode": start, "toNode": end, "label": label}
            for n, (start, end, label) in enumerate(arrows)
        ]
        self.write(path, json.dumps({"nodes": nodes, "edges": edges}))

    def take_in(self, part="", **options):
        with open_home(self.home, embedder="none") as damals:
            return damals.import_(self.vault / part, **options)

    def said(self, path):
        """What a note states: type, title of the other one, flags."""
        with open_home(self.home, embedder="none") as damals:
            (found,) = [e for e in damals.entries(limit=None) if e.source.path == path]
            return {
                (one.type, one.title, *one.flags)
                for one in damals.get(found.id).relations
                if one.direction == "out"
            }


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def test_a_canvas_shows_its_notes_and_its_arrows_are_relations_of_the_notes(desk):
    desk.draw(
        "x.canvas", ("a.md", "b.md", "Stützt"), ("a.md", "c.md", "hm"), ("b.md", "c.md", None)
    )
    report = desk.take_in()
    assert (report.failed, report.added) == ((), 4)
    assert desk.said("x.canvas") == {("links_to", name, "embed") for name in "abc"}
    assert desk.said("a.md") == {("links_to", "b", "drawn"), ("links_to", "c", "drawn")}
    desk.write(".damals/types.yaml", TYPES.replace("stuetzt", "stützt"))
    desk.take_in()
    assert desk.said("a.md") == {("stützt", "b", "drawn"), ("links_to", "c", "drawn")}
    assert desk.said("b.md") == {("links_to", "c", "drawn")}


def test_a_declared_label_is_that_relation(desk):
    desk.draw("x.canvas", ("a.md", "b.md", "stuetzt"))
    desk.take_in()
    assert desk.said("a.md") == {("stuetzt", "b", "drawn")}


def test_what_a_canvas_shows_no_longer_is_stated_no_longer(desk):
    desk.draw("x.canvas", ("a.md", "b.md", "stuetzt"))
    desk.take_in()
    desk.draw("x.canvas", ("b.md", "a.md", "stuetzt"))
    desk.take_in()
    assert (desk.said("a.md"), desk.said("b.md")) == (set(), {("stuetzt", "a", "drawn")})
    (desk.vault / "x.canvas").unlink()
    desk.take_in()
    assert desk.said("b.md") == {("stuetzt", "a", "drawn")}
    desk.take_in(prune=True)
    assert desk.said("b.md") == set()


def test_a_note_that_changes_or_is_imported_alone_keeps_its_arrows(desk):
    desk.draw("x.canvas", ("a.md", "b.md", "stuetzt"))
    desk.take_in()
    desk.write("a.md", "geändert, siehe [[c]]")
    desk.take_in("a.md")
    assert desk.said("a.md") == {("stuetzt", "b", "drawn"), ("links_to", "c")}


def test_an_arrow_waits_for_either_of_its_notes(desk):
    desk.draw("x.canvas", ("neu/d.md", "a.md", "stuetzt"), ("a.md", "neu/e.md", "stuetzt"))
    desk.take_in()
    assert desk.said("a.md") == {("stuetzt", "/neu/e", "drawn")}
    desk.write("neu/d.md", "D")
    desk.write("neu/e.md", "E")
    desk.take_in()
    assert desk.said("neu/d.md") == {("stuetzt", "a", "drawn")}
    assert desk.said("a.md") == {("stuetzt", "e", "drawn")}


def test_an_arrow_that_a_note_states_as_well_is_written(desk):
    desk.draw("x.canvas", ("a.md", "b.md", "stuetzt"))
    desk.write("a.md", "stuetzt:: [[b]]")
    desk.take_in()
    assert desk.said("a.md") == {("stuetzt", "b")}


def test_a_drawn_revision_takes_over_from_a_note_of_the_same_import(desk):
    desk.write("a.md", "---\nvalid_from: 2024-01-01\n---\nneu")
    desk.write("b.md", "---\nvalid_from: 2020-01-01\n---\nalt")
    desk.draw("x.canvas", ("a.md", "b.md", "supersedes"))
    assert desk.take_in().warnings == ()
    with open_home(desk.home, embedder="none") as damals:
        told = {e.title: e.valid_to for e in damals.entries(as_of="2023-01-01", limit=None)}
        assert told["b"] == "2024-01-01"


def test_a_second_import_changes_nothing_and_a_broken_canvas_fails_alone(desk):
    desk.draw("x.canvas", ("a.md", "b.md", "stuetzt"))
    desk.take_in()
    desk.write("y.canvas", "{")
    again = desk.take_in()
    assert (again.added, again.changed, again.unchanged, again.edges) == (0, 0, 4, 0)
    assert [one.path for one in again.failed] == ["y.canvas"]
    assert again.failed[0].line == 1


def test_links_lead_to_a_canvas_by_its_whole_name(desk):
    desk.draw("ordner/x.canvas", ("a.md", "b.md", None))
    desk.write("c.md", "[[x.canvas]] [[x]]")
    desk.take_in()
    with open_home(desk.home, embedder="none") as damals:
        found = {e.title: e.id for e in damals.entries(limit=None)}
        (c,) = [e for e in damals.entries(limit=None) if e.title == "c"]
        out = [r.entry_id for r in damals.get(c.id).relations if r.direction == "out"]
    assert found["x"] in out
    assert len(out) == 2
