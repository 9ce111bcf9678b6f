"""Ending well when somebody asks for it."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def interrupted() -> Generator[threading.Event]:
    """An event that SIGINT and SIGTERM set, the first time: whoever insists is obeyed at once."""
    event = threading.Event()
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = {kind: signal.getsignal(kind) for kind in kinds}

    def interrupt(number: int, frame: object) -> None:
        del number, frame
        for kind in kinds:
            signal.signal(kind, signal.SIG_DFL)
        event.set()

    try:
        for kind in kinds:
            signal.signal(kind, interrupt)
        yield event
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
