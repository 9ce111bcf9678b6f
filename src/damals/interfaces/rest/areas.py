"""All areas of routes, in the order of the document. A new one is added here."""

from typing import Final

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Route

from damals.interfaces.rest.area import Area
from damals.interfaces.rest.routes import (
    administration,
    answers,
    asking,
    backups,
    entries,
    erasing,
    gate,
    graph,
    health,
    hygiene,
    imports,
    insights,
    relations,
    sources,
    transactions,
)

AREAS: Final[tuple[Area, ...]] = (
    entries.area,
    relations.area,
    graph.area,
    insights.area,
    hygiene.area,
    gate.area,
    asking.area,
    answers.area,
    transactions.area,
    imports.area,
    sources.area,
    erasing.area,
    erasing.home_area,
    administration.area,
    backups.area,
    health.area,
)


def allowed_at(app: FastAPI, path: str) -> list[str]:
    """The methods that are possible at a path, of an area or of what else an app answers.

    Where a path is named itself (``answers/stream``), what a name in its place could be asked by
    (``answers/{receipt}``) does not count.
    """
    routes = [*app.router.routes, *(route for area in AREAS for route in area.router.routes)]
    found = [
        route
        for route in routes
        if isinstance(route, Route | APIRoute) and route.path_regex.match(path)
    ]
    fewest = min((len(route.param_convertors) for route in found), default=0)
    named = [route for route in found if len(route.param_convertors) == fewest]
    methods = {method for route in named for method in route.methods or ()}
    return sorted(methods | {"HEAD"} if "GET" in methods else methods)
