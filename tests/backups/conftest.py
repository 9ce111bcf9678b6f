"""A home of each test, and the program on it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))

from program import Program, home_of_its_own


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return home_of_its_own(tmp_path, monkeypatch)


@pytest.fixture
def program(home: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    del home
    return Program(capsys)
