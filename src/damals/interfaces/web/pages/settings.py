"""Settings, health and sources of a home, and who one is there."""

from typing import Final

from starlette.responses import Response

from damals.app.errors import DamalsError, NotFound
from damals.app.versions import program_versions
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import OwnForm, Pages
from damals.interfaces.web.housekeeping import may_keep_home, of_missing_home, tabs_of
from damals.interfaces.web.visitor import WorkspaceVisitor

pages = Pages("/w/{workspace}/settings")

DEFAULT: Final = "default"


@pages.page("GET ")
def settings(visitor: WorkspaceVisitor) -> Response:
    """Who looks, the settings in force with their origin, and versions."""
    told = visitor.memory.config().settings if may_keep_home(visitor) else None
    if told is not None:  # what somebody chose comes first
        told = sorted(told, key=lambda one: one.origin == DEFAULT)
    return visitor.page(
        "settings.html",
        tabs=tabs_of(visitor),
        settings=told,
        versions=program_versions(),
        asker=visitor.principal,
    )


@pages.page("GET /health", slow=True)
def health(visitor: WorkspaceVisitor) -> Response:
    """The health of every part, and how to mend what is not well."""
    return _health(visitor, repair=False)


@pages.page("POST /health", slow=True)
def repair(visitor: WorkspaceVisitor, form: OwnForm) -> Response:
    """Mend what can be mended, and look again."""
    del form
    return _health(visitor, repair=True)


@pages.page("GET /sources")
def sources(visitor: WorkspaceVisitor) -> Response:
    """What was imported, when, with what result."""
    try:
        found = visitor.memory.sources()
    except NotFound as error:
        of_missing_home(error)
        found = ()
    return visitor.page("sources.html", tabs=tabs_of(visitor), sources=found)


def _health(visitor: WorkspaceVisitor, *, repair: bool) -> Response:
    found, problem, status = None, None, 200
    try:
        found = visitor.memory.doctor(repair=repair)
    except NotFound as error:
        of_missing_home(error)
    except DamalsError as error:
        told = problem_of(error)
        problem, status = told.document, told.status
    return visitor.page(
        "health.html",
        status,
        tabs=tabs_of(visitor),
        health=found,
        repaired=repair,
        problem=problem,
    )
