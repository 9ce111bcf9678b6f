"""Homes for tests of access: in memory, or as they are on a disk, at a time that the test says."""

import hashlib
import math
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from damals.app.ledger_port import Ledger
from damals.bootstrap import init_home, open_home
from damals.domain.access import Principal
from damals.domain.instants import DAY
from damals.local import LocalDamals
from unfiled import MEMORY, empty_since, unfiled

START = 1_704_067_200_000_000
"""2024-01-01."""
HIDDEN_WORD = "Geheim"
"""What nobody may read who may not see what it is a part of."""


@dataclass
class Time:
    """A clock that stands until it is moved on."""

    now: int = START

    def __call__(self) -> int:
        return self.now

    def days(self, number: float) -> None:
        self.now += round(number * DAY)


class Hashes:
    """An embedder: vectors that have nothing to do with meaning, but are always the same."""

    model, version, dimension = "hashes", "1", 8

    def passage(self, text: str) -> bytes:
        digest = hashlib.sha256(text.encode()).digest()[: self.dimension]
        values = [byte - 127.5 for byte in digest]
        size = math.hypot(*values)
        return array("f", (value / size for value in values)).tobytes()

    query = passage


class Vectors(dict):
    """A cache of vectors."""

    def get_many(self, keys):
        return {key: self[key] for key in keys if key in self}

    put_many = dict.update

    def forget(self, workspace, lookups):
        gone = [key for key in self if key.workspace == workspace and key.lookup in lookups]
        for key in gone:
            del self[key]
        return len(gone)

    def close(self):
        pass


def _empty_ledger() -> Ledger:
    return empty_since(START)


def in_memory(clock: Time, make: Callable[[], Ledger] = _empty_ledger) -> LocalDamals:
    """A home without a file."""
    return unfiled(clock, _empty_ledger, ledger=make(), embedding=(Hashes(), Vectors()))


@contextmanager
def on_disk(clock: Time, **options: object) -> Iterator[LocalDamals]:
    """A home as it is: SQLite or PostgreSQL, and the engine inside this process.

    There is a workspace in it, so that it may be asked before anything is said.
    """
    folder = MEMORY if MEMORY.is_dir() else None
    with TemporaryDirectory(dir=folder, prefix="damals-access-") as made:
        init_home(Path(made) / "home", timezone="UTC")
        given = {"index_mode": "inline", **options}
        with open_home(Path(made) / "home", clock=clock, embedding=Hashes(), **given) as opened:
            opened._ledger(create=True)  # noqa: SLF001 -- else the first who says something does
            yield opened


def owner_called(name: str) -> Principal:
    """The owner, by another name, so that it shows who did what."""
    return Principal(name, owns=True)
