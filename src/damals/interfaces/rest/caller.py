"""Who asks, and what they work with: what a route's function takes as its first argument."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, TypeVar, cast

from fastapi import Depends, Header, Path
from starlette.requests import Request

from damals.app.access import check_home, check_right
from damals.app.access_model import KeptAnswer, Once, Registry
from damals.app.errors import Conflict, InvalidInput
from damals.app.once import MAX_KEY, once
from damals.app.results import Result
from damals.app.wire import to_wire
from damals.domain.access import OWNER_NAME, Principal, Right
from damals.domain.entries import Json
from damals.domain.errors import NotFound
from damals.domain.names import DEFAULT_WORKSPACE
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.etags import ANY, expected_by
from damals.interfaces.rest.problems import CHANGED
from damals.interfaces.rest.server import Server
from damals.local import LocalDamals

OK: Final = 200
CREATED: Final = 201

"""An ``If-Match`` for whatever is there."""


R = TypeVar("R")

WorkspaceName = Annotated[str, Path(description="Name of the workspace.")]
RequestKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=MAX_KEY,
        description="Names the request: sent again with it, it is answered again and not done"
        " twice. With another body it is refused (422).",
    ),
]
Match = Annotated[
    str | None,
    Header(alias="If-Match", description="ETags of which the entry must have one; else 412."),
]


@dataclass(frozen=True, slots=True)
class Caller:
    """Someone who asks.

    Attributes:
        workspace: the one that is asked; ``None`` for what is about the home.
        once: names the request when it must not be done twice.
        expected: numbers of which the entry's last transaction must have one (``If-Match``).
    """

    server: Server
    principal: Principal
    workspace: str | None = None
    once: Once | None = None
    expected: tuple[int, ...] | None = None

    @property
    def memory(self) -> LocalDamals:
        """The home, asked by them; their change is not done twice."""
        return self.server.memory(self.principal, self.workspace, self.once)

    def require(self, right: Right) -> None:
        """Refuse what they may not do.

        Raises:
            Denied: ``access.right``.
        """
        check_right(self.principal, right)

    def require_home(self) -> None:
        """Refuse who may not administer the whole home.

        Raises:
            Denied: ``access.right``, ``access.home``.
        """
        check_home(self.principal)

    def check_workspace(self, *, create: bool = False) -> str:
        """The name of the workspace.

        Args:
            create: the work makes a home where there is none.

        Raises:
            NotFound: ``workspace.unknown`` for one that is not there or not theirs.
        """
        name = str(self.workspace)
        if create and not self.server.has_home and name == DEFAULT_WORKSPACE:
            return name  # the first write makes it
        if name not in {one.name for one in self.memory.workspaces()}:
            raise NotFound("workspace.unknown", name=name)
        return name

    def matched(self, work: Callable[[dict[str, Any]], R], given: dict[str, Any]) -> R:
        """Do what is asked, on a state that ``If-Match`` names.

        Args:
            work: does it, with its parameters; nothing of it is stored when it raises.
            given: the parameters.

        Raises:
            InvalidInput: ``field.twice`` when body and header say different things.
            Conflict: ``entry.changed``, ``transaction.changed`` when it is another state.
        """
        if self.expected is None:
            return work(given)
        said = given.get("if_transaction", self.expected[0])
        if said not in self.expected:
            raise InvalidInput("field.twice", name="if_transaction", other="If-Match")
        allowed = [said] if "if_transaction" in given else list(self.expected)
        while True:
            try:
                return work(given | {"if_transaction": said})
            except Conflict as error:
                # Each state is tried once, so this ends, however often others change it.
                allowed.remove(said)
                actual = error.values.get("actual")
                if error.key not in CHANGED or actual not in allowed:
                    raise
                said = cast("int", actual)

    def answered_once(self, work: Callable[[], Result], *, status: int = 200) -> JsonAnswer:
        """The answer to a request that is no change of knowledge, kept under its key.

        Raises:
            Conflict: ``request.different`` when another request came under this key.
        """
        document, status = self.kept(lambda: (to_wire(work()), status))
        return JsonAnswer(document, status)

    def answered_anew(self, work: Callable[[], Result]) -> JsonAnswer:
        """The answer to a question: sent again it is asked again, as what it tells may be gone.

        Raises:
            Conflict: ``request.different`` when another request came under this key.
        """
        named = self.once
        if named is None:
            return JsonAnswer(to_wire(work()))
        with self.server.turn(named):
            known = self._is_known(named)
            document = to_wire(work())
            if not known:
                self._keep_key(named)
        return JsonAnswer(document)

    def take_key(self) -> None:
        """Keep the key of a question that is answered bit by bit, as :meth:`answered_anew` does.

        Raises:
            Conflict: ``request.different`` when another request came under this key.
        """
        named = self.once
        if named is None:
            return
        with self.server.turn(named):
            if not self._is_known(named):
                self._keep_key(named)

    def _is_known(self, named: Once) -> bool:
        """Whether the request came before."""
        registry = self.server.registry
        kept = None if registry is None else registry.answer(self.workspace, named.key)
        if kept is not None and kept.request != named.request:
            raise Conflict("request.different")
        return kept is not None

    def _keep_key(self, named: Once) -> None:
        """Keep that there was such a request, and nothing of its answer."""
        answer = KeptAnswer(named.request, OK, None, self.server.now(), since=None)
        self.server.registry_of().keep_answer(self.workspace, named.key, answer)

    def kept(
        self, work: Callable[[], tuple[dict[str, Json], int]], *, secret: bool = False
    ) -> tuple[dict[str, Json], int]:
        """What some work gives: a document and a status, or those it gave when it came before.

        Args:
            work: does it.
            secret: the document is for this once: it is answered, and not kept.
        """
        named = self.once
        if named is None:
            return work()
        with self.server.turn(named):
            registry = self.server.registry
            kept = None if registry is None else registry.answer(self.workspace, named.key)
            if kept is not None:
                return _again(kept, named, secret=secret)
            since = self._erasures(registry)
            document, status = work()
            told = None if secret else document
            answer = KeptAnswer(named.request, status, told, self.server.now(), since)
            # A home that the work has made can keep it too.
            self.server.registry_of().keep_answer(self.workspace, named.key, answer)
        return document, status

    def _erasures(self, registry: Registry | None) -> int | None:
        """What is asked before anything is read that an erasure may meet; ``None`` for no text."""
        if self.workspace is None:
            return None
        return 0 if registry is None else registry.erasures(self.workspace)


def _again(kept: KeptAnswer, named: Once, *, secret: bool) -> tuple[dict[str, Json], int]:
    if kept.request != named.request:
        raise Conflict("request.different")
    if kept.body is None:
        raise Conflict("request.secret" if secret else "request.forgotten")
    return cast("dict[str, Json]", kept.body), kept.status


def _asker(request: Request) -> Caller:
    return Caller(request.app.state.server, request.state.principal)


async def _of_home(request: Request) -> Caller:
    """About the home; a question."""
    return _asker(request)


async def _of_home_once(request: Request, key: RequestKey = None) -> Caller:
    """About the home; a request that may come twice."""
    asker = _asker(request)
    unconditional(request)
    return Caller(asker.server, asker.principal, once=await _named(request, None, key))


async def _of_workspace(request: Request, workspace: WorkspaceName) -> Caller:
    """About a workspace; a question."""
    asker = _asker(request)
    return Caller(asker.server, asker.principal, workspace)


async def _of_workspace_once(
    request: Request, workspace: WorkspaceName, key: RequestKey = None
) -> Caller:
    """About a workspace; a request that may come twice."""
    asker = _asker(request)
    unconditional(request)
    named = await _named(request, workspace, key)
    return Caller(asker.server, asker.principal, workspace, named)


async def _of_entry(
    request: Request, workspace: WorkspaceName, key: RequestKey = None, match: Match = None
) -> Caller:
    """About an entry; a change."""
    asker = _asker(request)
    named = await _named(request, workspace, key)
    return Caller(asker.server, asker.principal, workspace, named, expected_by(match))


async def _of_new_entry(
    request: Request, workspace: WorkspaceName, key: RequestKey = None, match: Match = None
) -> Caller:
    """About an entry that may be there already; a change."""
    if match is not None and match.strip() == ANY:
        unconditional(request)
    return await _of_entry(request, workspace, key, match)


def unconditional(request: Request) -> None:
    """Refuse an ``If-Match`` that would mean nothing.

    Raises:
        InvalidInput: ``request.if_match``.
    """
    if "if-match" in request.headers:
        raise InvalidInput("request.if_match")


async def _named(request: Request, workspace: str | None, key: str | None) -> Once | None:
    if key is None:
        return None
    _check_key(key)
    said = request.scope["query_string"] + await request.body()
    match = request.headers.get("if-match")
    said += b"" if match is None else f"\nIf-Match: {match}".encode()
    return once(_name_of(request.state.principal), workspace, call_of(request), key, said)


def _check_key(key: str) -> None:
    """Refuse a key that names no request.

    Raises:
        InvalidInput: ``request.no_name``.
    """
    if not key.strip():
        raise InvalidInput("request.no_name")


def call_of(request: Request) -> str:
    """Method and path, as they were sent."""
    return f"{request.method} {request.scope['raw_path'].decode('latin-1')}"


def _name_of(asker: Principal) -> str:
    """An asker, told from one of the same name who may see something else: answers are kept."""
    return OWNER_NAME if asker.owns else repr(asker)


def named_by_body(request: Request, caller: Caller, key: str | None, body: bytes) -> Caller:
    """Someone who sends a body that the route reads itself."""
    said = request.scope["query_string"] + body
    return named_by_digest(request, caller, key, hashlib.sha256(said).digest())


def named_by_digest(request: Request, caller: Caller, key: str | None, digest: bytes) -> Caller:
    """Someone who sends a body that is too long to be kept in memory, by its SHA-256."""
    if key is None:
        return caller
    _check_key(key)
    named = once(_name_of(caller.principal), caller.workspace, call_of(request), key, b"")
    return replace(caller, once=Once(named.key, digest))


HomeCaller = Annotated[Caller, Depends(_of_home)]
HomeChanger = Annotated[Caller, Depends(_of_home_once)]
WorkspaceCaller = Annotated[Caller, Depends(_of_workspace)]
WorkspaceChanger = Annotated[Caller, Depends(_of_workspace_once)]
EntryChanger = Annotated[Caller, Depends(_of_entry)]
NewEntryChanger = Annotated[Caller, Depends(_of_new_entry)]
