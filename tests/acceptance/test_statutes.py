"""150 statutes, 11 MB: taken in at once, found by their words, kept up section by section."""

import hashlib
import shutil
import subprocess
from array import array
from pathlib import Path
from random import Random

import pytest

from damals.bootstrap import open_home


class CountingEmbedder:
    """Directions that depend on the text alone, and a list of what was asked."""

    model = "counting"
    version = "1"
    dimension = 384

    def __init__(self) -> None:
        self.passages: list[str] = []

    def passage(self, text: str) -> bytes:
        self.passages.append(text)
        return self._direction(text)

    def query(self, text: str) -> bytes:
        return self._direction(text)

    def _direction(self, text: str) -> bytes:
        chance = Random(hashlib.sha256(text.encode()).digest())
        numbers = [chance.gauss(0, 1) for _ in range(self.dimension)]
        length = sum(n * n for n in numbers) ** 0.5
        return array("f", [n / length for n in numbers]).tobytes()


@pytest.fixture(scope="module")
def statutes(data, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("statutes") / "gesetze"
    bundle = data / "gesetze.bundle"
    subprocess.run(
        ["git", "clone", "--quiet", "--branch", "main", str(bundle), str(folder)], check=True
    )
    return folder


@pytest.fixture(scope="module")
def home(statutes, tmp_path_factory) -> Path:
    """A home with all statutes and not one vector."""
    folder = tmp_path_factory.mktemp("home")
    with open_home(folder, embedding=CountingEmbedder(), timezone="Europe/Berlin") as memory:
        report = memory.import_(statutes)
        assert (report.added, report.failed) == (150, ())
        assert report.pending_vectors == report.chunks > 10_000
    return folder


@pytest.mark.xdist_group("statutes")
@pytest.mark.parametrize(
    ("question", "statute"),
    [
        ("Urlaubsanspruch im Kalenderjahr", "Mindesturlaubsgesetz für Arbeitnehmer"),
        ("Kündigungsfrist Mietverhältnis", "Bürgerliches Gesetzbuch"),
        ("Beschäftigungsverbot stillende Frau", "Gesetz zum Schutz von Müttern"),
    ],
)
def test_words_find_a_statute_before_any_vector_is_there(home, question, statute):
    with open_home(home, embedding=CountingEmbedder()) as memory:
        found = memory.recall(question, limit=3)
    assert any(hit.entry.title.startswith(statute) for hit in found)
    assert found.index_lag > 10_000
    assert found.caveats


@pytest.mark.xdist_group("statutes")
def test_a_second_import_finds_everything_unchanged_and_stores_nothing(home, statutes):
    with open_home(home, embedding=CountingEmbedder()) as memory:
        before = len(memory.log().transactions)
        report = memory.import_(statutes)
        assert len(memory.log().transactions) == before
    assert (report.unchanged, report.added, report.changed, report.failed) == (150, 0, 0, ())


@pytest.mark.xdist_group("statutes")
def test_a_changed_sentence_embeds_the_chunks_of_its_section_only(statutes, tmp_path):
    vault = tmp_path / "gesetze"
    vault.mkdir()
    [source] = [file for file in statutes.rglob("*.md") if file.parent.name == "bgb"]
    shutil.copy(source, vault / "bgb.md")
    embedder = CountingEmbedder()
    with open_home(tmp_path / "home", embedding=embedder) as memory:
        memory.import_(vault, wait=True)
        assert len(embedder.passages) > 2_000
        text = (vault / "bgb.md").read_text(encoding="utf-8")
        old = "Die Rechtsfähigkeit des Menschen beginnt mit der Vollendung der\nGeburt."
        assert text.count(old) == 1
        new = "Die Rechtsfähigkeit des Menschen beginnt mit der vollendeten\nGeburt."
        (vault / "bgb.md").write_text(text.replace(old, new), encoding="utf-8")
        embedder.passages.clear()
        report = memory.import_(vault, wait=True)
        assert (report.changed, report.chunks, report.pending_vectors) == (1, 1, 0)
        assert len(embedder.passages) == 1
        assert "mit der vollendeten" in embedder.passages[0]
        # The old wording is still what was known before.
        [note] = memory.entries()
        before = memory.history(note.id).versions[0].recorded_from
        assert old in memory.get(note.id, known_at=before).content
        assert new in memory.get(note.id).content
