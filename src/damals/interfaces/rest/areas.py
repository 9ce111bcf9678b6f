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
    """The methods that are possible at a path, of an area or of what else an app answers."""
    routes = [*app.router.routes, *(route for area in AREAS for route in area.router.routes)]
    found = (
        route.methods or ()
        for route in routes
        if isinstance(route, Route | APIRoute) and route.path_regex.match(path)
    )
    methods = {method for methods in found for method in methods}
    return sorted(methods | {"HEAD"} if "GET" in methods else methods)
