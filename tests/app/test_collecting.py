"""The pace of the garbage collector during imports."""

import gc
from collections.abc import Iterator

import pytest

from damals.app.collecting import collecting_rarely


@pytest.fixture(autouse=True)
def usual() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield gc.get_threshold()
    gc.set_threshold(*before)


def test_it_is_slower_meanwhile_and_as_before_afterwards(usual: tuple[int, int, int]):
    with collecting_rarely():
        assert gc.get_threshold()[0] > usual[0]
        with collecting_rarely():
            assert gc.get_threshold()[0] > usual[0]
        assert gc.get_threshold()[0] > usual[0]
    assert gc.get_threshold() == usual


def test_an_error_leaves_it_as_before(usual: tuple[int, int, int]):
    with pytest.raises(KeyError), collecting_rarely():
        raise KeyError
    assert gc.get_threshold() == usual


@pytest.mark.parametrize("wanted", [0, 1_000_000])
def test_whoever_wants_it_off_or_slower_still_keeps_that(wanted: int):
    gc.set_threshold(wanted, 10, 10)
    with collecting_rarely():
        assert gc.get_threshold()[0] == wanted
    assert gc.get_threshold()[0] == wanted
