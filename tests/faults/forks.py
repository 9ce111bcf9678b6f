"""Processes that are there at once: forks of one that has loaded everything already.

What it takes to load a program would be nearly all that a process of these tests does. A server,
this module run as a program, loads it once, has no thread and opens no home; each process is a
fork of it that leads a group of its own, and from there on like any other.
"""

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

LONGEST_BYTES = 1 << 20
LONGEST_END_S = 30.0
LEFT_OUT = (
    *("damals.adapters.embedders.", "damals.interfaces.mcp."),
    *("damals.__main__", "damals.adapters.sql.migrations."),
)
"""Slow to load and not needed here; or no modules to load but scripts."""


class Fork:
    """A process.

    Attributes:
        pid: of the process, and of its group.
    """

    def __init__(self, server: socket.socket, pid: int) -> None:
        self._server = server
        self.pid = pid
        self._status: int | None = None

    def ended(self, timeout_s: float) -> int | None:
        """Wait for its end: its exit code, negative for a signal; ``None`` when it takes longer."""
        if self._status is None and select.select([self._server], [], [], timeout_s)[0]:
            self._status = int(_line(self._server))
        return self._status

    def end_group(self) -> int:
        """Kill whoever is left of its group; the exit code."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        status = self.ended(LONGEST_END_S)
        assert status is not None, "a killed process does not end"
        return status


def fork(function: str, arguments: Sequence[str], out: int, errors: int) -> Fork:
    """A process that calls a function of a module, with the environment of now.

    There is one at a time: its end is to be waited for before there is another.

    Args:
        function: ``module:name``, of this folder.
        arguments: of the function.
        out: where its standard output goes.
        errors: where its standard error goes.
    """
    told = {"function": function, "arguments": list(arguments), "environment": dict(os.environ)}
    server = _server()
    socket.send_fds(server, [json.dumps(told).encode() + b"\n"], [out, errors])
    return Fork(server, int(_line(server)))


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-P", __file__, str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL)
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _line(connection: socket.socket) -> bytes:
    told = b""
    while not told.endswith(b"\n"):
        piece = connection.recv(1)
        assert piece, "the server of processes is gone"
        told += piece
    return told


def _load() -> None:
    import damals  # noqa: PLC0415 -- only the server loads it

    for found in walk_packages(damals.__path__, "damals."):
        if not found.name.startswith(LEFT_OUT):
            with suppress(ImportError):  # what is not installed is not needed
                import_module(found.name)


def _serve(connection: socket.socket) -> Callable[[], object] | None:
    """Fork until nobody asks any more; only in the forks there is something to do."""
    while True:
        request, handles, _, _ = socket.recv_fds(connection, LONGEST_BYTES, 2)
        if not request:
            return None
        while not request.endswith(b"\n"):
            request += connection.recv(LONGEST_BYTES)
        pid = os.fork()
        if pid == 0:
            return _forked(connection, request, handles)
        for handle in handles:
            os.close(handle)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        connection.sendall(b"%d\n" % code)


def _forked(
    connection: socket.socket, request: bytes, handles: Sequence[int]
) -> Callable[[], object]:
    os.setsid()
    told = json.loads(request)
    os.environ.clear()
    os.environ.update(told["environment"])
    for handle, number in zip(handles, (1, 2), strict=True):
        os.dup2(handle, number)
        os.close(handle)
    connection.sendall(b"%d\n" % os.getpid())
    connection.close()
    module, _, name = told["function"].partition(":")
    return lambda: getattr(import_module(module), name)(*told["arguments"])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    _load()
    gc.freeze()  # what is loaded stays shared with the forks
    task = _serve(socket.socket(fileno=int(sys.argv[1])))
    if task is not None:
        task()
