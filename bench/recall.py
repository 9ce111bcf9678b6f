"""Recall beside what it cannot do without: p50, p95, and recall ÷ (embedding + engine queries).

Recall is that of the whole product: ledger, engine in its worker process, ranking with graph
context, without a receipt (which is a write to the disk). Questions are embedded by the packaged
model; the engine queries are the same two by hand, in this process. The chunks are synthetic and so
are their vectors; every tenth entry has a relation. Wanted: at most 1.5 at every size.

Run: ``python -m bench.recall [chunks] [--keep FOLDER]``; the folder is filled once and used again.
At a million chunks filling takes an hour and 8 GB of disk.
"""

import argparse
import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import qdrant_edge as qe

from bench.edge import raw_query
from bench.support import HashEmbedder, line, memory_mb, timed
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


def percentiles(calls: Sequence[Callable[[], object]]) -> tuple[float, float]:
    """Median and 95th percentile of what calls take, in seconds."""
    taken = sorted(timed(call)[0] for call in calls)
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
    with open_home(folder, embedding=embedder, receipts=False) as memory:
        for question in questions[:20]:
            memory.recall(question)
        recall = percentiles([lambda q=q: memory.recall(q) for q in questions])
    embed = percentiles([lambda q=q: embedder.query(q) for q in questions])
    raw = raw_times(folder, questions, embedder)
    line(f"recall, {count} chunks: p50, p95", _ms(*recall))
    line("embedding of the question: p50, p95", _ms(*embed))
    line("the same engine queries by hand: p50, p95", _ms(*raw))
    line("recall ÷ (embedding + engine queries), p50  (wanted: ≤ 1.5)",
         f"{recall[0] / (embed[0] + raw[0]):.2f}")  # fmt: skip
    line("the same of p95", f"{recall[1] / (embed[1] + raw[1]):.2f}")
    line("memory of this process, with the raw index in it", f"{memory_mb():.0f} MB")


def _ms(p50: float, p95: float) -> str:
    return f"{1000 * p50:.1f} ms, {1000 * p95:.1f} ms"


def raw_times(home: Path, questions: list[str], embedder: HashEmbedder) -> tuple[float, float]:
    """Times of the two engine queries behind a recall, written by hand."""
    name = (home / "index" / "current").read_text(encoding="utf-8").strip()
    index = EdgeChunkIndex(EdgeSettings(home / "index" / name, 384, "hash", "1"))
    shard = cast("qe.EdgeShard", index._shard)  # noqa: SLF001 -- we compare with what lies beneath
    encoder = GermanLexicalEncoder()
    where = IndexFilter("default", system_clock(), FOREVER - 1)
    asked = [IndexQuery(where, embedder.query(q), encoder.query(q), 100) for q in questions]
    for query in asked[:20]:
        raw_query(shard, query)
    taken = percentiles([lambda q=q: raw_query(shard, q) for q in asked])
    index.close()
    return taken


def main() -> None:
    """Measure one size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chunks", nargs="?", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="folder that is filled once and kept")
    given = parser.parse_args()
    measure(given.chunks, given.keep)


if __name__ == "__main__":
    main()
