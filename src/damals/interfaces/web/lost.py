"""What is told of an address that no page has: a page, to whoever reads pages."""

from collections.abc import Awaitable, Callable
from typing import Final, cast

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from damals import messages
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import guarded, language_of, local_target, problem_page
from damals.interfaces.web.visitor import SEE_OTHER

PROGRAMS: Final = ("/v1", "/mcp", "/metrics")
"""Below these, programs ask, whatever they say that they read."""

Teller = Callable[[Request, Exception], Awaitable[Response]]


def lead_back(app: FastAPI) -> None:
    """Let an app tell people with a page that there is nothing at an address."""
    plain = cast("Teller", app.exception_handlers[HTTPException])  # that of ``create_app``

    async def told(request: Request, error: Exception) -> Response:
        wants_page = "text/html" in request.headers.get("accept", "")
        if not wants_page or request.scope["path"].startswith(PROGRAMS):
            return await plain(request, error)
        lang = language_of(request)
        with messages.speaking(lang):
            return guarded(_page(request, error), lang)

    app.add_exception_handler(HTTPException, told)


def _page(request: Request, error: Exception) -> Response:
    path = request.scope["path"]
    if request.method == "GET" and path.endswith("/") and path != "/":
        return RedirectResponse(local_target(path.rstrip("/")), SEE_OTHER)
    return problem_page(problem_of(error, request), request)
