"""A home with somebody in it who asks to be forgotten."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from forgotten import lived

from damals import Damals


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are enough here, and one process."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed home with a life in it, told in every way there is."""
    folder = tmp_path_factory.mktemp("told") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAMALS_EMBEDDER", "none")
        patch.setenv("DAMALS_INDEX_MODE", "inline")
        with Damals.open(folder) as memory:
            lived(memory)
    return folder


@pytest.fixture
def home(told: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(told, tmp_path / "home"))


@pytest.fixture
def memory(home: Path) -> Iterator[Damals]:
    """The same, open."""
    with Damals.open(home) as opened:
        yield opened
