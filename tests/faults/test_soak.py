"""At full load for a long time: memory stays flat, files stay bounded, the index catches up.

Ten minutes, nightly; ``DAMALS_SOAK_S`` says for how long else.
"""

import os
import random
import resource
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from faulty_homes import check, opened

from damals import Damals
from damals.domain.errors import DamalsError

NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"
SOAK_S = float(os.environ.get("DAMALS_SOAK_S", "600"))
SETTLED = 0.3
"""Share of the time after which caches and pools have their size."""
KEPT = 400
"""So many entries change for ever: knowledge that grew would be no leak."""
MEGABYTE = 1 << 20


def resident(pid: int) -> int:
    """Bytes of memory of a process and its children."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(
                line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line
            )
        except OSError:
            continue  # it has ended meanwhile
        if lines["Pid"].strip() == str(pid) or lines["PPid"].strip() == str(pid):
            total += int(lines.get("VmRSS", "0 kB").split()[0]) * 1024
    return total


def size(folder: Path) -> int:
    return sum(one.stat().st_blocks * 512 for one in folder.rglob("*") if one.is_file())


@dataclass
class Load:
    """Who changes and asks without a pause, until its end."""

    memory: Damals
    ids: list[str]
    ends: float
    failures: list[DamalsError] = field(default_factory=list)
    changes: int = 0
    recalls: int = 0

    def write(self) -> None:
        chance = random.Random(1)
        while time.monotonic() < self.ends:
            try:
                text = f"Stand {chance.random()}: Vertrag, Frist und Kündigung. " * 10
                self.memory.correct(chance.choice(self.ids), content=text, reason="neuer Stand")
                self.changes += 1
            except DamalsError as error:
                self.failures.append(error)

    def ask(self) -> None:
        chance = random.Random(2)
        while time.monotonic() < self.ends:
            try:
                self.memory.recall(chance.choice(("Vertrag", "Frist", "Notiz 7")), limit=5)
                self.recalls += 1
            except DamalsError as error:
                self.failures.append(error)


@pytest.mark.skipif(
    not (NIGHTLY or "DAMALS_SOAK_S" in os.environ),
    reason="takes ten minutes; run by `make nightly`",
)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.nightly
def test_at_full_load_memory_is_flat_files_are_bounded_and_the_index_catches_up(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("DAMALS_INDEX_MODE", "worker")
    with opened(tmp_path / "home") as memory:
        ids = [memory.remember(f"Notiz {n}", "Vertrag und Frist. " * 20).id for n in range(KEPT)]
        memory.recall("Vertrag")

        load = Load(memory, ids, time.monotonic() + SOAK_S)
        threads = [threading.Thread(target=one) for one in (load.write, load.ask, load.ask)]
        for one in threads:
            one.start()
        samples: list[tuple[float, int]] = []
        while time.monotonic() < load.ends:
            time.sleep(min(2.0, SOAK_S / 50))
            samples.append((time.monotonic(), resident(os.getpid())))
        for one in threads:
            one.join()
        memory.reindex()
        assert not load.failures, load.failures[:3]
        assert load.changes > 0
        assert load.recalls > 0
        assert memory.recall("Vertrag").index_lag == 0
        assert check(memory.doctor(), "index").ok
        assert memory.audit().ok
        changes = len(memory.log(limit=None).transactions)
    settled = [used for _, used in samples[int(len(samples) * SETTLED) :]]
    half = len(settled) // 2
    early, late = sorted(settled[:half])[half // 2], sorted(settled[half:])[half // 2]
    files = size(tmp_path / "home")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    asked = f"changes {changes}, recalls {load.recalls}"
    told = f"{asked}, memory {early} -> {late}, peak {peak} kB, {files} B"
    # What was known before stays, so files grow with changes; per change only so much.
    assert files < 200 * MEGABYTE + changes * 64 * 1024, told
    assert late < early * 1.25 + 40 * MEGABYTE, told
