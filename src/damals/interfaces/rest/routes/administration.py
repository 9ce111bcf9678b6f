"""Workspaces, keys and denied calls; the health of the parts."""

from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from damals.app.access_results import (
    Denials,
    JobView,
    Keys,
    KeyView,
    NewKey,
    Workspaces,
)
from damals.app.jobs import Order, job_view
from damals.app.results import Health, Settings, VersionInfo, WorkspaceView
from damals.app.versions import program_versions
from damals.app.wire import to_wire
from damals.domain.names import DEFAULT_WORKSPACE
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import CREATED, HomeCaller, HomeChanger

area = Area("administration", "/v1")

ONCE = Rules(once=True)


class Newest(BaseModel):
    """How many are told."""

    model_config = ConfigDict(extra="forbid")

    limit: Annotated[int, Field(ge=1, le=10_000, description="How many at most.")] = 100


@area.route("GET /workspaces", "workspaces", Answer(Workspaces))
def workspaces(caller: HomeCaller) -> Response:
    """The workspaces that the asker may use, by name."""
    return JsonAnswer(to_wire(Workspaces(tuple(caller.memory.workspaces()))))


@area.route("POST /workspaces", "create_workspace", Answer(WorkspaceView, status=CREATED), ONCE)
def create_workspace(caller: HomeChanger, body: bodies.WantedWorkspace) -> Response:
    """Make a workspace."""
    given = body.given()
    return caller.answered_once(lambda: caller.memory.create_workspace(**given), status=CREATED)


@area.route("GET /keys", "keys", Answer(Keys))
def keys(caller: HomeCaller) -> Response:
    """All keys without their secrets, revoked ones too, in the order they were made."""
    return JsonAnswer(to_wire(Keys(tuple(caller.memory.keys()))))


@area.route("POST /keys", "create_key", Answer(NewKey, status=CREATED), ONCE)
def create_key(caller: HomeChanger, body: bodies.WantedKey) -> Response:
    """Make a key for someone else. Its secret is in the answer and nowhere else.

    Sent again with the same Idempotency-Key it makes no second key and is refused: the secret
    is not kept.
    """
    given = body.given()
    document, status = caller.kept(
        lambda: (to_wire(caller.memory.create_key(**given)), CREATED), secret=True
    )
    return JsonAnswer(document, status)


@area.route("DELETE /keys/{name}", "revoke_key", Answer(KeyView), Rules(once=True, slow=True))
def revoke_key(
    caller: HomeChanger, name: Annotated[str, Path(description="Name of the key.")]
) -> Response:
    """The key of this name opens nothing any more, from the moment on that this is asked.

    The answer says that it is stored, which waits for the end of a long write.
    """
    return caller.answered_once(lambda: caller.memory.revoke_key(name))


@area.route("GET /denials", "denials", Answer(Denials))
def denials(caller: HomeCaller, asked: Annotated[Newest, Query()]) -> Response:
    """The newest calls that were refused, newest first."""
    return JsonAnswer(to_wire(Denials(tuple(caller.memory.denials(limit=asked.limit)))))


@area.route("GET /doctor", "doctor", Answer(Health), Rules(slow=True))
def doctor(caller: HomeCaller) -> Response:
    """The health of every part."""
    return JsonAnswer(to_wire(caller.memory.doctor()))


@area.route("POST /doctor", "repair", Answer(Health), Rules(once=True, slow=True))
def repair(caller: HomeChanger, body: bodies.Repair) -> Response:
    """The health of every part; what can be mended is mended."""
    return caller.answered_once(lambda: caller.memory.doctor(repair=body.repair))


@area.route(
    "POST /reindex",
    "reindex",
    Answer(JobView, status=202, headers={"Location": "Where the job is looked at."}),
    ONCE,
)
def reindex(caller: HomeChanger, body: bodies.Nothing) -> Response:
    """Build the index anew from the ledger, vectors included, and swap it in; a job."""
    del body
    caller.require_home()
    memory = caller.memory

    def started() -> JobView:
        order = Order(
            DEFAULT_WORKSPACE,
            "reindex",
            caller.principal.name,
            {},
            lambda listen: memory.reindex(progress=listen),
        )
        return job_view(caller.server.jobs.start(order))

    answer = caller.kept(lambda: (to_wire(started()), 202))
    place = f"/v1/workspaces/{DEFAULT_WORKSPACE}/jobs/{answer[0]['id']}"
    return JsonAnswer(*answer, {"Location": place})


@area.route("GET /config", "config", Answer(Settings))
def config(caller: HomeCaller) -> Response:
    """The settings of the home with their origin, without passwords."""
    return JsonAnswer(to_wire(caller.memory.config()))


@area.route("GET /version", "version", Answer(VersionInfo))
def version(caller: HomeCaller) -> Response:
    """Versions of the program and of what it stands on."""
    del caller
    return JsonAnswer(to_wire(program_versions()))
