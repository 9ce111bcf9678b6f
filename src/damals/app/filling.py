"""Vectors that follow in the background of a program that keeps a home open."""

import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from damals.app.indexing import Projector
from damals.app.noting import warn
from damals.domain.errors import DamalsError

BATCH: Final = 16
"""How many vectors are computed between two looks at whether to stop."""


class Filler:
    """A thread that computes missing vectors until there are none, newest first.

    Args:
        projector: gives what fills the index in use.
        turn: the turn of those who write to the index; held only while vectors are written.
    """

    def __init__(
        self, projector: Callable[[], Projector], turn: AbstractContextManager[object]
    ) -> None:
        self._projector = projector
        self._turn = turn
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._computing = threading.Lock()

    def start(self) -> None:
        """Begin, unless it is at work already or was told to stop."""
        if self._stop.is_set() or (self._thread is not None and self._thread.is_alive()):
            return
        self._thread = threading.Thread(target=self._run, name="damals-vectors", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop for good, and wait until the last vectors are written."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Compute nothing meanwhile; what is being computed is waited for.

        Whoever takes it must not have the turn yet.
        """
        with self._computing:
            yield

    def _run(self) -> None:
        try:
            while not self._stop.is_set() and self._one_batch():
                pass
        except DamalsError as error:
            # Vectors are a service: questions say what they lack, and the next start tries again.
            warn("vectors.stopped", reason=str(error))

    def _one_batch(self) -> bool:
        with self._computing:
            return self._computed()

    def _computed(self) -> bool:
        projector = self._projector()
        computed = projector.compute(BATCH)
        if not computed:
            return False
        with self._turn:
            if self._projector().name != projector.name:
                return True  # the index was replaced meanwhile; the vectors are in the cache
            projector.store(computed)
        return True
