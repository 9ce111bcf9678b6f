"""Homes that assistants file into: in memory, and as they are on a disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from damals.app.ages import Ages
from damals.bootstrap import init_home, open_home
from damals.domain.instants import DAY
from damals.local import LocalDamals
from unfiled import MEMORY, TYPES, empty_since, unfiled

START = 1_767_225_600_000_000
"""2026-01-01."""

SESSION = {"source": {"kind": "mcp", "name": "assistant", "session": "s-1"}}
"""What an assistant gives with what it files."""

TIMEOUT = ("Timeout von Dienst A", "Der Timeout von Dienst A beträgt 30 s.")
LONGER = ("Timeout von Dienst A", "Der Timeout von Dienst A beträgt 60 s.")


@dataclass
class Time:
    """A clock that stands until it is moved on."""

    now: int = START

    def __call__(self) -> int:
        return self.now

    def days(self, number: float) -> None:
        self.now += round(number * DAY)


@contextmanager
def in_memory(clock: Time) -> Iterator[LocalDamals]:
    """A home without a file."""
    ages = Ages(lambda _: TYPES.load().catalogue)
    yield unfiled(clock, lambda: empty_since(START), ages=ages, accesses=True)


@contextmanager
def on_disk(clock: Time) -> Iterator[LocalDamals]:
    """A home as it is: SQLite, and the engine inside this process."""
    folder = MEMORY if MEMORY.is_dir() else None
    with TemporaryDirectory(dir=folder, prefix="damals-accretion-") as made:
        init_home(Path(made) / "home", timezone="UTC")
        given = {"index_mode": "inline", "embedder": "none", "brief": True}
        with open_home(Path(made) / "home", clock=clock, **given) as opened:
            yield opened


KINDS = {"memory": in_memory, "sqlite": on_disk}
