"""The graph around an entry: drawn where there is JavaScript, and as a list everywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from damals import messages
from damals.app.errors import DamalsError, InvalidInput, NotFound
from damals.app.graph_results import Graph, GraphEdge, GraphNode
from damals.app.results import Entry
from damals.app.wire import to_wire
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.web.area import Pages
from damals.interfaces.web.clocks import AskedPair, Pair, span_of
from damals.interfaces.web.housekeeping import of_missing_home, shown_pair, words
from damals.interfaces.web.visitor import WorkspaceVisitor

pages = Pages("/w/{workspace}")

MOST_NODES: Final = 150
"""More of them are a hairball, and no picture."""
MOST_NEIGHBOURS: Final = 24
"""Of each entry: one with thousands would leave no room for any other."""
DEPTHS: Final = (1, 2, 3, 4)
CHOICES: Final = 12
"""How many entries are offered to begin with."""


class Wanted(BaseModel):
    """What the graph is to show, as it was typed."""

    id: Annotated[str, Query(max_length=1_000)] = ""
    depth: Annotated[str, Query(max_length=10)] = "1"
    type: Annotated[str, Query(max_length=1_000)] = ""


@dataclass(frozen=True, slots=True)
class Link:
    """An edge, as seen from one of its ends.

    Attributes:
        way: ``out``, ``in`` or ``both``.
    """

    edge: GraphEdge
    way: str
    other: GraphNode


@dataclass(frozen=True, slots=True)
class Row:
    """A node in the list, with its edges to those above it."""

    node: GraphNode
    links: tuple[Link, ...]


@pages.page("GET /graph")
def graph(
    visitor: WorkspaceVisitor, pair: AskedPair, asked: Annotated[Wanted, Query()]
) -> Response:
    """The graph around an entry, or entries to begin with."""
    values: dict[str, Any] = {
        "found": None, "choices": (), "problem": None, "missing": False, "read": None,
    }  # fmt: skip
    status = 200
    try:
        if asked.id.strip():
            values["found"] = _around(visitor, pair, asked)
        else:
            values["choices"] = _beginnings(visitor, pair)
    except DamalsError as error:
        status = _told(visitor, pair, asked, error, values)
    found: Graph | None = values["found"]
    if found is not None:
        at = found.understood
        values["read"] = shown_pair(at.as_of, at.known_at, at.zone)
    return visitor.page(
        "graph.html",
        status,
        block="results",
        pair=pair.told,
        asked=asked,
        depths=DEPTHS,
        span=span_of(visitor),
        rows=_rows(found) if found else (),
        types=sorted({edge.type for edge in found.edges}) if found else (),
        source=_path(visitor, pair, asked, "graph.json") if found else None,
        most=MOST_NODES,
        **values,
    )


@pages.page("GET /graph.json")
def graph_data(
    visitor: WorkspaceVisitor, pair: AskedPair, asked: Annotated[Wanted, Query()]
) -> Response:
    """The same for the drawing: what REST tells, with names and addresses of pages."""
    found = _around(visitor, pair, asked)
    document: dict[str, Any] = to_wire(found)
    for node in document["nodes"]:
        node["status_text"] = (
            messages.text(f"web.status.{node['status']}") if node["status"] else ""
        )
        node["page"] = visitor.path("entries", node["id"], **pair.told)
        node["centre"] = visitor.path("graph", id=node["id"], depth=asked.depth, **pair.told)
    document["most"] = MOST_NODES
    return JSONResponse(document)


def _around(visitor: WorkspaceVisitor, pair: Pair, asked: Wanted) -> Graph:
    return visitor.memory.graph(
        asked.id.strip(),
        depth=_depth(asked.depth),
        type=words(asked.type),
        limit=MOST_NODES,
        degree=MOST_NEIGHBOURS,
        **pair.told,
    )


def _depth(text: str) -> int:
    """How far to go.

    Raises:
        InvalidInput: ``field.range``.
    """
    allowed = {str(depth): depth for depth in DEPTHS}
    depth = allowed.get(text.strip() or "1")
    if depth is None:
        low, high = DEPTHS[0], DEPTHS[-1]
        raise InvalidInput("field.range", name="depth", value=text, low=low, high=high)
    return depth


def _told(
    visitor: WorkspaceVisitor,
    pair: Pair,
    asked: Wanted,
    error: DamalsError,
    values: dict[str, Any],
) -> int:
    """What is shown instead of a graph, and the status of the answer."""
    if isinstance(error, NotFound) and error.key == "entry.unknown":
        values["choices"] = _like(visitor, pair, asked.id)
        if values["choices"]:
            return 200  # it was no id but words, and this is what they find
    if isinstance(error, NotFound) and not error.key.startswith("entry."):
        of_missing_home(error)
        values["missing"] = True
        return 200
    problem = problem_of(error)
    values["problem"] = problem.document
    return problem.status


def _beginnings(visitor: WorkspaceVisitor, pair: Pair) -> Sequence[Entry]:
    """Entries with relations first: they have something around them."""
    found = visitor.memory.entries(
        limit=10 * CHOICES, as_of=pair.as_of, known_at=pair.known_at
    ).entries
    return sorted(found, key=lambda one: -len(one.relations))[:CHOICES]


def _like(visitor: WorkspaceVisitor, pair: Pair, query: str) -> Sequence[Entry]:
    """What words find that are no id."""
    try:
        found = visitor.memory.recall(
            query,
            limit=CHOICES,
            receipt=False,
            times="off",
            as_of=pair.as_of,
            known_at=pair.known_at,
        )
    except InvalidInput:
        return ()
    return [hit.entry for hit in found.results]


def _path(visitor: WorkspaceVisitor, pair: Pair, asked: Wanted, *parts: str) -> str:
    return visitor.path(*parts, **asked.model_dump(), **pair.told)


def _rows(found: Graph) -> Sequence[Row]:
    """The nodes in their order; each edge once, below the later one of its ends."""
    place = {node.id: number for number, node in enumerate(found.nodes)}
    links: dict[str, list[Link]] = {node.id: [] for node in found.nodes}
    for edge in found.edges:
        near, far, way = edge.src_id, edge.dst_id, "out"
        if place[near] < place[far]:
            near, far, way = far, near, "in"
        shown = Link(edge, "both" if edge.symmetric else way, found.nodes[place[far]])
        links[near].append(shown)
    return [Row(node, tuple(links[node.id])) for node in found.nodes]
