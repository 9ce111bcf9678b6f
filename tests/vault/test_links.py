"""Which links and tags the text of a note has, and where."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.adapters.vault.links import find_links


def targets(body: str) -> list[tuple[str, str | None]]:
    return [(link.target, link.fragment) for link in find_links(body).links]


def tags(body: str) -> list[str]:
    return list(find_links(body).tags)


@pytest.mark.parametrize(
    ("written", "target", "fragment"),
    [
        ("[[a]]", "a", None),
        ("[[a.md]]", "a", None),
        ("[[a.MD]]", "a", None),
        ("[[a.markdown]]", "a", None),
        ("[[ Ordner/Übung ]]", "Ordner/Übung", None),
        ("[[a|b]]", "a", None),
        ("[[a | b]]", "a", None),
        ("[[a\\|b]]", "a", None),
        ("[[a|b|c]]", "a", None),
        ("[[a#h1#h2]]", "a", "h1#h2"),
        ("[[a # h1 | b]]", "a", "h1"),
        ("[[a#^block]]", "a", "^block"),
        ("[[#h]]", "", "h"),
        ("[[Version 1.2]]", "Version 1.2", None),
        ("[[Müller, Karl]]", "Müller, Karl", None),
        ("![[a]]", "a", None),
        ("![[a#h|640x480]]", "a", "h"),
        ("![[bericht.pdf]]", "bericht.pdf", None),
        ("[t](path%20x.md)", "path x", None),
        ("[t](<a b.md>)", "a b", None),
        ("[t](<a b.md#h i>)", "a b", "h i"),
        ("[t](a)", "a", None),
        ("[t](../b/%C3%9Cbung.md#h)", "../b/Übung", "h"),
        ('[t]( a.md "Titel (x)" )', "a", None),
        ("[t](#h)", "", "h"),
        ("[a [b] c](a(1).md)", "a(1)", None),
        ("[![alt](bild.png)](a.md)", "a", None),
        ("![t](a.md)", "a", None),
    ],
)
def test_a_link_in_each_way_of_writing_it(written: str, target: str, fragment: str | None):
    body = f"Anfang\n\nübrigens {written} Ende"
    [link] = find_links(body, body_line=5).links
    assert (link.target, link.fragment) == (target, fragment)
    assert body[link.start : link.end] == written
    assert (link.line, link.embed) == (7, written.startswith("!"))


@pytest.mark.parametrize(
    "text",
    [
        "[[]]",
        "[[ ]]",
        "[[|a]]",
        "[[#]]",
        "[[.md]]",
        "[t](.md)",
        "[[a",
        "[[a]",
        "[[a\nb]]",
        "\\[[a]]",
        "[[https://example.org]]",
        "![[bild.PNG]]",
        "[[lied.mp3]]",
        "[t](https://example.org/a.md)",
        "[t](mailto:a@example.org)",
        "[t](//example.org/a)",
        "[t](obsidian://open?file=a)",
        "[t](bild.png)",
        "[t](seite.html)",
        "[t]()",
        "[t] (a.md)",
        "t](a.md)",
        "\\[t](a.md)",
    ],
)
def test_what_is_no_link_to_a_note(text: str):
    assert targets(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\n{}\n```",
        "~~~dataview\n{}\n\n{}\n~~~",
        "- Punkt\n\n  ```tasks\n  {}\n  ```",
        "> ```\n> {}\n> ```",
        "```\n{}",
        "`{}`",
        "``a ` {}``",
        "`zwei\nZeilen {}`",
        "Text\n\n    {}",
        "<!-- {} -->",
        "Text <!-- {}\n{} --> Text",
        "<!--\n{}\n\n{}\n-->",
        "<!-- offen\n\n{}",
        "$a {} b$",
        "Text $$a {} b$$ Text",
        "$$\n{}\n$$",
        "$$\n{}\n- {}\n= x $$",
        "<pre>\n{}\n</pre>",
    ],
)
def test_links_and_tags_in_code_comments_and_math_are_not_read(text: str):
    found = find_links(text.replace("{}", "[[a]] [t](b.md) #tag"))
    assert (found.links, found.tags) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "$5 und {} und $6",
        "5$ und {} und 6$",
        "100 %% sicher {}",
        "a < b {} > c",
        "offenes ` Zeichen {}",
        "offenes `` Zeichen {} `",
        "offenes $$ Zeichen {}",
        "offenes <!-- Zeichen {}",
        "`code` {} `code`",
        "\\`{}\\`",
        "<div>\n{}\n</div>",
        "> [!note] Titel {}",
        "> > {}",
        "- [x] erledigt {}",
        "1. - {}",
        "# Kopf {}",
        "Kopf {}\n---",
        "[^1]: Fußnote {}",
        "[ref]: {}",
        "| a | b |\n|---|---|\n| {} | c |",
        "**{}**",
        "==„{}“==",
        "Text\n    {}",
    ],
)
def test_links_everywhere_else_are_read(text: str):
    assert targets(text.replace("{}", "[[a]]")) == [("a", None)]


def test_an_escaped_pipe_in_a_table_parts_the_alias():
    body = "| x | y |\n|---|---|\n| [[a\\|der A]] | [[b#h\\|B]], [t](c.md) |\n| [[d]] | e |\n"
    assert targets(body) == [("a", None), ("b", "h"), ("c", None), ("d", None)]
    assert [link.line for link in find_links(body).links] == [3, 3, 3, 4]


@pytest.mark.parametrize(
    "text",
    [
        "%%{}%%",
        "Text %% {} %% Text",
        "%%{} https://example.org/#a%20b%% c",
        "%%\n{}\n\n- {}\n%%",
        "%%\npart_of:: {}\n%%",
        "%%a%% %%{}%%",
    ],
)
def test_a_link_in_a_comment_is_kept_with_a_mark_and_states_nothing_and_a_tag_is_no_tag(text: str):
    found = find_links(text.replace("{}", "[[a]] [t](b.md) #tag"))
    assert {(link.target, link.hidden, link.label) for link in found.links} == {
        ("a", True, None),
        ("b", True, None),
    }
    assert found.tags == ()


def test_a_link_after_a_comment_is_not_hidden():
    found = find_links("%%[[a]]%% [[b]]\n\n%%\n[[c]]\n\n[[d]]\n%%\n\n[[e]]").links
    assert [link.target for link in found if not link.hidden] == ["b", "e"]
    assert [link.target for link in found if link.hidden] == ["a", "c", "d"]


def test_what_a_template_will_fill_in_is_no_link():
    assert targets("[[{{date}}]] [[<% tp.file.title %>]] [a]({{x}}.md) [[b]]") == [("b", None)]


def test_links_come_in_order_and_none_of_a_line_is_lost():
    body = "- kennt [[a]], [b](b.md) und [[c|C]]; siehe ![[d]]"
    assert [target for target, _ in targets(body)] == ["a", "b", "c", "d"]


def test_offsets_count_characters_not_bytes():
    body = "😀 Ü\u0308 [[a]]"
    [link] = find_links(body).links
    assert body[link.start : link.end] == "[[a]]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#tag", ["tag"]),
        ("Text #tag, #zwei. (#drei) „#vier“", ["tag", "zwei", "drei", "vier"]),
        ("#Größe #straße/ecke #a-b_c", ["Größe", "straße/ecke", "a-b_c"]),
        ("#y1984 #2024-q1", ["y1984", "2024-q1"]),
        ("#🚀 #reise✈️ #👩‍💻/x", ["🚀", "reise✈️", "👩‍💻/x"]),
        ("#U\u0308bung", ["U\u0308bung"]),
        ("#tag/", ["tag"]),
        ("# Kopf #tag", ["tag"]),
        ("*#tag*", ["tag"]),
        ("| a | b |\n|---|---|\n| #x | #y |", ["x", "y"]),
    ],
)
def test_tags_in_text(text: str, expected: list[str]):
    assert tags(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "#1984",
        "#1/3",
        "\\#x",
        "# Kopf",
        "a#b",
        "C#",
        "##zwei",
        "#",
        "https://example.org/#tag",
        "siehe www.example.org/a/#tag",
        "<https://example.org/#tag>",
        "&#39;",
        "[[a#tag]]",
        "[[#tag]]",
        "[ein #tag](a.md)",
        "[t](#tag)",
        "[t](https://example.org/#tag)",
        '<a href="#tag">',
        "`#tag`",
        "$#tag$",
    ],
)
def test_what_is_no_tag(text: str):
    assert tags(text) == []


@pytest.mark.parametrize(
    ("body", "links"),
    [
        ("[[a]] [t](b.md) " * 5_000, 10_000),
        ("[[a]]\n" * 10_000, 10_000),
        ("[[Ziel]] " + "wort " * 25_400, 1),
        ("[[a]]" + "x" * 127_000, 1),
        (">" * 5_000 + " [[a]]", None),
        ("- " * 5_000 + "[[a]]", None),
        ("[" * 5_000 + "a" + "](b.md)" * 5_000, 5_000),
        ("[" * 127_000 + "](b", 0),
        ("[[" * 50_000 + "]]", 0),
        ("[a](b " * 20_000, 0),
        ('[a](b "' * 20_000, 0),
        ("](((((" * 20_000 + "[[a]]", 1),
        ("x " + "`" * 50_000 + " [[a]]", 1),
        (" ".join("`" * n for n in range(1, 400)) + " [[a]]", 1),
        ("x " + "<!-- " * 25_000 + "[[a]]", 1),
        ("<a " * 40_000 + "[[a]]", 1),
        ("$x " * 40_000 + "[[a]]", 1),
        ("$$x\n" * 20_001 + "[[a]]", None),
        ("$$x " * 3 + "[[a]]", 1),
        ("%% " * 40_001 + "[[a]]", 1),
        ("#a" * 60_000 + " [[a]]", 1),
        ("\\" * 127_000 + "[[a]]", None),
        ("> " * 30 + "- " * 30 + "[[a]]", 1),
    ],
)
def test_long_lines_many_links_and_deep_nesting_are_read_in_one_go(body: str, links: int | None):
    found = find_links(body)
    if links is not None:
        assert len(found.links) == links


MARKDOWN = st.lists(
    st.sampled_from(
        [
            *("[[", "]]", "[", "](", ")", "a", "ü", " ", "\n", "\n\n", "|", "\\", "#", "^", "`"),
            *("```", "!", "%%", "$", "$$", "<!--", "-->", "<", ">", "> ", "- ", "    ", "\t"),
            *(".md", "1", "| a |\n|---|\n", "https://", "%20", "😀", "\u0308", '"', "("),
            *("\x0b", "\u2028"),
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(MARKDOWN)
def test_every_link_is_where_it_says(body: str):
    for link in find_links(body, body_line=3).links:
        written = body[link.start : link.end]
        assert written.startswith("![" if link.embed else "[")
        assert written.endswith(("]]", ")"))
        assert link.line == body.count("\n", 0, link.start) + 3
        assert link.target or link.fragment
