"""Which links have the name of a relation in front of them; what is declared is another matter."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.adapters.vault import VaultReader
from damals.adapters.vault.links import field_links, find_links
from damals.app.source_model import ParsedNote
from damals.domain.types import relation_name


def labelled(body: str) -> list[tuple[str | None, str]]:
    return [(link.label, link.target) for link in find_links(body).links]


def parsed(folder: Path, text: str) -> ParsedNote:
    (folder / "n.md").write_text(text, encoding="utf-8")
    [file] = VaultReader().scan(folder)
    return VaultReader().parse(file)


@pytest.mark.parametrize(
    "line",
    [
        "extends:: [[a]]",
        "Extends::  [[a]]",
        "  extends:: [[a]]",
        "- extends:: [[a]]",
        "* extends:: [[a]]",
        "1. extends:: [[a]]",
        "> extends:: [[a]]",
        "> - extends:: [[a]]",
        "**extends**:: [[a]]",
        "**extends::** [[a]]",
        "__extends__:: [[a]]",
        "extends:: siehe dazu [[a]] und mehr",
        "extends:: [Text](a.md)",
        "extends:: ![[a]]",
        "[extends:: [[a]]]",
        "Ein Satz [extends:: [[a]]] mit Feld",
        "Ein Satz (extends:: [[a]]) mit Feld",
        "(siehe [extends:: [[a]]])",
        "[**extends**:: [[a]]]",
        "- extends [[a]]",
        "* extends [[a]]",
        "+ EXTENDS [[a]]",
        "  - extends [[a]]",
        "> - extends [[a]]",
        "- extends [[a|anders]]",
        "- extends [Text](a.md)",
        "- extends [[a]].",
        "- extends [[a]] (aus gutem Grund)",
        "- extends [[a]] (aus (sehr) gutem Grund)",
        "- extends [[a]] ^block-1",
        "- extends [[a]] #wichtig #neu",
        "- extends [[a]] %%warum auch immer%%",
        "- extends [[a]] <!-- warum -->",
    ],
)
def test_the_name_of_a_relation_in_each_way_of_writing_it(line: str):
    [(label, target)] = labelled(f"Davor\n\n{line}\n\ndanach")
    assert (relation_name(label or ""), target) == ("extends", "a")


@pytest.mark.parametrize(
    "line",
    [
        "extends::[[a]]",
        "std::vector [[a]]",
        "extends: [[a]]",
        "Text extends [[a]]",
        "extends [[a]]",
        "- extends [[a]] um einen Gedanken",
        "- extends [[a]] because it is new",
        "- extends – [[a]]",
        "- extends: [[a]]",
        "- [ ] extends [[a]]",
        "- [x] extends [[a]]",
        "1. extends [[a]]",
        "- extends ![[a]]",
        "- \\[[b]] [[a]]",
        "`extends`:: [[a]]",
        "(extends:: b) [[a]]",
        "[extends:: b] [[a]]",
        "(extends:: [[a]]",
        "[extends:: [[a]]",
        "x" * 80 + ":: [[a]]",
        "- " + "wort " * 8 + "[[a]]",
        "| extends:: [[a]] |",
    ],
)
def test_what_is_no_name_of_a_relation(line: str):
    [(label, target)] = labelled(line)
    assert target == "a"
    assert label is None


def test_every_link_of_a_field_has_its_name_and_none_is_lost():
    assert labelled("up:: [[a]], [[b|x]] und [c](c.md)") == [("up", name) for name in "abc"]
    assert labelled("[up:: [[a]], [[b]]] [[c]]") == [("up", "a"), ("up", "b"), (None, "c")]
    assert labelled("- up [[a]], [[b]] und [[c]] & [[d]] (wie [[e]])") == [
        *(("up", name) for name in "abcd"),
        (None, "e"),
    ]
    assert labelled("- up [[a]] statt [[b]]") == [(None, "a"), (None, "b")]


def test_the_innermost_field_counts():
    body = "up:: [[a]] [next:: [[b]] (prev:: [[c]])] (prev:: d) [[e]]"
    assert labelled(body) == [
        ("up", "a"), ("next", "b"), ("prev", "c"), ("up", "e"),
    ]  # fmt: skip
    assert labelled("[a (up:: [[b]] ] ) [[c]]") == [(None, "b"), (None, "c")]


def test_a_name_reaches_no_further_than_its_line():
    assert labelled("up:: [[a]]\n[[b]]\n\n- up [[c]]\n  [[d]]") == [
        ("up", "a"), (None, "b"), ("up", "c"), (None, "d"),
    ]  # fmt: skip


def test_names_in_code_comments_and_math_name_nothing():
    body = "```\nup:: [[a]]\n```\n\n    up:: [[b]]\n\n%%[up:: [[c]]]%%\n\n`up:: [[d]]`"
    assert labelled(body) == [(None, "c")]
    assert labelled("- Müller [[a]]") == [("Müller", "a")]


def test_a_label_says_what_was_written_and_where_the_link_stands_does_not_change():
    body = "Part of:: [[a]]"
    [link] = find_links(body).links
    assert (link.label, body[link.start : link.end], link.markdown) == ("Part of", "[[a]]", False)
    [link] = find_links("[x](a.md)").links
    assert (link.label, link.markdown) == (None, True)


@pytest.mark.parametrize(
    ("yaml", "targets", "rest"),
    [
        ('"[[a]]"', ["a"], None),
        ("[[a]]", ["a"], None),
        ('"[[a|Alias]], [[b]]; [[c#h]]"', ["a", "b", "c"], None),
        ('["[[a]]", "[[b]]"]', ["a", "b"], None),
        ("[[[a]], [[b]]]", ["a", "b"], None),
        ('\n  - "[[a]]"\n  - [[b]]', ["a", "b"], None),
        ('"[x](sub/a.md)"', ["sub/a"], None),
        ('["[[a]]", b]', ["a"], "b"),
        ('["[[a]]", b, c]', ["a"], ["b", "c"]),
        ('"[[a]] seit 2024"', ["a"], "[[a]] seit 2024"),
        ("|\n  [[a]]\n  [[b]]", ["a", "b"], None),
    ],
)
def test_links_in_a_field_of_the_frontmatter(tmp_path, yaml, targets, rest):
    found = parsed(tmp_path, f"---\nup: {yaml}\n---\n[[t]]").field_links["up"]
    assert [link.target for link in found.links] == targets
    assert found.rest == rest


def test_a_field_without_a_link_has_none(tmp_path):
    told = parsed(tmp_path, "---\nup: a\nn: 3\nx: {y: '[[z]]'}\nempty:\n---\n")
    assert told.field_links == {}
    assert set(told.properties) == {"up", "n", "x", "empty"}


def test_a_template_names_nothing(tmp_path):
    told = parsed(tmp_path, '---\nup: "[[{{x}}]]"\n---\nup:: [[a]]')
    assert (told.links, told.field_links) == ((), {})


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab[]()|:*_-> \n#%`\\,.!", max_size=80))
def test_odd_text_is_read_without_a_failure_and_labels_change_no_link(text: str):
    body = f"{text}[[a]]{text}"
    for link in find_links(body).links:
        assert 0 <= link.start < link.end <= len(body)
        if link.label is not None:
            assert link.label in body[: link.start]
    field_links([text, body])
