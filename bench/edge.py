"""The chunk index on synthetic points: writes, loads, queries, and what the adapter adds.

Run: ``python -m bench.edge [points]`` (default 20,000; 384-d unit vectors, about 150
tokens a point, every payload index).
"""

import array
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

import qdrant_edge as qe

from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.edge.worker import WorkerChunkIndex
from damals.app.index_model import AccessFilter, ChunkPoint, IndexFilter, IndexQuery, SparseVector
from damals.domain.instants import FOREVER, format_instant

Result = TypeVar("Result")

DIMENSION = 384
QUERIES = 100
VOCABULARY = 30_000
START = 1_600_000_000_000_000
SPAN = 100_000_000_000_000
ASKED = START + 6 * SPAN // 10
WEIGHTS = list(accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))


def unit_vector(seeded: random.Random) -> bytes:
    """A random direction, as an embedder would give it."""
    numbers = [seeded.gauss(0, 1) for _ in range(DIMENSION)]
    length = sum(number * number for number in numbers) ** 0.5
    return array.array("f", [number / length for number in numbers]).tobytes()


def tokens(seeded: random.Random, count: int) -> SparseVector:
    """Tokens as frequent as words are."""
    drawn = seeded.choices(range(VOCABULARY), cum_weights=WEIGHTS, k=count)
    indices = tuple(sorted(set(drawn)))
    return SparseVector(indices, tuple(seeded.uniform(0.5, 2) for _ in indices))


def make_point(number: int, seeded: random.Random) -> ChunkPoint:
    """One chunk out of ten years of two workspaces."""
    valid, recorded = START + seeded.randrange(SPAN), START + seeded.randrange(SPAN)
    lexical = tokens(seeded, 260)
    return ChunkPoint(
        id=uuid.uuid5(uuid.NAMESPACE_OID, f"point {number}"),
        workspace="main" if number % 10 else "other",
        chunk_id=uuid.uuid5(uuid.NAMESPACE_OID, f"chunk {number}"),
        entry_id=uuid.uuid5(uuid.NAMESPACE_OID, f"entry {number // 5}"),
        valid_from_earliest=valid,
        valid_from_latest=valid,
        valid_to_earliest=FOREVER,
        valid_to_latest=FOREVER,
        recorded_from=recorded,
        recorded_to=FOREVER if number % 3 else recorded + SPAN // 10,
        age_at=valid,
        type="note",
        lang="de",
        body=" ".join(f"wort{token}" for token in lexical.indices[:100]),
        lexical=lexical,
        tags=(f"tag{number % 7}",),
        paths=("a", f"a/{number}.md"),
        vector=unit_vector(seeded),
    )


def median_ms(call: Callable[[IndexQuery], object], queries: list[IndexQuery]) -> float:
    """Median time of one call, in milliseconds."""
    taken: list[float] = []
    for query in queries:
        start = time.perf_counter()
        call(query)
        taken.append(time.perf_counter() - start)
    return 1000 * sorted(taken)[len(taken) // 2]


def timed(label: str, call: Callable[[], Result]) -> Result:
    """Print how long a call took, and pass its result on."""
    start = time.perf_counter()
    result = call()
    print(f"{label:34} {time.perf_counter() - start:8.2f} s")
    return result


def raw_query(shard: qe.EdgeShard, query: IndexQuery) -> object:
    """The same question written by hand, with the same fields in the answer."""

    def field(key: str, **bounds: str) -> qe.FieldCondition:
        return qe.FieldCondition(key, range=qe.RangeDateTime(**bounds))

    asked = format_instant(query.where.as_of)
    workspace = qe.FieldCondition("workspace", match=qe.MatchValue(query.where.workspace))
    where = qe.Filter(
        must=[
            workspace,
            field("valid_from_earliest", lte=asked),
            field("valid_to_latest", gt=asked),
            field("recorded_from", lte=asked),
            field("recorded_to", gt=asked),
            field("archived_at", gt=asked),
        ]
    )
    numbers = array.array("f", query.vector or b"").tolist()
    words = query.lexical or SparseVector((), ())
    corpus = qe.IdfParams(corpus=qe.Filter(must=[workspace]))
    legs = [
        (qe.Query.Nearest(numbers, using="content"), qe.SearchParams(exact=True)),
        (
            qe.Query.Nearest(
                qe.SparseVector(list(words.indices), list(words.values)), using="lexical"
            ),
            qe.SearchParams(exact=True, idf=corpus),
        ),
    ]
    fields = ["entry_id", "age_at"]
    requests = [
        qe.QueryRequest(
            limit=query.limit, query=leg, filter=where, with_payload=fields, params=params
        )
        for leg, params in legs
    ]
    answers = shard.query_batch(qe.QueryBatchRequest(requests))
    return [[(hit.id, hit.score, hit.payload) for hit in answer] for answer in answers]


def compare(label: str, index: EdgeChunkIndex, queries: list[IndexQuery]) -> None:
    """The adapter beside a query by hand, for the owner and a restricted asker."""
    shard = index._shard  # noqa: SLF001 - the benchmark compares with what lies beneath
    if shard is None:
        return
    raw = median_ms(lambda query: raw_query(shard, query), queries)
    own = median_ms(index.query, queries)
    seen = AccessFilter(("public", "internal"), 1, ("team",))
    restricted = [replace(q, where=replace(q.where, access=seen)) for q in queries]
    other = median_ms(index.query, restricted)
    dense = median_ms(index.query, [replace(q, lexical=None) for q in queries])
    print(f"{label:34} {own:8.2f} ms, by hand {raw:.2f} ms, ratio {own / raw:.2f}", end="")
    print(f"; restricted asker {other:.2f} ms, dense leg {dense:.2f} ms")


def main() -> None:
    """Build, load and ask one index after the other."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seeded = random.Random(1)
    points = timed("make points", lambda: [make_point(i, seeded) for i in range(count)])
    where = IndexFilter("main", ASKED, ASKED)
    queries = [
        IndexQuery(where, unit_vector(seeded), tokens(seeded, 20), 100) for _ in range(QUERIES)
    ]
    with tempfile.TemporaryDirectory() as folder:
        settings = EdgeSettings(Path(folder), DIMENSION, "synthetic", "1")
        index = timed("create", lambda: EdgeChunkIndex(settings))
        timed(f"upsert {count}", lambda: index.upsert(points))
        timed("flush", index.flush)
        print(f"{'points, passing the filter':34} {index.count()}, {index.count(where)}")
        compare("query", index, queries)
        timed("load unoptimized", lambda: index.close() or EdgeChunkIndex(settings).close())
        index = EdgeChunkIndex(settings)
        timed("optimize", index.optimize)
        compare("query optimized", index, queries)
        index.close()
        index = timed("load optimized", lambda: EdgeChunkIndex(settings))
        compare("query optimized, reloaded", index, queries)
        timed(f"upsert {count // 4} again", lambda: index.upsert(points[::4]))
        index.close()
        worker = timed("start worker and load", lambda: WorkerChunkIndex(settings))
        print(f"{'query through the worker':34} {median_ms(worker.query, queries):8.2f} ms")
        counting = median_ms(lambda q: worker.count(q.where), queries)
        print(f"{'count through the worker':34} {counting:8.2f} ms")
        timed(f"upsert {count // 4} through the worker", lambda: worker.upsert(points[::4]))
        timed("ids through the worker", lambda: sum(1 for _ in worker.ids()))
        worker.close()


if __name__ == "__main__":
    main()
