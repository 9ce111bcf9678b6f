"""A home with somebody in it who asks to be forgotten."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from forgotten import lived
from killed_erasure import killed

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


@pytest.fixture(scope="session")
def killed_homes(told: Path) -> Callable[[int], Path]:
    """Gives a home whose erasure was killed at a stage; each is made once, and copied."""

    @cache
    def made(at: int) -> Path:
        home = copied(told, told.with_name(f"killed-{at}") / "home")
        killed(home, at)
        return home

    return made


@pytest.fixture
def killed_at(killed_homes: Callable[[int], Path], tmp_path: Path) -> Callable[[int], Path]:
    """Gives a copy of such a home, with what lies beside it."""

    def made(at: int) -> Path:
        for one in killed_homes(at).parent.iterdir():
            copied(one, tmp_path / one.name)
        return tmp_path / "home"

    return made


@pytest.fixture
def memory(home: Path) -> Iterator[Damals]:
    """The same, open."""
    with Damals.open(home) as opened:
        yield opened
