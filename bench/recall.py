"""Recall beside what it cannot do without: p50, p95, and recall ÷ (embedding + engine queries).

Recall is that of the whole product: ledger, engine in its worker process, ranking with graph
context; with a receipt, which is a write to the disk, and without. What is compared takes turns,
question by question, since nobody has a machine alone. Questions are embedded by the packaged
model; the engine queries are the same two by hand, in this process. The chunks are synthetic and so
are their vectors; every tenth entry has a relation. Wanted: at most 1.5 at every size.

Run: ``python -m bench.recall [chunks] [--keep FOLDER]``; the folder is filled once and used again.
At a million chunks filling takes an hour and 8 GB of disk.
"""

import argparse
import random
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import qdrant_edge as qe

from bench.edge import raw_query
from bench.support import HashEmbedder, children_mb, line, memory_mb, timed
from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.embedders.e5 import E5Embedder
from damals.adapters.text.german import GermanLexicalEncoder
from damals.api import Damals
from damals.app.index_model import IndexFilter, IndexQuery
from damals.bootstrap import init_home, open_home, system_clock
from damals.domain.instants import FOREVER
from damals.settings import Loaded

QUESTIONS = 200
WORDS_A_CHUNK = 120
RELATED = 10
"""One of so many entries is a part of the one before it."""

SYLLABLES = ("ver", "trag", "haus", "amt", "leis", "tung", "frist", "recht", "bau", "ord", "nung")
FILLED = "filled"


class QuestionEmbedder(HashEmbedder):
    """Vectors of chunks cost nothing, those of questions what they cost."""

    def __init__(self) -> None:
        self._model = E5Embedder(Loaded.load().settings.cache / "models")

    def query(self, text: str) -> bytes:
        """The vector of a question, by the packaged model."""
        return self._model.query(text)


def vocabulary(chance: random.Random) -> list[str]:
    """20,000 words that look German."""
    parts = (chance.choices(SYLLABLES, k=chance.randint(1, 4)) for _ in range(20_000))
    return ["".join(part).capitalize() for part in parts]


def fill(memory: Damals, count: int, words: list[str], chance: random.Random) -> None:
    """As many facts as chunks are wanted, from 2000 to 2025."""
    for first in range(0, count, 1_000):
        with memory.transaction() as several:
            for number in range(first, min(first + 1_000, count)):
                year = chance.randint(2000, 2025)
                text = " ".join(chance.choices(words, k=WORDS_A_CHUNK))
                tie = [{"type": "part_of", "dst": f"f{number - 1}"}]
                related = {"relations": tie} if number and number % RELATED == 0 else {}
                several.remember(
                    f"Fakt {number}", text, valid_from=f"{year}-01-01",
                    external_id=f"f{number}", **related,
                )  # fmt: skip
    memory.reindex()


def percentiles(times: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    taken = sorted(times)
    return statistics.median(taken), taken[int(0.95 * len(taken))]


def measure(count: int, folder: Path | None = None) -> None:
    """Build the base, unless it is there, and compare."""
    if folder is None:
        with tempfile.TemporaryDirectory() as made:
            measure(count, Path(made))
        return
    words = vocabulary(random.Random(1))
    embedder = QuestionEmbedder()
    done = folder / FILLED
    if not done.exists():
        init_home(folder, timezone="Europe/Berlin")
        with open_home(folder, embedding=embedder) as memory:
            fill(memory, count, words, random.Random(1))
        done.write_text(f"{count}\n")
    chance = random.Random(2)
    questions = [" ".join(chance.choices(words, k=5)) for _ in range(QUESTIONS)]
    copy = folder.with_name(f"{folder.name}.raw")
    with open_home(folder, embedding=embedder) as memory, raw_shard(folder, copy) as shard:
        compared = compare(memory, shard, embedder, questions)
    beside = [sum(two) for two in zip(compared["embedding"], compared["raw"], strict=True)]
    for name in ("with receipt", "without"):
        line(f"recall {name}, {count} chunks: p50, p95", _ms(*compared[name]))
    line("embedding of the question: p50, p95", _ms(*compared["embedding"]))
    line("the same engine queries by hand: p50, p95", _ms(*compared["raw"]))
    for name in ("with receipt", "without"):
        ratios = [one / other for one, other in zip(compared[name], beside, strict=True)]
        line(f"recall {name} ÷ (embedding + engine queries): p50, p95  (wanted: ≤ 1.5)",
             ", ".join(f"{one:.2f}" for one in ratios))  # fmt: skip
    line("most memory: worker with the index; this process, with the raw index in it",
         f"{children_mb():.0f} MB; {memory_mb():.0f} MB")  # fmt: skip


def compare(
    memory: Damals, shard: "qe.EdgeShard", embedder: HashEmbedder, questions: list[str]
) -> dict[str, tuple[float, float]]:
    """Median and 95th percentile of each, in seconds; all of them take turns."""
    encoder = GermanLexicalEncoder()
    where = IndexFilter("default", system_clock(), FOREVER - 1)
    asked = {q: IndexQuery(where, embedder.query(q), encoder.query(q), 100) for q in questions}
    parts: dict[str, Callable[[str], object]] = {
        "with receipt": memory.recall,
        "without": lambda q: memory.recall(q, receipt=False),
        "embedding": embedder.query,
        "raw": lambda q: raw_query(shard, asked[q]),
    }
    for question in questions[:20]:
        for part in parts.values():
            part(question)
    taken: dict[str, list[float]] = {name: [] for name in parts}
    for question in questions:
        for name, part in parts.items():
            taken[name].append(timed(lambda q=question, p=part: p(q))[0])
    return {name: percentiles(times) for name, times in taken.items()}


def _ms(p50: float, p95: float) -> str:
    return f"{1000 * p50:.1f} ms, {1000 * p95:.1f} ms"


@contextmanager
def raw_shard(home: Path, copy: Path) -> Iterator["qe.EdgeShard"]:
    """The engine over a copy of a home's index, in this process: the home has the other."""
    name = (home / "index" / "current").read_text(encoding="utf-8").strip()
    shutil.copytree(home / "index" / name, copy / name)
    index = EdgeChunkIndex(EdgeSettings(copy / name, 384, "hash", "1"))
    try:
        yield cast("qe.EdgeShard", index._shard)  # noqa: SLF001 -- we compare with what lies beneath
    finally:
        index.close()
        shutil.rmtree(copy)


def main() -> None:
    """Measure one size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chunks", nargs="?", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="folder that is filled once and kept")
    given = parser.parse_args()
    measure(given.chunks, given.keep)


if __name__ == "__main__":
    main()
