"""What is ordered as a job, and who may look at one: the same for routes and pages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from damals.api.params import ProgressListener
from damals.app.access_model import Job, Key
from damals.app.errors import NotFound
from damals.app.jobs import Order, Work
from damals.app.results import ImportReport, Progress
from damals.app.roots import inside, shown_as
from damals.domain.access import Principal, Right
from damals.domain.entries import Json
from damals.domain.names import DEFAULT_WORKSPACE
from damals.interfaces.rest.caller import Caller
from damals.interfaces.rest.uploads import SENT_NAME, Upload


def path_order(caller: Caller, path: str, given: Mapping[str, Any]) -> Order:
    """The import of a path on the server's machine.

    Args:
        caller: who asks; whether they may write was asked before.
        path: below the folders that they may read.
        given: the other parameters of the import.

    Raises:
        Denied: ``import.outside``.
        InvalidInput: ``path.invalid``.
        NotFound: ``path.missing``.
    """
    memory = caller.memory
    asker, roots = caller.principal, caller.server.options.roots
    inside(path, asker, roots)  # what cannot be read begins no job

    def work(listen: ProgressListener) -> ImportReport:
        # Asked again where it is read: others may have put a link there while the job waited.
        place = inside(path, asker, roots)
        with shown_as(path, place):
            return memory.import_(place, **given, progress=listen)

    request = cast("dict[str, Json]", {"path": path, **given})
    return Order(str(caller.workspace), "import", asker.name, request, work)


def upload_order(caller: Caller, upload: Upload, readmit: bool) -> Order:
    """The import of a file of events that came with a request."""
    memory = caller.memory

    def work(listen: ProgressListener) -> ImportReport:
        def taken(path: Path) -> ImportReport:
            return memory.import_(path, source="events", progress=listen, readmit=readmit)

        return replace(upload.used(taken), source=SENT_NAME)

    return Order(
        str(caller.workspace),
        "import",
        caller.principal.name,
        {"source": "events", "bytes": upload.size},
        work,
        drop=upload.discard,
    )


def backup_order(caller: Caller, given: Mapping[str, Any]) -> Order:
    """A new backup, whose parameters are those of ``Damals.backup``."""
    memory = caller.memory
    shown = {name: value for name, value in given.items() if name != "locked_key"}
    return _of_home(caller, "backup", shown, lambda listen: memory.backup(**given, progress=listen))


def backup_check_order(caller: Caller, id: str) -> Order:
    """The check of a backup."""
    memory = caller.memory
    return _of_home(
        caller,
        "verify_backup",
        {"id": id},
        lambda listen: memory.verify_backup(id, progress=listen),
    )


def _of_home(caller: Caller, kind: str, request: Mapping[str, Json], work: Work) -> Order:
    return Order(DEFAULT_WORKSPACE, kind, caller.principal.name, request, work)


def seen_job(caller: Caller, id: str) -> tuple[Job, Progress | None]:
    """A job that the asker may see, and how far it is when it is being done here.

    Raises:
        NotFound: ``job.unknown``, ``workspace.unknown``.
    """
    workspace = caller.check_workspace()
    found = caller.server.jobs.job(workspace, id)
    if not _theirs(caller, found[:1]):
        raise NotFound("job.unknown", id=id)
    return found


def seen_jobs(caller: Caller, limit: int) -> Sequence[Job]:
    """Those of the newest jobs that the asker may see, newest first.

    Raises:
        NotFound: ``workspace.unknown``.
    """
    workspace = caller.check_workspace()
    return _theirs(caller, caller.server.jobs.jobs(workspace, limit))


def _theirs(caller: Caller, found: Sequence[Job]) -> Sequence[Job]:
    """Jobs that the asker may see.

    Those that they asked for, and for who administers also those of others that may see and do
    nothing that they may not themselves.
    """
    asker = caller.principal
    if asker.owns:
        return found
    keys = caller.server.registry_of(create=False).all_keys()
    return [one for one in found if (key := _maker(one, keys)) and _may_see(asker, key)]


def _may_see(asker: Principal, maker: Key) -> bool:
    if maker.revoked_at is None and maker.principal == asker:
        return True
    return asker.right >= Right.ADMINISTER and asker.covers(maker.principal)


def _maker(one: Job, keys: Sequence[Key]) -> Key | None:
    """The key with which a job was asked for; ``None`` for the owner's, and where it is not clear.

    A name can be given to another key when the one that had it is revoked: of those that had it,
    the one that was valid when the job was made.
    """
    named = [
        key
        for key in keys
        if key.principal.name == one.principal
        and key.created_at <= one.created_at
        and (key.revoked_at is None or one.created_at <= key.revoked_at)
    ]
    return named[0] if len(named) == 1 else None
