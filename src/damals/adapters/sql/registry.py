"""Who may use a home, what they were refused, and what is kept of their requests."""

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection, bindparam, select

from damals.adapters.sql import exports, jobs, kept, principals
from damals.adapters.sql.backlog import Backlog, Waiting
from damals.adapters.sql.denials import DenialLog
from damals.adapters.sql.engine import Database
from damals.adapters.sql.schema import version_acl, workspaces
from damals.app.access_model import Denial, Job, KeptAnswer, Key, NotedExport
from damals.domain.errors import NotFound

_NUMBER: Final = select(workspaces.c.id).where(workspaces.c.name == bindparam("name"))

_IN_ACLS: Final = (
    select(version_acl.c.principal)
    .where(version_acl.c.principal.in_(bindparam("names", expanding=True)))
    .distinct()
)


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer that waits to be kept."""

    workspace: str | None
    key: bytes
    answer: KeptAnswer


@dataclass(frozen=True, slots=True)
class _Put:
    """A job that waits to be stored, and the last erasure before it."""

    workspace: str
    job: Job
    since: int


@dataclass(frozen=True, slots=True)
class _Revoked:
    """A key that opens nothing any more, whether that is stored already or not."""

    at: int
    stored: Waiting


class SqlRegistry:
    """A ``Registry`` in the database of a ledger.

    What ends a key, is kept of an answer or becomes of a job is told from this object at once;
    where others write for long, it is stored when they have ended.

    Args:
        database: the database.
        home: whose jobs are meant, where several homes share one ledger.
    """

    def __init__(self, database: Database, home: str) -> None:
        self._database = database
        self._home = home
        self._denials = DenialLog(database)
        self._backlog = Backlog(database)
        self._revoking = threading.Lock()
        self._revoked: dict[bytes, _Revoked] = {}

    # --- keys

    def add_key(self, key: Key) -> None:
        """Store a key.

        Raises:
            Conflict: ``key.exists`` when a key that is not revoked has its name.
        """
        with self._database.beside() as connection:
            for digest, one in list(self._revoked.items()):
                if not one.stored.ended:  # its name is free, though nothing says so yet
                    principals.revoke_key(connection, digest, one.at)
            principals.add_key(connection, key)

    def all_keys(self) -> Sequence[Key]:
        """All keys, revoked ones too, in the order they were made."""
        revoked = dict(self._revoked)
        with self._database.reading() as connection:
            found = principals.all_keys(connection)
        return [
            replace(key, revoked_at=revoked[key.digest].at)
            if key.revoked_at is None and key.digest in revoked
            else key
            for key in found
        ]

    def revoke_key(self, name: str, now: int) -> Key:
        """The key of this name is valid no longer: at once here, and for good when this ends.

        Raises:
            NotFound: ``key.missing`` when no valid one has it.
        """
        with self._revoking:
            with self._database.reading() as connection:
                key = principals.valid_key(connection, name)
            revoked = self._revoked.get(key.digest)
            if revoked is None or revoked.stored.ended:  # what ended and is not there has failed
                revoked = self._begin_revoking(key.digest, now)
        revoked.stored.finish()
        return replace(key, revoked_at=revoked.at)

    def _begin_revoking(self, digest: bytes, now: int) -> _Revoked:
        def write(connection: Connection) -> None:
            principals.revoke_key(connection, digest, now)

        revoked = _Revoked(now, Waiting(None, write))
        self._revoked[digest] = revoked  # before anything is waited for
        self._backlog.put(revoked.stored)
        return revoked

    def in_acls(self, names: Collection[str]) -> Collection[str]:
        """Those of some names that the acl of any version names, in any workspace."""
        with self._database.reading() as connection:
            return set(connection.execute(_IN_ACLS, {"names": list(names)}).scalars())

    # --- denied calls

    def deny(self, denial: Denial) -> None:
        """Log a denied call, and wait only a moment for the write lock."""
        self._denials.deny(denial)

    def denials(self, limit: int) -> Sequence[Denial]:
        """The newest denied calls, newest first."""
        return self._denials.newest(limit)

    # --- kept answers

    def answer(self, workspace: str | None, key: bytes) -> KeptAnswer | None:
        """The answer kept under this key."""
        waiting = [
            one.answer
            for one in self._backlog.values(_Answer)
            if (one.workspace, one.key) == (workspace, key)
        ]
        with self._database.reading() as connection:
            number = _number(connection, workspace)
            if number is None and workspace is not None:
                return None
            stored = kept.kept_answer(connection, number, key)
            if stored is not None or not waiting:
                return stored
            first = waiting[0]
            erased = kept.erased_since(connection, number, first.since)
        return replace(first, since=None, body=None if erased else first.body)

    def keep_answer(self, workspace: str | None, key: bytes, answer: KeptAnswer) -> None:
        """Keep an answer, and drop those that are older than a day before it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._database.reading() as connection:
            number = None if workspace is None else _known(connection, workspace)

        def write(connection: Connection) -> None:
            kept.keep_answer(connection, number, key, answer)

        self._backlog.add(Waiting(_Answer(workspace, key, answer), write))

    def erasures(self, workspace: str) -> int:
        """The number of the last transaction that erased something; 0 when nothing ever was."""
        with self._database.reading() as connection:
            number = _number(connection, workspace)
            return 0 if number is None else kept.last_erasure(connection, number)

    # --- what left the home

    def note_export(self, workspace: str, export: NotedExport) -> None:
        """Note that something left the home.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._database.writing() as connection:
            exports.note_export(connection, workspace, export)

    def exports(self, workspace: str, since: int = 0) -> Sequence[NotedExport]:
        """The noted exports of a workspace that hold transaction ``since``, oldest first."""
        with self._database.reading() as connection:
            return exports.noted_exports(connection, workspace, since)

    # --- jobs

    def job(self, workspace: str, id: str) -> Job | None:
        """A job."""
        waiting = self._waiting_jobs(workspace)
        with self._database.reading() as connection:
            number = _number(connection, workspace)
            if number is None:
                return None
            stored = jobs.job(connection, number, self._home, id)
            found = waiting.get(id)
            return stored if found is None else _shown(connection, number, found, stored)

    def jobs(self, workspace: str, limit: int) -> Sequence[Job]:
        """The newest jobs, newest first."""
        waiting = self._waiting_jobs(workspace)
        with self._database.reading() as connection:
            number = _number(connection, workspace)
            if number is None:
                return []
            newest = jobs.newest_jobs(connection, number, self._home, limit)
            told = {one.id: one for one in newest}
            new: list[Job] = []
            for one in reversed(waiting.values()):
                stored = told.get(one.job.id) or jobs.job(
                    connection, number, self._home, one.job.id
                )
                shown = _shown(connection, number, one, stored)
                if stored is None:
                    new.append(shown)
                elif one.job.id in told:
                    told[one.job.id] = shown
        return [*new, *told.values()][:limit]

    def put_job(self, workspace: str, job: Job) -> None:
        """Store a job, or what became of it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._database.reading() as connection:
            number = _known(connection, workspace)
            since = kept.last_erasure(connection, number)

        def write(connection: Connection) -> None:
            jobs.put_job(connection, number, self._home, job, since)

        self._backlog.add(Waiting(_Put(workspace, job, since), write))

    def _waiting_jobs(self, workspace: str) -> dict[str, _Put]:
        """Jobs that wait to be stored, as they were told last, in the order they were first."""
        waiting: dict[str, _Put] = {}
        for one in self._backlog.values(_Put):
            if one.workspace == workspace:
                first = waiting.get(one.job.id, one)
                waiting[one.job.id] = replace(one, since=first.since)
        return waiting

    def lose_jobs(self, now: int) -> int:
        """Running jobs of this home are lost: whoever did them is gone."""
        with self._database.reading() as connection:
            if not jobs.any_running(connection, self._home):
                return 0  # the common case needs no write lock, nor a home that can be written
        with self._database.beside() as connection:
            return jobs.lose_jobs(connection, self._home, now)

    def close(self) -> None:
        """Write what still waits."""
        self._backlog.close()
        self._denials.flush()


def _shown(connection: Connection, workspace: int, put: _Put, stored: Job | None) -> Job:
    """A job that waits, as it will be when it is stored."""
    forgotten = kept.erased_since(connection, workspace, put.since)
    if forgotten or (stored is not None and stored.request == {} and put.job.request):
        return replace(put.job, request={}, result=None)
    return put.job


def _number(connection: Connection, workspace: str | None) -> int | None:
    return connection.execute(_NUMBER, {"name": workspace}).scalar()


def _known(connection: Connection, workspace: str) -> int:
    number = _number(connection, workspace)
    if number is None:
        raise NotFound("workspace.unknown", name=workspace)
    return number
