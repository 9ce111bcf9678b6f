"""What a ledger survives, and how it says what it cannot."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from ledger_driver import CREATED, Driver, at, instant, remember
from sqlalchemy import event

from damals.adapters.sql.ledger import SqlLedger
from damals.app.ledger_model import EntryFilter
from damals.domain.errors import Corrupt, Unavailable

CONTRACTS = Path(__file__).parent.parent / "contracts"
SOURCES = Path(__file__).parents[2] / "src"
NOBODY = 65_534

PRELUDE = f"""
import os, sys
from pathlib import Path
sys.path[:0] = [{str(CONTRACTS)!r}, {str(SOURCES)!r}]
from ledger_driver import CREATED, Driver, instant, remember
from damals.adapters.sql.ledger import SqlLedger
from damals.domain.errors import DamalsError
path = Path(sys.argv[1])
"""

WRITER = """
driver = Driver(SqlLedger(path))
for place in range(10_000):
    with driver.ledger.write("w") as writer:
        for part in range(3):
            now = instant("2024-01-10") + 3 * place + part
            driver.into(writer, now, [remember(f"n{place}.{part}")])
    print(place, flush=True)
"""

CREATOR = """
ledger = SqlLedger(path)
try:
    ledger.create_workspace("w", "UTC", CREATED)
except DamalsError as error:
    print(error.key)
for place in range(20):
    with ledger.write("w") as writer:
        Driver(ledger).into(writer, writer.head().recorded_at + 1 if place else
            max(writer.head().recorded_at + 1, instant("2024-01-10")),
            [remember(f"{sys.argv[2]}.{place}")])
"""

READ_ONLY = """
if os.geteuid() == 0:
    os.seteuid(int(sys.argv[2]))
try:
    Driver(SqlLedger(path)).do("2024-01-11", remember("b"))
except DamalsError as error:
    print(type(error).__name__, error.key)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def driver(path: Path) -> Iterator[Driver]:
    ledger = SqlLedger(path, busy_timeout_ms=5_000)
    ledger.create_workspace("w", "UTC", CREATED)
    yield Driver(ledger)
    ledger.close()


def start(script: str, path: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PRELUDE + script, str(path), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_an_acknowledged_write_survives_a_kill_and_an_unfinished_one_is_gone(path: Path):
    acknowledged = -1
    for round_ in range(3):
        ledger_path = path.with_name(f"{round_}.db")
        ledger = SqlLedger(ledger_path)
        ledger.create_workspace("w", "UTC", CREATED)
        process = start(WRITER, ledger_path)
        assert process.stdout is not None
        for _ in range(4 + round_):
            acknowledged = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *map(int, process.stdout.read().split())])
        process.wait()
        process.stdout.close()
        with ledger.read("w") as reader:
            number = reader.head().number
            assert number % 3 == 0
            assert number >= 3 * (acknowledged + 1)
            assert len(reader.list_at(at("2024-02-01"), EntryFilter(limit=None))) == number
            assert len(list(reader.log())) == number
        assert list(ledger.check()) == []
        Driver(ledger).do("2024-03-01", remember("later"))
        ledger.close()


def test_two_processes_may_create_and_fill_one_ledger_at_once(path: Path):
    both = [start(CREATOR, path, name) for name in ("x", "y")]
    said = [process.communicate()[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(said) == [[], ["workspace.exists"]]
    ledger = SqlLedger(path)
    with ledger.read("w") as reader:
        log = list(reader.log())
    assert [stored.number for stored in log] == list(range(1, 41))
    instants = [stored.recorded_at for stored in log]
    assert instants == sorted(set(instants))
    ledger.close()


def test_a_reader_is_not_held_up_by_a_writer(driver: Driver):
    driver.do("2024-01-10", remember("a"))
    with driver.ledger.write("w") as writer:
        driver.into(writer, instant("2024-01-11"), [remember("b")])
        writer.head()
        found: list[list[str]] = []
        thread = threading.Thread(target=lambda: found.append(driver.titles("2024-02-01")))
        thread.start()
        thread.join(timeout=10)
        assert found == [["A"]]


def test_a_file_that_is_no_database_is_called_damaged(path: Path):
    path.write_bytes(b"This is not a ledger. " * 500)
    with pytest.raises(Corrupt, match=r"ledger\.corrupt") as caught:
        SqlLedger(path)
    assert caught.value.values["path"] == str(path)


def test_a_half_written_page_is_found_by_the_check(driver: Driver, path: Path):
    for place in range(30):
        driver.do(f"2024-01-{place + 1:02}", remember(f"n{place}"))
    driver.ledger.close()
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'versions_entry'"
        ).fetchone()
    content = bytearray(path.read_bytes())
    content[(root - 1) * 4096 : (root - 1) * 4096 + 2048] = bytes(2048)
    path.write_bytes(content)
    damaged = SqlLedger(path)
    assert damaged.check() != []
    with pytest.raises(Corrupt, match=r"ledger\.corrupt"):
        Driver(damaged).history("n1")
    for known_at in ("2024-01-05", "2024-01-20"):
        with pytest.raises(Corrupt, match=r"ledger\.corrupt"):
            Driver(damaged).version("n1", "2024-02-01", known_at)
    damaged.close()


def test_a_truncated_file_is_called_damaged(driver: Driver, path: Path):
    driver.do("2024-01-10", remember("a"))
    driver.ledger.close()
    path.write_bytes(path.read_bytes()[: 4096 * 10])
    with pytest.raises(Corrupt, match=r"ledger\.corrupt"):
        SqlLedger(path).workspaces()


def test_a_read_only_folder_is_named_and_nothing_is_lost(driver: Driver, path: Path):
    driver.do("2024-01-10", remember("a"))
    driver.ledger.close()
    parents = [folder for folder in path.parents if folder.stat().st_uid == os.getuid()]
    modes = {folder: folder.stat().st_mode for folder in parents}
    try:
        for folder in parents:
            folder.chmod(0o755)
        path.parent.chmod(0o555)
        path.chmod(0o444)
        said = start(READ_ONLY, path, str(NOBODY)).communicate()[0].split()
    finally:
        for folder, mode in modes.items():
            folder.chmod(mode)
    assert said == ["Unavailable", "ledger.read_only"]
    assert Driver(SqlLedger(path)).titles("2024-02-01") == ["A"]


def test_a_missing_folder_is_named(path: Path):
    with pytest.raises(Unavailable, match=r"ledger\.unreadable"):
        SqlLedger(path.parent / "missing" / "ledger.db")


def test_a_full_disk_stores_nothing_and_the_ledger_goes_on(driver: Driver):
    driver.do("2024-01-10", remember("a"))
    engine = driver.ledger._engine  # noqa: SLF001 - a disk of a given size needs its connections
    sizes = iter([1, 1_000_000])
    pages = {"limit": next(sizes)}

    @event.listens_for(engine, "begin")
    def _limit(connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages['limit']}")

    with pytest.raises(Unavailable, match=r"ledger\.disk_full"):
        driver.do("2024-01-11", remember("b", content="x" * 1_000_000))
    pages["limit"] = next(sizes)
    assert driver.titles("2024-02-01") == ["A"]
    assert driver.do("2024-01-11", remember("b")) == 2


def test_a_text_that_is_no_unicode_any_more_is_called_damaged(driver: Driver, path: Path):
    driver.do("2024-01-10", remember("a"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE contents SET text = CAST(x'ff' AS TEXT) WHERE text = 'About a.'")
    with pytest.raises(Corrupt, match=r"ledger\.corrupt"):
        driver.titles("2024-02-01")
