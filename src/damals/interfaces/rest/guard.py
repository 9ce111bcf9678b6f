"""What happens before a request's body is read: who asks, how often, how much and of which kind."""

from collections.abc import Callable, Coroutine
from functools import partial
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import unquote

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive

from damals.app.errors import DamalsError, InvalidInput, NotFound, Unavailable
from damals.domain.access import Principal
from damals.interfaces.rest.options import LOOPBACK_NAMES
from damals.interfaces.rest.problems import Problem, problem_of
from damals.interfaces.rest.server import CHANNEL, Server

DENIALS: Final = frozenset({401, 403})

JSON_TYPE: Final = "application/json"

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def _reads_query(dependant: Dependant) -> bool:
    """Whether a route, or what it depends on, reads parameters of the query."""
    return bool(dependant.query_params) or any(map(_reads_query, dependant.dependencies))


class GuardedRoute(APIRoute):
    """A route that lets nobody in whom the door does not know. Errors become problems."""

    public: bool = False
    """Whether it answers everybody."""
    slow: bool = False
    """Whether it may take as long as it takes."""
    media_types: tuple[str, ...] = (JSON_TYPE,)
    """Kinds of bodies that it reads."""
    channel: str = CHANNEL
    """What refused calls are noted to have come through."""

    def get_route_handler(self) -> Handler:
        """The handler behind the guard."""
        answer = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            server: Server = request.app.state.server
            request.state.principal = None
            request.state.slow = self.slow
            told = request.scope["path_params"]
            request.scope["path_params"] = {name: unquote(value) for name, value in told.items()}
            try:
                if not self.public:
                    request.state.principal = await run_in_threadpool(self.enter, server, request)
                self._check(request)
                limit = server.options.max_body_bytes
                if len(self.media_types) > 1:
                    limit = server.options.max_import_bytes
                limited = Request(request.scope, _limited(request, limit))
                return await answer(limited)
            except Exception as error:  # noqa: BLE001 -- every failure is told as a problem
                return await self._refused(server, request, error)

        return guarded

    def enter(self, server: Server, request: Request) -> Principal:
        """Who asks; everybody but the owner so many times a minute.

        Raises:
            Denied: ``access.no_key``, ``access.unknown_key``.
            Unavailable: ``request.too_many``.
        """
        return enter(server, request, bearer(request.headers.get("authorization")))

    def told(self, problem: Problem, request: Request) -> Response:
        """The answer that tells what went wrong."""
        del request
        return problem.answer()

    def _check(self, request: Request) -> None:
        """Refuse parameters that are not known, and bodies of a kind that is not read.

        Raises:
            InvalidInput: ``operation.unknown_parameter``, ``request.media_type``.
        """
        if request.query_params and not _reads_query(self.dependant):
            names = ", ".join(sorted(set(request.query_params)))
            op = self.operation_id or "request"
            raise InvalidInput("operation.unknown_parameter", op=op, name=names)
        has_body = request.headers.get("content-length", "0") != "0" or (
            "transfer-encoding" in request.headers
        )
        kind = media_type_of(request)
        if has_body and request.method == "POST" and kind not in self.media_types:
            known = ", ".join(self.media_types)
            raise InvalidInput("request.media_type", media_type=kind or "-", known=known)

    async def _refused(self, server: Server, request: Request, error: Exception) -> Response:
        problem = problem_of(error, request)
        principal: Principal | None = request.state.principal
        workspace = request.path_params.get("workspace")
        if problem.status in DENIALS or _out_of_reach(error, principal, workspace):
            call = f"{request.method} {self.path_format}"
            name = None if principal is None else principal.name
            deny = partial(server.deny, channel=self.channel)
            await run_in_threadpool(deny, name, workspace, call, problem.key)
        return self.told(problem, request)


def media_type_of(request: Request) -> str:
    """The kind of a request's body, without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _out_of_reach(error: Exception, asker: Principal | None, workspace: str | None) -> bool:
    missing = isinstance(error, NotFound) and error.key == "workspace.unknown"
    return missing and asker is not None and workspace is not None and not asker.reaches(workspace)


def enter(server: Server, request: Request, secret: str | None) -> Principal:
    """Who asks; everybody but the owner so many times a minute.

    Args:
        server: what requests share.
        request: from where they ask.
        secret: what they bring.

    Raises:
        Denied: ``access.no_key``, ``access.unknown_key``.
        Unavailable: ``request.too_many``.
    """
    address = request.client.host if request.client else ""
    try:
        principal = server.door.opened_for(secret, server.registry, loopback=_from_here(request))
    except DamalsError:
        _count(server, f"address {address}")
        raise
    if not principal.owns:
        _count(server, f"key {principal.name}")
    return principal


def _from_here(request: Request) -> bool:
    """Whether a program of this machine asks for itself, and no proxy for somebody else."""
    address = request.client.host if request.client else ""
    forwarded = {"forwarded", "x-forwarded-for", "via"} & set(request.headers)
    named = is_loopback((request.url.hostname or "").rstrip("."))
    return is_loopback(address) and named and not forwarded


def _count(server: Server, name: str) -> None:
    seconds = server.rates.wait_of(name)
    if seconds:
        raise Unavailable("request.too_many", seconds=seconds)


def bearer(header: str | None) -> str | None:
    """The secret of an ``Authorization`` header; ``None`` for any other scheme."""
    scheme, _, secret = (header or "").partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None


def is_loopback(address: str) -> bool:
    """Whether an address is one of this machine's own, to which nobody else can lead a name."""
    try:
        return address in LOOPBACK_NAMES or ip_address(address).is_loopback
    except ValueError:
        return False


def _limited(request: Request, limit: int) -> Receive:
    """The body of a request, as long as it is not too long.

    Raises:
        InvalidInput: ``request.too_large``.
    """
    told = request.headers.get("content-length", "0")
    if told.isdigit() and int(told) > limit:
        raise InvalidInput("request.too_large", limit=limit)
    read = 0

    async def receive() -> Message:
        nonlocal read
        message = await request.receive()
        read += len(message.get("body", b""))
        if read > limit:
            raise InvalidInput("request.too_large", limit=limit)
        return message

    return receive


__all__ = ["GuardedRoute", "bearer", "enter", "is_loopback", "media_type_of"]
