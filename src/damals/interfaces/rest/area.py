"""How a route is declared: what it is called, what it does, what it answers."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import Response

from damals import messages
from damals.app.results import Result
from damals.interfaces.rest.guard import JSON_TYPE, GuardedRoute
from damals.interfaces.rest.problems import PROBLEM_JSON
from damals.interfaces.rest.shapes import REFERENCE, Schema, Shapes

SHAPES: Final = Shapes()
"""The schemas of all results that a route answers with."""

F = TypeVar("F", bound=Callable[..., Any])

COMMON: Final = (400, 404, 429, 500, 503)
GUARDED: Final = (401, 403)
WITH_BODY: Final = (413, 415)
CHANGING: Final = (409, 422)

REASONS: Final[Mapping[int, str]] = {
    400: "Wrong usage, or a value that cannot mean what it should.",
    401: "No key, or one that is not valid.",
    403: "The asker may not do this.",
    404: "Nothing is there, or nothing that the asker may see.",
    409: "It contradicts what holds, or someone changed it meanwhile.",
    412: "The entry has changed since the ETag that was given.",
    413: "The body is too long.",
    415: "A body of a kind that is not read here.",
    422: "Another request came with this Idempotency-Key before.",
    429: "Too many requests; `Retry-After` says when to come again.",
    500: "Something unexpected, or something stored is damaged.",
    503: "Something that is needed does not answer in time.",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a route answers with when all is well.

    Attributes:
        kind: the result, or the schema of another JSON document; ``None`` for no document.
        also: further statuses with the same document, and when they come; ``None`` as a document
            when there is none with it.
        headers: names and meanings.
        links: what can be asked next, by name: an operation and its parameters.
    """

    kind: type[Result] | Schema | None
    status: int = 200
    media_type: str = JSON_TYPE
    also: Mapping[int, str] = field(default_factory=dict[int, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def documented(self) -> dict[int | str, dict[str, Any]]:
        """The responses of the document."""
        statuses = {self.status: "Done.", **self.also}
        return {status: self._response(status, about) for status, about in statuses.items()}

    def _response(self, status: int, about: str) -> dict[str, Any]:
        made: dict[str, Any] = {"description": about}
        if self.kind is not None and status != 304:  # noqa: PLR2004 -- Not Modified has no body
            made["content"] = {self.media_type: {"schema": self._schema(self.kind)}}
        if self.headers:
            made["headers"] = {
                name: {"description": told, "schema": {"type": "string"}}
                for name, told in self.headers.items()
            }
        if self.links:
            made["links"] = {
                name: {"operationId": name, "parameters": dict(parameters)}
                for name, parameters in self.links.items()
            }
        return made

    @staticmethod
    def _schema(kind: type[Result] | Schema) -> Schema:
        return SHAPES.of(kind) if isinstance(kind, type) else kind


@dataclass(frozen=True, slots=True)
class Rules:
    """What else is to be known of a route.

    Attributes:
        public: answers everybody.
        refuses: further statuses of problems.
        once: takes an ``Idempotency-Key``.
        slow: may take as long as it takes.
        bodies: kinds of bodies that it reads itself, with their schemas; the first is JSON.
    """

    public: bool = False
    refuses: Sequence[int] = ()
    once: bool = False
    slow: bool = False
    bodies: Mapping[str, Schema] = field(default_factory=dict[str, Schema])


class Area:
    """The routes of one area, below a common path."""

    def __init__(self, tag: str, prefix: str) -> None:
        """No routes yet.

        Args:
            tag: name of the area in the document.
            prefix: path that all its routes begin with.
        """
        self.router = APIRouter(prefix=prefix, tags=[tag])

    def route(
        self, call: str, does: str, answer: Answer, rules: Rules | None = None
    ) -> Callable[[F], F]:
        """Declare a route.

        Args:
            call: method and path behind the prefix: ``GET /{id}``.
            does: the method of ``Damals`` that it stands for, or a name of its own.
            answer: what comes back when all is well.
            rules: what else is to be known.
        """
        method, _, path = call.partition(" ")
        ruled = rules or Rules()

        class Route(GuardedRoute):
            public = ruled.public
            slow = ruled.slow
            media_types = tuple(ruled.bodies) or (JSON_TYPE,)

        def declared(function: F) -> F:
            summary, _, more = inspect.cleandoc(function.__doc__ or "").partition("\n")
            self.router.add_api_route(
                path.strip(),
                function,
                methods=[method],
                operation_id=does,
                summary=messages.text(f"rest.{does}", "en"),
                description=more.strip() or summary,
                status_code=answer.status,
                response_model=None,
                response_class=Response,
                responses=_responses(method, answer, ruled),
                openapi_extra=_extra(ruled),
                route_class_override=Route,
            )
            return function

        return declared


def _responses(method: str, answer: Answer, rules: Rules) -> dict[int | str, dict[str, Any]]:
    statuses = {*COMMON, *rules.refuses}
    statuses |= set() if rules.public else set(GUARDED)
    statuses |= set(WITH_BODY) if method == "POST" else set()
    statuses |= set(CHANGING) if rules.once else set()
    problems: dict[int | str, dict[str, Any]] = {
        status: _problem(REASONS[status]) for status in sorted(statuses)
    }
    return {**answer.documented(), **problems}


def _problem(about: str) -> dict[str, Any]:
    return {
        "description": about,
        "content": {PROBLEM_JSON: {"schema": {"$ref": f"{REFERENCE}Problem"}}},
    }


def _extra(rules: Rules) -> dict[str, Any] | None:
    extra: dict[str, Any] = {"security": []} if rules.public else {}
    if rules.bodies:
        content = {kind: {"schema": schema} for kind, schema in rules.bodies.items()}
        extra["requestBody"] = {"required": True, "content": content}
    return extra or None


def schema_of(model: type[BaseModel]) -> Schema:
    """The schema of a body that a route reads itself."""
    return model.model_json_schema()
