"""The worker process: one shard, one request at a time, until its parent goes away.

It ends when the pipe from its parent ends, which the system sees to however the parent ends. A
call that hangs in the engine, which no thread could interrupt, ends with the system's alarm.
"""

import math
import os
import signal
import sys
from typing import IO, TYPE_CHECKING, Final, cast
from uuid import UUID

from damals.adapters.edge.protocol import (
    BrokenFrameError,
    Reply,
    Request,
    pack_hits,
    pack_ids,
    receive,
    send,
)
from damals.adapters.edge.schema import EdgeSettings
from damals.adapters.edge.shard import EdgeChunkIndex
from damals.app.index_model import IndexQuery
from damals.domain.errors import DamalsError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

_ALARM_GRACE_SECONDS: Final = 10
"""The parent gives up first; the alarm is for a worker whose parent is gone."""

_LAST_FLUSH_SECONDS: Final = 60


class Server:
    """Carries out requests on the one index that it opened."""

    def __init__(self) -> None:
        self._index: EdgeChunkIndex | None = None

    def reply(self, request: Request) -> Reply:
        """What came of a request. Any error that is not the index's own ends the worker."""
        try:
            return Reply(self._result(request))
        except DamalsError as error:
            return Reply(error=error)

    def close(self) -> None:
        """Flush and close the index, if there is one."""
        index, self._index = self._index, None
        if index is not None:
            index.close()

    def _result(self, request: Request) -> object:
        match request.operation, request.arguments:
            case "open", (EdgeSettings() as settings,):
                self._index = EdgeChunkIndex(settings)
            case "close", ():
                self.close()
            case "query", (IndexQuery() as query,):
                return pack_hits(self._opened().query(query))
            case "ids_page", ((UUID() | None) as start,):
                page, following = self._opened().ids_page(start)
                return pack_ids(page), following
            case _:
                return self._plain(request)
        return None

    def _plain(self, request: Request) -> object:
        index = self._opened()
        methods = {
            "upsert": index.upsert,
            "close_points": index.close_points,
            "set_vectors": index.set_vectors,
            "set_access": index.set_access,
            "set_archived": index.set_archived,
            "delete_entry": index.delete_entry,
            "delete": index.delete,
            "count": index.count,
            "flush": index.flush,
            "optimize": index.optimize,
        }
        method = cast("Callable[..., object]", methods[request.operation])
        return method(*request.arguments)

    def _opened(self) -> EdgeChunkIndex:
        if self._index is None:
            raise Unavailable("index.closed", path="")
        return self._index


def main() -> None:
    """Serve the parent on standard input and output, until the pipe ends."""
    requests, answers = _private_pipes()
    # A Ctrl-C or a stop of the service reaches every process of the group; the parent decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = Server()
    try:
        while True:
            request = receive(requests)
            if not isinstance(request, Request):
                break
            _alarm_in(request.timeout_seconds + _ALARM_GRACE_SECONDS)
            send(answers, server.reply(request))
            _alarm_in(0)
    except (BrokenFrameError, BrokenPipeError):
        # Nobody is left to tell. What was acknowledged is in the engine's log.
        pass
    _alarm_in(_LAST_FLUSH_SECONDS)
    server.close()


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes to the parent; whatever else is printed in this process goes to stderr."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return requests, answers


def _alarm_in(seconds: float) -> None:
    """Have the system end this process then; 0 calls it off.

    The default action of the signal needs no Python, so it works while the engine holds the GIL.
    """
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(math.ceil(seconds))


if __name__ == "__main__":
    main()
