"""What is written beside the ledger: at once, or as soon as a long write of others has ended."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Final, TypeVar

from sqlalchemy import Connection

from damals.adapters.sql.engine import Database
from damals.app.noting import warn
from damals.domain.errors import Unavailable

PATIENCE_MS: Final = 200
"""How long whoever adds something waits for the write lock."""

SLICE_MS: Final = 1_000
"""How long the thread that writes the rest waits before it looks whether it shall end."""

Write = Callable[[Connection], None]
V = TypeVar("V")


class Waiting:
    """Something that is to be written.

    Attributes:
        value: what is told of it meanwhile.
        write: writes it.
    """

    def __init__(self, value: object, write: Write) -> None:
        self.value = value
        self.write = write
        self._ended = threading.Event()
        self._error: Exception | None = None

    @property
    def ended(self) -> bool:
        """Whether it was written, or could not be."""
        return self._ended.is_set()

    def end(self, error: Exception | None = None) -> None:
        """It was written, or could not be."""
        self._error = error
        self._ended.set()

    def check(self) -> None:
        """Raise what kept it from being written, if something has."""
        if self._error is not None:
            raise self._error

    def finish(self) -> None:
        """Wait until it is written, however long others write."""
        self._ended.wait()
        self.check()


class Backlog:
    """Small writes in the order in which they were asked for. Any thread may use it.

    Who adds one does not wait for somebody else's long write: what cannot be written in a moment
    is written by a thread of its own, as soon as the lock is free.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue: deque[Waiting] = deque()
        self._lock = threading.Lock()  # of queue and thread
        self._writing = threading.Lock()  # one at a time waits for the lock of the database
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, waiting: Waiting) -> None:
        """Have something written.

        Raises:
            DamalsError: what kept it from being written, but that others write.
        """
        self.put(waiting)
        waiting.check()

    def put(self, waiting: Waiting) -> None:
        """As :meth:`add`; what keeps it from being written is told by it alone."""
        with self._lock:
            if self._closed:
                waiting.end(Unavailable("ledger.busy", path=self._database.location))
                return
            self._queue.append(waiting)
        self._drain(PATIENCE_MS)
        self._go_on()

    def values(self, kind: type[V]) -> list[V]:
        """What waits of a kind, in its order. Look here before looking at what is stored."""
        with self._lock:
            return [one.value for one in self._queue if isinstance(one.value, kind)]

    def close(self) -> None:
        """Write what waits, unless others still write; then it is lost."""
        with self._lock:
            self._closed = True
            thread = self._thread
        if thread is not None:
            thread.join()
        if not self._drain(PATIENCE_MS):
            warn("backlog_lost", waiting=len(self._queue))
            lost = Unavailable("ledger.busy", path=self._database.location)
            while self._queue:
                self._queue.popleft().end(lost)

    def _go_on(self) -> None:
        """Let a thread write what waits, if anything does."""
        with self._lock:
            if self._queue and self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="backlog", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closed:
            self._drain(SLICE_MS)
            with self._lock:
                if not self._queue:
                    self._thread = None  # whoever adds more begins another
                    return

    def _drain(self, wait_ms: int) -> bool:
        """Write what waits as long as the lock is free; whether nothing waits any more."""
        if not self._writing.acquire(timeout=wait_ms / 1000):
            return False
        try:
            while self._queue:
                if not self._wrote(self._queue[0], wait_ms):
                    return False
        finally:
            self._writing.release()
        return True

    def _wrote(self, waiting: Waiting, wait_ms: int) -> bool:
        failure: Exception | None = None
        try:
            with self._database.beside(wait_ms=wait_ms) as connection:
                waiting.write(connection)
        except Exception as error:  # noqa: BLE001 -- it is told to whoever asked, and the next goes on
            if isinstance(error, Unavailable) and error.key == "ledger.busy":
                return False
            warn("backlog_failed", problem=getattr(error, "key", type(error).__name__))
            failure = error
        with self._lock:
            self._queue.popleft()
        waiting.end(failure)
        return True
