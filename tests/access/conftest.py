"""What tests of access share: a home with something hidden in it, and one who may not see that."""

import pytest
from access_home import Time, in_memory

from damals.domain.access import Principal
from damals.local import LocalDamals


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def home(clock: Time) -> LocalDamals:
    return in_memory(clock)


@pytest.fixture
def guest(home: LocalDamals) -> LocalDamals:
    """Someone who may read and write what is internal."""
    return home.under(Principal("anna", ("writer",)))


@pytest.fixture
def reader(home: LocalDamals) -> LocalDamals:
    """Someone who may read what is public."""
    return home.under(Principal("bob", visibility="public"))
