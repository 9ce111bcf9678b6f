"""A home with somebody in it who asks to be forgotten."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from forgotten import lived

from damals import Damals
from quick_folders import copied, quick_folder


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are enough here, and one process."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """In memory: nothing here is about disks, and homes are opened and searched all the time."""
    yield from quick_folder()


@pytest.fixture(scope="session")
def told() -> Iterator[Path]:
    """A closed home with a life in it, told in every way there is."""
    for folder in quick_folder():
        home = folder / "home"
        _live(home)
        yield home


def _live(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAMALS_EMBEDDER", "none")
        patch.setenv("DAMALS_INDEX_MODE", "inline")
        with Damals.open(folder) as memory:
            lived(memory)


@pytest.fixture
def home(told: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copied(told, tmp_path / "home")


@pytest.fixture
def memory(home: Path) -> Iterator[Damals]:
    """The same, open."""
    with Damals.open(home) as opened:
        yield opened
