"""The entries of a workspace at a pair of instants, a page at a time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BaseModel
from starlette.responses import Response

from damals.app.errors import InvalidInput, NotFound
from damals.app.looking import STATUSES
from damals.app.results import Page
from damals.domain.access import Right
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import Pages
from damals.interfaces.web.clocks import AskedPair, Pair, span_of
from damals.interfaces.web.housekeeping import of_missing_home, read_back, words
from damals.interfaces.web.visitor import WorkspaceVisitor

pages = Pages("/w/{workspace}")

PAGE_ENTRIES: Final = 40
MOST_FACETS: Final = 12
"""So many types, and so many tags, are offered to narrow a list down."""


class Wanted(BaseModel):
    """Which entries are asked for, as it was typed."""

    type: Annotated[str, Query(max_length=1_000)] = ""
    tag: Annotated[str, Query(max_length=1_000)] = ""
    status: Annotated[str, Query(max_length=100)] = ""
    certain: Annotated[str, Query(max_length=10)] = ""
    cursor: Annotated[str, Query(max_length=1_000)] = ""


@pages.page("GET /entries")
def listing(
    visitor: WorkspaceVisitor, pair: AskedPair, asked: Annotated[Wanted, Query()]
) -> Response:
    """The entries that fit, with links that narrow the list down."""
    values: dict[str, Any] = {"found": None, "problem": None, "read": None, "missing": False}
    status = 200
    try:
        values["found"] = _found(visitor, pair, asked)
        values["read"] = read_back(visitor, pair)
    except InvalidInput as error:
        problem = problem_of(error)
        values["problem"], status = problem.document, problem.status
    except NotFound as error:
        of_missing_home(error)
        values["missing"] = True
    return visitor.page(
        "listing.html",
        status,
        block="results",
        pair=pair.told,
        asked=asked,
        span=span_of(visitor),
        statuses=STATUSES,
        narrowed=bool(asked.type or asked.tag or asked.status or asked.certain),
        may_write=visitor.may(Right.WRITE),
        links=_links(visitor, pair, asked, values["found"]),
        **values,
    )


def _found(visitor: WorkspaceVisitor, pair: Pair, asked: Wanted) -> Page:
    return visitor.memory.entries(
        **pair.told,
        certain=bool(asked.certain),
        type=words(asked.type),
        tag=words(asked.tag),
        status=asked.status or None,
        limit=PAGE_ENTRIES,
        cursor=asked.cursor or None,
    )


def _links(
    visitor: WorkspaceVisitor, pair: Pair, asked: Wanted, found: Page | None
) -> Mapping[str, Any]:
    """The pages around this one, and its types and tags with the page that has only them."""
    query = {**pair.told, **asked.model_dump(exclude={"cursor"})}

    def path(**changed: object) -> str:
        return visitor.path("entries", **{**query, **changed})

    def facets(name: str, told: Sequence[str]) -> list[tuple[str, int, str]]:
        most = Counter(told).most_common(MOST_FACETS)
        return [(one, count, path(**{name: one})) for one, count in most]

    entries = found.entries if found else ()
    return {
        "first": path() if asked.cursor else None,
        "next": path(cursor=found.next) if found and found.next else None,
        "all": visitor.path("entries", **pair.told),
        "types": facets("type", [one.type for one in entries]),
        "tags": facets("tag", [tag for one in entries for tag in one.tags]),
    }
