"""Work that is done behind the caller, in order, while it makes the next ready."""

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

Do = Callable[[Callable[[], None]], None]
"""Has a call carried out, at once or later."""


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
