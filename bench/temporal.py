"""The temporal suite on both clocks, and without the second one.

Run: ``python -m bench.temporal``.
"""

import json
import runpy
import tempfile
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from bench.support import ROOT, line, timed
from damals.api import Damals
from damals.bootstrap import init_home, open_home
from damals.domain.asking.question import read_question
from damals.domain.instants import from_datetime
from damals.domain.zones import load_zone

SUITE = ROOT / "tests" / "acceptance" / "temporal_history.py"


class Asked(Protocol):
    """A question of the suite."""

    text: str

    def is_answered_by(self, names: list[str | None]) -> bool:
        """Whether these are the right results."""
        ...


def measure() -> None:
    """Ask everything, and print how much was answered rightly and what reading costs."""
    suite = runpy.run_path(str(SUITE))
    asked, zone = suite["QUESTIONS"], load_zone(suite["ZONE"])
    now = from_datetime(datetime.fromisoformat(suite["NOW"]))
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "history.jsonl"
        events.write_text("\n".join(map(json.dumps, suite["HISTORY"])) + "\n", encoding="utf-8")
        init_home(Path(folder) / "home", timezone=suite["ZONE"])
        with open_home(Path(folder) / "home", clock=lambda: now, receipts=False) as memory:
            memory.import_(events, wait=True)
            both = sum(map(partial(_right, memory), asked))
            one = sum(map(partial(_right_as_known_now, memory), asked))
    seconds, _ = timed(lambda: [read_question(q.text, now=now, zone=zone) for q in asked])
    line(f"temporal suite, {len(asked)} questions: right on both clocks", f"{both}")
    line("the same, everything as known now", f"{one}")
    line("reading the times of a question", f"{1e6 * seconds / len(asked):.0f} µs")


def _right(memory: Damals, asked: Asked) -> bool:
    return asked.is_answered_by([hit.entry.external_id for hit in memory.recall(asked.text)])


def _right_as_known_now(memory: Damals, asked: Asked) -> bool:
    as_of = memory.recall(asked.text, limit=1).as_of
    found = memory.recall(asked.text, as_of=as_of, times="off")
    return asked.is_answered_by([hit.entry.external_id for hit in found])


if __name__ == "__main__":
    measure()
