"""What tests of hygiene share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hygiene_home import Time

from damals.bootstrap import init_home, open_home
from damals.local import LocalDamals


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def home(tmp_path: Path, clock: Time) -> Iterator[LocalDamals]:
    init_home(tmp_path / "home", timezone="UTC")
    with open_home(tmp_path / "home", clock=clock, embedder="none", index_mode="inline") as made:
        yield made
