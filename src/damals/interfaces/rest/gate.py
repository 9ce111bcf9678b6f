"""Around everything: from where one may ask, how many at once, how long; what is logged of it."""

import asyncio
import time
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlsplit

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from damals import messages
from damals.app.errors import DamalsError, Denied, Unavailable
from damals.app.stages import stage
from damals.interfaces.rest.languages import language_of
from damals.interfaces.rest.options import LOOPBACK_NAMES
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.rest.server import Server, milliseconds_since
from damals.logs import note_failure

NOWHERE: Final = "*"
"""The route of a request that reached none."""

EVENT_STREAM: Final = "text/event-stream"

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Methods that are counted by their names: nobody fills the counters with names of their own."""

SAFE_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)

log = structlog.get_logger("damals.rest.access")


@dataclass(slots=True)
class Exchange:
    """A request and what has been sent of its answer.

    Attributes:
        method: as it was asked; ``HEAD`` is answered as ``GET`` without a body.
        expired: it took too long and was answered so; what comes later is dropped.
    """

    scope: Scope
    send: Send
    method: str
    started_s: float = field(default_factory=time.monotonic)
    status: int = 0
    expired: bool = False

    async def sent(self, message: Message) -> None:
        """Send a part of the answer."""
        if self.expired:
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif self.method == "HEAD":
            self.expired = True  # an answer without an end ends here too
            message = {**message, "body": b"", "more_body": False}
        await self.send(_safe(message))

    @property
    def route(self) -> str:
        """The path of the route with names in place of values."""
        return str(getattr(self.scope.get("route"), "path_format", NOWHERE))


class Gate:
    """The outermost layer of the app."""

    def __init__(self, app: ASGIApp, server: Server) -> None:
        """Around an app."""
        self._app = app
        self._server = server
        self._running = 0
        self._streams = 0
        self._late: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Names are told apart before they are decoded: an external id may hold a slash.
        scope["path"] = path_as_sent(scope)
        exchange = Exchange(scope, send, scope["method"])
        if exchange.method == "HEAD":
            scope["method"] = "GET"
        headers = Headers(scope=scope)
        with messages.speaking(language_of(headers.get("accept-language"))):
            try:
                self._let_in(headers)
            except DamalsError as error:
                await self._refuse(exchange, receive, error)
            else:
                await self._answer(exchange, receive)
        self._note(exchange)

    def _let_in(self, headers: Headers) -> None:
        """Refuse what comes from elsewhere, and what is too much.

        Raises:
            Denied: ``request.host``, ``request.origin``.
            Unavailable: ``request.busy``.
        """
        host = headers.get("host", "")
        if not self._is_ours(f"//{host}"):
            raise Denied("request.host", host=host)
        origin = headers.get("origin")
        if origin is not None and not _same_origin(origin, host):
            raise Denied("request.origin", origin=origin)
        if self._running >= self._server.options.concurrent_requests:
            raise Unavailable("request.busy", seconds=1)

    def _is_ours(self, address: str) -> bool:
        try:
            name = (urlsplit(address).hostname or "").rstrip(".")
        except ValueError:
            return False
        known = {*LOOPBACK_NAMES, *(one.lower() for one in self._server.options.allowed_hosts)}
        return name in known

    async def _refuse(self, exchange: Exchange, receive: Receive, error: DamalsError) -> None:
        problem = problem_of(error)
        address = (exchange.scope.get("client") or ("",))[0]
        if isinstance(error, Denied) and not self._server.rates.wait_of(f"address {address}"):
            call = f"{exchange.method} {NOWHERE}"
            await run_in_threadpool(self._server.deny, None, None, call, error.key)
        await problem.answer()(exchange.scope, receive, exchange.sent)

    async def _answer(self, exchange: Exchange, receive: Receive) -> None:
        """Let the app answer; when that takes too long, say so and let it end by itself.

        A thread cannot be stopped: the request keeps its place among those that run until it
        really ends.
        """
        task = asyncio.create_task(self._run(exchange, receive))
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        try:
            await asyncio.wait({task}, timeout=self._server.options.request_timeout_s)
            if not (task.done() or exchange.status or _state(exchange.scope).get("slow")):
                await self._give_up(exchange, receive)
                return
            await task
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def _give_up(self, exchange: Exchange, receive: Receive) -> None:
        limit_s = self._server.options.request_timeout_s
        problem = problem_of(Unavailable("request.timeout", limit_s=limit_s, seconds=1))
        exchange.expired, exchange.status = True, problem.status

        async def send(message: Message) -> None:
            await exchange.send(_safe(message))

        await problem.answer()(exchange.scope, receive, send)

    async def _run(self, exchange: Exchange, receive: Receive) -> None:
        self._running += 1
        self._server.metrics.running.inc()
        streaming = False

        async def sent(message: Message) -> None:
            nonlocal streaming
            if _begins_stream(message):
                self._change_places()
                streaming = True
            await exchange.sent(message)

        try:
            with stage("request"):
                await self._app(exchange.scope, receive, sent)
        except Unavailable as error:
            await problem_of(error).answer()(exchange.scope, receive, exchange.sent)
        except Exception as error:  # noqa: BLE001 -- what breaks off an answer is told in the log
            note_failure("answer broken off", error, route=exchange.route)
            if not exchange.status:
                await problem_of(error).answer()(exchange.scope, receive, exchange.sent)
        finally:
            if streaming:
                self._streams -= 1
            else:
                self._running -= 1
            self._server.metrics.running.dec()

    def _change_places(self) -> None:
        """Who listens to events waits most of the time: places of their own, as many again.

        Raises:
            Unavailable: ``request.busy``.
        """
        if self._streams >= self._server.options.concurrent_requests:
            raise Unavailable("request.busy", seconds=1)
        self._running -= 1
        self._streams += 1

    def _note(self, exchange: Exchange) -> None:
        scope, route = exchange.scope, exchange.route
        method = exchange.method if exchange.method in METHODS else NOWHERE
        spent_ms = milliseconds_since(exchange.started_s)
        self._server.metrics.answered(method, route, exchange.status, spent_ms / 1000)
        asker = _state(scope).get("principal")
        log.info(
            "answered",
            method=method,
            route=route,
            status=exchange.status,
            ms=spent_ms,
            asker=None if asker is None else asker.name,
        )


def _begins_stream(message: Message) -> bool:
    if message["type"] != "http.response.start":
        return False
    return Headers(raw=message["headers"]).get("content-type", "").startswith(EVENT_STREAM)


def _safe(message: Message) -> Message:
    """The same, with the headers that every answer has."""
    if message["type"] != "http.response.start":
        return message
    there = {name for name, _ in message["headers"]}
    added = [pair for pair in SAFE_HEADERS if pair[0] not in there]
    return {**message, "headers": [*message["headers"], *added]}


def _state(scope: Scope) -> MutableMapping[str, Any]:
    return scope.get("state") or {}


def path_as_sent(scope: Scope) -> str:
    """The path of a request, its segments still encoded."""
    raw = scope.get("raw_path")
    return quote(scope["path"]) if raw is None else raw.decode("utf-8", "replace")


def _same_origin(origin: str, host: str) -> bool:
    """Whether a page of this server asks; a proxy may have spoken TLS for it."""
    return origin.lower() in {f"http://{host}".lower(), f"https://{host}".lower()}
