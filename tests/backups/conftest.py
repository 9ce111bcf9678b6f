"""A home of each test, and the program on it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))

from program import Program, home_of_its_own

from postgres_server import PostgresServer


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = home_of_its_own(tmp_path, monkeypatch)
    # A process beside each home, for an index of a few points, would take most of the time.
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")
    return place


@pytest.fixture
def program(home: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    del home
    return Program(capsys)


@pytest.fixture
def blank(postgres: PostgresServer) -> Iterator[Callable[[], str]]:
    """Gives addresses of empty databases."""
    made: list[str] = []

    def one() -> str:
        made.append(postgres.blank())
        return made[-1]

    yield one
    for url in made:
        postgres.drop(url)
