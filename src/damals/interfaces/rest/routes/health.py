"""Whether the server lives, whether it can answer, and what it counts."""

from typing import Annotated, Final

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from damals.app.ownership import proof_of
from damals.app.versions import PROGRAM_VERSION
from damals.domain.access import OWNER
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import HomeCaller
from damals.interfaces.rest.metrics import CONTENT_TYPE
from damals.interfaces.rest.server import Server

area = Area("health", "")

STATE: Final = {
    "type": "object",
    "properties": {"status": {"type": "string"}},
    "required": ["status"],
}
LIVING: Final = {
    **STATE,
    "properties": {
        "status": {"type": "string"},
        "proof": {"type": "string", "description": "The answer to the challenge."},
        "version": {"type": "string", "description": "Of damals, with a proof."},
    },
}
PUBLIC: Final = Rules(public=True)

Challenge = Annotated[
    str | None,
    Query(
        pattern="^[0-9a-f]{16,64}$",
        description="What only the owner of the home can answer: with the HMAC-SHA256 of it under"
        " the token of the lock file. So programs of this machine know whom they tell the token.",
    ),
]


@area.route("GET /v1/health", "health", Answer(LIVING), PUBLIC)
async def health(request: Request, challenge: Challenge = None) -> Response:
    """Whether the process lives; nothing is asked of the home."""
    server: Server = request.app.state.server
    token = server.door.token
    if challenge is None or not token:
        return JsonAnswer({"status": "ok"})
    proof = proof_of(token, challenge)
    return JsonAnswer({"status": "ok", "proof": proof, "version": PROGRAM_VERSION})


@area.route("GET /v1/ready", "ready", Answer(STATE), PUBLIC)
def ready(request: Request) -> Response:
    """Whether the ledger answers. A home that nothing was stored in yet is ready."""
    server: Server = request.app.state.server
    if server.has_home:
        server.memory(OWNER).workspaces()
    return JsonAnswer({"status": "ok"})


@area.route(
    "GET /metrics", "metrics", Answer({"type": "string"}, media_type=CONTENT_TYPE.partition(";")[0])
)
def metrics(caller: HomeCaller) -> Response:
    """What is counted, for Prometheus."""
    caller.require_home()
    server = caller.server
    counted = server.metrics
    if server.has_home:
        lag = server.index_lag()
        counted.outbox.set(lag.transactions)
        counted.index_lag.set(lag.vectors)
    counted.jobs.set(server.jobs.running)
    counted.last_backup.set(server.last_backup_s())
    return Response(counted.text(), media_type=CONTENT_TYPE)
