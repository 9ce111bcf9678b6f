"""Signing in with a key, and out."""

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from damals.app.errors import DamalsError
from damals.interfaces.rest.guard import DENIALS, enter
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.rest.server import Server
from damals.interfaces.web.area import CHANNEL, OwnForm, Pages, local_target
from damals.interfaces.web.rendering import filled_in
from damals.interfaces.web.visitor import SEE_OTHER, chrome_of, page_path

pages = Pages()

Next = Annotated[str | None, Query(max_length=2_000)]


@pages.page("GET /sign-in", public=True)
def ask_for_key(request: Request, next: Next = None) -> Response:
    """The form for a key."""
    return _form(request, local_target(next))


@pages.page("POST /sign-in", public=True)
def sign_in(request: Request, form: OwnForm) -> Response:
    """Begin a session with a key."""
    wanted = local_target(str(form.get("next", "/")))
    secret = str(form.get("key", "")).strip()
    server: Server = request.app.state.server
    try:
        enter(server, request, secret or None)
    except DamalsError as error:
        problem = problem_of(error)
        if problem.status in DENIALS:
            server.deny(None, None, "POST /sign-in", problem.key, channel=CHANNEL)
        return _form(request, wanted, problem.document, problem.status)
    sessions = request.app.state.sessions
    sessions.end(request.state.session.id)
    request.state.session = sessions.begin(secret or None)
    return RedirectResponse(wanted, SEE_OTHER)


@pages.page("POST /sign-out", public=True)
def sign_out(request: Request, form: OwnForm) -> Response:
    """End the session."""
    del form
    sessions = request.app.state.sessions
    sessions.end(request.state.session.id)
    request.state.session = sessions.begin()
    return RedirectResponse(page_path(None, "sign-in"), SEE_OTHER)


def _form(request: Request, wanted: str, problem: object = None, status: int = 200) -> Response:
    values = {
        "visitor": None,
        "chrome": chrome_of(request),
        "csrf": request.state.session.csrf,
        "next": wanted,
        "problem": problem,
    }
    return Response(filled_in("sign-in.html", values), status, media_type="text/html")
