"""What a page costs beside the call that it shows: both asked over HTTP, in turns, in one run.

One server process owns a home of some twenty thousand chunks. A page is measured to its first byte
as a browser without a cache asks for it, its call as a program does; the same instants, the same
connection, the same questions.
"""

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

import httpx2

from bench.ledger_writes import events
from bench.serving import P50, P95, READY, ZONE, share
from bench.support import line
from damals.bootstrap import init_home, open_home

CHUNKS = 20_000
ROUNDS = 150
WARM = 20
BELOW = "/v1/workspaces/default"

Paths = Callable[[int], tuple[str, Sequence[tuple[str, str, object]]]]
"""Of a number: the page, and the calls that it shows (method, path, body), the main one first."""


def pages(ids: Sequence[str]) -> dict[str, Paths]:
    """The pages that are looked at most, and what each shows."""
    chance = random.Random(3)
    some = [chance.choice(ids) for _ in range(ROUNDS + WARM)]

    def question(number: int) -> str:
        return f"Sitz der Firma {chance.randrange(len(ids))} in der Hauptstraße {number}"

    def recall(number: int) -> tuple[str, Sequence[tuple[str, str, object]]]:
        asked = question(number)
        body = {"query": asked, "limit": 10, "explain": True}
        page = f"/w/default?mode=recall&limit=10&q={quote(asked)}"
        return page, [("POST", f"{BELOW}/recall", body), ("GET", f"{BELOW}/span", None)]

    def ask(number: int) -> tuple[str, Sequence[tuple[str, str, object]]]:
        asked = question(number)
        calls = [
            ("POST", f"{BELOW}/answers", {"question": asked, "limit": 10}),
            ("GET", f"{BELOW}/span", None),
        ]
        return f"/w/default?limit=10&q={quote(asked)}", calls

    def entry(number: int) -> tuple[str, Sequence[tuple[str, str, object]]]:
        one = some[number]
        calls = [f"{BELOW}/entries/{one}", f"{BELOW}/entries/{one}/history", f"{BELOW}/span"]
        return f"/w/default/entries/{one}", [("GET", call, None) for call in calls]

    def listing(number: int) -> tuple[str, Sequence[tuple[str, str, object]]]:
        del number
        calls = [f"{BELOW}/entries?limit=40", f"{BELOW}/span"]
        return "/w/default/entries", [("GET", call, None) for call in calls]

    return {"recall": recall, "ask": ask, "entry": entry, "entries": listing}


def first_byte_s(client: httpx2.Client, method: str, path: str, body: object = None) -> float:
    """Seconds until the first byte of an answer is there."""
    start = time.perf_counter()
    with client.stream(method, path, json=body) as answer:
        pieces = answer.iter_raw()
        next(pieces, b"")
        taken = time.perf_counter() - start
        for _ in pieces:
            pass
        answer.raise_for_status()
    return taken


def compare(client: httpx2.Client, name: str, paths: Paths) -> None:
    """Two lines: how many times as long a page takes as its call, and as all of its calls."""
    page_s: list[float] = []
    call_s: list[float] = []
    calls_s: list[float] = []
    for number in range(ROUNDS + WARM):
        page, calls = paths(number)
        one = first_byte_s(client, "GET", page)
        others = [first_byte_s(client, *call) for call in calls]
        if number >= WARM:
            page_s.append(one)
            call_s.append(others[0])
            calls_s.append(sum(others))
    page_s.sort()
    for what, taken in (("its call", call_s), ("all its calls", calls_s)):
        taken.sort()
        p50, p95 = ([share(one, part) for one in (page_s, taken)] for part in (P50, P95))
        line(
            f"  page “{name}” ÷ {what}",
            f"p50 {p50[0]:.1f} / {p50[1]:.1f} ms = {p50[0] / p50[1]:.2f};"
            f" p95 {p95[0]:.1f} / {p95[1]:.1f} ms = {p95[0] / p95[1]:.2f}",
        )


def measure(chunks: int = CHUNKS) -> None:
    """Print the table of pages."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        facts = Path(folder) / "facts.jsonl"
        facts.write_text("".join(events(chunks)), encoding="utf-8")
        init_home(home, timezone=ZONE)
        with open_home(home, embedder="none") as memory:
            memory.import_(facts)
            memory.recall("Sitz")
            ids = [one.id for page in (memory.entries(limit=500),) for one in page]
            secret = memory.create_key("bench", roles=["writer"], visibility="restricted").secret
        line("pages of a served home", f"{chunks} events, without vectors; {ROUNDS} requests each")
        _served(home, secret, ids)


def _served(home: Path, secret: str, ids: Sequence[str]) -> None:
    command = [sys.executable, "-m", "damals", "--home", str(home), "serve", "--port", "0"]
    env = {**os.environ, "DAMALS_EMBEDDER": "none", "DAMALS_REQUESTS_PER_MINUTE": "10000000"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as server:
        assert server.stderr is not None  # noqa: S101 -- it is a pipe
        url = next(found[0] for told in server.stderr if (found := READY.search(told)))
        threading.Thread(target=server.stderr.read, daemon=True).start()
        try:
            headers = {"Authorization": f"Bearer {secret}"}
            with httpx2.Client(base_url=url, headers=headers, timeout=60) as client:
                _sign_in(client, secret)
                for name, paths in pages(ids).items():
                    compare(client, name, paths)
        finally:
            server.terminate()


def _sign_in(client: httpx2.Client, secret: str) -> None:
    """As with a browser: by the form for a key, whose token stands in its page."""
    form = client.get("/sign-in").text
    token = form.split('name="csrf" value="', 1)[1].split('"', 1)[0]
    answer = client.post("/sign-in", data={"csrf": token, "next": "/", "key": secret})
    assert answer.status_code == 303, answer.text  # noqa: S101 -- else other pages are measured


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else CHUNKS)
