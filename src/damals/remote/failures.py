"""What can go wrong on the way, and what the other side says went wrong there."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, cast

from damals.app.errors import DamalsError, Denied, InvalidInput, NotFound, Unavailable
from damals.app.problems import error_told
from damals.domain.entries import Json

REFUSED_AT_THE_DOOR: Final = frozenset({"access.no_key", "access.unknown_key"})
"""What a server says to those it does not know."""

OVERLOADED: Final = frozenset({"request.too_many", "request.busy"})
"""What a server says that has too much to do, and has done nothing of what was asked."""

SLOW: Final = frozenset({"remote.slow", "request.timeout"})
"""Whoever was asked is there and may still do it: nobody waits any longer for the answer."""

STOPPING: Final = frozenset({"home.closed"})
"""What a server says that stops."""

NOT_NOW: Final = OVERLOADED | STOPPING | {"request.timeout"}
"""After what a server says the same may be asked again, where that is safe."""


class Unreachable(Unavailable):
    """Nobody answers at the address, or not in the way damals does. What was asked may be done."""


class OtherVersion(Unavailable):
    """The owner of the home is a damals of another version."""


def error_of(status: int, document: object, url: str) -> DamalsError:
    """The error that an answer tells of.

    Args:
        status: of the answer.
        document: its JSON; anything else when it has none.
        url: of the server, to be named where it is no answer of damals.
    """
    told: Mapping[str, Json] = {}
    if isinstance(document, dict):
        told = cast("Mapping[str, Json]", document)
    known = error_told(told)
    if known is not None:
        return known
    if told.get("code") == "internal":
        # None of the six: a defect over there is one here too.
        return DamalsError("remote.failed", url=url, detail=str(told.get("detail", "")))
    return _by_status(status, url)


def _by_status(status: int, url: str) -> DamalsError:
    """What a status means that came without a word of damals: a proxy's, for example."""
    values: dict[str, object] = {"url": url, "status": status}
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return Denied("remote.status", **values)
        case HTTPStatus.NOT_FOUND:
            return NotFound("remote.status", **values)
        case _ if status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return InvalidInput("remote.status", **values)
        case _:
            return Unreachable("remote.status", **values)
