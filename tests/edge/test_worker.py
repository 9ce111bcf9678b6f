"""The index in a worker process: it may die, be late or be damaged, and the caller lives on."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from edge_points import EVERYTHING, QUESTION, a_point, an_id, settings, vector, wait_until_ended

from damals.adapters.edge.shard import EdgeChunkIndex
from damals.adapters.edge.worker import WorkerChunkIndex, WorkerLimits
from damals.domain.errors import Corrupt, InvalidInput, Unavailable

SOURCES = str(Path(__file__).parents[2] / "src")

pytestmark = pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="NOT RUN: looks at processes through /proc"
)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[WorkerChunkIndex]:
    opened = WorkerChunkIndex(settings(tmp_path))
    yield opened
    opened.close()


def worker_of(index: WorkerChunkIndex) -> int:
    pid = index.pid
    assert pid is not None
    return pid


def kill(index: WorkerChunkIndex, how: signal.Signals = signal.SIGKILL) -> None:
    pid = worker_of(index)
    os.kill(pid, how)
    os.kill(pid, signal.SIGCONT)
    give_up_at = time.monotonic() + 30
    # Not what /proc says: the last threads of a process end after its first.
    while index.pid == pid and time.monotonic() < give_up_at:
        time.sleep(0.01)
    assert index.pid != pid


def under_way(index: WorkerChunkIndex, call: Callable[[], object]) -> Callable[[], object]:
    """Start a call while the worker is stopped; what is returned waits for its outcome."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(call())
        except Exception as error:  # noqa: BLE001 - the outcome, whatever it is
            outcome.append(error)

    os.kill(worker_of(index), signal.SIGSTOP)
    thread = threading.Thread(target=run)
    thread.start()
    while not index._mutex.locked():  # noqa: SLF001 - nothing public tells
        thread.join(0.01)
    thread.join(0.2)
    assert not outcome

    def wait() -> object:
        thread.join(60)
        return outcome[0]

    return wait


# Death


def test_acknowledged_writes_survive_the_death_of_the_worker(index: WorkerChunkIndex):
    index.upsert([a_point(n) for n in range(30)])
    index.set_vectors({an_id(1): vector(0, 1, 0, 0)})
    index.close_points({an_id(2): 1})
    index.delete([an_id(3)])
    before = index.query(QUESTION)
    kill(index)
    assert index.query(QUESTION) == before
    assert index.count() == 29
    assert index.count(EVERYTHING) == 28
    assert index.restarts == 1


def test_a_write_after_the_death_of_the_worker_just_works(index: WorkerChunkIndex):
    index.upsert([a_point("a")])
    kill(index)
    index.upsert([a_point("b")])
    assert sorted(index.ids()) == sorted([an_id("a"), an_id("b")])


def test_a_read_under_way_is_repeated_when_the_worker_dies(index: WorkerChunkIndex):
    index.upsert([a_point("a")])
    outcome = under_way(index, index.count)
    kill(index)
    assert outcome() == 1
    assert index.restarts == 1


def test_a_write_under_way_is_reported_when_the_worker_dies(index: WorkerChunkIndex):
    index.upsert([a_point("a")])
    outcome = under_way(index, lambda: index.upsert([a_point("b")]))
    kill(index)
    error = outcome()
    assert isinstance(error, Unavailable)
    assert error.key == "index.unavailable"
    index.upsert([a_point("b")])
    assert index.count() == 2


def test_a_worker_that_crashes_again_and_again_has_damaged_files(index: WorkerChunkIndex):
    index.upsert([a_point("a")])
    errors: list[object] = []
    for _ in range(3):
        outcome = under_way(index, lambda: index.upsert([a_point("b")]))
        kill(index, signal.SIGBUS)
        errors.append(outcome())
        index._living_worker()  # noqa: SLF001 - as the next call would, without its success
    assert [type(error) for error in errors] == [Unavailable, Unavailable, Corrupt]


