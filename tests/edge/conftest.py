import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")  # noqa: S108 - only the tests' own folders go there
ENOUGH_BYTES = 2 << 30


def a_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder in memory where there is room: making a shard waits for a thousand syncs."""
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES
    return tempfile.TemporaryDirectory(dir=MEMORY if in_memory else None, prefix="damals-edge-")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with a_folder() as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def shared_path() -> Iterator[Path]:
    with a_folder() as folder:
        yield Path(folder)
