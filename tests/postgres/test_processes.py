"""Several processes on one ledger: nothing lost, nothing out of order, whoever dies."""

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from ledger_driver import CREATED, Driver, at, instant, remember

from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.app.ledger_model import EntryFilter, StoredTransaction
from damals.domain.errors import Unavailable
from postgres_server import OTHERS_LEAVE, Cluster, PostgresServer

OPERATIONS = 1_000 if os.environ.get("DAMALS_TEST_PROFILE") == "nightly" else 60
PROCESSES = 8

HERE = Path(__file__)
PATHS = [str(HERE.parents[1] / "contracts"), str(HERE.parents[2] / "src")]

PRELUDE = f"""
import os, random, sys
sys.path[:0] = {PATHS!r}
"""
PRELUDE += """
from ledger_driver import CREATED, Driver, instant, remember, update
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.domain.errors import Conflict, InvalidInput, NotFound
from damals.domain.instants import DAY
from damals.domain.operations import Correct, End, Retract
name = sys.argv[2] if len(sys.argv) > 2 else ""
if name.isdecimal():  # so many processes: they share what is loaded, and nothing else
    children = {}
    for number in range(int(name)):
        child = os.fork()
        if child == 0:
            name = f"p{number}"
            break
        children[number] = child
    else:
        sys.exit(any(os.waitpid(child, 0)[1] for child in children.values()))
ledger = SqlLedger(PostgresDatabase(sys.argv[1], busy_timeout_ms=60_000))
driver = Driver(ledger)
"""

MIXED = """
count = int(sys.argv[3])
rng = random.Random(name)
mine = []
for place in range(count):
    ref, key = f"{name}.{place}", f"k{rng.randrange(5)}"
    day = f"2024-{rng.randrange(1, 13):02}-{rng.randrange(1, 28):02}"
    match rng.randrange(8) if mine else 0:
        case 0 | 1 | 2:
            operation = remember(ref, day, key=key, on_overlap="replace")
        case 3 | 4:
            operation = remember(ref, day, valid_to="2025-01-01", tags=["Ämter"])
        case 5:
            operation = update(ref, rng.choice(mine), valid_from=day)
        case 6:
            operation = Correct(rng.choice(mine), {"content": f"Berichtigt {place}."})
        case _:
            target = rng.choice(mine)
            operation = End(target, day) if rng.random() < 0.5 else Retract(target)
    try:
        with ledger.write("w") as writer:
            now = max(instant("2024-06-01") + rng.randrange(DAY), writer.head().recorded_at + 1)
            print(driver.into(writer, now, [operation], reason=ref), ref, flush=True)
        if isinstance(operation, dict):
            mine.append(ref)
    except (Conflict, InvalidInput, NotFound):
        pass
    if place % 10 == 0:
        items = ledger.outbox(name, 50)
        if items:
            ledger.advance(name, items[-1].position, [])
"""

KILLED = """
with ledger.write("w") as writer:
    driver.into(writer, writer.head().recorded_at + 1, [remember("half")])
    writer.flush()
    print("written", flush=True)
    sys.stdin.read()
"""


