"""Long work that someone asked for, as it is stored."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, text, update

from damals.adapters.sql.engine import take_turn
from damals.adapters.sql.kept import KEPT, as_json, erased_since, from_json
from damals.adapters.sql.reserved import jobs
from damals.app.access_model import MOST_ENDED_JOBS, Job
from damals.domain.ids import parse_uuid
from damals.domain.instants import FOREVER

_JOB: Final = select(jobs).where(
    jobs.c.workspace_id == bindparam("workspace"), jobs.c.job_id == bindparam("job")
)
_NEWEST: Final = (
    select(jobs)
    .where(jobs.c.workspace_id == bindparam("workspace"))
    .order_by(jobs.c.id.desc())
    .limit(bindparam("most"))
)
_ENDED: Final = (jobs.c.workspace_id == bindparam("workspace"), jobs.c.state != "running")
_BEYOND: Final = (
    select(jobs.c.id).where(*_ENDED).order_by(jobs.c.id.desc()).offset(MOST_ENDED_JOBS).limit(1)
)
_DROP: Final = delete(jobs).where(*_ENDED, jobs.c.id <= bindparam("oldest"))
_NEXT: Final = select(func.coalesce(func.max(jobs.c.id), 0) + 1)
_THEIRS: Final = (jobs.c.home == bindparam("owner"), text("state = 'running'"))
"""A literal: the partial index knows no other."""

_RUNNING: Final = select(jobs.c.id).where(*_THEIRS).limit(1)
_LOSE: Final = (
    update(jobs)
    .where(*_THEIRS)
    .values(state="lost", updated_at=bindparam("now"), finished_at=bindparam("now"))
)


def job(connection: Connection, workspace: int, home: str, id: str) -> Job | None:
    """A job of a workspace, as a home sees it."""
    asked = parse_uuid(id)
    row = None if asked is None else _row(connection, workspace, asked)
    return None if row is None else _job(row, home)


def newest_jobs(connection: Connection, workspace: int, home: str, limit: int) -> Sequence[Job]:
    """The newest jobs of a workspace, newest first, as a home sees them."""
    rows = connection.execute(_NEWEST, {"workspace": workspace, "most": limit})
    return [_job(row, home) for row in rows]


def put_job(connection: Connection, workspace: int, home: str, job: Job, since: int) -> None:
    """Store a job or what became of it.

    Of one that an erasure fell into, no texts are stored any more.

    Args:
        connection: writes it.
        workspace: the workspace.
        home: whose job it is.
        job: the job.
        since: the last erasure when this was asked for; it may have waited.
    """
    take_turn(connection, KEPT)
    job_id = UUID(job.id)
    row = _row(connection, workspace, job_id)
    values: dict[str, Any] = {
        "home": home,
        "kind": job.kind,
        "principal": job.principal,
        "state": job.state,
        "done": job.done,
        "total": job.total,
        "request": as_json(dict(job.request)),
        "result": None if job.result is None else as_json(job.result),
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        "finished_at": FOREVER if job.finished_at is None else job.finished_at,
    }
    if erased_since(connection, workspace, since) or (row is not None and row.request is None):
        values |= {"request": None, "result": None}
    if row is None:
        number = connection.execute(_NEXT).scalar_one()
        own = {"id": number, "workspace_id": workspace, "job_id": job_id.bytes}
        connection.execute(insert(jobs), values | own)
        _drop_old(connection, workspace)
        return
    connection.execute(update(jobs).where(jobs.c.id == row.id), values)


def _drop_old(connection: Connection, workspace: int) -> None:
    oldest = connection.execute(_BEYOND, {"workspace": workspace}).scalar()
    if oldest is not None:
        connection.execute(_DROP, {"workspace": workspace, "oldest": oldest})


def any_running(connection: Connection, home: str) -> bool:
    """Whether any job of a home is said to run."""
    return connection.execute(_RUNNING, {"owner": home}).first() is not None


def lose_jobs(connection: Connection, home: str, now: int) -> int:
    """Nobody works on the running jobs of a home any more; how many there were."""
    take_turn(connection, KEPT)
    return connection.execute(_LOSE, {"owner": home, "now": now}).rowcount


def _row(connection: Connection, workspace: int, id: UUID) -> Row[Any] | None:
    return connection.execute(_JOB, {"workspace": workspace, "job": id.bytes}).first()


def _job(row: Row[Any], home: str) -> Job:
    return Job(
        id=str(UUID(bytes=row.job_id)),
        kind=row.kind,
        principal=row.principal,
        state=row.state,
        request=from_json(row.request) or {},
        created_at=row.created_at,
        updated_at=row.updated_at,
        done=row.done,
        total=row.total,
        result=from_json(row.result),
        finished_at=None if row.finished_at == FOREVER else row.finished_at,
        elsewhere=row.home != home,
    )
