"""Folders that cost little: in memory where there is room, and copied without what is empty."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 -- only the tests' own folders go there
ROOM_BYTES = 4 << 30
BLOCK_BYTES = 1 << 16


def quick_folder() -> Iterator[Path]:
    """A folder that goes with its test: whoever is killed does not notice where files lie."""
    there = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM_BYTES
    with tempfile.TemporaryDirectory(dir=MEMORY if there else None, prefix="damals-") as folder:
        yield Path(folder)


def copied(folder: Path, to: Path) -> Path:
    """A copy of a closed home. An index reserves much more than it has to say: that stays holes."""
    return Path(shutil.copytree(folder, to, copy_function=_copy))


def _copy(source: str, target: str) -> None:
    with Path(source).open("rb") as given, Path(target).open("wb") as made:
        for start, end in _filled(given.fileno()):
            given.seek(start)
            while (block := given.read(min(BLOCK_BYTES, end - given.tell()))) != b"":
                if block.count(0) != len(block):
                    made.seek(given.tell() - len(block))
                    made.write(block)
        made.truncate(os.fstat(given.fileno()).st_size)
    shutil.copystat(source, target)


def _filled(handle: int) -> Iterator[tuple[int, int]]:
    """Where a file is not a hole."""
    size, at = os.fstat(handle).st_size, 0
    while at < size:
        try:
            at = os.lseek(handle, at, os.SEEK_DATA)
        except OSError:  # nothing but a hole is left
            return
        end = os.lseek(handle, at, os.SEEK_HOLE)
        yield at, end
        at = end