def started(script: str, url: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script, url, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.fixture
def ledger(postgres_url: str):
    ledger = SqlLedger(PostgresDatabase(postgres_url))
    ledger.create_workspace("w", "UTC", CREATED)
    yield ledger
    ledger.close()


def log_of(ledger: SqlLedger) -> list[StoredTransaction]:
    with ledger.read("w") as reader:
        return list(reader.log())


def assert_in_order(ledger: SqlLedger, url: str, postgres: PostgresServer) -> None:
    """Numbers and positions have no gap, instants ascend, every link holds the one before."""
    chain = postgres.run("SELECT position, previous, hash FROM transactions ORDER BY number", url)
    assert [row[0] for row in chain] == list(range(1, len(chain) + 1))
    assert all(before[2] == after[1] for before, after in pairwise(chain))
    log = log_of(ledger)
    assert [one.number for one in log] == list(range(1, len(chain) + 1))
    assert all(before.recorded_at < after.recorded_at for before, after in pairwise(log))


def assert_no_overlap(ledger: SqlLedger) -> None:
    """No two current versions of one entry, and none of one key, hold at once."""
    with ledger.read("w") as reader:
        found = [
            reader.history(one.info.id, at("2024-01-01"))
            for day in ("2024-03-01", "2024-12-30")
            for one in reader.list_at(at(day), EntryFilter(limit=None))
        ]
    held: dict[object, dict[int, object]] = {}
    for version in (f.version for history in found for f, _ in history):
        if version.closed_by is None:
            held.setdefault(version.entry_id, {})[version.row] = version.period
            if version.attributes.key:
                held.setdefault(version.attributes.key, {})[version.row] = version.period
    for periods in held.values():
        several = list(periods.values())
        assert not any(a.overlaps(b) for n, a in enumerate(several) for b in several[n + 1 :])


def test_eight_processes_write_one_ledger_and_nothing_is_lost(
    ledger: SqlLedger, postgres_url: str, postgres: PostgresServer
):
    process = started(MIXED, postgres_url, str(PROCESSES), str(OPERATIONS))
    said, _ = process.communicate()
    assert process.returncode == 0
    acknowledged = dict(line.split() for line in said.splitlines())
    assert len(acknowledged) > PROCESSES * OPERATIONS / 2
    stored = {str(one.number): one.reason for one in log_of(ledger)}
    assert acknowledged == stored
    assert_in_order(ledger, postgres_url, postgres)
    assert_no_overlap(ledger)
    assert list(ledger.check()) == []


def test_an_index_that_follows_while_others_write_misses_nothing(
    ledger: SqlLedger, postgres_url: str
):
    process = started(MIXED, postgres_url, "3", "30")
    seen: list[int] = []
    while process.poll() is None or ledger.outbox("follower", 1):
        for item in ledger.outbox("follower", 7):
            seen.append(item.position)
            ledger.advance("follower", item.position, [])
        time.sleep(0.02)
    process.communicate()
    assert seen == list(range(1, len(log_of(ledger)) + 1))
    assert len(seen) > 45


def test_a_process_that_is_killed_leaves_nothing_half_done_and_frees_the_lock(
    ledger: SqlLedger, postgres_url: str, postgres: PostgresServer
):
    Driver(ledger).do("2024-01-10", remember("a"))
    process = started(KILLED, postgres_url)
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert Driver(ledger).do("2024-01-11", remember("b")) == 2
    assert Driver(ledger).titles("2024-02-01") == ["A", "B"]
    assert_in_order(ledger, postgres_url, postgres)


def test_a_server_that_breaks_under_a_ledger_is_used_again_when_it_is_back(
    ledger: SqlLedger, postgres_cluster: Cluster, postgres_url: str
):
    del postgres_url
    driver = Driver(ledger)
    driver.do("2024-01-10", remember("a"))
    broken = ledger.write("w")
    writer = broken.__enter__()
    driver.into(writer, instant("2024-01-11"), [remember("half")])
    postgres_cluster.stop()
    try:
        with pytest.raises(Unavailable, match=r"postgres\.unreachable"):
            writer.flush()
        broken.__exit__(KeyError, KeyError(), None)
        with pytest.raises(Unavailable, match=r"postgres\.unreachable"):
            driver.titles("2024-02-01")
    finally:
        postgres_cluster.start()
    assert driver.titles("2024-02-01") == ["A"]
    assert driver.do("2024-01-11", remember("b")) == 2


def test_whoever_waits_gets_the_lock_in_the_order_of_asking(ledger: SqlLedger, postgres_url: str):
    """A busy neighbour cannot keep others out: each of them writes between two of its writes."""
    busy = started(MIXED, postgres_url, "busy", "100000")
    assert busy.stdout is not None
    busy.stdout.readline()
    try:
        driver, numbers = Driver(ledger), []
        for place in range(5):
            with ledger.write("w") as writer:
                head = writer.head()
                numbers.append(driver.into(writer, head.recorded_at + 1, [remember(f"x{place}")]))
            time.sleep(0.01)
    finally:
        busy.kill()
        busy.communicate()
    assert len(numbers) == 5
    assert numbers[-1] - numbers[0] < 2_000


def test_a_writer_that_the_server_throws_out_says_so(
    ledger: SqlLedger, postgres_url: str, postgres: PostgresServer
):
    Driver(ledger).do("2024-01-10", remember("a"))
    with pytest.raises(Unavailable, match=r"postgres\.unreachable"), ledger.write("w") as writer:
        postgres.run(OTHERS_LEAVE, postgres_url)
        writer.by_external_id("a")
    assert Driver(ledger).do("2024-01-11", remember("b")) == 2
