"""How a page is declared, and what happens before its function is called."""

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from damals import messages
from damals.app.errors import Denied
from damals.domain.access import Principal
from damals.interfaces.rest.guard import GuardedRoute, Handler, enter
from damals.interfaces.rest.problems import Problem
from damals.interfaces.rest.server import Server
from damals.interfaces.web.rendering import filled_in
from damals.interfaces.web.sessions import Session, Sessions
from damals.interfaces.web.visitor import FRAGMENT, SEE_OTHER, Visitor, chrome_of, page_path

CHANNEL: Final = "web"
FORM: Final = "application/x-www-form-urlencoded"
UPLOAD: Final = "multipart/form-data"
TOKEN: Final = "csrf"  # noqa: S105 -- the name of a field
UNAUTHORIZED: Final = 401

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
"""Nothing is loaded from elsewhere, and no script or style that stands in a page counts."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",  # without one, browsers send forms from the origin "null"
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Vary": "Cookie, Accept-Language, HX-Request",
}

F = TypeVar("F", bound=Callable[..., Any])


class PageRoute(GuardedRoute):
    """A page: whoever is not known is led to signing in, and errors are pages too."""

    channel = CHANNEL
    media_types = (FORM,)

    def get_route_handler(self) -> Handler:
        """The handler behind the guard, in the language that the visitor chose."""
        answer = super().get_route_handler()

        async def spoken(request: Request) -> Response:
            lang = language_of(request)
            sessions: Sessions = request.app.state.sessions
            known = sessions.of(request.cookies.get(cookie_name(request)))
            request.state.session = known or (sessions.begin() if self.public else None)
            with messages.speaking(lang):
                response = await answer(request)
            _keep(request, response)
            return guarded(response, lang)

        return spoken

    def enter(self, server: Server, request: Request) -> Principal:
        """Who looks.

        Raises:
            Denied: ``access.no_key``, ``access.unknown_key``.
            Unavailable: ``request.too_many``.
        """
        sessions: Sessions = request.app.state.sessions
        session: Session | None = request.state.session
        try:
            principal = enter(server, request, session.secret if session else None)
        except Denied:
            if session is not None:  # its key was revoked
                sessions.end(session.id)
            raise
        request.state.session = session or sessions.begin()
        return principal

    def told(self, problem: Problem, request: Request) -> Response:
        """The page that tells what went wrong; whoever is not known signs in first."""
        if problem.status == UNAUTHORIZED and FRAGMENT not in request.headers:
            wanted = chrome_of(request)["here"] if request.method == "GET" else None
            there = page_path(None, "sign-in", next=wanted if wanted != "/" else None)
            return RedirectResponse(there, SEE_OTHER)
        return problem_page(problem, request)


def problem_page(problem: Problem, request: Request) -> Response:
    """A page that tells what went wrong, or what htmx puts into one."""
    known: Principal | None = getattr(request.state, "principal", None)
    place = None if problem.key == "workspace.unknown" else request.path_params.get("workspace")
    visitor = Visitor(request, known, request.state.session, place) if known else None
    values = {"problem": problem.document, "chrome": chrome_of(request), "visitor": visitor}
    part = FRAGMENT in request.headers
    shown = filled_in("problem-part.html" if part else "problem.html", values)
    return Response(shown, problem.status, dict(problem.headers), media_type="text/html")


def language_of(request: Request) -> str:
    """The language that was chosen on a page, or else the one that the browser asks for."""
    chosen = request.cookies.get("damals-lang")
    return chosen if chosen in messages.LANGUAGES else messages.spoken()


def guarded(response: Response, lang: str) -> Response:
    """A page in a language, with the headers that every page has."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers["Content-Language"] = lang
    return response


class Pages:
    """The pages of one area, below a common path."""

    def __init__(self, prefix: str = "") -> None:
        """None yet."""
        self.router = APIRouter(prefix=prefix)

    def page(
        self, call: str, *, public: bool = False, uploads: bool = False, slow: bool = False
    ) -> Callable[[F], F]:
        """Declare a page, or what a form of one does.

        Args:
            call: method and path behind the prefix: ``GET /entries/{id}``.
            public: everybody may see it.
            uploads: it takes files as well; its function reads the form itself.
            slow: it may take as long as it takes.
        """
        method, _, path = call.partition(" ")

        class Route(PageRoute):
            pass

        Route.public, Route.slow = public, slow
        Route.media_types = (FORM, UPLOAD) if uploads else (FORM,)

        def declared(function: F) -> F:
            self.router.add_api_route(
                path.strip(),
                function,
                methods=[method],
                include_in_schema=False,
                response_model=None,
                response_class=Response,
                route_class_override=Route,
            )
            return function

        return declared


async def form_of(request: Request) -> FormData:
    """What a form says, if it is one of this session's own pages.

    Raises:
        Denied: ``web.foreign_form``.
    """
    form = await request.form(max_files=1, max_fields=200)
    token, session = form.get(TOKEN), request.state.session
    own = isinstance(token, str) and isinstance(session, Session) and session.wrote(token)
    if not own or request.headers.get("sec-fetch-site", "same-origin") not in OWN_SITES:
        raise Denied("web.foreign_form")
    return form


OWN_SITES: Final = ("same-origin", "none")
"""What a browser says of a request that one of our own pages, or the person, began."""


def local_target(wanted: str | None) -> str:
    """A page of this server to go to; the first page for everything else."""
    split = urlsplit(wanted or "/")
    ours = not split.scheme and not split.netloc and split.path.startswith("/")
    plain = ours and not any(sign in (wanted or "") for sign in ("\\", "\n", "\r", "\t"))
    return (wanted or "/") if plain and not (wanted or "").startswith("//") else "/"


def cookie_name(request: Request) -> str:
    """The name of the session's cookie: cookies do not tell ports of a host apart."""
    return f"damals-session-{request.url.port or 0}"


def _keep(request: Request, response: Response) -> None:
    session: Session | None = request.state.session
    if session is None or request.cookies.get(cookie_name(request)) == session.id:
        return
    response.set_cookie(
        cookie_name(request),
        session.id,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        path="/",
    )


OwnForm = Annotated[FormData, Depends(form_of)]
"""The fields of a form of one of this session's own pages."""
