"""Assistants that come over HTTP: who they are, and that a repeated request is done once."""

import json
import logging
from typing import Any, Final, cast

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request

from damals.app.access_model import Once
from damals.app.errors import DamalsError, Denied
from damals.app.once import once
from damals.domain.access import Principal
from damals.interfaces.mcp.caller import KIND, Caller
from damals.interfaces.mcp.server import Context, build, client_name
from damals.interfaces.rest.languages import language_of
from damals.interfaces.rest.server import Server

MAX_SESSIONS: Final = 1_000

SDK: Final = "mcp"
"""Name of the loggers of the SDK."""

SESSION_HEADER: Final = "mcp-session-id"

CALL: Final = "POST /mcp tools/call"


def session_manager(server: Server, lang: str) -> StreamableHTTPSessionManager:
    """The SDK's manager of conversations with what a server of the app answers for."""
    # Its lines hold the ids of sessions, and what is sent; what goes wrong is noted here.
    logging.getLogger(SDK).setLevel(logging.CRITICAL + 1)
    remote = Remote(server, lang)
    return StreamableHTTPSessionManager(
        build(remote.identify, lang, remote.refused),
        json_response=True,
        max_sessions=MAX_SESSIONS,
        max_request_body_size=server.options.max_body_bytes,
    )


def user(asker: Principal) -> AuthenticatedUser:
    """Whose a session is: nobody else can continue it."""
    named = f"{'owner' if asker.owns else 'key'}:{asker.name}"
    return AuthenticatedUser(AccessToken(token="", client_id=named, scopes=[]))


class Remote:
    """Tells who sent a message."""

    def __init__(self, server: Server, lang: str) -> None:
        self._server = server
        self._lang = lang

    def identify(self, context: Context) -> Caller:
        """Who sent a request: each brings its key, whatever session it belongs to."""
        request = _request(context)
        asker: Principal = request.state.principal
        workspace = _workspace(request)
        session = request.headers.get(SESSION_HEADER)
        named = _named(context, asker, workspace, session)
        accepted = request.headers.get("accept-language")
        lang = self._lang if accepted is None else language_of(accepted)
        memory = self._server.memory(asker, workspace, named)
        return Caller(memory, lang, client_name(context), session)

    def refused(self, context: Context, error: DamalsError) -> None:
        """Note what was denied: also a workspace out of reach, which is told as a missing one."""
        request = _request(context)
        asker: Principal = request.state.principal
        workspace = _workspace(request)
        if error.key == "workspace.unknown":
            workspace = str(error.values["name"])
            if asker.reaches(workspace):
                return
        elif not isinstance(error, Denied):
            return
        called = f"POST {request.scope['route'].path_format} {context.method}"
        self._server.deny(asker.name, workspace, called, error.key, channel=KIND)


def _request(context: Context) -> "Request[Any]":
    """The HTTP request that a message came with: this transport attaches one to each."""
    return cast("Request[Any]", context.request)


def _workspace(request: "Request[Any]") -> str | None:
    return request.path_params.get("workspace")


def _named(
    context: Context, asker: Principal, workspace: str | None, session: str | None
) -> Once | None:
    """The name of a call that a client may send again when the answer did not reach it.

    Ids of requests are unique in a session. What was asked is a part of the name: a client that
    counts wrongly gets another answer, not another one's.
    """
    if session is None or context.method != "tools/call":
        return None
    said = json.dumps(context.params, sort_keys=True, default=str).encode()
    return once(
        repr(asker), workspace, CALL, f"{session} {context.request_id} {said.decode()}", said
    )
