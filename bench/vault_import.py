"""Import of a vault with all its vectors beside parsing, splitting and embedding alone.

Then: a second import of the unchanged files beside scanning and hashing them, with nothing stored
since, and with a fact that somebody stored beside it. Takes a minute or two. Run:
``python -m bench.vault_import``.
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.support import DATA, line, memory_mb, timed
from bench.vault import statutes
from damals.adapters.embedders.e5 import E5Embedder
from damals.adapters.vault.chunker import MarkdownChunker
from damals.adapters.vault.reader import VaultReader
from damals.adapters.vault.scan import scan_notes
from damals.api import Damals
from damals.app.ports import Embedder
from damals.bootstrap import MODELS, init_home, open_home
from damals.domain.chunks import Chunk, embedded_text
from damals.settings import Settings

EMBEDDED = 240
"""Notes are taken with so many chunks together where they are embedded: some 30 a second are."""

NOTES = 3_000
AGAIN = 7
"""How often what is quick is measured; the best counts."""
BODY = "Ein Absatz über die Sache, der gesucht und gefunden werden soll, mit der Nummer "


def alone(root: Path, embedder: Embedder) -> int:
    """Parse, split and embed: nothing kept, nothing checked, nothing searchable."""
    notes, chunker = VaultReader(), MarkdownChunker()
    count = 0
    for file in scan_notes(root):
        note = notes.parse(file)
        for chunk in chunker.split(note.body):
            embedder.passage(embedded(note.title, chunk))
            count += 1
    return count


def embedded(title: str, chunk: Chunk) -> str:
    """What is embedded of a chunk."""
    head = chunk.head.text if chunk.head else ""
    return embedded_text(title, chunk.heading, chunk.text, head)


def part(whole: Path, target: Path, chunks: int) -> Path:
    """Notes of a vault with so many chunks together at most, the first ones that fit."""
    notes, chunker = VaultReader(), MarkdownChunker()
    for file in scan_notes(whole):
        count = len(chunker.split(notes.parse(file).body))
        if count <= chunks:
            chunks -= count
            copy = target / file.path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.location, copy)
    return target


def measure_vectors(folder: Path, root: Path) -> None:
    """The import until every vector is there, between two runs of its inevitable part."""
    embedder = E5Embedder(Settings().cache.expanduser() / MODELS)
    embedder.load()
    first, count = timed(lambda: alone(root, embedder))
    home = folder / "home"
    init_home(home, timezone="Europe/Berlin")
    with open_home(home) as memory:
        memory.recall("Gesetz")  # both models are loaded before anything is measured
        whole, report = timed(lambda: memory.import_(root, wait=True))
    second, _ = timed(lambda: alone(root, embedder))
    bare = (first + second) / 2
    line("parse, split, embed alone", f"{bare:.1f} s, {count} chunks")
    line("import --wait", f"{whole:.1f} s, {report.chunks} chunks")
    line("rate of the import ÷ of parse, split, embed alone", f"{bare / whole:.2f}")


def measure_again(folder: Path, root: Path, name: str) -> None:
    """The import of unchanged files into an open home, beside scanning and hashing them."""
    home = folder / f"home-{name}"
    init_home(home, timezone="Europe/Berlin")
    with open_home(home, embedder="none") as memory:
        first, _ = timed(lambda: memory.import_(root))
        memory.import_(root)
        again = best(lambda: memory.import_(root))
        beside = min(after_a_fact(memory, root, number) for number in range(AGAIN))
    hashed = best(lambda: list(scan_notes(root)))
    line(f"first import of {name}", f"{first:.1f} s")
    line("  scanning and hashing the files", f"{hashed * 1000:.0f} ms")
    line("  second import ÷ hashing", f"{again / hashed:.2f}")
    line("  the same after a fact was stored ÷ hashing", f"{beside / hashed:.2f}")
    line("  memory, at most so far", f"{memory_mb():.0f} MB")


def after_a_fact(memory: Damals, root: Path, number: int) -> float:
    """Seconds of an import when somebody has stored something else since the last one."""
    memory.remember(f"Something else, number {number}")
    seconds, _ = timed(lambda: memory.import_(root))
    return seconds


def best(call: Callable[[], object]) -> float:
    """The shortest of a few runs, in seconds."""
    return min(timed(call)[0] for _ in range(AGAIN))


def many_notes(folder: Path, count: int = NOTES) -> Path:
    """A vault of small notes that link to each other."""
    for number in range(count):
        note = folder / f"ordner-{number % 100:02}" / f"notiz-{number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        links = f"Siehe [[notiz-{(number * 7) % count}]] und [[notiz-{(number * 13) % count}]]."
        note.write_text(f"# Notiz {number}\n\n{BODY}{number}.\n\n{links}\n", encoding="utf-8")
    return folder


def measure() -> None:
    """Both, on statutes and on many small notes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if (DATA / "gesetze.bundle").exists():
            whole = statutes(folder)
            measure_again(folder, whole, "the statutes")
            measure_vectors(folder, part(whole, folder / "few", EMBEDDED))
        else:
            line("import of statutes with vectors", f"not measured: {DATA} is missing")
        measure_again(folder, many_notes(folder / "notes"), f"{NOTES} small notes")


if __name__ == "__main__":
    measure()
