"""Import of 150 statutes beside a bare loop that splits, tokenises and upserts the same chunks.

Then: a second import of the unchanged files beside hashing them. Run: ``python -m bench.vault``.
"""

import hashlib
import subprocess
import tempfile
from pathlib import Path
from uuid import UUID, uuid5

import qdrant_edge as qe

from bench.support import DATA, line, timed
from damals.adapters.edge.engine import shard_config
from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.text.german import GermanLexicalEncoder
from damals.adapters.vault.chunker import MarkdownChunker
from damals.bootstrap import init_home, open_home

NAMESPACE = UUID(int=0)


def statutes(folder: Path) -> Path:
    """The statutes as a folder of Markdown files."""
    bundle = DATA / "gesetze.bundle"
    target = folder / "gesetze"
    command = ["git", "clone", "--quiet", "--branch", "main", str(bundle), str(target)]
    subprocess.run(command, check=True)
    return target


def bare(root: Path, folder: Path) -> int:
    """Split, tokenise, upsert: nothing kept, nothing checked, no payload but the text."""
    settings = EdgeSettings(folder, 384, "none", "0")
    settings.path.mkdir(parents=True)
    shard = qe.EdgeShard.create(str(settings.path), shard_config(settings))
    chunker, encoder = MarkdownChunker(), GermanLexicalEncoder()
    batch: list[qe.Point] = []
    count = 0
    for file in sorted(root.rglob("*.md")):
        for chunk in chunker.split(file.read_text(encoding="utf-8")):
            words = encoder.passage(chunk.text)
            vectors = {"lexical": qe.SparseVector(list(words.indices), list(words.values))}
            name = str(uuid5(NAMESPACE, f"{file}{chunk.start}"))
            batch.append(qe.Point(name, vectors, {"body": chunk.text}))
            count += 1
            if len(batch) == 500:
                shard.update(qe.UpdateOperation.upsert_points(batch))
                batch = []
    shard.update(qe.UpdateOperation.upsert_points(batch))
    shard.flush()
    shard.close()
    return count


def hashed(root: Path) -> None:
    """Read and hash every file."""
    for file in sorted(root.rglob("*.md")):
        hashlib.sha256(file.read_bytes()).hexdigest()


def measure() -> None:
    """Compare on the statutes."""
    if not (DATA / "gesetze.bundle").exists():
        line("import of statutes", f"not measured: {DATA} is missing")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = statutes(folder)
        bare_s, count = timed(lambda: bare(root, folder / "bare"))
        home = folder / "home"
        init_home(home, timezone="Europe/Berlin")
        with open_home(home) as memory:
            first_s, report = timed(lambda: memory.import_(root))
            again_s, again = timed(lambda: memory.import_(root))
        hash_s, _ = timed(lambda: hashed(root))
    line("bare loop: split, tokenise, upsert", f"{bare_s:.1f} s, {count} chunks")
    line("import until text is searchable", f"{first_s:.1f} s, {report.chunks} chunks")
    line("import ÷ bare loop", f"{first_s / bare_s:.2f}")
    line("second import", f"{again_s:.2f} s, {again.unchanged} unchanged")
    line("second import ÷ hashing the files", f"{again_s / hash_s:.1f}")


if __name__ == "__main__":
    measure()
