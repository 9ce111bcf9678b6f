"""A memory for every test of ranking."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ranked_memory import Time, fast_folder, memory_at

from damals import Damals


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with fast_folder() as folder:
        yield folder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Damals]:
    with memory_at(tmp_path / "home") as memory:
        yield memory


@pytest.fixture
def time() -> Time:
    return Time()
