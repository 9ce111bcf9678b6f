"""Homes to be damaged, and small disks."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faulty_homes import TITLES, opened

from quick_folders import quick_folder


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch):
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """In memory: these tests open homes all the time, and break them by what they do to files."""
    yield from quick_folder()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A filled home that nobody holds."""
    folder = tmp_path / "home"
    with opened(folder) as memory:
        for number in range(30):
            title = f"{TITLES[number % len(TITLES)]} {number}"
            memory.remember(title, f"{title} gilt seit dem Frühjahr, Nummer {number}. " * 8)
        memory.reindex()
    return folder


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Gives a file system of so many megabytes."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("NOT RUN: only root can make a small disk; nothing was tested on a full one")
    made: list[Path] = []

    def make(megabytes: int) -> Path:
        folder = tmp_path / f"disk-{len(made)}"
        folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"NOT RUN: nothing can be mounted here: {done.stderr.strip()}")
        made.append(folder)
        return folder

    yield make
    for folder in made:
        subprocess.run(["umount", "-l", str(folder)], check=False)
