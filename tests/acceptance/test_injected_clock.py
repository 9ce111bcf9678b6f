"""Acceptance cases 9 and 23: a clock that goes back, and one that stands still."""

import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from damals import Damals
from damals.bootstrap import init_home
from damals.domain.instants import format_instant, from_datetime

NOON = from_datetime(datetime(2024, 6, 1, 12, tzinfo=UTC))
UPDATES = 1_000
KNOWN_EVERY = 20
MEMORY = Path("/dev/shm")  # noqa: S108 -- only the test's own folder goes there


@pytest.fixture
def home() -> Iterator[Path]:
    """A home in memory where there is one: a thousand transactions wait for a thousand syncs."""
    folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None, prefix="damals-clock-"))
    init_home(folder / "home", timezone="UTC")
    yield folder / "home"
    shutil.rmtree(folder)


def day(number: int) -> str:
    return (date(2020, 1, 1) + timedelta(days=number)).isoformat()


def test_a_clock_that_goes_back_gives_the_next_microsecond_and_hides_nothing(home):
    now = NOON
    with Damals.open(home, clock=lambda: now) as memory:
        memory.remember("first", "one")
        now = NOON - 1_000_000
        memory.remember("second", "two")
        assert {entry.title for entry in memory.entries()} == {"first", "second"}
        assert memory.recall("two").results[0].entry.title == "second"
        instants = [stored.recorded_at for stored in memory.log().transactions]
    assert sorted(instants) == ["2024-06-01T12:00:00.000000Z", "2024-06-01T12:00:00.000001Z"]


def test_a_clock_that_stands_still_gives_each_of_a_thousand_updates_its_instant(home):
    with Damals.open(home, clock=lambda: NOON) as memory:
        last = memory.remember("fact", "0", valid_from=day(0)).id
        for number in range(1, UPDATES + 1):
            said = {"valid_from": day(number), "reason": "it changed"}
            last = memory.update(last, "fact", str(number), **said).id
        instants = [stored.recorded_at for stored in memory.log().transactions]
        assert sorted(instants) == [format_instant(NOON + n) for n in range(UPDATES + 1)]
        for number in range(UPDATES + 1):
            assert _told(memory, day(number), None) == str(number)
        for number in range(0, UPDATES + 1, KNOWN_EVERY):
            known = format_instant(NOON + number)
            assert _told(memory, day(UPDATES + 1), known) == str(number)
            assert _told(memory, day(number // 2), known) == str(number // 2)


def _told(memory: Damals, as_of: str, known_at: str | None) -> str:
    (entry,) = memory.entries(as_of=as_of, known_at=known_at)
    return entry.content
