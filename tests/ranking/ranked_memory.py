"""A home with an embedder that knows a few topics, for tests of ranking."""

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from damals import Damals
from damals.bootstrap import open_home
from damals.domain.errors import InvalidInput
from damals.domain.instants import DAY

START = 1_704_067_200_000_000
"""2024-01-01."""

TOPICS = ("stille", "ruhe", "lärm", "haus", "vertrag", "frist", "wert", "ziel")


class Topics:
    """A vector says which of a few words a text has: what is alike is plain to see."""

    model = "topics"
    version = "1"
    dimension = len(TOPICS) + 1

    def passage(self, text: str) -> bytes:
        """One number a topic, and one that all texts share; its length is 1."""
        if not text.strip():
            raise InvalidInput("embed.empty")
        said = text.casefold()
        told = (0.5, *(float(said.count(topic)) for topic in TOPICS))
        length = math.hypot(*told)
        return struct.pack(f"<{self.dimension}f", *(number / length for number in told))

    query = passage


class Time:
    """A clock that stands until it is moved on."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now

    def days(self, number: float) -> None:
        self.now += round(number * DAY)


_FAST = Path("/dev/shm")  # noqa: S108 -- only the tests' own folders go there


@contextmanager
def fast_folder() -> Iterator[Path]:
    """A folder whose files wait for no disk, where there is such a place."""
    with TemporaryDirectory(dir=_FAST if _FAST.is_dir() else None, prefix="damals-") as made:
        yield Path(made)


@contextmanager
def memory_at(folder: Path, **more: object) -> Iterator[Damals]:
    """An empty home, its engine inside this process."""
    given = {"index_mode": "inline", "receipts": False, "embedding": Topics(), **more}
    with open_home(folder, timezone="Europe/Berlin", **given) as memory:
        yield memory


def titles(found: object) -> list[str]:
    """The titles of the results, best first."""
    return [hit.entry.title for hit in found]  # pyright: ignore[reportAttributeAccessIssue] -- a Recall
