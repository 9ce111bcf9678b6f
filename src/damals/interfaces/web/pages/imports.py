"""Imports: what is taken in, and jobs as they go on."""

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Final

from fastapi import Path, Query
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from damals.app.access_results import JobView
from damals.app.errors import DamalsError, InvalidInput, NotFound
from damals.app.jobs import Order, job_view
from damals.app.problems import error_told
from damals.app.results import Progress
from damals.domain.access import Right
from damals.interfaces.rest.orders import path_order, seen_job, seen_jobs, upload_order
from damals.interfaces.rest.problems import problem_of
from damals.interfaces.rest.uploads import PIECE_BYTES, Upload, kept
from damals.interfaces.web.area import OwnForm, Pages, form_of
from damals.interfaces.web.housekeeping import caller_of, of_missing_home
from damals.interfaces.web.visitor import Visitor, WorkspaceVisitor

pages = Pages("/w/{workspace}")

SOURCES: Final = ("auto", "vault", "events")
SWITCHES: Final = ("history", "prune", "dry_run", "readmit")
PAGE_JOBS: Final = 20
MOST_JOBS: Final = 2_000
"""Older ones are not listed."""

After = Annotated[int, Query(ge=0, le=MOST_JOBS)]
Given = Annotated[str, Query(max_length=4_000)]
JobId = Annotated[str, Path(max_length=100)]


@pages.page("GET /imports")
def imports(visitor: WorkspaceVisitor, after: After = 0, path: Given = "") -> Response:
    """What can be taken in, and the jobs so far; ``path`` is one to try once more."""
    return _page(visitor, after=after, typed={"path": path} if path else None)


@pages.page("POST /imports")
def import_path(visitor: WorkspaceVisitor, form: OwnForm) -> Response:
    """Take in a folder or a file of the server's machine."""
    try:
        caller = caller_of(visitor)
        caller.require(Right.WRITE)
        caller.check_workspace(create=True)
        path, given = _given(form)
        return _begun(visitor, path_order(caller, path, given))
    except DamalsError as error:
        return _refused(visitor, error, form)


@pages.page("POST /imports/file", uploads=True)
async def import_file(visitor: WorkspaceVisitor, request: Request) -> Response:
    """Take in a file of events that the form brings."""
    form = await form_of(request)
    file = form.get("file")
    try:
        caller = caller_of(visitor)
        await run_in_threadpool(caller.require, Right.WRITE)
        await run_in_threadpool(caller.check_workspace, create=True)
        if not isinstance(file, UploadFile):
            raise InvalidInput("request.empty")
        upload = await kept(_pieces(file))
        return await run_in_threadpool(_taken, visitor, upload, bool(form.get("readmit")))
    except DamalsError as error:
        return await run_in_threadpool(_refused, visitor, error, form)


@pages.page("GET /jobs/{id}")
def job(visitor: WorkspaceVisitor, id: JobId) -> Response:
    """A job: how far it is, or how it ended."""
    found, progress = seen_job(caller_of(visitor), id)
    shown = job_view(found)
    return visitor.page(
        "job.html", block="state", job=shown, progress=progress, **_ended(shown, progress)
    )


def _given(form: FormData) -> tuple[str, Mapping[str, Any]]:
    path = str(form.get("path", "")).strip()
    if not path:
        raise InvalidInput("web.import.no_path")
    given: dict[str, Any] = {name: True for name in SWITCHES if form.get(name)}
    for name in ("source", "name"):
        value = str(form.get(name, "")).strip()
        given |= {name: value} if value else {}
    return path, given


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(PIECE_BYTES):
        yield piece


def _taken(visitor: Visitor, upload: Upload, readmit: bool) -> Response:
    try:
        return _begun(visitor, upload_order(caller_of(visitor), upload, readmit))
    except BaseException:
        upload.discard()
        raise


def _begun(visitor: Visitor, order: Order) -> Response:
    return visitor.to("jobs", visitor.server.jobs.start(order).id)


def _refused(visitor: Visitor, error: DamalsError, form: FormData) -> Response:
    problem = problem_of(error)
    typed = {name: str(value) for name, value in form.items() if isinstance(value, str)}
    return _page(visitor, problem.status, problem=problem.document, typed=typed)


def _page(
    visitor: Visitor,
    status: int = 200,
    *,
    after: int = 0,
    problem: object = None,
    typed: Mapping[str, str] | None = None,
) -> Response:
    try:
        found = seen_jobs(caller_of(visitor), MOST_JOBS)
    except NotFound as error:
        of_missing_home(error)
        found = ()
    shown = [job_view(one) for one in found[after : after + PAGE_JOBS]]
    more = len(found) > after + PAGE_JOBS
    return visitor.page(
        "imports.html",
        status,
        problem=problem,
        typed=typed or {},
        jobs=shown,
        after=after,
        next=visitor.path("imports", after=after + PAGE_JOBS) if more else None,
        sources=SOURCES,
        switches=SWITCHES,
        may_write=visitor.may(Right.WRITE),
        roots=() if visitor.principal.owns else visitor.server.options.roots,
        owns=visitor.principal.owns,
    )


def _ended(job: JobView, progress: Progress | None) -> Mapping[str, Any]:
    """What the page tells of a job beside itself."""
    error = error_told(job.problem) if job.problem else None
    told = problem_of(error).document if error else job.problem
    share = None
    if progress is not None and progress.total:
        share = min(progress.done / progress.total, 1.0)
    return {"problem": told, "share": share}
