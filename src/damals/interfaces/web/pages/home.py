"""The first page, and how the visitor wants pages to be."""

from typing import Final

from starlette.responses import RedirectResponse, Response

from damals import messages
from damals.app.errors import NotFound
from damals.domain.names import DEFAULT_WORKSPACE
from damals.interfaces.web.area import OwnForm, Pages, local_target
from damals.interfaces.web.visitor import SEE_OTHER, THEMES, HomeVisitor, page_path

pages = Pages()

YEAR_S: Final = 365 * 24 * 3600


@pages.page("GET /")
def first(visitor: HomeVisitor) -> Response:
    """On to the only workspace, or all that the visitor may use."""
    try:
        found = [one.name for one in visitor.memory.workspaces()]
    except NotFound:  # no home yet: its first page teaches how one is made
        found = [DEFAULT_WORKSPACE]
    if len(found) == 1:
        return RedirectResponse(page_path(found[0]), SEE_OTHER)
    return visitor.page("workspaces.html", workspaces=found)


@pages.page("POST /preferences", public=True)
def preferences(form: OwnForm) -> Response:
    """Keep a language or a theme in the browser."""
    answer = RedirectResponse(local_target(str(form.get("next", "/"))), SEE_OTHER)
    for name, known in (("lang", messages.LANGUAGES), ("theme", THEMES)):
        value = form.get(name)
        if value in known:
            answer.set_cookie(
                f"damals-{name}", str(value), max_age=YEAR_S, httponly=True, samesite="lax"
            )
    return answer
