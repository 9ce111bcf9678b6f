"""Standard input and output, kept for the protocol alone.

While a wire is held, file descriptor 1 is standard error and 0 is empty: whatever a library
prints, in this process or in one it starts, cannot come between two messages.
"""

import io
import os
import queue
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

READ_BYTES: Final = 65_536

INPUT, OUTPUT, ERROR = 0, 1, 2

Done = Callable[[OSError | None], None]
"""Called, in the thread of the wire, when something was written or could not be."""


@dataclass(frozen=True, slots=True)
class Wire:
    """The two ends, as file descriptors that nobody else knows."""

    incoming: int
    outgoing: int


@contextmanager
def held() -> Generator[Wire]:
    """Take both ends away from everybody else, and give them back."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    wire = Wire(_kept(INPUT, nowhere), _kept(OUTPUT, nowhere))
    os.dup2(nowhere, INPUT)
    try:
        os.dup2(ERROR, OUTPUT)
    except OSError:  # standard error was closed
        os.dup2(nowhere, OUTPUT)
    try:
        yield wire
    finally:
        os.dup2(wire.incoming, INPUT)
        os.dup2(wire.outgoing, OUTPUT)
        # The ends stay open: a thread may still wait at one of them.
        os.close(nowhere)


def _kept(descriptor: int, nowhere: int) -> int:
    """Another descriptor of the same end; of nothing, when the caller has closed it."""
    try:
        return os.dup(descriptor)
    except OSError:
        return os.dup(nowhere)


class Lines:
    """Lines from a descriptor, read by a thread that does not keep the process alive."""

    def __init__(self, descriptor: int, most_bytes: int, waiting: int = 64) -> None:
        """Lines of up to ``most_bytes``, of which at most ``waiting`` wait to be taken."""
        self._descriptor = descriptor
        self._most = most_bytes
        self._room = threading.Semaphore(waiting)

    def start(self, give: Callable[[bytes | None], None]) -> None:
        """Give each line, ``b""`` for one that is too long, and ``None`` at the end."""
        threading.Thread(target=self._run, args=(give,), name="damals-mcp-in", daemon=True).start()

    def taken(self) -> None:
        """One that was given is dealt with, so another one may come."""
        self._room.release()

    def _run(self, give: Callable[[bytes | None], None]) -> None:
        with suppress(RuntimeError):  # whoever listened has gone
            for line in self._lines():
                self._room.acquire()
                give(line)
            give(None)

    def _lines(self) -> Generator[bytes]:
        # Without a buffer object: its lock, held by a waiting thread, would stop the interpreter.
        rest, skipping = io.BytesIO(), False
        while part := self._read():
            *ended, last = part.split(b"\n")
            for piece in ended:
                rest.write(piece)
                yield b"" if skipping or rest.tell() > self._most else rest.getvalue() or b" "
                rest, skipping = io.BytesIO(), False
            rest.write(last)
            if rest.tell() > self._most:
                rest, skipping = io.BytesIO(), True
        if rest.tell():
            yield rest.getvalue()

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, READ_BYTES)
        except OSError:
            return b""


class Writer:
    """Writes to a descriptor in a thread that does not keep the process alive."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting: queue.SimpleQueue[tuple[bytes, Done]] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="damals-mcp-out", daemon=True).start()

    def put(self, line: bytes, done: Done) -> None:
        """Write a line behind all that wait."""
        self._waiting.put((line + b"\n", done))

    def _run(self) -> None:
        while True:
            line, done = self._waiting.get()
            with suppress(RuntimeError):  # whoever waited has gone
                done(self._write(line))

    def _write(self, line: bytes) -> OSError | None:
        left = memoryview(line)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            return error
        return None
