"""Homes to export from and to import into."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from damals.bootstrap import init_home, open_home
from damals.local import LocalDamals

MEMORY = Path("/dev/shm")  # noqa: S108 -- only the tests' own folder goes there
Opens = Callable[[str], LocalDamals]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder in memory where there is one: making a home waits for a thousand syncs."""
    made = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None, prefix="damals-export-"))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def opens(tmp_path, monkeypatch) -> Iterator[Opens]:
    """Opens a home of a name, which is made when it is new."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    with ExitStack() as stack:

        def opened(name: str, zone: str = "Europe/Berlin") -> LocalDamals:
            init_home(tmp_path / name, timezone=zone)
            return stack.enter_context(open_home(tmp_path / name))

        yield opened


@pytest.fixture
def memory(opens) -> LocalDamals:
    return opens("home")
