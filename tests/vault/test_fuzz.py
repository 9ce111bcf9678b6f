"""Notes that are put together from real syntax: no crash, no hang, and everything where it says.

Together with the canvases 10,000 of them in the nightly run, few otherwise.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damals.adapters.vault import MarkdownChunker, VaultReader
from damals.adapters.vault.frontmatter import split_frontmatter
from damals.adapters.vault.links import field_links, find_links
from damals.adapters.vault.markdown import Lines, headings, parse_blocks
from damals.app.source_model import Link, ParsedNote, SourceFile
from damals.domain.entries import Json

NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"
EACH = 2_500 if NIGHTLY else 40

thorough = settings(max_examples=EACH, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Known(NamedTuple):
    """A text of which it is known what stands in it."""

    text: str
    links: tuple[tuple[str, bool], ...] = ()
    tags: tuple[str, ...] = ()


# Texts of which it is known what stands in them

NAMES = st.sampled_from(
    [
        "Ziel",
        "Über Öl",
        "a/b c",
        "Version 1.2",
        "Müller, Karl",
        "🚀",
        "x.canvas",
        "2024-05-06",
        "C++",
    ]
)
WORDS = st.lists(
    st.sampled_from(
        ["Wort", "5 €", "$5", "std::vector", "z. B.", "a_b", "C#", "\\#nein", "\\[[nein]]", "1 < 2",
         "[ ]", "(so)", "https://example.org/#nein", "100 %", "2 * 3", "#1984", "&amp;", "|"]
    ),
    min_size=1, max_size=4,
).map(" ".join)  # fmt: skip


@st.composite
def links(draw: st.DrawFn) -> Known:
    """One link in any way of writing."""
    name = draw(NAMES)
    end = draw(st.sampled_from(["", "#Kopf", "#^block", "#a#b"]))
    shown = draw(st.sampled_from(["", "|anders", " | 640x480"]))
    bang = draw(st.sampled_from(["", "!"]))
    plain = f"{bang}[[{draw(st.sampled_from(['', ' ']))}{name}{end}{shown}]]"
    written = draw(
        st.sampled_from(
            [plain, f"[Text](<{name}.md{end}>)", f"[x]({name.replace(' ', '%20')}.md)"]
            if not name.endswith(".canvas")
            else [plain]
        )
    )
    return Known(written, ((name, False),))


TAGS = st.sampled_from(["tag", "größe/x", "a-b_c", "2024q1", "🚀"]).map(
    lambda tag: Known(f"#{tag}", (), (tag,))
)


def joined(parts: Sequence[Known], between: str) -> Known:
    return Known(
        between.join(part.text for part in parts),
        tuple(link for part in parts for link in part.links),
        tuple(tag for part in parts for tag in part.tags),
    )


RUNS = st.lists(links() | TAGS | WORDS.map(Known), min_size=1, max_size=4).map(
    lambda parts: joined(parts, " ")
)


def unread(text: str) -> Known:
    return Known(text)


def kept(run: Known, text: str) -> Known:
    """The links of a comment, marked."""
    return Known(text, tuple((name, True) for name, _ in run.links))


def table_row(run: Known) -> Known:
    cell = run.text.replace("|", "\\|")
    return run._replace(text=f"| a | b |\n|---|---|\n| {cell} | x |")


# A lone backtick, dollar or comment in a run would change what stands behind it; none is in one.
BLOCKS = RUNS.flatmap(
    lambda run: st.sampled_from(
        [
            run,
            run._replace(text=f"# {run.text}"),
            run._replace(text=f"{run.text}\n==="),
            run._replace(text=f"- {run.text}\n  - Wort"),
            run._replace(text=f"1. {run.text}"),
            run._replace(text=f"> [!note] Titel\n> {run.text}"),
            run._replace(text=f"- [x] {run.text}"),
            run._replace(text=f"**Wort** {run.text} *Wort*"),
            unread(f"```\n{run.text}\n\n{run.text}\n```"),
            unread(f"~~~dataview\n{run.text}\n~~~"),
            unread(f"- Wort\n\n  ```tasks\n  {run.text}\n  ```"),
            unread(f"Wort `{run.text}` Wort"),
            unread(f"Wort ``a ` {run.text}`` Wort"),
            unread(f"<!-- {run.text} -->"),
            unread(f"<!--\n{run.text}\n\n{run.text}\n-->"),
            unread(f"$$\n{run.text}\n$$"),
            kept(run, f"Wort %%{run.text}%% Wort"),
            kept(run, f"%%\n{run.text}\n%%"),
            table_row(run),
        ]
    )
)
NOTES = st.lists(BLOCKS, min_size=1, max_size=6).map(lambda parts: joined(parts, "\n\n"))


def folded(tags: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(tags))


@thorough
@given(NOTES)
def test_what_was_written_is_what_is_read(note: Known):
    found = find_links(note.text)
    assert [(link.target, link.hidden) for link in found.links] == list(note.links)
    assert folded(found.tags) == folded(note.tags)
    for link in found.links:
        check_link(link, note.text)
    check_chunks(note.text)


# Texts of which nothing is known

PIECES = st.sampled_from(
    [
        *("[[", "]]", "![[", "[", "](", ")", "|", "\\|", "\\", "#", "^", "`", "``", "```", "~~~"),
        *("%%", "$", "$$", "<!--", "-->", "<", ">", "<a ", "---", "===", "::", ":: ", "{{", "}}"),
        *("\n", "\n\n", "\n\n\n", "    ", "\t", "- ", "> ", "1. ", "- [x] ", "> [!note] ", "| "),
        *("|---|---|\n", "# ", "part_of:: ", "(part_of:: ", "[part_of:: ", "- part_of ", "#tag"),
        *("[[Ziel]]", "[x](y.md)", "[[a|b]]", "![[c#d]]", "Wort ", "Das ist so. ", "z. B. "),
        *("\u0308", "\u200d", "😀", "\u2028", "\x0b", "\x85", "\ufeff", "&#35;", "https://x.de/"),
    ]
)
MESSES = st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join)
LONG = st.tuples(PIECES, st.integers(1, 800)).map(lambda pair: pair[0] * pair[1])
BODIES = st.lists(MESSES | LONG | NOTES.map(lambda note: note.text), max_size=4).map("".join)


def check_link(link: Link, body: str) -> None:
    """A link is where it says, and says what stands there."""
    written = body[link.start : link.end]
    assert written.startswith("![" if link.embed else "[")
    assert written.endswith(")" if link.markdown else "]]")
    assert link.markdown or link.target in written
    assert link.markdown or (link.fragment or "") in written
    assert link.target or link.fragment
    assert link.line == Lines(body).number(link.start)
    if link.label is not None:
        line = body.rfind("\n", 0, link.start) + 1
        assert link.label in body[line : link.start]
        assert not link.hidden


def check_chunks(text: str) -> None:
    """The chunks are parts of the text in order, and leave out blanks and headings only."""
    lines = Lines(text)
    heads = {line for one in headings(parse_blocks(text)) for line in range(one.first, one.end)}
    reached = 0
    for chunk in MarkdownChunker().split(text):
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.line == lines.number(chunk.start)
        assert reached <= chunk.start
        check_gap(text, lines, heads, reached, chunk.start)
        if chunk.head:
            assert text[chunk.head.start : chunk.head.end].rstrip() == chunk.head.text
            assert chunk.head.end <= chunk.start
        reached = chunk.end
    check_gap(text, lines, heads, reached, len(text))


def check_gap(text: str, lines: Lines, heads: set[int], start: int, end: int) -> None:
    for place in range(start, end):
        assert text[place].isspace() or lines.number(place) - 1 in heads


@thorough
@given(BODIES)
def test_whatever_a_text_holds_is_where_it_says(body: str):
    found = find_links(body)
    assert [link.start for link in found.links] == sorted(link.start for link in found.links)
    for link in found.links:
        check_link(link, body)
    for tag in found.tags:
        assert f"#{tag}" in body
        assert not re.fullmatch(r"[\d/]*", tag)
    check_chunks(body)


# Frontmatter

KEYS = st.sampled_from(
    ["title", "tags", "tag", "aliases", "up", "part_of", "valid_from", "id", "Datum", "a b", "x"]
)
SCALARS = st.sampled_from(
    [
        *("no", "12:30", "007", "2024-02-30", "1e5", "null", "~", "''", '"', "a, b", "[[A]]"),
        *("'[[A|b]]'", '"[[A]], [[B#c]]"', "[[[A]], [[B]]]", "[a, #b]", "#tag", "# Wort", "a: b"),
        *("{a: b}", "{", "[", "- x", "*a", "&a x", "!!python/object:os.system x", "|", ">-", "@x"),
        *(
            "%x",
            "`x`",
            "{{titel}}",
            "<% x %>",
            "\t",
            "ü\u0308",
            "!!binary x",
            "? x",
            "--- x",
            "...",
        ),
    ]
)
FIELDS = st.one_of(
    st.tuples(KEYS, SCALARS).map(lambda pair: f"{pair[0]}: {pair[1]}"),
    st.tuples(KEYS, st.lists(SCALARS, max_size=3)).map(
        lambda pair: "\n".join([f"{pair[0]}:", *(f"- {item}" for item in pair[1])])
    ),
    st.tuples(KEYS, KEYS, SCALARS).map(lambda three: f"{three[0]}:\n  {three[1]}: {three[2]}"),
    st.sampled_from(["", "# Kommentar", "kein Feld", "  falsch: eingerückt", "\tTab: x", "---x"]),
)
RULES = st.sampled_from(["---", "---  ", "...", "----", " ---", "\ufeff---", ""])
FRONTS = st.tuples(RULES, st.lists(FIELDS, max_size=6).map("\n".join), RULES, BODIES).map("\n".join)


def check_json(value: Json) -> None:
    """Whatever YAML says is text, list, mapping or nothing."""
    pending: list[Json] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, dict):
            pending.extend((*item.keys(), *item.values()))
        else:
            assert item is None or type(item) is str


@thorough
@given(FRONTS)
def test_frontmatter_and_body_are_the_file(text: str):
    front = split_frontmatter(text)
    assert text.endswith(front.body)
    before = text[: len(text) - len(front.body)]
    assert front.body_line == before.count("\n") + 1 or (before and not front.body)
    if before:
        assert re.fullmatch(r"---[ \t]*\n(?s:.*?)^(?:---|\.\.\.)[ \t]*\n?", before, re.MULTILINE)
    else:
        assert (front.fields, front.properties) == ({}, {})
    check_json({**front.properties, **front.fields})
    for value in front.properties.values():
        for link in field_links(value).links:
            assert link.target in text or link.markdown


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@thorough
@given(text=FRONTS | BODIES, encoding=ENCODINGS, end=ENDS)
def test_a_file_is_read_the_same_whatever_its_encoding_and_line_ends(
    folder: Path, text: str, encoding: str, end: str
):
    text = text.replace("\0", "").removeprefix("\ufeff")
    plain, other = (
        read(folder, text.encode()),
        read(folder, text.replace("\n", end).encode(encoding)),
    )
    assert replace(plain, digest=other.digest) == other
    text.encode()
    for tag in plain.tags:
        assert tag in text


def read(folder: Path, data: bytes) -> ParsedNote:
    file = folder / "n.md"
    file.write_bytes(data)
    return VaultReader().parse(SourceFile("n.md", file, "x"))
