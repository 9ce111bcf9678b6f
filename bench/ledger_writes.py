"""Writes to a ledger: one by one and durable, in bulk, and the import of a file of events."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.ledger_fill import BORN, WORKSPACE, ZONE, Life
from bench.support import line, memory_mb, timed
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.events import import_events
from damals.app.record import Request, Tools, record
from damals.bootstrap import init_home, open_home, system_clock
from damals.domain.access import OWNER
from damals.domain.params import Params

SINGLE = 500
BATCH = 5_000
EVENTS = 100_000
UPDATED = 10
"""One event in so many is an update of an earlier fact."""


def tools() -> Tools:
    """What recording needs, as in use."""
    return Tools(MarkdownChunker(), system_clock)


def fact(name: str, number: int) -> dict[str, object]:
    """A fact of two lines of German."""
    street = f"Hauptstraße {number % 200 + 1}, {10_000 + number % 89_999} Musterstadt"
    return {
        "op": "remember",
        "ref": f"{name}-{number}",
        "title": f"Anschrift der Firma {name} {number}",
        "content": f"Die Firma {number} hat ihren Sitz in der {street}.\n"
        f"Sie ist dort werktags von acht bis siebzehn Uhr zu erreichen, Zimmer {number % 77}.",
        "valid_from": f"{2000 + number % 24}-{number % 12 + 1:02}-01",
    }


def update(name: str, number: int, target: str) -> dict[str, object]:
    """A new fact that takes over from ``target``."""
    return fact(name, number) | {"op": "update", "target": target, "valid_from": "2024-06-01"}


def measure_changes(ledger: SqlLedger, lives: Sequence[Life]) -> None:
    """Remember and update, each in a write of its own and all in one."""
    chance = random.Random(5)
    targets = chance.sample(lives, SINGLE + BATCH)
    for count, how in ((SINGLE, "one write each"), (BATCH, "all in one write")):
        facts = [fact(how, number) for number in range(count)]
        changes = [
            update(f"{how}, neu", number, str(targets.pop().entry_id)) for number in range(count)
        ]
        for what, operations in (("remember", facts), ("update", changes)):
            write = _each if count == SINGLE else _together
            taken, _ = timed(lambda w=write, o=operations: w(ledger, o))
            line(f"  {what}, {how}, durable", f"{count / taken:,.0f}/s")


def _each(ledger: SqlLedger, operations: Sequence[Params]) -> None:
    for one in operations:
        with ledger.write(WORKSPACE) as writer:
            record(writer, tools(), Request((one,), "bench"))


def _together(ledger: SqlLedger, operations: Sequence[Params]) -> None:
    with ledger.write(WORKSPACE) as writer:
        for one in operations:
            record(writer, tools(), Request((one,), "bench"))


def events(count: int) -> Iterator[str]:
    """Lines of a file of events: facts, and now and then an update of one."""
    for number in range(count):
        if number % UPDATED == UPDATED - 1:
            event = update("Import", number, f"Import-{number - UPDATED + 1}")
        else:
            event = fact("Import", number)
        event["recorded_at"] = f"2025-01-01T00:00:00.{number:06}Z"
        yield json.dumps(event, ensure_ascii=False) + "\n"


def measure_import(folder: Path, count: int = EVENTS) -> None:
    """The whole import of events, and its part in the ledger."""
    file = folder / "events.jsonl"
    file.write_text("".join(events(count)), encoding="utf-8")
    ledger = SqlLedger(folder / "import.db")
    ledger.create_workspace(WORKSPACE, ZONE, BORN)

    def replay() -> None:
        with ledger.write(WORKSPACE) as writer:
            import_events(writer, tools(), file, lambda _: None, OWNER)

    taken, _ = timed(replay)
    ledger.close()
    line(f"import of {count} events into the ledger", f"{taken:.1f} s, {count / taken:,.0f}/s")
    home = folder / "home"
    init_home(home, timezone=ZONE)
    with open_home(home, embedder="none") as memory:
        whole, _ = timed(lambda: memory.import_(file))
    line("the same until its text is searchable", f"{whole:.1f} s, {count / whole:,.0f}/s")
    line("  of that, the index", f"{whole - taken:.1f} s, {count / (whole - taken):,.0f}/s")
    line("  memory, at most so far", f"{memory_mb():.0f} MB")
