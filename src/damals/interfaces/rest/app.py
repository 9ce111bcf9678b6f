"""``create_app``: the REST interface on an open home."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

from anyio import to_thread
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from damals import logs
from damals.app.door import Door
from damals.app.versions import PROGRAM_VERSION
from damals.interfaces.rest.areas import AREAS, allowed_at
from damals.interfaces.rest.gate import Gate
from damals.interfaces.rest.openapi import TITLE, document
from damals.interfaces.rest.options import ServerOptions
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.rest.server import Server
from damals.local import LocalDamals

SPARE_THREADS: Final = 8
"""For what goes on beside requests."""

OPENAPI_PATH: Final = "/v1/openapi.json"


def create_app(home: LocalDamals, door: Door, options: ServerOptions | None = None) -> FastAPI:
    """The app that answers for a home.

    The home stays open when the app ends: it belongs to whoever opened it.

    Args:
        home: an open home; requests look at it through ``home.under(…)``.
        door: who a bearer is.
        options: limits, and where files may be imported from.
    """
    logs.configure()
    server = Server(home, door, options or ServerOptions())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        del app
        # Changes wait for their turn in a thread each; questions must not wait for one.
        limiter = to_thread.current_default_thread_limiter()
        limiter.total_tokens = server.options.concurrent_requests + SPARE_THREADS
        yield
        await run_in_threadpool(server.close)

    app = FastAPI(
        title=TITLE,
        version=PROGRAM_VERSION,
        openapi_url=OPENAPI_PATH,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        exception_handlers={HTTPException: _nowhere},
    )
    app.state.server = server
    for area in AREAS:
        app.include_router(area.router)
    app.openapi = lambda: document(app)
    app.add_middleware(Gate, server=server)
    return app


async def _nowhere(request: Request, error: Exception) -> Response:
    """What is told of a path or a method that no route has."""
    answer = problem_of(error, request).answer()
    if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        answer.headers["Allow"] = ", ".join(allowed_at(request.app, request.url.path))
    return answer
