"""What the block between two ``---`` says, however it was written."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from damals.adapters.vault import VaultReader
from damals.adapters.vault.frontmatter import split_frontmatter
from damals.app.source_model import ParsedNote
from damals.domain.entries import Json

Parse = Callable[..., ParsedNote]


@pytest.fixture
def parse(tmp_path: Path):
    def parse(text: str, name: str = "Meine Notiz.md") -> ParsedNote:
        (tmp_path / name).write_text(text, encoding="utf-8")
        [file] = VaultReader().scan(tmp_path)
        return VaultReader().parse(file)

    return parse


def value(written: str) -> Json:
    return split_frontmatter(f"---\nfeld: {written}\n---\n").properties["feld"]


def test_fields_that_mean_something_are_parted_from_properties(parse: Parse):
    note = parse("---\nTitle: Über uns\nStatus: archived\nFarbe: rot\n---\nText\n")
    assert note.fields == {"title": "Über uns", "status": "archived"}
    assert note.properties == {"Farbe": "rot"}
    assert (note.title, note.body, note.body_line, note.warnings) == ("Über uns", "Text\n", 6, ())


@pytest.mark.parametrize(
    "written",
    ["no", "yes", "on", "12:30", "007", "1_000", "0x1F", "1e3", "2024-02-30", "2024-01-01", "1.10"],
)
def test_scalars_stay_the_text_that_was_written(written: str):
    assert value(written) == written


@pytest.mark.parametrize("written", ["", "~", "null", "Null", "# Kommentar"])
def test_only_null_is_null(written: str):
    assert value(written) is None


@pytest.mark.parametrize("written", ["'null'", '"~"'])
def test_quoted_null_is_text(written: str):
    assert value(written) == written[1:-1]


def test_explicit_yaml_types_construct_nothing():
    assert value("!!timestamp 2024-01-01") == "2024-01-01"
    assert value("!!python/object/apply:os.system [ls]") == ["ls"]


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: a\n---\nText",
        "---  \ntitle: a\n---\t\nText",
        "---\ntitle: a\n...\nText",
        "\ufeff---\r\ntitle: a\r\n---\r\nText",
    ],
)
def test_the_block_may_end_with_dots_and_have_any_line_ends(parse: Parse, text: str):
    note = parse(text)
    assert (note.title, note.body, note.body_line) == ("a", "Text", 4)


@pytest.mark.parametrize(
    "text",
    [
        "\n---\ntitle: a\n---\nText",
        " ---\ntitle: a\n---\nText",
        "---\ntitle: a\nText",
        "----\ntitle: a\n----\nText",
        "Text\n\n---\ntitle: a\n---\n",
    ],
)
def test_only_a_closed_block_on_line_one_is_frontmatter(text: str):
    front = split_frontmatter(text)
    assert (front.body, front.body_line, front.fields) == (text, 1, {})


@pytest.mark.parametrize(
    "letterhead",
    ["Musterfirma GmbH\nHauptstraße 1", "- a\n- b", "Müller & Söhne\n@ Hauptstraße: links"],
)
def test_a_letterhead_between_two_rules_stays_text(parse: Parse, letterhead: str):
    text = f"---\n{letterhead}\n---\nSehr geehrte Frau Meier\n"
    note = parse(text)
    assert (note.body, note.body_line, note.fields, note.warnings) == (text, 1, {}, ())


@pytest.mark.parametrize("block", ["", "\n", "# nur ein Kommentar\n"])
def test_an_empty_block_is_frontmatter_without_fields(block: str):
    front = split_frontmatter(f"---\n{block}---\nText")
    assert (front.body, front.fields, front.warnings) == ("Text", {}, ())


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_note_of_frontmatter_only_is_fine(parse: Parse, ending: str):
    note = parse(f"---\ntags: [a]\n---{ending}")
    assert (note.title, note.body, note.tags) == ("Meine Notiz", "", ("a",))


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("title: a\nzitat: Er sagte: ja\n", 3),
        ("title: [a\n", 3),
        ("title: a\n\tb: c\n", 3),
        ("title: @a\n", 2),
        ('title: "\x01"\n', 2),
        ("title: *unbekannt\n", 2),
        ("title: a\n? [x, y]\n: z\n", 3),
    ],
)
def test_yaml_that_cannot_be_read_keeps_the_body_and_is_reported(
    parse: Parse, block: str, line: int
):
    note = parse(f"---\n{block}---\n# Kopf\n\n[[Ziel]]\n")
    assert note.body == "# Kopf\n\n[[Ziel]]\n"
    assert note.body_line == block.count("\n") + 3
    assert (note.title, note.fields, note.properties) == ("Kopf", {}, {})
    assert note.warnings == (("vault.yaml", line),)
    assert [(link.target, link.line) for link in note.links] == [("Ziel", note.body_line + 2)]


def test_of_a_repeated_field_the_last_counts_and_it_is_reported(parse: Parse):
    note = parse("---\ntitle: a\nx: 1\ntitle: b\n---\n")
    assert (note.title, note.warnings) == ("b", (("vault.duplicate_key", 4),))


@pytest.mark.parametrize(
    "block", ["title: {{title}}\n", 'title: "{{title}}"\n', "date: <% tp.date.now() %>\n"]
)
def test_a_template_keeps_its_text_is_reported_and_has_no_links(parse: Parse, block: str):
    note = parse(f"---\n{block}---\n# {{{{title}}}}\n\n[[Ziel]]\n", "Vorlage.md")
    assert note.body.endswith("[[Ziel]]\n")
    assert (note.title, note.fields, note.links) == ("Vorlage", {}, ())
    assert note.warnings == (("vault.template", 1),)


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("tags: [a, B/c]", ("a", "B/c")),
        ("tags: a, b", ("a", "b")),
        ("tags: Reise", ("Reise",)),
        ("tags: [2024q, v2, 1.5, 2024-05]", ("2024q", "v2", "1.5", "2024-05")),
        ("tags: ['#a', a, A, '#Ä']", ("a", "Ä")),
        ("tags:\n  - #x\n  - b\n  -   #ü/y", ("x", "b", "ü/y")),
        ("tags: #x", ("x",)),
        ("tags: #x #y", ("x", "y")),
        ("tags: [#a, #b/c]", ("a", "b/c")),
        ("tags:\n- a\n-\n- ~\n- null", ("a",)),
        ("tags:", ()),
        ("tags: {a: b}", ()),
        ("tag: alt", ("alt",)),
        ("tags: [[a], lange Reise]", ("a", "lange Reise")),
    ],
)
def test_tags_in_every_way_people_write_them(parse: Parse, written: str, tags: tuple[str, ...]):
    note = parse(f"---\n{written}\n---\n")
    assert (note.tags, note.warnings) == (tags, ())


@pytest.mark.parametrize(
    ("written", "tags", "numbers"),
    [
        ("tags: [2024, 007]", (), ["2024", "007"]),
        ("tags: 2024", (), ["2024"]),
        ("tags: 1/3", (), ["1/3"]),
        ("tags: ['#2024', a, 1/3]", ("a",), ["2024", "1/3"]),
        ("tag: 2024, b", ("b",), ["2024"]),
    ],
)
def test_a_number_is_no_tag_in_the_frontmatter_as_in_the_text_and_is_kept_and_reported(
    parse: Parse, written: str, tags: tuple[str, ...], numbers: list[str]
):
    note = parse(f"---\n{written}\n---\nText #2025 und #2/3.\n")
    assert note.tags == tags
    assert note.properties == {"tags": numbers}
    assert note.warnings == (("vault.tag_number", 1),)


def test_what_an_export_wrote_as_a_tag_was_told_as_one(parse: Parse):
    note = parse("---\ntags: [2024, a]\ndamals_source: {kind: call}\n---\n")
    assert (note.tags, note.warnings) == (("2024", "a"), ())


def test_tags_of_text_follow_those_of_the_frontmatter_each_once(parse: Parse):
    assert parse("---\ntags: [Reise]\n---\nIn #reise nach #Köln\n").tags == ("Reise", "Köln")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[[A]]", "[[A]]"),
        ("[[A|der A]]", "[[A|der A]]"),
        ("[[Müller, Karl]]", "[[Müller, Karl]]"),
        ("[[a: b]]", "[[a: b]]"),
        ("[[[A]], [[B]]]", ["[[A]]", "[[B]]"]),
        ("\n  - [[A]]\n  - [[B c]]", ["[[A]]", "[[B c]]"]),
        ('"[[A]]"', "[[A]]"),
        ("[a, [b]]", ["a", ["b"]]),
    ],
)
def test_an_unquoted_wikilink_is_read_as_it_stands(written: str, expected: Json):
    assert value(written) == expected


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("title: " + "[" * 500 + "]" * 500, 2),
        ("title:\n" + "\n".join(" " * depth + "a:" for depth in range(1, 200)), 42),
        (
            "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
            + "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20)),
            6,
        ),
    ],
)
def test_depth_and_aliases_are_bounded(parse: Parse, block: str, line: int):
    assert parse(f"---\n{block}\n---\n").warnings == (("vault.yaml_limits", line),)


def test_an_alias_within_bounds_is_the_value_it_names():
    front = split_frontmatter("---\na: &x [1]\nb: *x\n---\n")
    assert front.properties == {"a": ["1"], "b": ["1"]}


@pytest.mark.parametrize(
    "block",
    ["tags: [" + "#" * 100_000, "tags: [" + "# " * 50_000 + "]", "a b " * 50_000, "[" * 200_000],
)
def test_a_monstrous_line_is_read_in_one_go(block: str):
    assert split_frontmatter(f"---\n{block}\n---\nText").body.endswith("Text")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: '  '\n---\n# Kopf\n", "Kopf"),
        ("---\ntitle: 2024\n---\n# Kopf\n", "2024"),
        ("## Zwei\n\n# Eins\n", "Eins"),
        ("Text\n\n## Zwei\n", "Zwei"),
        ("Kopf\n====\n", "Kopf"),
        ("\ufeff# Kopf\n", "Kopf"),
        ("```\n# nein\n```\n\n# Ja\n", "Ja"),
        ("```\n# nein\n```\n", "Meine Notiz"),
        ("> # nein\n", "Meine Notiz"),
        ("#kein Kopf\n", "Meine Notiz"),
        ("#\n\n## Zwei\n", "Zwei"),
        ("# Der **neue** [[Plan B|Plan]] für `x_y` ^abc\n", "Der neue Plan für x_y"),
        ("", "Meine Notiz"),
    ],
)
def test_the_title_is_the_fields_the_first_headings_or_the_files(
    parse: Parse, text: str, title: str
):
    assert parse(text).title == title


YAML_LIKE = st.text(alphabet="ab:-#[]{}|>&*!%@`'\"?, \n~<.\t0", max_size=80)


@settings(max_examples=150, deadline=None)
@given(YAML_LIKE)
@example("a: &x [*x]")
@example("<<: *a")
@example("%YAML 9.9\n--- a")
@example("a: |\n  - #x")
def test_no_block_crashes_and_nothing_behind_it_is_lost(block: str):
    front = split_frontmatter(f"---\n{block}\n---\nDer Text.\n")
    assert front.body.endswith("Der Text.\n")
