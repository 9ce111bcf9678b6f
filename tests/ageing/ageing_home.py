"""A home whose clock is moved, for tests of what time does to entries."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from damals.api import Damals
from damals.bootstrap import init_home, open_home
from damals.domain.instants import DAY, from_datetime

_MEMORY = Path("/dev/shm")  # noqa: S108 -- only the tests' own folders go there


class Time:
    """A clock that is moved on."""

    def __init__(self, day: str = "2024-01-01") -> None:
        self.now = instant(day)

    def __call__(self) -> int:
        return self.now

    def to(self, day: str) -> None:
        self.now = instant(day)

    def days(self, number: float) -> None:
        self.now += round(number * DAY)


def instant(day: str) -> int:
    return from_datetime(datetime.fromisoformat(day).replace(tzinfo=UTC))


@contextmanager
def home(time: Time, **options: object) -> Iterator[Damals]:
    folder = _MEMORY if _MEMORY.is_dir() else None
    with TemporaryDirectory(dir=folder, prefix="damals-") as made:
        path = Path(made) / "home"
        init_home(path, timezone="UTC")
        given = {"index_mode": "inline", "embedder": "none", **options}
        with open_home(path, clock=time, **given) as opened:
            yield opened


def titles(found: object) -> list[str]:
    return [one.title for one in found]
