"""Asking: a question at two clocks, what is found, and an answer with its reasons."""

from starlette.responses import Response

from damals.interfaces.web.area import Pages
from damals.interfaces.web.visitor import WorkspaceVisitor

pages = Pages("/w/{workspace}")


@pages.page("GET ")
def ask(visitor: WorkspaceVisitor) -> Response:
    """The question, and what is found."""
    return visitor.page("ask.html")
