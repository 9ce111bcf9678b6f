"""A served home: requests a second, how long they take, and what HTTP adds to a call.

One server process owns a home of some thousand facts. Clients are threads of this process, each
with a connection of its own; they share the machine with the server.
"""

import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from bench.ledger_writes import events
from bench.support import line
from damals.api import Damals
from damals.bootstrap import init_home, open_home

CLIENTS = (1, 8, 32)
FACTS = 5_000
SECONDS = 8.0
START_S = 60.0  # a client that cannot even ask once must not leave the others waiting
READY = re.compile(r"http://\S+")
ZONE = "Europe/Berlin"
P50, P95, P99 = 0.50, 0.95, 0.99


class Ask(Protocol):
    """One request of one client, the ``number``-th."""

    def __call__(self, memory: Damals, number: int) -> object:
        """Ask it."""
        ...


def recall(memory: Damals, number: int) -> object:
    """A question that words and meaning answer."""
    return memory.recall(f"Sitz der Firma {number % FACTS} in der Hauptstraße", limit=10)


def remember(memory: Damals, number: int) -> object:
    """A new fact."""
    name = f"{threading.get_ident()}-{number}-{random.random()}"
    return memory.remember(f"Notiz {name}", f"Die Nummer {name} gehört zu Zimmer {number}.")


def many(connect: Callable[[], Damals], clients: int, ask: Ask) -> tuple[float, list[float]]:
    """Requests a second of some clients at once, and how long each took, in seconds."""
    taken: list[list[float]] = [[] for _ in range(clients)]
    ready = threading.Barrier(clients + 1, timeout=START_S)
    over = threading.Event()

    def run(mine: list[float]) -> None:
        with connect() as memory:
            ask(memory, 0)
            ready.wait()
            number = 0
            while not over.is_set():
                number += 1
                start = time.perf_counter()
                ask(memory, number)
                mine.append(time.perf_counter() - start)

    threads = [threading.Thread(target=run, args=(mine,)) for mine in taken]
    for thread in threads:
        thread.start()
    ready.wait()
    started = time.perf_counter()
    time.sleep(SECONDS)
    over.set()
    for thread in threads:
        thread.join()
    spent = time.perf_counter() - started
    every = sorted(one for mine in taken for one in mine)
    return len(every) / spent, every


def share(ordered: Sequence[float], part: float) -> float:
    """The value that this part of all lies below, in milliseconds."""
    return 1_000 * ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def show(what: str, rate: float, every: Sequence[float]) -> None:
    """One line: rate and latencies."""
    p50, p95, p99 = (share(every, part) for part in (P50, P95, P99))
    line(f"  {what}", f"{rate:,.0f}/s; p50/p95/p99 {p50:.1f} / {p95:.1f} / {p99:.1f} ms")


def measure() -> None:
    """Print the table of a served home."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        facts = Path(folder) / "facts.jsonl"
        facts.write_text("".join(events(FACTS)), encoding="utf-8")
        init_home(home, timezone=ZONE)
        with open_home(home, embedder="none") as memory:
            memory.import_(facts)
            line("a served home", f"{FACTS} events, without vectors; {SECONDS:.0f} s each")
            inside = {ask.__name__: _alone(memory, ask) for ask in (recall, remember)}
            key = memory.create_key("bench", roles=["writer"], visibility="restricted").secret
        _served(home, key, inside)


def _alone(memory: Damals, ask: Ask, how: str = "in the same process") -> float:
    """The median of a call by one client, in seconds."""
    ask(memory, 0)
    taken: list[float] = []
    over = time.perf_counter() + SECONDS
    while time.perf_counter() < over:
        start = time.perf_counter()
        ask(memory, len(taken) + 1)
        taken.append(time.perf_counter() - start)
    taken.sort()
    show(f"{ask.__name__}, {how}", len(taken) / SECONDS, taken)
    return statistics.median(taken)


def _served(home: Path, key: str, inside: dict[str, float]) -> None:
    command = [sys.executable, "-m", "damals", "--home", str(home), "serve", "--port", "0"]
    env = {**os.environ, "DAMALS_EMBEDDER": "none", "DAMALS_REQUESTS_PER_MINUTE": "10000000"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as server:
        assert server.stderr is not None  # noqa: S101 -- it is a pipe
        url = next(found[0] for told in server.stderr if (found := READY.search(told)))
        threading.Thread(target=server.stderr.read, daemon=True).start()
        try:
            for ask in (recall, remember):
                with Damals.open(home) as memory:
                    median, own = _alone(memory, ask, "over REST as owner"), inside[ask.__name__]
                times = f"{median / own:.1f} ×; {1_000 * (median - own):.1f} ms more"
                line(f"  {ask.__name__}: REST ÷ in the same process", times)
                for clients in CLIENTS:
                    rate, every = many(lambda: Damals.connect(url, key), clients, ask)
                    show(f"{ask.__name__} over REST with a key, {clients} clients", rate, every)
        finally:
            server.terminate()


if __name__ == "__main__":
    measure()
