"""How a text is cut into chunks."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from damals.adapters.vault import MarkdownChunker
from damals.adapters.vault.chunker import FULL, LIMIT, WHOLE
from damals.adapters.vault.markdown import Lines, headings, may_have_headings, parse_blocks
from damals.adapters.vault.sentences import sentence_ranges
from damals.domain.chunks import Chunk, embedded_text

SENTENCE = "Dieser Satz hat genau fünfzig Zeichen, ganz genau. "
PARAGRAPH = SENTENCE * 10


def split(text: str) -> list[Chunk]:
    chunks = list(MarkdownChunker().split(text))
    check(text, chunks)
    return chunks


def texts(text: str) -> list[str]:
    return [chunk.text for chunk in split(text)]


def check(text: str, chunks: list[Chunk]) -> None:
    """What holds for every text: exact offsets, and nothing lost or doubled."""
    lines = Lines(text)
    covered = bytearray(len(text))
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.line == lines.number(chunk.start)
        assert not any(covered[chunk.start : chunk.end])
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    titles = bytearray(len(text))
    for heading in headings(parse_blocks(text)):
        start, end = lines.offset(heading.first), lines.offset(heading.end)
        titles[start:end] = b"\1" * (end - start)
    assert all(
        covered[place] or titles[place] or character.isspace()
        for place, character in enumerate(text)
    )
    for chunk in chunks:
        inside = titles[chunk.start : chunk.end]
        assert all(inside) or not any(inside), "a heading's line is a chunk of its own or in none"
    places = [(chunk.heading, chunk.heading_ordinal, chunk.ordinal) for chunk in chunks]
    assert len(set(places)) == len(places)
    assert chunks


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u2028"])
def test_an_empty_text_is_one_empty_chunk(text: str):
    assert split(text) == [Chunk((), 0, 0, 0, 0, 1, "")]


def test_a_short_fact_is_one_chunk():
    assert split("Anna wohnt in Köln.") == [Chunk((), 0, 0, 0, 19, 1, "Anna wohnt in Köln.")]


def test_blanks_around_a_text_are_no_part_of_it():
    [chunk] = split("\n\n  Anna wohnt in Köln. \n\n")
    assert (chunk.text, chunk.line) == ("Anna wohnt in Köln.", 3)


@settings(max_examples=50)
@given(st.text("aä .:|`>-*\t\n\r\u2028\u00a0", min_size=1, max_size=60))
def test_a_short_text_is_the_same_chunk_whether_or_not_a_blank_stands_before_it(text: str):
    if may_have_headings(text) or text[0].isspace():
        return
    (chunk,), (moved,) = split(text), split(f"\n{text}")
    assert (chunk.start, chunk.end, chunk.line) == (moved.start - 1, moved.end - 1, moved.line - 1)
    assert chunk.text == moved.text == text.rstrip()
    assert (chunk.heading, chunk.ordinal) == (moved.heading, moved.ordinal)


def test_headings_are_the_path_and_not_the_text():
    text = "Vorwort\n\n# A\n\nEins\n\n## B\n\nZwei\n\nKopf\n====\nDrei\n\n### D\nVier\n"
    assert [(chunk.heading, chunk.text) for chunk in split(text)] == [
        ((), "Vorwort"),
        (("A",), "Eins"),
        (("A", "B"), "Zwei"),
        (("Kopf",), "Drei"),
        (("Kopf", "D"), "Vier"),
    ]


def test_equal_heading_paths_are_counted():
    text = "# A\n\n## B\n\n1\n\n## B\n\n2\n\n# A\n\n## B\n\n3\n"
    assert [(chunk.heading, chunk.heading_ordinal) for chunk in split(text)] == [
        (("A", "B"), 0),
        (("A", "B"), 1),
        (("A", "B"), 2),
    ]


def test_an_edit_renumbers_no_other_section():
    before = split(f"# A\n\n{PARAGRAPH}\n\n# B\n\nText\n")
    after = split(
        f"# A\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n# B\n\nText\n"
    )
    place = ("heading", "heading_ordinal", "ordinal", "text")
    assert len(after) > len(before)
    assert [getattr(before[-1], name) for name in place] == [
        getattr(after[-1], name) for name in place
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# nein\n```\n",
        "> # nein\n",
        "- # nein\n",
        "#nein\n",
        "    # nein\n",
        "$$\na\n=\nb\n$$\n",
        "# " + "lang " * 300 + "\n",
        "I Spalte I Spalte I\nI 1      I 2      I\n-------------------\n",
    ],
)
def test_what_is_no_heading_begins_no_section(text: str):
    assert {chunk.heading for chunk in split(text)} == {()}


def test_an_innermost_heading_without_text_is_a_chunk_and_an_outer_one_is_none():
    assert [(c.heading, c.text) for c in split("# A\n\n## B\n\n## C\n\nText\n")] == [
        (("A", "B"), "## B"),
        (("A", "C"), "Text"),
    ]


def test_a_text_of_headings_only_has_its_innermost_headings():
    assert [(chunk.heading, chunk.text) for chunk in split("# A\n\n## B\n\n## C\n")] == [
        (("A", "B"), "## B"),
        (("A", "C"), "## C"),
    ]


def test_whole_blocks_are_packed_until_a_chunk_is_full():
    chunks = texts("\n\n".join([PARAGRAPH.strip()] * 7))
    assert [len(chunk) for chunk in chunks] == [1_020, 1_020, 1_020, 509]
    assert all(chunk.endswith("genau.") for chunk in chunks)


def test_small_blocks_of_a_section_share_a_chunk():
    assert texts("# A\n\nEins.\n\n- a\n- b\n\n> Zitat\n") == ["Eins.\n\n- a\n- b\n\n> Zitat"]


def test_a_long_paragraph_is_cut_between_sentences():
    chunks = texts(SENTENCE * 60)
    assert len(chunks) > 1
    assert all(chunk.endswith("genau.") and len(chunk) <= LIMIT for chunk in chunks)
    assert all(len(chunk) >= FULL for chunk in chunks[:-1])


def test_a_long_list_is_cut_between_items():
    chunks = texts("\n".join(f"- {SENTENCE}" for _ in range(60)))
    assert all(chunk.startswith("- Dieser") and len(chunk) <= LIMIT for chunk in chunks)


def test_a_long_item_is_cut_between_its_blocks_and_then_by_sentence():
    nested = "\n".join(f"    - {SENTENCE}" for _ in range(40))
    chunks = texts(f"- a\n- {SENTENCE * 40}\n{nested}\n- z\n")
    assert all(len(chunk) <= LIMIT for chunk in chunks)
    assert all(chunk.endswith(("genau.", "z")) for chunk in chunks)


def test_text_without_a_gap_is_cut_by_length():
    assert [len(chunk) for chunk in texts("x" * 4_000)] == [LIMIT, LIMIT, 1_000]


def test_no_cut_parts_a_letter_from_its_accents():
    assert not any(chunk.startswith("\u0308") for chunk in texts("u\u0308" * 2_000 + "x" * 10))
    assert not any(chunk.startswith("\u0308") for chunk in texts("x" + "u\u0308" * 2_000))


BLOCKS = {
    "code": "```python\n" + "print('zeile')\n" * 130 + "```",
    "table": "| a | b |\n|---|---|\n" + "| eins zwei | drei |\n" * 80,
    "callout": "> [!note] Titel\n" + f"> {SENTENCE}\n" * 40,
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_code_tables_and_callouts_stay_whole(kind: str):
    block = BLOCKS[kind].strip()
    assert LIMIT < len(block) <= WHOLE
    assert texts(f"Davor.\n\n{block}\n\nDanach.\n") == ["Davor.", block, "Danach."]


@pytest.mark.parametrize("kind", BLOCKS)
def test_one_that_is_too_long_is_cut_between_lines(kind: str):
    first, _, rest = BLOCKS[kind].partition("\n")
    chunks = texts("Davor.\n\n" + "\n".join([first, *rest.rstrip("`\n").split("\n") * 4]))
    assert all(len(chunk) <= LIMIT for chunk in chunks)
    if kind != "callout":
        assert chunks[0] == "Davor."
        assert chunks[1].startswith(first)
        assert {chunk.splitlines()[-1] for chunk in chunks[1:]} == {rest.split("\n")[5]}


def table(head: str, rows: int) -> str:
    rule = "|".join("---" for _ in head.split("|"))
    return f"{head}\n{rule}\n" + "".join(f"{n} | {SENTENCE}\n" for n in range(rows))


def test_each_later_part_of_a_table_is_embedded_with_its_head_and_stored_without_it():
    text = f"# Steuern\n\nDavor.\n\n{table('Jahr | Satz', 200)}\nDanach."
    before, first, *later = split(text)
    assert (before.head, first.head) == (None, None)
    assert first.text.startswith("Jahr | Satz\n---|---\n0 | ")
    assert len(later) > 5
    for chunk in later:
        assert chunk.head is not None
        assert text[chunk.head.start : chunk.head.end].strip() == chunk.head.text
        assert chunk.head.text == "Jahr | Satz\n---|---"
        assert "Jahr" not in chunk.text
        assert text[chunk.start : chunk.end] == chunk.text
    plain = replace(later[0], head=None)
    assert plain.digest("T") != later[0].digest("T")
    assert embedded_text("T", ("H",), "x", "Kopf") == "T › H\nKopf\nx"


def test_a_head_as_long_as_a_text_is_not_repeated():
    chunks = split(table("Spalte" * 100 + " | Satz", 100))
    assert [chunk.head for chunk in chunks] == [None] * len(chunks)


def test_a_table_in_a_list_repeats_its_head_too():
    text = "- Punkt\n\n" + "".join(f"  {row}\n" for row in table("A | B", 100).splitlines())
    heads = {chunk.head.text for chunk in split(text) if chunk.head}
    assert heads == {"  A | B\n  ---|---"}


def test_indented_code_keeps_its_indentation():
    assert texts("# A\n\n    if x:\n        y()\n")[-1] == "    if x:\n        y()"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_counts(end: str):
    chunks = split(f"# A{end}{end}Eins{end}{end}# B{end}{end}Zwei{end}")
    assert [(chunk.heading, chunk.line, chunk.text) for chunk in chunks] == [
        (("A",), 3, "Eins"),
        (("B",), 7, "Zwei"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[ref]: https://example.org\n\n# A\n\n[^1]: Fußnote\n[b]: c 'd'\n",
        ">" * 5_000 + "a\n\n# B\n\nc",
        "- " * 5_000 + "a\n\n# B\n\nc",
        "<!-- offen\n\n# A\n\nText",
        "a\n\n***\n\nb\n",
        "# A\n\x0b\n\u2028\n# B\nc",
        "$$\n" * 3_001 + "# A\n",
        "$$x\n" * 8_000,
        "x\0y\n\n# A\n\nz\0",
        "word " * 25_400,
        "\n".join("  " * depth + f"- {SENTENCE}" for depth in range(120)),
    ],
)
def test_nothing_is_lost_in_strange_texts(text: str):
    split(text)


PART = st.sampled_from(
    [
        *("# A\n", "## B\n", "### A\n", "Text", "Ende.\n\n", "===\n", "---\n", "- Punkt\n"),
        *("    code\n", "```\n", "> Zitat\n", "| a |\n|---|\n| b |\n", "\n", "\r\n", "\r", " "),
        *("\t", "1. x\n", SENTENCE * 12, SENTENCE * 40, "x" * 1_600, "\u2028", "$$\n", "<!--"),
        *("-->\n", "<div>\n", "[r]: x\n", "\x0c", "%%\n", "#\n", "* * *\n", "\0"),
        "> " + SENTENCE * 35 + "\n",
        "| a |\n|---|\n" + "| b b b b b |\n" * 130,
        f"- {SENTENCE * 8}\n" * 5,
        f"  - {SENTENCE * 20}\n" * 3,
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PART, max_size=14).map("".join))
@example("\r# A\nText")
@example("\r\n# A\r\n" + "x" * 1_300)
def test_every_character_is_in_one_chunk(text: str):
    chunks = split(text)
    assert all(len(chunk.text) <= WHOLE for chunk in chunks)


@pytest.mark.parametrize(
    "sentences",
    [
        ["Das war im 19. Jahrhundert so. ", "Am 3. Oktober z. B. feiern wir. ", "Ende."],
        ["Der Preis gilt inkl. Versand. ", "Die Fa. Müller liefert. ", "Ende."],
        ["Termin Mo., 5. Oktober um 9 Uhr. ", "Am Mo., 5. Mai. ", "Ende."],
        ["Der 2. Weltkrieg endete 1945. ", "Er wurde 19. ", "Dann zog er um."],
        ["Nach § 7 Abs. 3 Satz 2 gilt das. ", "Gem. Art. 5 auch. ", "Ende."],
        ["Am 24.12. Oktoberreste. ", "Am 3. 10. Feier. ", "Ende."],
        ["Ein Satz! ", "Noch einer? ", "Ja."],
    ],
)
def test_german_sentences(sentences: list[str]):
    text = "".join(["Davor. ", *sentences])
    ranges = list(sentence_ranges(text, 7, len(text)))
    assert [text[start:end] for start, end in ranges] == sentences


def test_statutes_are_cut_without_loss(tmp_path: Path):
    data = Path(os.environ.get("DAMALS_DATA", Path(__file__).parents[2].parent / "shared/data"))
    bundle = data / "gesetze.bundle"
    if not bundle.exists():
        pytest.skip(f"no statutes at {bundle}; set DAMALS_DATA")
    target = tmp_path / "gesetze"
    subprocess.run(["git", "clone", "-q", "-b", "main", bundle, target], check=True)
    files = sorted(target.rglob("*.md"), key=lambda path: path.stat().st_size)[:100]
    assert len(files) == 100
    for file in files:
        assert all(len(chunk.text) <= WHOLE for chunk in split(file.read_text(encoding="utf-8")))
