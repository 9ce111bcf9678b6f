"""How a home grows: bytes on the disk and memory, by entry, version and chunk.

Facts of 120 words with a vector each (a random one, which takes the same room), every third one
updated once and every tenth related to another; then 200 recalls with a receipt. The ledger is
measured after a checkpoint, memory is the most that a fresh process had while it answered. With
``--postgres`` the same home is moved to a server, and its database is measured, too.

Run: ``python -m bench.growth [chunks …] [--postgres URL]``; 1,000 and 10,000 by default.
"""

import argparse
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import psycopg

from bench.recall import vocabulary
from bench.support import HashEmbedder, line, memory_mb, timed
from damals.api import Damals
from damals.app.migrating.model import Migration
from damals.app.migrating.run import Wanted
from damals.bootstrap import open_home
from damals.bootstrap.migrating import migrate_home

WORDS = 120
QUESTIONS = 200
AT_ONCE = 500


def fill(memory: Damals, chunks: int, words: list[str]) -> None:
    """Facts, a third of them with a second version, until there are so many chunks."""
    chance = random.Random(1)
    facts = chunks * 3 // 4
    for first in range(0, facts, AT_ONCE):
        with memory.transaction() as several:
            for number in range(first, min(first + AT_ONCE, facts)):
                text = " ".join(chance.choices(words, k=WORDS))
                tie = [{"type": "part_of", "dst": f"f{number - 1}"}] if number % 10 == 9 else []
                several.remember(
                    f"Fakt {number}", text, valid_from=f"{chance.randint(2000, 2020)}-01-01",
                    external_id=f"f{number}", tags=["bereich/nord"], relations=tie,
                )  # fmt: skip
    for first in range(0, facts, AT_ONCE * 3):
        with memory.transaction() as several:
            for number in range(first, min(first + AT_ONCE * 3, facts), 3):
                text = " ".join(chance.choices(words, k=WORDS))
                several.update(f"f{number}", title=f"Fakt {number}", content=text,
                    valid_from="2023-01-01", reason="neuer Stand")  # fmt: skip
    memory.reindex()


def size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder, as the disk holds them."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return sum(one.stat().st_blocks * 512 for one in files)


def counts(ledger: Path) -> dict[str, int]:
    """Rows of the tables that grow."""
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        return {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 -- ours
            for table in ("entries", "versions", "chunks", "transactions", "contents")
        }


def ask(home: Path) -> None:
    """Answer questions, and print the most memory that took."""
    chance, words = random.Random(2), vocabulary(random.Random(0))
    with open_home(home, embedding=HashEmbedder(), index_mode="inline") as memory:
        for _ in range(QUESTIONS):
            memory.recall(" ".join(chance.choices(words, k=4)), limit=10)
    print(memory_mb())


def moved(home: Path, url: str) -> tuple[float, Migration, int]:
    """Seconds of a migration, what it did, and bytes of the database."""

    def run() -> Migration:
        return migrate_home(home, ledger=url, wanted=Wanted(QUESTIONS), embedding=HashEmbedder())

    took_s, done = timed(run)
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return took_s, done, 0 if row is None else int(row[0])


def measure(chunks: int, postgres: str | None) -> None:
    """One row a figure, for one size."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        words = vocabulary(random.Random(0))
        with open_home(home, embedding=HashEmbedder()) as memory:
            filled_s, _ = timed(lambda: fill(memory, chunks, words))
        rows = counts(home / "ledger.db")
        before = size(home / "ledger.db")
        told = {"ledger": home / "ledger.db", "index": home / "index", "vectors": home / "cache"}
        line(f"{chunks} chunks: filled", f"{filled_s:.1f} s, {rows}")
        for name, path in told.items():
            total = size(path)
            each = ", ".join(f"{total // rows[f'{one}s']} {one}" for one in ("chunk", "version"))
            line(f"{chunks} chunks: {name}", f"{total / 1e6:.1f} MB, bytes a … {each}")
        asker = [sys.executable, "-m", "bench.growth", "--ask", str(home)]
        most = subprocess.run(asker, check=True, capture_output=True, text=True).stdout
        line(f"{chunks} chunks: memory of {QUESTIONS} recalls", f"{float(most):.0f} MB")
        receipts = size(home / "ledger.db") - before
        line(f"{chunks} chunks: ledger after them", f"{receipts // QUESTIONS} bytes a recall more")
        if postgres is not None:
            took_s, done, total = moved(home, postgres)
            line(f"{chunks} chunks: moved, {done.rows} rows", f"{took_s:.1f} s")
            line(f"{chunks} chunks: with the home held", f"{done.held_s:.1f} s")
            each = total // rows["chunks"]
            line(f"{chunks} chunks: database", f"{total / 1e6:.1f} MB, {each} bytes a chunk")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("chunks", nargs="*", type=int, default=[1_000, 10_000])
    parser.add_argument("--postgres", nargs="*", help="addresses of empty databases, one a size")
    parser.add_argument("--ask", help="only answer questions on this home")
    asked = parser.parse_args(arguments)
    if asked.ask:
        ask(Path(asked.ask))
        return
    targets = list(asked.postgres or [])
    for place, chunks in enumerate(asked.chunks):
        measure(chunks, targets[place] if place < len(targets) else None)


if __name__ == "__main__":
    main()
