"""Errors as ``application/problem+json`` (RFC 9457), in the language that was asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, cast

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request

from damals import messages
from damals.app.errors import INTERNAL, DamalsError, InvalidInput, NotFound, outcome_of
from damals.app.problems import Told, told
from damals.domain.entries import Json
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.invalid import first_problem
from damals.logs import note_failure

PROBLEM_JSON: Final = "application/problem+json"

STATUSES: Final[Mapping[str, int]] = {
    "access.no_key": 401,
    "access.unknown_key": 401,
    "request.method": 405,
    "request.too_large": 413,
    "request.media_type": 415,
    "request.different": 422,
    "request.unmatched": 412,
    "request.too_many": 429,
    "request.not_acceptable": 406,
}
"""Errors whose status is another than that of their class."""

CHANGED: Final = frozenset({"entry.changed", "transaction.changed"})
"""What a precondition fails with: 412 when it came as ``If-Match``."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong with a request.

    Attributes:
        document: the body of the answer.
        headers: those that belong to it.
    """

    status: int
    document: Mapping[str, Json]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def key(self) -> str:
        """Key of its message."""
        return str(self.document["key"])

    def answer(self) -> JsonAnswer:
        """The answer that tells of it."""
        made = JsonAnswer(self.document, self.status, dict(self.headers))
        made.headers["content-type"] = PROBLEM_JSON
        made.headers["content-language"] = messages.spoken()
        return made


def problem_of(error: Exception, request: Request | None = None) -> Problem:
    """What to tell of an error of any kind; what nobody expected is logged."""
    known = _known(error, request)
    if known is None:
        note_failure("request failed", error)
        return _internal()
    conditional = request is not None and "if-match" in request.headers
    status = STATUSES.get(known.key, outcome_of(known).http_status)
    if known.key in CHANGED and conditional:
        status = 412
    shown = told(known)
    advice = messages.hint(known.key, values=known.values)
    document = _document(status, messages.render(known.key, known.values), shown)
    document |= {"hint": advice} if advice else {}
    return Problem(status, document, _headers(status, known, error))


def _internal() -> Problem:
    status = INTERNAL.http_status
    shown: Told = {"code": INTERNAL.code, "key": "request.failed", "values": {}}
    document = _document(status, messages.text("request.failed"), shown)
    advice = messages.hint("request.failed")
    return Problem(status, document | ({"hint": advice} if advice else {}))


def _document(status: int, detail: str, shown: Mapping[str, Json]) -> dict[str, Json]:
    title = HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "detail": detail, **shown}


def _headers(status: int, known: DamalsError, error: Exception) -> Mapping[str, str]:
    if isinstance(error, HTTPException) and error.headers:
        return error.headers
    if status == HTTPStatus.UNAUTHORIZED:
        invalid = ', error="invalid_token"' if known.key == "access.unknown_key" else ""
        return {"WWW-Authenticate": f'Bearer realm="damals"{invalid}'}
    seconds = known.values.get("seconds")
    return {"Retry-After": str(seconds)} if isinstance(seconds, int) else {}


def _known(error: Exception, request: Request | None) -> DamalsError | None:
    """An error as one of ours; ``None`` for one that nobody expected."""
    if isinstance(error, DamalsError):
        return error
    if isinstance(error.__cause__, DamalsError) and isinstance(error, HTTPException):
        return error.__cause__  # raised while the body was read
    if isinstance(error, RequestValidationError):
        return first_problem(cast("Sequence[Mapping[str, Any]]", error.errors()), request)
    if isinstance(error, HTTPException):
        return _of_http(error, request)
    return None


def _of_http(error: HTTPException, request: Request | None) -> DamalsError:
    method = "" if request is None else request.method
    path = "" if request is None else request.url.path
    match error.status_code:
        case HTTPStatus.NOT_FOUND:
            return NotFound("request.path", path=path)
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return InvalidInput("request.method", method=method, path=path)
        case _:
            return InvalidInput("request.not_json", cause=str(error.detail))
