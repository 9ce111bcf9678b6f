"""What both protocols share: a request whose answer comes line by line, within limits."""

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from damals.app.stopping import when_over
from damals.domain.entries import Json
from damals.domain.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    import httpcore2
    import httpx2

CONNECT_S: Final = 5.0
MAX_LINE_CHARS: Final = 1 << 20
MAX_CHARS: Final = 2_000_000
"""Characters that a server may send for one answer, the protocol's own included; of one that sends
more nothing further is read, and it counts as unreadable: a model that does not end is broken."""
MAX_ERROR_BYTES: Final = 1 << 16
"""What is read of an error, or of anything else that is short by its nature."""
_TOLD: Final = 200
"""Characters of an error that are told."""


@dataclass(frozen=True, slots=True)
class Place:
    """A server of a model.

    Attributes:
        url: its address.
        model: name of the model there.
        key: opens it; ``None`` for none.
        patience_s: how long the whole answer may take, from the request to its last line.
    """

    url: str
    model: str
    key: str | None = None
    patience_s: float = 120.0


def lines(place: Place, path: str, body: Mapping[str, Json]) -> Iterator[str]:
    """The lines of an answer to a request, as they come.

    Raises:
        InvalidInput: ``llm.url``.
        Unavailable: ``llm.unreachable``, ``llm.slow``, ``llm.refused``, ``llm.garbage``.
    """
    import httpx2  # noqa: PLC0415 -- most answers go without a model

    address = place.url.rstrip("/") + path
    if not address.startswith(("http://", "https://")):
        raise InvalidInput("llm.url", url=place.url)
    headers = {"Accept-Encoding": "identity"}  # an error is read as it is sent
    if place.key is not None:
        headers["Authorization"] = f"Bearer {place.key}"
    timeout = httpx2.Timeout(place.patience_s, connect=min(CONNECT_S, place.patience_s))
    limit = Limit(time.monotonic() + place.patience_s)
    trace = {"trace": limit.trace}
    try:
        with httpx2.Client(headers=headers, timeout=timeout) as client:
            asked = client.stream("POST", address, json=dict(body), extensions=trace)
            with asked as response:
                if response.is_error:
                    raise _refused(place, response)
                yield from _bounded(place, response, limit)
    except httpx2.InvalidURL as error:
        raise InvalidInput("llm.url", url=place.url) from error
    except httpx2.TimeoutException as error:
        raise _slow(place) from error
    except (httpx2.RequestError, httpx2.StreamError) as error:
        if limit.passed:
            raise _slow(place) from error
        reason = str(error) or type(error).__name__
        raise Unavailable("llm.unreachable", url=place.url, reason=reason) from error
    finally:
        limit.cancel()


class Limit:
    """Ends a connection at one instant, however often something comes before it.

    It also ends as soon as nobody waits for what comes over it.

    The client's own timeout begins anew with each read, so a server that sends a byte now and
    then is never too slow for it. At the instant the socket is shut down, which wakes its reader.
    """

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._timer: threading.Timer | None = None

    @property
    def passed(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self._deadline

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Hears what the client does: a new socket is given what is left of the time."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self.cancel()
            left = max(self._deadline - time.monotonic(), 0.0)
            self._timer = threading.Timer(left, _shut, (info["return_value"],))
            self._timer.daemon = True
            self._timer.start()
            when_over(partial(_shut, info["return_value"]))

    def cancel(self) -> None:
        """Leave the connection alone from now on."""
        if self._timer is not None:
            self._timer.cancel()


def _shut(stream: "httpcore2.NetworkStream") -> None:
    with suppress(OSError):  # it may be closed already
        stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _bounded(place: Place, response: "httpx2.Response", limit: Limit) -> Iterator[str]:
    total = 0
    rest = ""
    for piece in response.iter_text():
        if limit.passed:
            raise _slow(place)
        total += len(piece)
        if total > MAX_CHARS or len(rest) > MAX_LINE_CHARS:
            raise garbage(place)
        *whole, rest = (rest + piece).split("\n")
        yield from whole
    if limit.passed:  # a body without a length ends as if whole when its socket is shut down
        raise _slow(place)
    if rest:
        yield rest


def _slow(place: Place) -> Unavailable:
    return Unavailable("llm.slow", url=place.url, seconds=f"{place.patience_s:g}")


def garbage(place: Place) -> Unavailable:
    """What is told of an answer that is none."""
    return Unavailable("llm.garbage", url=place.url, model=place.model)


def unfinished(place: Place, reason: str) -> Unavailable:
    """What is told of an answer that ended before it was whole."""
    return Unavailable("llm.unfinished", url=place.url, model=place.model, reason=reason)


def _refused(place: Place, response: "httpx2.Response") -> Unavailable:
    said = beginning(response).decode(response.encoding or "utf-8", "replace")
    return Unavailable(
        "llm.refused", url=place.url, status=response.status_code, reason=said[:_TOLD]
    )


def beginning(response: "httpx2.Response") -> bytes:
    """The first bytes of a body, as they were sent, as far as they come within the limits."""
    import httpx2  # noqa: PLC0415 -- most answers go without a model

    read = bytearray()
    with suppress(httpx2.RequestError, httpx2.StreamError):  # what came before it broke off
        for piece in response.iter_raw():
            read += piece
            if len(read) >= MAX_ERROR_BYTES:
                break
    return bytes(read[:MAX_ERROR_BYTES])


def document(place: Place, line: str) -> dict[str, Any]:
    """A line as a JSON object.

    Raises:
        Unavailable: ``llm.garbage`` when it is none.
    """
    try:
        told: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise garbage(place) from error
    if not isinstance(told, dict):
        raise garbage(place)
    return cast("dict[str, Any]", told)
