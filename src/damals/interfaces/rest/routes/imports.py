"""Imports and exports: what takes long goes on as a job, which can be looked at and listened to."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Final, cast

from fastapi import Path, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from damals.api.exports import ExportOptions
from damals.app.access_model import Job
from damals.app.access_results import Jobs, JobView
from damals.app.errors import InvalidInput
from damals.app.jobs import Order, job_view
from damals.app.results import Progress
from damals.app.wire import to_wire
from damals.domain.access import Right
from damals.domain.entries import Json
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules, schema_of
from damals.interfaces.rest.caller import (
    Caller,
    RequestKey,
    WorkspaceCaller,
    named_by_body,
    named_by_digest,
    unconditional,
)
from damals.interfaces.rest.guard import JSON_TYPE, media_type_of
from damals.interfaces.rest.orders import path_order, seen_job, seen_jobs, upload_order
from damals.interfaces.rest.paging import Limit, limit_of
from damals.interfaces.rest.uploads import (
    NDJSON,
    SENT_NAME,
    Upload,
    exported,
    pieces,
    received,
)

area = Area("imports", "/v1/workspaces/{workspace}")

ACCEPTED: Final = 202
JOB_CHECK_S: Final = 0.2
"""How often a job that is listened to is looked at."""
ALL_JOBS: Final = 100_000

EVENT: Final = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["progress", "done", "failed", "lost"]},
        "data": {"type": "string", "description": "JSON: how far the job is, or how it ended."},
    },
    "required": ["event", "data"],
}

JobId = Annotated[str, Path(description="Id of the job.")]
JOB_LINKS: Final = {
    name: {"workspace": "$request.path.workspace", "id": "$response.body#/id"}
    for name in ("job", "job_events")
}


@area.route(
    "POST /imports",
    "import_",
    Answer(
        JobView,
        status=ACCEPTED,
        headers={"Location": "Where the job is looked at."},
        links=JOB_LINKS,
    ),
    Rules(
        once=True,
        bodies={
            JSON_TYPE: schema_of(bodies.WantedImport),
            NDJSON: {"description": "A file of events: one JSON object a line."},
        },
    ),
)
async def import_(
    request: Request,
    caller: WorkspaceCaller,
    key: RequestKey = None,
    readmit: Annotated[
        bool, Query(description="Of a file of events: what was erased may come back.")
    ] = False,
) -> Response:
    """Take in a vault, a file or a file of events, as a job.

    JSON names a path on the server's machine, below the folders it may read; the owner of the
    home may name any. A body of `application/x-ndjson` is itself the file of events.
    """
    await run_in_threadpool(caller.require, Right.WRITE)
    unconditional(request)
    await run_in_threadpool(caller.check_workspace, create=True)
    if media_type_of(request) == NDJSON:
        upload = await received(request)
        named = named_by_digest(request, caller, key, upload.digest)
        return await run_in_threadpool(_import_upload, named, upload, readmit)
    named = named_by_body(request, caller, key, await request.body())
    body = _read(await request.body())
    return await run_in_threadpool(_import_path, named, body)


def _read(raw: bytes) -> bodies.WantedImport:
    try:
        return bodies.WantedImport.model_validate(json.loads(raw))
    except ValidationError as error:
        found = [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        raise RequestValidationError(found) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput("request.not_json", cause=str(error)) from None


def _import_path(caller: Caller, body: bodies.WantedImport) -> Response:
    given = body.given()
    return _started(caller, path_order(caller, given.pop("path"), given))


def _import_upload(caller: Caller, upload: Upload, readmit: bool) -> Response:
    try:
        return _started(caller, upload_order(caller, upload, readmit), upload)
    except BaseException:
        upload.discard()
        raise


def _started(caller: Caller, order: Order, upload: Upload | None = None) -> Response:
    """The answer to an import: its job, or the one that this request began before."""
    began = False

    def start() -> tuple[dict[str, Json], int]:
        nonlocal began
        began = True
        return to_wire(job_view(caller.server.jobs.start(order))), ACCEPTED

    document, status = caller.kept(start)
    if upload is not None and not began:
        upload.discard()
    place = f"/v1/workspaces/{order.workspace}/jobs/{document['id']}"
    return JsonAnswer(document, status, {"Location": place})


@area.route("GET /imports", "jobs", Answer(Jobs))
def jobs(
    caller: WorkspaceCaller,
    limit: Annotated[Limit, Query()] = "100",
) -> Response:
    """The newest jobs that the asker may see, newest first."""
    found = seen_jobs(caller, limit_of(limit) or ALL_JOBS)
    shown = tuple(job_view(one) for one in found)
    return JsonAnswer(to_wire(Jobs(shown)))


@area.route("GET /jobs/{id}", "job", Answer(JobView))
def job(caller: WorkspaceCaller, id: JobId) -> Response:
    """A job and how far it is."""
    return JsonAnswer(to_wire(job_view(seen_job(caller, id)[0])))


@area.route("GET /imports/{id}", "import_job", Answer(JobView))
def import_job(caller: WorkspaceCaller, id: JobId) -> Response:
    """The same as the job of this id."""
    return job(caller, id)


@area.route(
    "GET /jobs/{id}/events",
    "job_events",
    Answer(EVENT, media_type="text/event-stream"),
)
async def job_events(caller: WorkspaceCaller, id: JobId) -> Response:
    """How a job goes on, as server-sent events.

    `progress` with the job as it is and each time it moves, then `done`, `failed` or `lost` with
    the job as it ended.
    """
    first = await run_in_threadpool(seen_job, caller, id)
    events = _events(caller, id, first)
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _events(
    caller: Caller, id: str, first: tuple[Job, Progress | None]
) -> AsyncIterator[str]:
    seen: tuple[Job, Progress | None] | None = None
    now = first
    while True:
        if now[0].state != "running":
            yield _event(now[0].state, to_wire(job_view(now[0])))
            return
        if now != seen:
            yield _event("progress", _progress(*now))
            seen = now
        elif caller.server.jobs.closed:
            return
        await asyncio.sleep(JOB_CHECK_S)
        now = await run_in_threadpool(seen_job, caller, id)


def _progress(one: Job, progress: Progress | None) -> dict[str, Json]:
    told: dict[str, Json] = {"id": one.id, "done": one.done, "total": one.total}
    if progress is not None:
        told |= {"stage": progress.stage, "unit": progress.unit}
    return told


def _event(name: str, data: dict[str, Json]) -> str:
    text = json.dumps(data, separators=(",", ":"))
    return f"event: {name}\ndata: {text}\n\n"


class Wanted(BaseModel):
    """What is exported; see `damals export`."""

    model_config = ConfigDict(extra="forbid")

    format: Annotated[
        str | None, Query(description="`events` (default), or `markdown`: notes, one a line.")
    ] = None
    as_of: Annotated[str | None, Query(description="Of notes: when they held.")] = None
    known_at: Annotated[str | None, Query(description="Of notes: what was known then.")] = None
    history: Annotated[bool, Query(description="Notes tell what was known before.")] = False
    person: Annotated[
        str | None, Query(description="All that is kept about a person (id), as JSON.")
    ] = None
    lang: Annotated[str | None, Query(description="`de` or `en`.")] = None
    to: Annotated[
        str | None,
        Query(description="Where you keep it: an erasure names it to whoever erases."),
    ] = None


@area.route(
    "GET /export", "export", Answer({"type": "string"}, media_type=NDJSON), Rules(slow=True)
)
def export(caller: WorkspaceCaller, asked: Annotated[Wanted, Query()]) -> Response:
    """Every transaction as events, from which the same answers can be rebuilt; or notes."""
    given = cast("ExportOptions", asked.model_dump(exclude_unset=True, exclude={"to"}))
    # By way of a file: no slow reader keeps the ledger's snapshot open, and what goes wrong is
    # told before the answer begins.
    file = exported(lambda path: caller.memory.sent(path, given, asked.to))
    headers = {"Content-Disposition": f'attachment; filename="{SENT_NAME}"'}
    return StreamingResponse(pieces(file), media_type=NDJSON, headers=headers)
