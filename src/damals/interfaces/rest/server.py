"""What all requests share: the open home, the door, the limits, and what is counted."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import structlog

from damals.app.access_model import Denial, Once, Registry
from damals.app.door import Door
from damals.app.errors import DamalsError
from damals.app.jobs import JobRunner
from damals.app.ledger_model import Lag
from damals.app.stages import unwatch, watch
from damals.domain.access import Principal
from damals.domain.names import DEFAULT_WORKSPACE
from damals.interfaces.rest.metrics import Metrics
from damals.interfaces.rest.options import ServerOptions
from damals.interfaces.rest.rates import Rates
from damals.local import LocalDamals

CHANNEL: Final = "rest"

log = structlog.get_logger("damals.rest")


class Server:
    """The shared state of an app."""

    def __init__(self, home: LocalDamals, door: Door, options: ServerOptions) -> None:
        """For an open home."""
        self.home = home
        self.door = door
        self.options = options
        self.rates = Rates(options.requests_per_minute)
        self.metrics = Metrics()
        watch(self.metrics)
        self.jobs = JobRunner(self.registry_of, home.opened.parts.clock)
        self._turns: dict[bytes, tuple[threading.Lock, int]] = {}
        self._turns_lock = threading.Lock()

    # --- who asks, and of what

    @property
    def has_home(self) -> bool:
        """Whether the home exists."""
        return self.home.opened.parts.home.exists()

    @property
    def registry(self) -> Registry | None:
        """Keys, denied calls, kept answers and jobs; ``None`` while there is no home."""
        return self.home.opened.ledger(DEFAULT_WORKSPACE).registry if self.has_home else None

    def registry_of(self, create: bool = True) -> Registry:
        """As :attr:`registry`; a missing home is made when it may be.

        Raises:
            NotFound: ``home.missing``.
        """
        return self.home.opened.ledger(DEFAULT_WORKSPACE, create=create).registry

    def memory(
        self, asker: Principal, workspace: str | None = None, once: Once | None = None
    ) -> LocalDamals:
        """The home, asked by someone."""
        return self.home.under(asker, workspace=workspace, once=once)

    def index_lag(self) -> Lag:
        """How far the index is behind the ledger, in all workspaces."""
        return self.home.opened.search(DEFAULT_WORKSPACE).lag(None)

    def last_backup_s(self) -> float:
        """When the newest file of a backup was written, Unix time; 0 where there is none."""
        try:
            folder = self.home.opened.parts.keeping().backing.shelf.folder
            return max((one.stat().st_mtime for one in folder.glob("*.tar")), default=0)
        except (OSError, DamalsError):
            return 0.0  # a folder that cannot be looked at is no reason to tell nothing else

    def find_backup(self, id: str) -> None:
        """Make sure that there is a backup.

        Raises:
            NotFound: ``backup.unknown``.
        """
        self.home.opened.parts.keeping().backing.shelf.find(id)

    def now(self) -> int:
        """The current instant, UTC microseconds."""
        return self.home.opened.parts.clock()

    # --- what is noted

    def deny(
        self,
        asker: str | None,
        workspace: str | None,
        call: str,
        problem: str,
        *,
        channel: str = CHANNEL,
    ) -> None:
        """Note a refused call. That it cannot be noted refuses nothing more."""
        try:
            registry = self.registry
            if registry is not None:
                registry.deny(Denial(self.now(), asker, workspace, channel, call, problem))
        except DamalsError as error:
            log.warning("a denial could not be noted", problem=problem, cause=error.key)

    # --- requests that come twice

    @contextmanager
    def turn(self, once: Once) -> Generator[None]:
        """Requests under one key take turns, so that the second finds the answer to the first."""
        with self._turns_lock:
            lock, waiting = self._turns.get(once.key, (threading.Lock(), 0))
            self._turns[once.key] = (lock, waiting + 1)
        try:
            with lock:
                yield
        finally:
            with self._turns_lock:
                lock, waiting = self._turns.pop(once.key)
                if waiting > 1:
                    self._turns[once.key] = (lock, waiting - 1)

    def close(self) -> None:
        """End the jobs; those that do not end in time are lost."""
        self.jobs.close(self.options.shutdown_wait_s)
        unwatch(self.metrics)


def milliseconds_since(started_s: float) -> float:
    """Milliseconds from a reading of the monotonic clock to now."""
    return round((time.monotonic() - started_s) * 1000, 1)
