"""Backups: listed, made and checked. Restoring takes the place of a home, so no page does it."""

from typing import Annotated, Any

from fastapi import Path
from starlette.responses import RedirectResponse, Response

from damals.app.errors import DamalsError
from damals.app.jobs import Order
from damals.domain.names import DEFAULT_WORKSPACE
from damals.interfaces.rest.orders import backup_check_order, backup_order
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import OwnForm, Pages
from damals.interfaces.web.housekeeping import caller_of, tabs_of
from damals.interfaces.web.visitor import SEE_OTHER, WorkspaceVisitor, page_path

pages = Pages("/w/{workspace}/settings/backups")


@pages.page("GET ", slow=True)
def backups(visitor: WorkspaceVisitor) -> Response:
    """The backups of the home, the newest first."""
    return _page(visitor)


@pages.page("POST ")
def create(visitor: WorkspaceVisitor, form: OwnForm) -> Response:
    """Make a backup, as a job."""
    recipient = str(form.get("recipient", "")).strip()
    given: dict[str, Any] = {"with_index": bool(form.get("with_index"))}
    given |= {"recipient": recipient} if recipient else {}
    return _ordered(visitor, lambda: backup_order(caller_of(visitor), given), recipient)


@pages.page("POST /{id}/verify")
def verify(
    visitor: WorkspaceVisitor, form: OwnForm, id: Annotated[str, Path(max_length=500)]
) -> Response:
    """Check a backup, as a job."""
    del form
    return _ordered(visitor, lambda: backup_check_order(caller_of(visitor), id))


def _ordered(visitor: WorkspaceVisitor, order: Any, recipient: str = "") -> Response:  # noqa: ANN401 -- gives an order
    try:
        caller_of(visitor).require_home()
        ordered: Order = order()
        started = visitor.server.jobs.start(ordered)
    except DamalsError as error:
        problem = problem_of(error)
        return _page(visitor, problem.status, problem.document, recipient)
    return RedirectResponse(page_path(DEFAULT_WORKSPACE, "jobs", started.id), SEE_OTHER)


def _page(
    visitor: WorkspaceVisitor, status: int = 200, problem: object = None, recipient: str = ""
) -> Response:
    found = tuple(visitor.memory.backups())[::-1]
    return visitor.page(
        "backups.html",
        status,
        tabs=tabs_of(visitor),
        backups=found,
        problem=problem,
        recipient=recipient,
    )
