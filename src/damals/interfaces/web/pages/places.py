"""Workspaces: those that the visitor may use, and new ones."""

from starlette.responses import RedirectResponse, Response

from damals.app.errors import DamalsError, NotFound
from damals.domain.access import Right
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import OwnForm, Pages
from damals.interfaces.web.housekeeping import of_missing_home, tabs_of
from damals.interfaces.web.visitor import SEE_OTHER, WorkspaceVisitor, page_path
from damals.interfaces.web.zoned import Zoned

pages = Pages("/w/{workspace}/workspaces")


@pages.page("GET ")
def workspaces(visitor: WorkspaceVisitor) -> Response:
    """The workspaces that the visitor may use."""
    return _page(visitor)


@pages.page("POST ")
def create(visitor: WorkspaceVisitor, form: OwnForm) -> Response:
    """Make a workspace, and go there."""
    name = str(form.get("name", "")).strip()
    zone = str(form.get("timezone", "")).strip()
    try:
        made = visitor.memory.create_workspace(name, timezone=zone or None)
    except DamalsError as error:
        problem = problem_of(error)
        return _page(visitor, problem.status, problem.document, name, zone)
    return RedirectResponse(page_path(made.name), SEE_OTHER)


def _page(
    visitor: WorkspaceVisitor,
    status: int = 200,
    problem: object = None,
    name: str = "",
    zone: str = "",
) -> Response:
    try:
        found = tuple(visitor.memory.workspaces())
    except NotFound as error:
        of_missing_home(error)
        found = ()
    asker = visitor.principal
    return visitor.page(
        "places.html",
        status,
        tabs=tabs_of(visitor),
        workspaces=[(one, Zoned.of(one.timezone).day(one.created_at)) for one in found],
        problem=problem,
        name=name,
        zone=zone,
        may_make=visitor.may(Right.ADMINISTER) and (asker.owns or asker.workspaces is None),
    )
