"""Keys: who else may come in, and what they may."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import Path
from starlette.datastructures import FormData
from starlette.responses import Response

from damals.app.access_results import KeyView
from damals.app.errors import DamalsError, InvalidInput, NotFound
from damals.domain.access import RIGHTS, SENSITIVITIES, VISIBILITIES
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import OwnForm, Pages
from damals.interfaces.web.housekeeping import of_missing_home, tabs_of, words
from damals.interfaces.web.visitor import WorkspaceVisitor

pages = Pages("/w/{workspace}/settings/keys")

FIRST: Final[Mapping[str, str]] = {
    "role": "admin",
    "reach": "all",
    "visibility": VISIBILITIES[-1],
    "sensitivity": str(SENSITIVITIES[-1]),
}
"""Of the first key, from which on everybody needs one: its maker is not to be locked out."""
OTHERS: Final[Mapping[str, str]] = {
    "role": "reader",
    "reach": "all",
    "visibility": "internal",
    "sensitivity": "0",
}


@pages.page("GET ")
def keys(visitor: WorkspaceVisitor) -> Response:
    """All keys, and the form for a new one."""
    return _page(visitor)


@pages.page("POST ")
def create(visitor: WorkspaceVisitor, form: OwnForm) -> Response:
    """Make a key. Its secret stands in this answer and nowhere else."""
    try:
        made = visitor.memory.create_key(**_given(form))
    except DamalsError as error:
        return _refused(visitor, error, form)
    return visitor.page("key.html", tabs=tabs_of(visitor), key=made.key, secret=made.secret)


@pages.page("POST /{name}/revoke", slow=True)
def revoke(
    visitor: WorkspaceVisitor, form: OwnForm, name: Annotated[str, Path(max_length=500)]
) -> Response:
    """The key of this name opens nothing any more."""
    try:
        visitor.memory.revoke_key(name)
    except DamalsError as error:
        return _refused(visitor, error, form)
    return visitor.to("settings", "keys")


def _given(form: FormData) -> dict[str, Any]:
    """The parameters of a key.

    Raises:
        InvalidInput: ``web.key.no_workspace``.
    """
    chosen = tuple(str(one) for one in form.getlist("workspaces"))
    everywhere = form.get("reach") == "all"
    if not everywhere and not chosen:
        raise InvalidInput("web.key.no_workspace")
    sensitivity = str(form.get("sensitivity", "0"))
    return {
        "name": str(form.get("name", "")).strip(),
        "roles": (str(form.get("role", "reader")), *words(str(form.get("names", "")))),
        "workspaces": None if everywhere else chosen,
        "visibility": str(form.get("visibility", "internal")),
        "sensitivity": int(sensitivity) if sensitivity.isdecimal() else -1,
    }


def _refused(visitor: WorkspaceVisitor, error: DamalsError, form: FormData) -> Response:
    problem = problem_of(error)
    return _page(visitor, problem.status, problem=problem.document, form=form)


def _page(
    visitor: WorkspaceVisitor,
    status: int = 200,
    problem: object = None,
    form: FormData | None = None,
) -> Response:
    found = _known(visitor)
    typed = dict(OTHERS if found else FIRST)
    if form is not None:
        typed |= {"reach": "", **{name: str(value) for name, value in form.items()}}
    asker = visitor.principal
    return visitor.page(
        "keys.html",
        status,
        tabs=tabs_of(visitor),
        keys=found,
        problem=problem,
        typed=typed,
        chosen=() if form is None else form.getlist("workspaces"),
        workspaces=_workspaces(visitor),
        everywhere=asker.owns or asker.workspaces is None,
        roles=[role for role, right in RIGHTS.items() if right <= asker.right],
        visibilities=VISIBILITIES if asker.owns else asker.visibilities,
        sensitivities=SENSITIVITIES if asker.owns else range(asker.sensitivity + 1),
    )


def _known(visitor: WorkspaceVisitor) -> tuple[KeyView, ...]:
    try:
        return tuple(visitor.memory.keys())
    except NotFound as error:
        of_missing_home(error)
        return ()


def _workspaces(visitor: WorkspaceVisitor) -> tuple[str, ...]:
    try:
        return tuple(one.name for one in visitor.memory.workspaces())
    except NotFound as error:
        of_missing_home(error)
        return ()
