"""Work behind the caller: in order, and nothing after what failed."""

from functools import partial
from threading import Event, get_ident

import pytest

from damals import messages
from damals.app.behind import behind, started


def failing() -> None:
    raise LookupError


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_calls_are_carried_out_in_their_order_and_all_by_the_end(ahead: int):
    done: list[int] = []
    with behind(ahead) as do:
        for number in range(20):
            do(partial(done.append, number))
    assert done == list(range(20))


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_nothing_that_follows_a_failure_is_carried_out(ahead: int):
    done: list[int] = []

    def work() -> None:
        with behind(ahead) as do:
            do(partial(done.append, 1))
            do(failing)
            do(partial(done.append, 2))
            do(partial(done.append, 3))

    with pytest.raises(LookupError):
        work()
    assert done == [1]


def test_the_caller_goes_on_while_no_more_than_some_calls_wait():
    begun, may_end = Event(), Event()

    def slow() -> None:
        begun.set()
        assert may_end.wait(10)

    with behind(ahead=2) as do:
        do(slow)
        do(lambda: None)
        assert begun.wait(10)
        may_end.set()


def test_without_any_ahead_each_call_is_carried_out_at_once_by_the_caller():
    threads: list[int] = []
    with behind(ahead=0) as do:
        do(lambda: threads.append(get_ident()))
        assert threads == [get_ident()]


def test_when_the_caller_fails_its_error_is_raised_and_what_was_handed_over_is_done():
    done: list[int] = []

    def work() -> None:
        with behind(ahead=2) as do:
            do(partial(done.append, 1))
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert done == [1]


def test_a_call_that_was_started_runs_meanwhile_and_tells_its_outcome_each_time():
    begun, may_end = Event(), Event()

    def slow() -> int:
        begun.set()
        assert may_end.wait(10)
        return get_ident()

    outcome = started(slow)
    assert begun.wait(10)
    may_end.set()
    assert outcome() == outcome() != get_ident()


def test_what_a_started_call_raises_is_raised_where_its_outcome_is_asked_for():
    outcome = started(failing)
    for _ in range(2):
        with pytest.raises(LookupError):
            outcome()


def test_a_started_call_speaks_the_language_of_its_caller():
    with messages.speaking("de"):
        outcome = started(messages.spoken)
    assert outcome() == "de"
