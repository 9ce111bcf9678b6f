"""The protocol over HTTP (streamable): ``/mcp`` in the app that answers for a home.

Who may ask, from where, how often and how much is decided as for every other route of the app.
The SDK is loaded by the first request, so that an app that no assistant calls starts fast.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from damals import messages
from damals.domain.access import Principal
from damals.interfaces.mcp.caller import KIND
from damals.interfaces.rest.guard import GuardedRoute
from damals.interfaces.rest.server import Server

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATHS: Final = ("/mcp", "/mcp/{workspace}")
"""The workspace of the server, and any other one."""

METHODS: Final = ("POST", "DELETE")
"""Not GET: the server has nothing to say unasked, and a stream that waits for it costs a place."""


class _Route(GuardedRoute):
    channel = KIND


def add_mcp(app: FastAPI) -> None:
    """Let an app of ``create_app`` speak the protocol at ``/mcp``, while its lifespan runs."""
    sessions = Sessions(app.state.server, messages.spoken())
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[Any]:
        async with inner(app) as state:
            try:
                yield state
            finally:
                await sessions.end()

    app.router.lifespan_context = lifespan
    for path in PATHS:
        # A route, not a mounted app: that would answer the path without a slash with a redirect.
        app.router.add_api_route(
            path,
            sessions.answer,
            methods=list(METHODS),
            include_in_schema=False,
            response_model=None,
            route_class_override=_Route,
        )


class Passed(Response):
    """An answer that another app gives."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the other app answer."""
        await self._app(scope, receive, send)


class Sessions:
    """The conversations of an app, from the first request to the end of its lifespan."""

    def __init__(self, server: Server, lang: str) -> None:
        """None yet.

        Args:
            server: what the requests of the app share.
            lang: the language in which tools are described, and that of answers where a request
                names none.
        """
        self._server = server
        self._lang = lang
        self._starting = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None
        self._manager: StreamableHTTPSessionManager | None = None
        self._stopped = asyncio.Event()

    async def answer(self, request: Request) -> Response:
        """The answer to a message, or to the end of a session."""
        from damals.interfaces.mcp.remote import user  # noqa: PLC0415 -- see the module

        async with self._starting:
            manager = self._manager or await self._start()
        asker: Principal = request.state.principal
        request.scope["user"] = user(asker)
        return Passed(manager.asgi_app)

    async def end(self) -> None:
        """End all conversations; the next request begins anew."""
        running, self._running, self._manager = self._running, None, None
        if running is not None:
            self._stopped.set()
            await running

    async def _start(self) -> "StreamableHTTPSessionManager":
        manager = await run_in_threadpool(self._make)
        self._stopped = asyncio.Event()
        ready = asyncio.get_running_loop().create_future()
        self._running = asyncio.create_task(self._run(manager, ready))
        await ready
        self._manager = manager
        return manager

    async def _run(
        self, manager: "StreamableHTTPSessionManager", ready: "asyncio.Future[None]"
    ) -> None:
        # In a task of its own: what the SDK opens must be closed by the task that opened it.
        async with manager.run():
            ready.set_result(None)
            await self._stopped.wait()

    def _make(self) -> "StreamableHTTPSessionManager":
        from damals.interfaces.mcp.remote import session_manager  # noqa: PLC0415 -- see the module

        return session_manager(self._server, self._lang)
