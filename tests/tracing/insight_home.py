"""A home on a clock that a test moves, for traces, patterns and calibrations."""

from collections.abc import Iterator
from contextlib import contextmanager

from damals.bootstrap import init_home, open_home
from damals.domain.instants import DAY, instant_of


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self, start: str = "2024-01-01T00:00:00Z") -> None:
        self.now = instant_of(start)

    def __call__(self) -> int:
        return self.now

    def to(self, text: str) -> None:
        self.now = instant_of(text if "T" in text else f"{text}T00:00:00Z")

    def days(self, number: float) -> None:
        self.now += round(number * DAY)


@contextmanager
def home(folder, clock: Clock, **options) -> Iterator:
    init_home(folder, timezone="UTC")
    with open_home(folder, clock=clock, brief=True, embedder="none", **options) as opened:
        yield opened
