"""What a canvas says: text, links, tags and arrows, whatever a file of that name holds."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.adapters.vault import VaultReader
from damals.adapters.vault.canvas import Canvas, read_canvas
from damals.app.source_model import Arrow, ParsedNote
from damals.domain.errors import InvalidInput

NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"


def card(name: str, kind: str, shown: str, x: float = 0, y: float = 0, **others: object):
    key = {"text": "text", "file": "file", "link": "url", "group": "label"}[kind]
    size = {"x": x, "y": y, "width": 100, "height": 50}
    return {"id": name, "type": kind, key: shown, **size, **others}


def edge(start: str, end: str, label: str | None = None, **others: object):
    return {"id": start + end, "fromNode": start, "toNode": end, "label": label, **others}


def canvas(*nodes: object, edges: object = ()) -> Canvas:
    return read_canvas(json.dumps({"nodes": nodes, "edges": list(edges)}), "x.canvas")


def parsed(folder: Path, data: bytes) -> ParsedNote:
    (folder / "Skizze.canvas").write_bytes(data)
    [file] = VaultReader().scan(folder)
    return VaultReader().parse(file)


def test_cards_are_read_from_top_to_bottom_and_then_from_left_to_right():
    found = canvas(
        card("1", "text", "unten", y=300), card("2", "text", "rechts", x=200),
        card("3", "link", "https://example.org/a", y=200), card("4", "text", "links"),
    )  # fmt: skip
    assert found.text == "links\n\nrechts\n\nhttps://example.org/a\n\nunten"


def test_a_group_is_a_heading_over_the_cards_whose_middle_lies_in_it():
    found = canvas(
        card("g", "group", "Dafür", y=100, width=400, height=400),
        card("h", "group", "Innen", y=200, width=200, height=200),
        card("1", "text", "im inneren", y=250), card("2", "text", "im äußeren", x=250, y=250),
        card("3", "text", "draußen", y=900), card("4", "text", "ragt hinein", x=-60, y=480),
    )  # fmt: skip
    assert found.text == (
        "ragt hinein\n\ndraußen\n\n# Dafür\n\nim äußeren\n\n# Innen\n\nim inneren"
    )


def test_no_card_stands_under_the_heading_of_another():
    found = canvas(card("1", "text", "# Kopf\n\nText"), card("2", "text", "ohne", y=100))
    assert found.text == "ohne\n\n# Kopf\n\nText"


def test_a_file_card_is_an_embed_at_the_place_where_it_is_written():
    found = canvas(
        card("1", "file", "b/Über 1.2.md", subpath="#Kopf"), card("2", "file", "bild.png", y=1),
        card("3", "file", "plan.canvas", y=2), card("4", "file", "buch.pdf", y=3),
    )  # fmt: skip
    assert [(link.target, link.fragment, link.embed, link.line) for link in found.links] == [
        ("/b/Über 1.2", "Kopf", True, 1),
        ("/plan.canvas", None, True, 5),
        ("/buch.pdf", None, True, 7),
    ]
    shown = [found.text[link.start : link.end] for link in found.links]
    assert shown == ["![[/b/Über 1.2#Kopf]]", "![[/plan.canvas]]", "![[/buch.pdf]]"]


def test_text_cards_have_links_tags_and_typed_links_and_what_one_leaves_open_ends_with_it():
    found = canvas(
        card("1", "text", "```\n[[nicht]] <!-- %%"),
        card("2", "text", "Zeile\npart_of:: [[a|b]] #tag", y=1),
    )
    (link,) = found.links
    assert (link.target, link.label, link.line) == ("a", "part_of", 5)
    assert found.text[link.start : link.end] == "[[a|b]]"
    assert found.tags == ("tag",)


def test_an_arrow_leads_where_it_points_and_its_label_is_text():
    files = [card(name, "file", f"{name}.md") for name in "abc"]
    found = canvas(
        *files,
        card("t", "text", "**Ein** Gedanke\nzweite Zeile"),
        edges=[
            edge("a", "b", " part_of "),
            edge("b", "c", None, fromEnd="arrow", toEnd="none"),
            edge("a", "c", ""),
            edge("t", "a", "trägt"),
            edge("a", "b", "part_of"),
        ],
    )
    assert found.arrows == (Arrow("a", "b", "part_of"), Arrow("c", "b", ""), Arrow("a", "c", ""))
    assert found.text.endswith("\n\n- Ein Gedanke → a: trägt\n- a → b: part_of")


def test_an_empty_canvas_is_a_note_without_text(tmp_path: Path):
    for data in (b"", b"{}", b'{"nodes":[],"edges":[]}', b"\xef\xbb\xbf{}\r\n"):
        note = parsed(tmp_path, data)
        assert (note.title, note.body, note.links, note.warnings) == ("Skizze", "", (), ())


@pytest.mark.parametrize(
    ("source", "key", "line"),
    [
        ('{\n"nodes": [', "vault.canvas", 2),
        ("nodes", "vault.canvas", 1),
        ("[" * 100_000, "vault.canvas", 1),
        ('{"nodes": [' + "9" * 10_000 + "]}", "vault.canvas", 1),
        ("[]", "vault.canvas_shape", None),
        ('{"nodes": {}}', "vault.canvas_shape", None),
        ('{"edges": 1}', "vault.canvas_shape", None),
    ],
)
def test_what_is_no_canvas_is_refused(tmp_path: Path, source: str, key: str, line: int | None):
    with pytest.raises(InvalidInput) as caught:
        parsed(tmp_path, source.encode())
    assert (caught.value.key, caught.value.values.get("line")) == (key, line)
    assert caught.value.values["path"] == "Skizze.canvas"


@pytest.mark.parametrize(
    "node",
    [
        1, None, {}, {"id": "x"}, {"id": 1, "type": "text", "text": ""},
        {"id": "x", "type": "text"}, {"id": "x", "type": "file", "file": ["a"]},
        {"id": "x", "type": "movie", "text": "a"}, {"id": "a", "type": "text", "text": "doppelt"},
    ],
)  # fmt: skip
def test_a_card_that_cannot_be_read_is_left_out_and_reported(tmp_path: Path, node: object):
    note = parsed(tmp_path, json.dumps({"nodes": [card("a", "text", "da"), node]}).encode())
    assert (note.body, note.warnings) == ("da", (("vault.canvas_parts", None),))


@pytest.mark.parametrize("wrong", [1, {}, {"fromNode": "a", "toNode": "x"}, {"fromNode": []}])
def test_an_arrow_that_leads_nowhere_is_left_out_and_reported(tmp_path: Path, wrong: object):
    note = parsed(
        tmp_path, json.dumps({"nodes": [card("a", "file", "a.md")], "edges": [wrong]}).encode()
    )
    assert (note.arrows, note.warnings) == ((), (("vault.canvas_parts", None),))


def test_places_and_texts_that_no_program_writes_do_no_harm():
    found = read_canvas(
        '{"nodes": [{"id": "a", "type": "text", "text": "\\ud800x\\u0000\\r\\ny", "x": 1e999,'
        ' "y": NaN, "width": -5, "height": true}]}', "x.canvas",
    )  # fmt: skip
    assert found.text == "\ufffdx\ufffd\ny"


def test_many_cards_and_arrows_are_read_in_one_go():
    cards = [card(str(n), "file", f"{n}.md", y=n) for n in range(20_000)]
    groups = [card(f"g{n}", "group", f"G{n}", y=n) for n in range(20_000)]
    arrows = [edge(str(n), str(n + 1), "part_of") for n in range(19_999)]
    found = canvas(*cards, *groups, edges=arrows)
    assert (len(found.links), len(found.arrows)) == (20_000, 19_999)


_PARTS = st.sampled_from(
    ["[[a]]", "#t", "```", "# K", "\n", "%%", "<!--", "| x |", "part_of:: [[b]]", "ü", "$", "- "]
)
_TEXTS = st.lists(_PARTS, max_size=6).map("".join) | st.text(max_size=6)
_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
_IDS = st.sampled_from("abcd")
_NODES = st.fixed_dictionaries(
    {"id": _IDS, "type": st.sampled_from(["text", "file", "link", "group"])},
    optional={
        "text": _TEXTS, "file": _TEXTS, "url": _TEXTS, "label": _TEXTS, "subpath": _TEXTS,
        **dict.fromkeys(("x", "y", "width", "height"), st.integers() | st.floats()),
    },
)  # fmt: skip
_ENDS = st.sampled_from(["none", "arrow"])
_EDGES = st.fixed_dictionaries(
    {"fromNode": _IDS, "toNode": _IDS},
    optional={"label": _TEXTS, "fromEnd": _ENDS, "toEnd": _ENDS},
)
_CANVASES = st.fixed_dictionaries(
    {},
    optional={
        "nodes": st.lists(_NODES | _ANY, max_size=6) | _ANY,
        "edges": st.lists(_EDGES | _ANY, max_size=6) | _ANY,
    },
)


@settings(max_examples=2_500 if NIGHTLY else 40, deadline=None)
@given(_CANVASES.map(json.dumps) | _ANY.map(json.dumps) | st.text(max_size=30))
def test_no_canvas_crashes_and_its_links_are_where_they_say(source: str):
    try:
        found = read_canvas(source, "x.canvas")
    except InvalidInput:
        return
    found.text.encode()
    for link in found.links:
        written = found.text[link.start : link.end]
        assert written.endswith(("]]", ")"))
        assert link.line == found.text.count("\n", 0, link.start) + 1
        assert link.markdown or link.target in written
