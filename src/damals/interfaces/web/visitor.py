"""Who looks at a page, and what a page's function works with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote, urlencode

from fastapi import Depends, Path
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from damals import messages
from damals.domain.access import Principal, Right
from damals.interfaces.web.rendering import filled_in
from damals.interfaces.web.sessions import Session

if TYPE_CHECKING:
    from damals.interfaces.rest.server import Server
    from damals.local import LocalDamals

THEMES: Final = ("auto", "light", "dark")
SEE_OTHER: Final = 303
FRAGMENT: Final = "hx-request"
"""Header of a request that wants a part of a page."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Someone who looks at a page.

    Attributes:
        workspace: the one that the page is about; ``None`` for pages about the home.
    """

    request: Request
    principal: Principal
    session: Session
    workspace: str | None = None

    @property
    def server(self) -> "Server":
        """What all requests share."""
        return self.request.app.state.server

    @property
    def memory(self) -> "LocalDamals":
        """The home, asked by them."""
        return self.server.memory(self.principal, self.workspace)

    def may(self, right: Right) -> bool:
        """Whether they may do such things; forms that would be refused are not shown."""
        return self.principal.right >= right

    @property
    def wants_part(self) -> bool:
        """Whether only a part of the page was asked for."""
        return FRAGMENT in self.request.headers

    def path(self, *parts: str, **query: object) -> str:
        """The address of a page of this workspace."""
        return page_path(self.workspace, *parts, **query)

    def page(
        self, template: str, status: int = 200, *, block: str | None = None, **values: object
    ) -> Response:
        """A page, or the part of it that was asked for.

        Args:
            template: its file.
            status: of the answer.
            block: the part of the template that htmx gets.
            **values: what the template knows, beside ``visitor`` and ``chrome``.
        """
        known = {"visitor": self, "chrome": self.chrome(), **values}
        shown = filled_in(template, known, block if self.wants_part else None)
        return Response(shown, status, media_type="text/html")

    def to(self, *parts: str, **query: object) -> Response:
        """On to another page, after something was done."""
        return RedirectResponse(self.path(*parts, **query), SEE_OTHER)

    def chrome(self) -> Mapping[str, Any]:
        """What stands around each page."""
        return chrome_of(self.request)


def chrome_of(request: Request) -> Mapping[str, Any]:
    """Language, theme and where one is: what also a page knows that nobody signed in to."""
    theme = request.cookies.get("damals-theme", "")
    query = request.scope["query_string"].decode("latin-1")
    return {
        "lang": messages.spoken(),
        "theme": theme if theme in THEMES else "auto",
        "here": request.scope["path"] + (f"?{query}" if query else ""),
        "path": request.scope["path"],
    }


def page_path(workspace: str | None, *parts: str, **query: object) -> str:
    """The address of a page.

    Args:
        workspace: ``None`` for pages about the home.
        *parts: of the path, each of which may hold anything.
        **query: parameters; what is ``None``, empty or ``False`` is left out.
    """
    whole = ("w", workspace, *parts) if workspace is not None else parts
    asked = {name: value for name, value in query.items() if value not in (None, "", False)}
    told = urlencode(asked, doseq=True)
    path = "/" + "/".join(quote(part, safe="") for part in whole)
    return f"{path}?{told}" if told else path


def _visitor(request: Request) -> Visitor:
    return Visitor(request, request.state.principal, request.state.session)


def _in_workspace(request: Request, workspace: Annotated[str, Path()]) -> Visitor:
    return Visitor(request, request.state.principal, request.state.session, workspace)


HomeVisitor = Annotated[Visitor, Depends(_visitor)]
WorkspaceVisitor = Annotated[Visitor, Depends(_in_workspace)]
