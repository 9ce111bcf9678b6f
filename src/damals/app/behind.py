"""Work that is done in a thread of its own, while the caller does something else."""

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import TypeVar

Do = Callable[[Callable[[], None]], None]
"""Has a call carried out, at once or later."""

Value = TypeVar("Value")


@contextmanager
def behind(ahead: int) -> Generator[Do]:
    """Carry out calls in a thread of its own, one after the other, in their order.

    When one fails, none that follows is carried out, and its error is raised at the next call or
    at the end, where all that is left is waited for.

    Args:
        ahead: how many calls may wait; with 0 each is carried out at once, without a thread.
    """
    if not ahead:
        yield lambda call: call()
        return
    calls: deque[Future[None]] = deque()
    with ThreadPoolExecutor(1, thread_name_prefix="damals-behind") as thread:

        def do(call: Callable[[], None]) -> None:
            last = calls[-1] if calls else None
            calls.append(thread.submit(partial(_after, last, call)))
            while len(calls) > ahead:
                calls.popleft().result()

        yield do
        while calls:
            calls.popleft().result()


def _after(last: "Future[None] | None", call: Callable[[], None]) -> None:
    """Carry out a call, unless the one before it failed."""
    if last is not None:
        last.result()
    call()


def started(call: Callable[[], Value]) -> Callable[[], Value]:
    """Carry out a call from now on.

    Returns:
        What waits for its outcome: the value, or the error, each time that it is asked.
    """
    outcome: Future[Value] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001 -- raised where the outcome is asked for
            outcome.set_exception(error)

    # A daemon: a program that ends does not wait for an answer that nobody asks for any more.
    Thread(target=copy_context().run, args=(run,), name="damals-beside", daemon=True).start()
    return outcome.result
