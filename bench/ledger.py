"""The ledger at several sizes: point reads beside SQL by hand, writes, imports, memory.

Run: ``python -m bench.ledger [sizes]``, sizes in versions: ``10000,100000,1000000`` by default,
or as ``DAMALS_BENCH_SIZES`` says; ``make bench-large`` adds 5,000,000. One ledger grows from size
to size; how it is filled is said in ``ledger_fill.py``.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.ledger_fill import BORN, HOT_ENTRY, WORKSPACE, ZONE, Filler
from bench.ledger_reads import (
    Times,
    hot_questions,
    measure_everything,
    measure_points,
    measure_snapshot,
    questions,
    show_points,
)
from bench.ledger_writes import measure_changes, measure_import
from bench.support import line, memory_mb, timed
from damals.adapters.sql.ledger import SqlLedger

SIZES = "10000,100000,1000000"
HOT = 100_000
WAYS = [(of, early) for of in ("entry", "key") for early in (False, True)]


def sizes() -> list[int]:
    """The sizes to measure, ascending."""
    told = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("DAMALS_BENCH_SIZES", SIZES)
    return sorted(int(size) for size in told.split(","))


def measure_hot(folder: Path) -> None:
    """An entry of 100,000 versions, and a key of as many, among 10,000 others."""
    path, ledger = _new(folder, "hot.db")
    filler = Filler(ledger)
    filler.fill(10_000)
    filler.correct_often(HOT_ENTRY, HOT)
    filler.replace_often(HOT)
    line("a hot entry and a hot key", f"{HOT} versions each, among 10,000 others")
    with ledger.read(WORKSPACE) as reader:
        for of, early in WAYS:
            asked = hot_questions(reader, of, filler.last, early=early)
            show_points(f"  hot {of}, known {_when(early)}", measure_points(reader, path, asked))
    ledger.close()


def measure_sizes(folder: Path, wanted: Sequence[int]) -> None:
    """One ledger that grows."""
    path, ledger = _new(folder, "ledger.db")
    filler = Filler(ledger)
    found: dict[int, dict[tuple[str, bool], Times]] = {}
    for size in wanted:
        before = filler.versions
        taken, _ = timed(lambda size=size: filler.fill(size))
        rate = (filler.versions - before) / taken
        megabytes = path.stat().st_size / 1_000_000
        line(f"{size} versions", f"filled at {rate:,.0f}/s; {megabytes:.0f} MB on disk")
        with ledger.read(WORKSPACE) as reader:
            found[size] = {}
            for of, early in WAYS:
                asked = questions(reader, filler.lives, of, early=early)
                found[size][of, early] = measure_points(reader, path, asked)
                show_points(f"  {of}, known {_when(early)}", found[size][of, early])
        measure_snapshot(ledger, filler.lives)
        line("  memory, at most so far", f"{memory_mb():.0f} MB")
        with ledger.read(WORKSPACE) as reader:
            measure_everything(reader, filler.last)
    _show_growth(found)
    measure_changes(ledger, filler.lives)
    ledger.close()


def _show_growth(found: dict[int, dict[tuple[str, bool], Times]]) -> None:
    first, last = min(found), max(found)
    for way in WAYS if len(found) > 1 else ():
        small, large = found[first][way], found[last][way]
        ratios = (
            f"{large.raw / small.raw:.2f} / {large.statement / small.statement:.2f} / "
            f"{large.objects / small.objects:.2f}"
        )
        label = f"growth {first} → {last}, {way[0]}, known {_when(way[1])}"
        line(f"{label} (wanted: ≤ 2)", ratios)


def _new(folder: Path, name: str) -> tuple[Path, SqlLedger]:
    path = folder / name
    ledger = SqlLedger(path)
    ledger.create_workspace(WORKSPACE, ZONE, BORN)
    return path, ledger


def _when(early: bool) -> str:
    return "earlier" if early else "now"


def measure(wanted: Sequence[int]) -> None:
    """The whole table."""
    line("ledger: sizes in versions (DAMALS_BENCH_SIZES; 5 million: make bench-large)",
         ", ".join(str(size) for size in wanted))  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure_hot(folder)
        measure_import(folder)
        measure_sizes(folder, wanted)


if __name__ == "__main__":
    measure(sizes())
