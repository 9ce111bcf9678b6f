"""Recall beside the raw engine queries that it makes, in a base of 20,000 chunks.

(recall − embedding of the question) ÷ (the same two engine queries by hand). The chunks are
synthetic and so are their vectors; the engine, the ledger and the code between are the product's.
Run: ``python -m bench.recall [chunks]``.
"""

import random
import sys
import tempfile
from pathlib import Path
from typing import cast

import qdrant_edge as qe

from bench.edge import raw_query
from bench.support import HashEmbedder, line, median_s
from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.text.german import GermanLexicalEncoder
from damals.api import Damals
from damals.app.index_model import IndexFilter, IndexQuery
from damals.bootstrap import init_home, open_home, system_clock
from damals.domain.instants import FOREVER

QUESTIONS = 200
WORDS_A_CHUNK = 120
SYLLABLES = ("ver", "trag", "haus", "amt", "leis", "tung", "frist", "recht", "bau", "ord", "nung")


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
                several.remember(f"Fakt {number}", text, valid_from=f"{year}-01-01")
    memory.reindex()


def measure(count: int) -> None:
    """Build the base and compare."""
    chance = random.Random(1)
    words = vocabulary(chance)
    embedder = HashEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        init_home(folder, timezone="Europe/Berlin")
        with open_home(folder, embedding=embedder) as memory:
            fill(memory, count, words, chance)
            questions = [" ".join(chance.choices(words, k=5)) for _ in range(QUESTIONS)]
            memory.recall(questions[0])
            recall = median_s([lambda q=q: memory.recall(q) for q in questions])
        embed = median_s([lambda q=q: embedder.query(q) for q in questions])
        raw = raw_time(Path(folder), questions, embedder)
    line(f"recall, {count} chunks: median", f"{1000 * recall:.1f} ms")
    line("the same engine queries by hand", f"{1000 * raw:.1f} ms")
    line("(recall − question's vector) ÷ engine queries  (wanted: ≤ 3)",
         f"{(recall - embed) / raw:.2f}")  # fmt: skip


def raw_time(home: Path, questions: list[str], embedder: HashEmbedder) -> float:
    """Median time of the two engine queries behind a recall, written by hand."""
    name = (home / "index" / "current").read_text(encoding="utf-8").strip()
    index = EdgeChunkIndex(EdgeSettings(home / "index" / name, 384, "hash", "1"))
    shard = cast("qe.EdgeShard", index._shard)  # noqa: SLF001 -- we compare with what lies beneath
    encoder = GermanLexicalEncoder()
    where = IndexFilter("default", system_clock(), FOREVER - 1)
    asked = [IndexQuery(where, embedder.query(q), encoder.query(q), 100) for q in questions]
    taken = median_s([lambda q=q: raw_query(shard, q) for q in asked])
    index.close()
    return taken


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
