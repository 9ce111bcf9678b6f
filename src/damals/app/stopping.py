"""Whether anybody still waits for what is being done.

What takes long for somebody who may leave is done for a :class:`Wait`; whoever does it looks now
and then. What nobody can ask about, because it waits itself, is ended from outside.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar


class NobodyWaitsError(Exception):
    """There is nobody left to answer. It never reaches anyone."""


class Wait:
    """Somebody waits until they have what they want, or leave. Any thread may end it."""

    def __init__(self) -> None:
        self.over = False
        self._then: list[Callable[[], None]] = []
        self._mutex = threading.Lock()

    def end(self) -> None:
        """They have left."""
        with self._mutex:
            self.over = True
            acts, self._then = self._then, []
        for act in acts:
            act()

    def then(self, act: Callable[[], None]) -> None:
        """Do something when they leave: at once if they have."""
        with self._mutex:
            if not self.over:
                self._then.append(act)
                return
        act()


_wait: ContextVar[Wait | None] = ContextVar("damals_wait", default=None)


@contextmanager
def waited_for(wait: Wait) -> Generator[None]:
    """What is done inside is done for somebody who waits."""
    token = _wait.set(wait)
    try:
        yield
    finally:
        _wait.reset(token)


def check() -> None:
    """Go on only while somebody waits.

    Raises:
        NobodyWaitsError: they have left.
    """
    wait = _wait.get()
    if wait is not None and wait.over:
        raise NobodyWaitsError


def when_over(act: Callable[[], None]) -> None:
    """Do something when whoever waits has left; nothing when nobody can leave."""
    wait = _wait.get()
    if wait is not None:
        wait.then(act)