def test_a_crash_on_a_full_disk_is_no_damage(tmp_path: Path):
    index = WorkerChunkIndex(settings(tmp_path), space=lambda _: 0)
    for _ in range(4):
        outcome = under_way(index, lambda: index.upsert([a_point("b")]))
        kill(index, signal.SIGBUS)
        error = outcome()
        assert isinstance(error, Unavailable)
        assert error.key == "index.disk_full"
        index._living_worker()  # noqa: SLF001 - as above
    index.close()


# Time-outs


def test_a_worker_that_does_not_answer_is_ended_and_replaced(tmp_path: Path):
    index = WorkerChunkIndex(settings(tmp_path), WorkerLimits(read=1.0, write=1.0))
    index.upsert([a_point("a")])
    for call in (index.count, index.flush):
        late = worker_of(index)
        os.kill(late, signal.SIGSTOP)
        with pytest.raises(Unavailable) as caught:
            call()
        assert caught.value.key == "index.unavailable"
        assert wait_until_ended(late)
        assert index.count() == 1
    assert index.restarts == 2
    index.close()


def test_closing_ends_a_worker_that_does_not_answer(tmp_path: Path):
    index = WorkerChunkIndex(settings(tmp_path), WorkerLimits(close=0.5))
    pid = worker_of(index)
    os.kill(pid, signal.SIGSTOP)
    index.close()
    assert wait_until_ended(pid)


def test_closing_does_not_wait_for_a_call_of_another_thread(tmp_path: Path):
    index = WorkerChunkIndex(settings(tmp_path), WorkerLimits(close=0.5))
    outcome = under_way(index, lambda: index.upsert([a_point("a")]))
    index.close()
    assert isinstance(outcome(), Unavailable)
    assert index.pid is None


# Errors, threads, closing


def test_what_the_index_refuses_is_raised_here(index: WorkerChunkIndex):
    with pytest.raises(InvalidInput) as caught:
        index.upsert([a_point("a", sensitivity=9)])
    assert caught.value.key == "index.number"
    assert caught.value.values == {"field": "sensitivity", "value": 9}
    assert index.restarts == 0


def test_a_closed_index_says_so(tmp_path: Path):
    index = WorkerChunkIndex(settings(tmp_path))
    pid = worker_of(index)
    index.close()
    assert wait_until_ended(pid)
    assert index.pid is None
    for call in (index.count, index.flush, lambda: next(index.ids())):
        with pytest.raises(Unavailable) as caught:
            call()
        assert caught.value.key == "index.closed"


def test_many_threads_share_one_worker(index: WorkerChunkIndex):
    index.upsert([a_point(n) for n in range(40)])
    expected = index.query(QUESTION)
    found: list[object] = []

    def ask(number: int) -> None:
        index.upsert([a_point(number)])
        found.extend(index.query(QUESTION) == expected for _ in range(10))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [True] * 60


def test_ctrl_c_and_a_service_stop_are_left_to_the_parent(index: WorkerChunkIndex):
    index.upsert([a_point("a")])
    for how in (signal.SIGINT, signal.SIGTERM):
        os.kill(worker_of(index), how)
    assert index.count() == 1
    assert index.restarts == 0


# One shard, one holder; no worker without a parent


def test_two_workers_on_one_folder_are_an_error_that_says_so(tmp_path: Path):
    first = WorkerChunkIndex(settings(tmp_path))
    with pytest.raises(Unavailable) as caught:
        WorkerChunkIndex(settings(tmp_path))
    assert caught.value.key == "index.held"
    assert str(caught.value.values["path"]) == str(settings(tmp_path).path)
    first.close()
    second = WorkerChunkIndex(settings(tmp_path))
    assert second.count() == 0
    second.close()


PARENT = """
import sys, time
from pathlib import Path
from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.worker import WorkerChunkIndex
index = WorkerChunkIndex(EdgeSettings(Path(sys.argv[1]), 4, "m", "1", reserve_bytes=1_000_000))
print(index.pid, flush=True)
time.sleep(600 if sys.argv[2] == "stay" else 0)
"""


