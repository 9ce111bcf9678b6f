"""The OpenAPI document: what FastAPI makes of the routes, with the shapes of our own."""

from functools import cache
from typing import Any, Final, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from damals.app.versions import PROGRAM_VERSION
from damals.interfaces.rest.area import SHAPES
from damals.interfaces.rest.areas import AREAS
from damals.interfaces.rest.shapes import REFERENCE, Schema

TITLE: Final = "damals"

FIRST_ERROR: Final = 400
"""From this status on, all answers are problems."""

ABOUT: Final = (
    "A knowledge memory with two clocks: what holds, what held, and what was known."
    " Parameters and shapes are those of the Python interface; instants are ISO 8601 dates or"
    " date-times, German or English expressions. Every error is a problem (RFC 9457)."
)

PROBLEM: Final[Schema] = {
    "type": "object",
    "description": "What went wrong (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What happened, to which thing."},
        "hint": {"type": "string", "description": "What to do."},
        "code": {
            "type": "string",
            "enum": [
                "internal",
                "invalid_input",
                "not_found",
                "conflict",
                "unavailable",
                "denied",
                "corrupt",
            ],
        },
        "key": {"type": "string", "description": "Name of the message."},
        "values": {"type": "object", "description": "What the message is filled in with."},
    },
    "required": ["type", "title", "status", "detail", "code", "key", "values"],
}

BEARER: Final = "bearer"
_UNUSED: Final = ("HTTPValidationError", "ValidationError")


@cache
def published() -> dict[str, Any]:
    """The document that every server of this version gives; not to be changed."""
    app = FastAPI(title=TITLE, version=PROGRAM_VERSION, redirect_slashes=False)
    for area in AREAS:
        app.include_router(area.router)
    return document(app)


def document(app: FastAPI) -> dict[str, Any]:
    """The document, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, description=ABOUT, routes=app.routes
        )
        components = made.setdefault("components", {})
        schemas: dict[str, Schema] = components.setdefault("schemas", {})
        for name in _UNUSED:
            schemas.pop(name, None)
        ours = {"Problem": PROBLEM} | SHAPES.schemas
        assert not ours.keys() & schemas.keys(), "a body is called as a result is"  # noqa: S101 -- a mistake of ours that every test would show
        schemas |= ours
        components["schemas"] = dict(sorted(schemas.items()))
        components["securitySchemes"] = {
            BEARER: {"type": "http", "scheme": "bearer", "description": "A key of `damals keys`."}
        }
        made["security"] = [{BEARER: []}]
        _tidied(made)
        app.openapi_schema = made
    return app.openapi_schema


def _tidied(made: dict[str, Any]) -> None:
    """Take out what FastAPI documents and we do not do, and say once what is said of all."""
    problems: dict[str, Any] = made["components"].setdefault("responses", {})
    for path in cast("dict[str, dict[str, Any]]", made["paths"]).values():
        for operation in path.values():
            responses: dict[str, Any] = operation["responses"]
            if f"{REFERENCE}HTTPValidationError" in str(responses.get("422")):
                del responses["422"]
            for status in [status for status in responses if int(status) >= FIRST_ERROR]:
                problems[f"Problem{status}"] = responses[status]
                responses[status] = {"$ref": f"#/components/responses/Problem{status}"}
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _given(parameter["schema"])


def _given(schema: Schema) -> Schema:
    """The schema of a parameter that is given: one that is left out is not null."""
    schema.pop("title", None)
    arms = [arm for arm in schema.get("anyOf", ()) if arm != {"type": "null"}]
    if len(arms) != 1:
        return schema
    return {name: told for name, told in schema.items() if name != "anyOf"} | arms[0]
