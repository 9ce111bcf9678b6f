"""A server in a thread of its own, beside whatever else the process does."""

import errno
import ipaddress
import secrets
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from damals import logs
from damals.app.errors import InvalidInput, Unavailable
from damals.app.ownership import Owner

if TYPE_CHECKING:
    import uvicorn

LOOPBACK: Final = "127.0.0.1"
ANY_PORT: Final = 0
TOKEN_BYTES: Final = 32
BACKLOG: Final = 1024
KEEP_ALIVE_S: Final = 60

FINISH_S: Final = 10
"""How long requests that run may take when the server stops."""
STOP_S: Final = FINISH_S + 10.0
"""How long the end of the server's thread is waited for."""

_UNBOUND: Final = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104 -- where to reach who listens everywhere


@dataclass(frozen=True, slots=True)
class Place:
    """Where to listen, and when.

    Attributes:
        port: 0 for any that is free.
        delay_s: seconds from the beginning.
    """

    host: str = LOOPBACK
    port: int = ANY_PORT
    delay_s: float = 0.0

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can come."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def bound(self) -> socket.socket:
        """A socket that listens there.

        Raises:
            Unavailable: ``serve.port_taken``, ``serve.address``.
            InvalidInput: ``serve.host`` for a host that is none.
        """
        try:
            found = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
        except (OSError, UnicodeError) as error:
            raise InvalidInput("serve.host", host=self.host) from error
        family, kind, protocol, _, address = found[0]
        made = socket.socket(family, kind, protocol)
        try:
            if sys.platform != "win32":  # there it would let others take the port
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(BACKLOG)
        except OSError as error:
            made.close()
            values = {"host": self.host, "port": self.port}
            if error.errno == errno.EADDRINUSE:
                raise Unavailable("serve.port_taken", **values) from error
            reason = error.strerror or type(error).__name__
            raise Unavailable("serve.address", **values, reason=reason) from error
        return made


class Listener:
    """Listens from :meth:`begin` to :meth:`stop`, if both are not too close together.

    Args:
        app: gives the app, for a token that opens its door.
        announce: tells others of this machine where it listens, and ``None`` when it no longer
            does.
        place: where.
    """

    def __init__(
        self,
        app: Callable[[str], Any],
        announce: Callable[[Owner | None], bool],
        place: Place | None = None,
    ) -> None:
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self.url = ""
        self.ready = threading.Event()
        """Set when it listens, and when it has ended."""
        self._app = app
        self._announce = announce
        self._place = place or Place()
        self._changing = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._server: uvicorn.Server | None = None

    def begin(self, bound: socket.socket | None = None) -> None:
        """Listen, after the delay. Beginning twice is harmless.

        Args:
            bound: a socket that listens already.
        """
        with self._changing:
            if self._thread is not None or self._stopped.is_set():
                return
            # The end of a program does not wait for it: who holds a home gives it back before.
            self._thread = threading.Thread(
                target=self._run, args=(bound,), name="damals-listener", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Take no more requests, let those that run finish, and end. Stopping twice is harmless."""
        self._stopped.set()
        with self._changing:
            server, thread = self._server, self._thread
        if server is None or thread is None or thread is threading.current_thread():
            return
        self._announce(None)
        server.should_exit = True
        thread.join(STOP_S)

    @property
    def running(self) -> bool:
        """Whether it has begun and not ended."""
        return self._thread is not None and self._thread.is_alive()

    def _run(self, bound: socket.socket | None) -> None:
        try:
            if not self._stopped.wait(self._place.delay_s):
                self._serve(bound)
        except Exception as error:  # noqa: BLE001 -- whoever holds the home goes on without
            logs.configure()
            _warn(error)
        finally:
            self.ready.set()

    def _serve(self, bound: socket.socket | None) -> None:
        logs.configure()
        app = self._app(self.token)
        with bound or self._place.bound() as listening:
            host, port = listening.getsockname()[:2]
            self.url = _url(str(host), port)
            server = _server(app, self._started)
            with self._changing:
                if self._stopped.is_set():
                    return
                self._server = server
            server.run(sockets=[listening])

    def _started(self) -> None:
        if not self._stopped.is_set():
            self._announce(Owner(self.url, self.token))
        self.ready.set()


def _url(host: str, port: int) -> str:
    """Where this machine reaches a socket."""
    reached = _UNBOUND.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def _server(app: Any, started: Callable[[], None]) -> "uvicorn.Server":  # noqa: ANN401 -- an ASGI app
    """A server that says when it has started."""
    import uvicorn  # noqa: PLC0415 -- only who listens pays for it

    class Announcing(uvicorn.Server):
        """Calls back when it takes requests."""

        async def startup(self, sockets: "list[socket.socket] | None" = None) -> None:
            """Start, and say so."""
            await super().startup(sockets=sockets)
            if self.started:
                started()

    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="on",
        ws="none",
        loop="asyncio",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=FINISH_S,
    )
    return Announcing(config)


def _warn(error: Exception) -> None:
    import structlog  # noqa: PLC0415 -- only when something went wrong

    structlog.get_logger("damals.listening").warning(
        "cannot listen: others wait for this process", reason=str(error)
    )