def a_parent(home: Path, what: str) -> subprocess.Popen[str]:
    """Another program that uses the library, without any guard around its main part."""
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, str(home), what],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": SOURCES},
    )


def test_no_worker_stays_when_its_parent_is_killed(tmp_path: Path):
    with a_parent(tmp_path, "stay") as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
        assert wait_until_ended(worker)
    EdgeChunkIndex(settings(tmp_path, lock_wait_seconds=10)).close()


def test_no_worker_stays_when_its_parent_forgets_to_close(tmp_path: Path):
    with a_parent(tmp_path, "leave") as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert parent.wait(60) == 0
        assert wait_until_ended(worker)


def test_no_module_of_the_callers_folder_gets_into_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "uuid.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    index = WorkerChunkIndex(settings(tmp_path / "home"))
    assert index.count() == 0
    index.close()


# Faults of the disk


def test_a_full_disk_is_an_error_and_no_death(tmp_path: Path):
    WorkerChunkIndex(settings(tmp_path)).close()
    with pytest.raises(Unavailable) as caught:
        WorkerChunkIndex(settings(tmp_path, reserve_bytes=1 << 60))
    assert caught.value.key == "index.disk_full"


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 3)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def scramble(file: Path) -> None:
    with file.open("r+b") as opened:
        content = opened.read(4_096)
        opened.seek(0)
        opened.write(bytes(byte ^ 0xA5 for byte in content))


def remove(file: Path) -> None:
    file.unlink()


@pytest.fixture(scope="module")
def undamaged(shared_path: Path) -> Path:
    """A shard with an optimized segment and one that is not."""
    index = EdgeChunkIndex(settings(shared_path))
    index.upsert([a_point(n, vector=vector(1, n, 0, 0)) for n in range(20)])
    index.optimize()
    index.upsert([a_point(n) for n in range(20, 30)])
    index.close()
    return settings(shared_path).path


@pytest.mark.parametrize(
    ("pattern", "damage"),
    [
        ("edge_config.json", empty),
        ("edge_config.json", remove),
        ("wal/open-1", cut),
        ("wal/open-*", scramble),
        ("wal/first-index", scramble),
        ("segments/*/segment.json", cut),
        ("segments/*/segment.json", remove),
        ("segments/*/version.info", empty),
        ("segments/*/*id_tracker*", scramble),
        ("segments/*/*id_tracker*", cut),
        ("segments/*/payload_storage/page_0.dat", empty),
        ("segments/*/payload_storage/*.dat", scramble),
        ("segments/*/payload_storage/config.json", remove),
        ("segments/*/payload_index/config.json", scramble),
        ("segments/*/payload_index/*/*", empty),
        ("segments/*/vector_storage-content/**/*", cut),
        ("segments/*/vector_storage-lexical/store/*", scramble),
        ("segments/*/vector_storage-lexical/store/*", remove),
    ],
)
def test_damaged_files_end_in_corrupt_or_a_load(
    tmp_path: Path, undamaged: Path, pattern: str, damage: Callable[[Path], None]
):
    shutil.copytree(undamaged, settings(tmp_path).path)
    files = [file for file in settings(tmp_path).path.glob(pattern) if file.is_file()]
    assert files
    for file in files:
        damage(file)
    try:
        index = WorkerChunkIndex(settings(tmp_path))
    except Corrupt as error:
        assert error.values["path"] == str(settings(tmp_path).path)
        return
    for call in (index.count, lambda: list(index.ids()), lambda: index.query(QUESTION)):
        try:
            call()
        except (Corrupt, Unavailable):
            continue
    index.close()


def test_a_missing_folder_is_an_empty_index(tmp_path: Path):
    index = WorkerChunkIndex(settings(tmp_path / "not" / "there"))
    assert index.count() == 0
    index.close()
