"""The clock is moved day by day through a year: what is stored stands, what is derived moves."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ageing_home import Time, home, instant
from sqlalchemy import create_engine, text

from damals.api import Damals
from damals.domain.instants import DAY, format_instant

YEAR = 366
TABLES = ("versions", "verifications", "archivings", "relations", "entries", "transactions")


def filled(memory: Damals) -> None:
    """Entries of each risk, on the first day."""
    say = memory.remember
    say("slow", "x", external_id="slow")
    say("fast", "x", external_id="fast", staleness_risk="fast_decay")
    say("stable", "x", external_id="stable", type="journal")
    say("pinned", "x", external_id="pinned", pinned=True, staleness_risk="fast_decay")
    say("once", "x", external_id="once", staleness_risk="fast_decay")
    memory.verify("once")
    say("twice", "x", external_id="twice", domain="preferences")
    memory.verify("twice")
    memory.verify("twice")
    say("late", "x", external_id="late", staleness_risk="fast_decay")


NAMES = ("slow", "fast", "stable", "pinned", "once", "twice", "late")


def runs(days: list[str]) -> list[tuple[str, int]]:
    """Statuses in their order, each with the day on which it began."""
    found: list[tuple[str, int]] = []
    day = 0
    for status, same in groupby(days):
        found.append((status, day))
        day += len(list(same))
    return found


EXPECTED = {
    "slow": [("active", 0), ("decayed", 180)],
    "fast": [("active", 0), ("decayed", 30)],
    "stable": [("active", 0)],
    "pinned": [("active", 0)],
    "once": [("consolidated", 0), ("decayed", 30)],
    "twice": [("reinforced", 0), ("consolidated", 60), ("decayed", 120)],
    "late": [("active", 0), ("decayed", 30), ("reinforced", 100), ("consolidated", 130),
             ("decayed", 160)],
}  # fmt: skip


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        found = {
            table: [tuple(row) for row in connection.execute(text(f"select * from {table}"))]  # noqa: S608 -- names of tables of ours
            for table in TABLES
        }
    engine.dispose()
    return found


def lapse(memory: Damals, time: Time, step: int = 1) -> Iterator[dict[str, str]]:
    """The statuses of each day (of each of so many), with one verification on the way."""
    for day in range(0, YEAR, step):
        time.now = instant("2024-01-01") + day * DAY + 1000  # behind what was recorded that day
        if day == 100:
            memory.verify("late")
            time.now += 1000
        yield {name: memory.get(name).status for name in NAMES}


def test_states_change_on_exactly_the_right_day_and_nothing_that_is_stored_does(time: Time):
    with home(time, accesses=False) as memory:
        filled(memory)
        ledger = next(Path(memory.opened.parts.home.path).glob("ledger.db"))
        before = rows(ledger)
        days: dict[str, list[str]] = {name: [] for name in NAMES}
        for day, statuses in enumerate(lapse(memory, time)):
            for name, status in statuses.items():
                days[name].append(status)
            if day == 99:
                assert rows(ledger) == before, "no operation, no change"
            if day == 100:
                before = rows(ledger)
        assert rows(ledger) == before
        assert {name: runs(found) for name, found in days.items()} == EXPECTED


def test_the_past_reads_as_it_did_then(time: Time):
    """What was given on a day is given again, for that day as of which it was known."""
    with home(time) as memory:
        filled(memory)
        told: dict[int, tuple[dict[str, str], object]] = {}
        for statuses in lapse(memory, time, 20):
            told[time.now] = statuses, memory.gate().findings
        for then, (statuses, findings) in told.items():
            asked = format_instant(then)
            again = {name: memory.get(name, as_of=asked, known_at=asked).status for name in NAMES}
            assert again == statuses, asked
            assert memory.gate(as_of=asked, known_at=asked).findings == findings, asked


def test_the_lifecycle_runs_at_the_earlier_of_both_clocks(time: Time):
    with home(time) as memory:
        filled(memory)
        time.to("2024-06-01")
        memory.verify("late")
        time.to("2024-09-01")

        def late(**pair: str) -> str:
            return memory.get("late", **pair).status

        assert late() == "decayed"
        assert late(as_of="2024-09-01", known_at="2024-01-15") == "active"
        assert late(as_of="2024-09-01", known_at="2024-03-01") == "decayed"
        assert late(as_of="2024-06-15") == "reinforced"
        assert late(as_of="2024-06-15", known_at="2024-03-01") == "decayed"
        assert late(as_of="2024-05-01") == "decayed", "the verification came later"
        assert late(as_of="2024-01-15") == "active"
