"""One worker process, seen from its parent: start, ask, and end it for certain."""

import contextlib
import math
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from damals.adapters.edge.protocol import BrokenFrameError, Reply, Request, receive, send

_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; from damals.adapters.edge.serve import main; main()"
)
"""The parent's import path, no more: neither its working folder nor its main module."""

_END_SECONDS: Final = 5.0

_CRASH_SIGNALS: Final = frozenset({4, 6, 7, 8, 10, 11})
"""ILL, ABRT, BUS, FPE, BUS (macOS), SEGV: what broken memory or files end a process with."""

_WINDOWS_CRASH: Final = 0xC000_0000


class WorkerDiedError(Exception):
    """The worker ended, or was ended because it did not answer in time.

    Attributes:
        late: whether it was ended for being late.
        crashed: whether it ended by a signal that tells of damaged files or memory.
    """

    def __init__(self, *, late: bool, returncode: int | None) -> None:
        super().__init__(returncode)
        self.late = late
        code = returncode or 0
        self.crashed = not late and (-code in _CRASH_SIGNALS or code >= _WINDOWS_CRASH)


class WorkerProcess:
    """A spawned Python that runs ``serve``, with pipes to it. For one thread at a time.

    It is started as its own program, not forked (the engine's threads do not survive a fork) and
    not by ``multiprocessing`` (which runs the caller's main module again).
    """

    def __init__(self) -> None:
        root = str(Path(__file__).parents[3])
        paths = [path for path in sys.path if path]
        if root not in paths:
            paths.insert(0, root)
        # -P: no folder of the caller's may stand in for a module of the library.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", "-c", _BOOT, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._watchdog = _Watchdog(self._process.kill)

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it at once, from any thread."""
        self._process.kill()

    def death(self) -> WorkerDiedError:
        """What a worker that is no longer alive died of."""
        return WorkerDiedError(late=self._watchdog.fired, returncode=self._process.returncode)

    def ask(self, request: Request) -> Reply:
        """Send a request and wait for what comes of it, no longer than its time-out.

        Raises:
            WorkerDiedError: the worker ended before it answered.
        """
        writer, reader = self._process.stdin, self._process.stdout
        if writer is None or reader is None:
            raise WorkerDiedError(late=False, returncode=None)
        self._watchdog.arm(request.timeout_seconds)
        try:
            send(writer, request)
            reply = receive(reader)
        except (BrokenFrameError, OSError, ValueError) as cause:
            raise WorkerDiedError(
                late=self._watchdog.fired, returncode=self._wait(_END_SECONDS)
            ) from cause
        finally:
            self._watchdog.disarm()
        if not isinstance(reply, Reply):
            raise WorkerDiedError(late=False, returncode=None)
        return reply

    def end(self, wait_seconds: float) -> None:
        """Let it end by itself, kill it if it does not, and leave no pipe or zombie behind."""
        self._watchdog.stop()
        # Closing flushes, which fails when the other end is gone already.
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._wait(wait_seconds)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _wait(self, seconds: float) -> int:
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


class _Watchdog:
    """Kills the worker when an answer is late.

    Killing is the one way out that ends a blocked write as well as a blocked read, on every
    system. The thread sleeps through requests that are answered in time.
    """

    def __init__(self, kill: Callable[[], None]) -> None:
        self.fired = False
        self._kill = kill
        self._deadline = math.inf
        self._wakes_at = math.inf
        self._stopped = False
        self._changed = threading.Condition()
        threading.Thread(target=self._watch, name="index-watchdog", daemon=True).start()

    def arm(self, seconds: float) -> None:
        """Kill after this long, unless disarmed before."""
        with self._changed:
            self._deadline = time.monotonic() + seconds
            # Asleep until an earlier time, it finds the new deadline by itself.
            if self._deadline < self._wakes_at:
                self._changed.notify()

    def disarm(self) -> None:
        """The answer came. The thread is not woken for that."""
        with self._changed:
            self._deadline = math.inf

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                if now >= self._deadline:
                    self.fired = True
                    self._deadline = math.inf
                    self._kill()
                self._wakes_at = self._deadline
                self._changed.wait(None if math.isinf(self._wakes_at) else self._wakes_at - now)
