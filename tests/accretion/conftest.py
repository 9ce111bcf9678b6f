"""A home of each kind, and the clock that it goes by."""

import pytest
from accreting import KINDS, Time


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture(params=KINDS)
def memory(request, clock):
    """An empty home, opened by its owner."""
    with KINDS[request.param](clock) as opened:
        yield opened
