"""Hygiene of a simulated archive: five years, 20,000 entries, on SQLite.

Run: ``python -m bench.hygiene [entries]``. The report is compared with reading the same rows once:
the ratio says what the checks cost beside the reading, whatever machine it runs on.
"""

import sys
import tempfile
from pathlib import Path

from bench.hygiene_archive import Archive
from bench.support import line, median_s, memory_mb, timed
from damals.app.ledger_model import At
from damals.bootstrap import open_home
from damals.domain.access import Principal
from damals.domain.errors import DamalsError
from damals.domain.findings import HYGIENE
from damals.domain.instants import DAY, FOREVER
from damals.local import LocalDamals

SIZE = 20_000
YEARS = 5
START = 1_546_300_800_000_000
"""2019-01-01."""
WANTED_S = 5.0


def fill(home: Path, size: int, days: int) -> tuple[LocalDamals, int]:
    """A home with an archive in it, and the instant behind it."""
    now = [START]
    memory = open_home(home, clock=lambda: now[0], embedder="none", receipts=False)
    for day, said in Archive(7, size, days).story():
        now[0] = START + round(day * DAY)
        told(memory, said)
    now[0] = START + days * DAY
    return memory, now[0]


def told(memory: LocalDamals, said: list[dict[str, object]]) -> None:
    """Say all of it, or, where something cannot be, one after the other what can."""
    if not said:
        return
    try:
        memory.transact(said)
    except DamalsError:
        for one in said if len(said) > 1 else ():
            told(memory, [one])


def measure(size: int = SIZE) -> None:
    """The table."""
    with tempfile.TemporaryDirectory() as name:
        spent, (memory, now) = timed(lambda: fill(Path(name) / "home", size, YEARS * 365))
        line(f"hygiene: {size} entries in {YEARS} years, filled in", f"{spent:.1f} s")
        with memory:
            read = median_s([lambda: _read(memory, now)] * 3)
            whole = median_s([memory.hygiene] * 3)
            report = memory.hygiene()
            line("  all of it read at once", f"{read:.2f} s")
            line(f"  hygiene, {report.count} findings (wanted: ≤ {WANTED_S:g} s)", f"{whole:.2f} s")
            line("  hygiene by reading", f"{whole / read:.2f}")
            for kind in HYGIENE:
                alone = median_s([lambda kind=kind: memory.hygiene(kind=kind.value)])
                line(f"    {kind.value} alone", f"{max(alone - read, 0):.2f} s beside reading")
            then = f"{2019 + YEARS - 3}-06-01"
            past = median_s([lambda: memory.hygiene(as_of=then, known_at=then)])
            line("  as of and known at three years ago", f"{past:.2f} s")
            guest = memory.under(Principal("bob", visibility="internal"))
            line("  for somebody who may not see everything", f"{median_s([guest.hygiene]):.2f} s")
            line("  lint --due", f"{median_s([lambda: memory.lint(due=True)]):.2f} s")
            line("  memory, at most so far", f"{memory_mb():.0f} MB")


def _read(memory: LocalDamals, now: int) -> object:
    with memory._reader() as reader:  # noqa: SLF001 -- the port itself is measured
        return reader.snapshot(At(now, FOREVER - 1))


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else SIZE)
