"""``add_pages``: the pages, in the app that answers for a home."""

from typing import Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from damals.interfaces.web.areas import AREAS
from damals.interfaces.web.assets import PREFIX, asset, media_type
from damals.interfaces.web.lost import lead_back
from damals.interfaces.web.sessions import Sessions

FOR_EVER: Final = "public, max-age=31536000, immutable"


def add_pages(app: FastAPI) -> None:
    """Let an app of ``create_app`` show pages at ``/`` and below ``/w/``."""
    app.state.sessions = Sessions()
    for area in AREAS:
        app.include_router(area.router)
    app.router.add_route(PREFIX + "/{digest}/{name}", _asset, methods=["GET"])
    lead_back(app)


async def _asset(request: Request) -> Response:
    """A file that pages load; it is nobody's secret."""
    name = request.path_params["name"]
    try:
        digest, data = asset(name)
    except KeyError:
        return Response(status_code=404)
    if digest != request.path_params["digest"]:
        return Response(status_code=404)
    headers = {"Cache-Control": FOR_EVER, "Cross-Origin-Resource-Policy": "same-origin"}
    return Response(data, headers=headers, media_type=media_type(name))
