"""Backups: made and checked as jobs. Restoring takes the place of a home, so no server does it."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import Path
from pydantic import Field
from starlette.responses import Response

from damals.app.access_results import JobView
from damals.app.backups.results import Backups
from damals.app.jobs import Order, job_view
from damals.app.wire import to_wire
from damals.interfaces.rest import bodies
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import HomeCaller, HomeChanger
from damals.interfaces.rest.orders import backup_check_order, backup_order

area = Area("backups", "/v1/backups")

ACCEPTED = 202
A_JOB = Answer(JobView, status=ACCEPTED, headers={"Location": "Where the job is looked at."})
ONCE = Rules(once=True)


class WantedBackup(bodies.Body):
    """How a backup is to be made. No secret travels: a public key is enough to encrypt."""

    with_index: Annotated[bool, Field(description="With the computed vectors.")] = False
    compression: Literal["gzip", "none"] = "gzip"
    recipient: Annotated[
        str | None,
        Field(description="Public key of age that it is encrypted to.", pattern="^age1[0-9a-z]+$"),
    ] = None
    locked_key: Annotated[
        str | None,
        Field(description="The secret key, locked with a passphrase by age, as base64."),
    ] = None


@area.route("GET", "backups", Answer(Backups), Rules(slow=True))
def backups(caller: HomeCaller) -> Response:
    """The backups of the home, the oldest first, damaged ones too."""
    return JsonAnswer(to_wire(Backups(tuple(caller.memory.backups()))))


@area.route("POST", "backup", A_JOB, ONCE)
def backup(caller: HomeChanger, body: WantedBackup) -> Response:
    """Make a backup of the home while others read and write; a job."""
    caller.require_home()
    return _begun(caller, backup_order(caller, body.given()))


@area.route("POST /{id}/verify", "verify_backup", A_JOB, ONCE)
def verify_backup(
    caller: HomeChanger,
    id: Annotated[str, Path(description="Id of the backup.")],
    body: bodies.Nothing,
) -> Response:
    """Check a backup: all of it, or where it is encrypted its stored bytes; a job."""
    del body
    caller.require_home()
    return _begun(caller, backup_check_order(caller, id), lambda: caller.server.find_backup(id))


def _begun(
    caller: HomeChanger, order: Order, check: Callable[[], object] = lambda: None
) -> Response:
    """The answer to an order: its job, or the one that this request began before.

    What cannot be done, as ``check`` says, begins no job.
    """

    def started() -> JobView:
        check()
        return job_view(caller.server.jobs.start(order))

    document, status = caller.kept(lambda: (to_wire(started()), ACCEPTED))
    place = f"/v1/workspaces/{order.workspace}/jobs/{document['id']}"
    return JsonAnswer(document, status, {"Location": place})
