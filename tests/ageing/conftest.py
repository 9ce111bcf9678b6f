"""Homes whose clock is moved."""

from collections.abc import Iterator

import pytest
from ageing_home import Time, home

from damals.api import Damals


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def memory(time: Time) -> Iterator[Damals]:
    with home(time) as opened:
        yield opened
