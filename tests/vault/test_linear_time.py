"""Texts that take hours where anything takes the square of their length; they end in seconds."""

import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from damals.adapters.vault import MarkdownChunker, VaultReader
from damals.adapters.vault.links import find_links
from damals.app.source_model import ParsedNote, SourceFile

PATIENCE_S = 60
SIZE = 100_000


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """Ends a test that would not end."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"it took more than {PATIENCE_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def read(folder: Path, text: str) -> ParsedNote:
    """Everything that an import does with one note before it tells the ledger."""
    file = folder / "n.md"
    file.write_text(text, encoding="utf-8")
    note = VaultReader().parse(SourceFile("n.md", file, "x"))
    MarkdownChunker().split(note.body)
    return note


TEXTS = {
    "embeds that are never closed": "![[" * 200_000 + "\n\n[[b]]",
    "runs of backticks, each longer": " ".join("`" * n for n in range(1_000)) + "\n\n[[b]]",
    "comments behind a link": "- a [[b]]" + "%% " * SIZE,
    "comments": "%%" * SIZE + "\n\n[[b]]",
    "brackets": "[" * SIZE + "\n\n[[b]]",
    "fields that are never closed": "(part_of:: " * SIZE + "\n\n[[b]]",
    "sentences": "Das ist ein Satz. " * 40_000 + "\n\n[[b]]",
    "a sentence without end": "wort " * SIZE + "\n\n[[b]]",
    "questions": "?" * SIZE + "\n\n[[b]]",
    "quotation marks": "„Ja. " * SIZE + "\n\n[[b]]",
    "ordinals": "5. " * SIZE + "\n\n[[b]]",
    "accents": "a" + "\u0301" * SIZE + "\n\n[[b]]",
    "dollars": "$a " * SIZE + "\n\n[[b]]",
    "HTML comments": "x " + "<!-- " * SIZE + "\n\n[[b]]",
    "columns": "|" + "a|" * 10_000 + "\n|" + "-|" * 10_000 + "\n|" + "b|" * 10_000 + "\n\n[[b]]",
    "rows": "|a|b|\n|-|-|\n" + "|x|y|\n" * 10_000 + "\n[[b]]",
    "items": "- x\n" * 10_000 + "\n\n[[b]]",
    "levels of lists": "".join("  " * n + "- x\n" for n in range(1_200)) + "\n\n[[b]]",
    "levels of quotes": ">" * SIZE + " [[b]]",
    "headings": "# a\n" * 10_000 + "[[b]]",
    "lines of code": "```\n" + "x\n" * SIZE + "```\n\n[[b]]",
    "blank lines": "\n" * SIZE + "[[b]]",
    "links in a field": "---\nup: '" + "[[a]] " * SIZE + "'\n---\n[[b]]",
    "a field without end": "---\n" + "a " * SIZE + "\n---\n[[b]]",
    "brackets in a field": "---\nup: " + "[[" * SIZE + "\n---\n[[b]]",
    "frontmatter that is never closed": "---\n" + "a: b\n" * 10_000 + "[[b]]",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_is_read_and_cut_in_one_go_and_the_link_in_it_is_found(tmp_path: Path, text: str):
    assert "b" in {link.target for link in read(tmp_path, text).links}


@pytest.mark.parametrize("nested", ["- ", "> ", "1. ", "> - ", "- > "])
def test_what_follows_deep_nesting_is_read_like_anything_else(nested: str):
    steps = "".join(f"{'   ' * n}{nested}x\n" for n in range(120))
    for deep in (steps, nested * 300 + "[[a]]\n", "- " * 300 + nested * 300 + "[[a]]\n"):
        body = f"{deep}\n\n# Kopf\n\n[[b]]"
        assert "b" in {link.target for link in find_links(body).links}
        assert MarkdownChunker().split(body)[-1].heading == ("Kopf",)
