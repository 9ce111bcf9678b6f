"""A memory on a clock that a test moves."""

import pytest
from insight_home import Clock, home


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    with home(tmp_path / "home", clock) as opened:
        yield opened
