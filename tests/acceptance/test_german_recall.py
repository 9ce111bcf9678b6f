"""German questions find the paragraph that answers them, through the whole product."""

import json
import math
from pathlib import Path

import pytest

from damals.bootstrap import open_home

BEST = 10


def _xquad(data: Path) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Notes by file name, and questions with the file that answers them."""
    articles = json.loads((data / "xquad.de.json").read_text(encoding="utf-8"))["data"]
    notes: dict[str, str] = {}
    questions: list[tuple[str, str]] = []
    for article in articles:
        for number, paragraph in enumerate(article["paragraphs"], start=1):
            title = f"{article['title'].replace('_', ' ').replace('/', ' ')} {number}"
            notes[f"{title}.md"] = f"# {title}\n\n{paragraph['context']}\n"
            questions += [(qa["question"], f"{title}.md") for qa in paragraph["qas"]]
    return notes, questions


@pytest.mark.model
@pytest.mark.xdist_group("xquad")
def test_xquad_paragraphs_are_found_by_their_questions(data, tmp_path):
    notes, questions = _xquad(data)
    vault = tmp_path / "xquad"
    vault.mkdir()
    for name, text in notes.items():
        (vault / name).write_text(text, encoding="utf-8")
    gain = 0.0
    with open_home(tmp_path / "home", timezone="Europe/Berlin") as memory:
        report = memory.import_(vault, wait=True)
        assert (report.added, report.pending_vectors, report.failed) == (240, 0, ())
        for question, path in questions:
            found = [hit.entry.source.path for hit in memory.recall(question, limit=BEST)]
            if path in found:
                gain += 1 / math.log2(found.index(path) + 2)
    assert len(questions) == 1190
    assert gain / len(questions) >= 0.975
