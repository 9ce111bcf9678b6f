"""Who may use a ledger in memory, what they were refused, and what is kept of their requests."""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final

from damals.adapters.memory.space import Space
from damals.app.access_model import (
    MAX_DENIALS,
    MOST_ENDED_JOBS,
    Denial,
    Job,
    KeptAnswer,
    Key,
    NotedExport,
)
from damals.domain.errors import Conflict, NotFound

_DAY_US: Final = 86_400_000_000


class MemoryRegistry:
    """A ``Registry`` beside the workspaces of a ledger.

    Args:
        spaces: the workspaces by name.
        locked: takes the write lock.
    """

    def __init__(
        self, spaces: Mapping[str, Space], locked: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._spaces = spaces
        self._locked = locked
        self._keys: list[Key] = []
        self._keys_lock = threading.Lock()  # keys are no part of what a writer copies
        self._denials: deque[Denial] = deque(maxlen=MAX_DENIALS)
        self._answers: dict[bytes, KeptAnswer] = {}

    def add_key(self, key: Key) -> None:
        """Store a key.

        Raises:
            Conflict: ``key.exists`` when a key that is not revoked has its name.
        """
        with self._keys_lock:
            if key.revoked_at is None and self._valid(key.principal.name) is not None:
                raise Conflict("key.exists", name=key.principal.name)
            self._keys.append(key)

    def all_keys(self) -> Sequence[Key]:
        """All keys, revoked ones too, in the order they were made."""
        return tuple(self._keys)

    def revoke_key(self, name: str, now: int) -> Key:
        """The key of this name is valid no longer.

        Raises:
            NotFound: ``key.missing`` when no valid one has it.
        """
        with self._keys_lock:
            place = self._valid(name)
            if place is None:
                raise NotFound("key.missing", name=name)
            self._keys[place] = revoked = replace(self._keys[place], revoked_at=now)
            return revoked

    def _valid(self, name: str) -> int | None:
        """Where the key of this name is that is not revoked."""
        named = (
            place
            for place, key in enumerate(self._keys)
            if key.principal.name == name and key.revoked_at is None
        )
        return next(named, None)

    def in_acls(self, names: Collection[str]) -> Collection[str]:
        """Those of some names that the acl of any version names, in any workspace."""
        versions = (one for space in self._spaces.values() for one in space.versions.values())
        return {name for one in versions for name in one.attributes.acl if name in names}

    def deny(self, denial: Denial) -> None:
        """Log a denied call; that needs no lock here."""
        self._denials.append(denial.storable(self._spaces))

    def denials(self, limit: int) -> Sequence[Denial]:
        """The newest denied calls, newest first."""
        return list(self._denials.copy())[::-1][:limit]

    def answer(self, workspace: str | None, key: bytes) -> KeptAnswer | None:
        """The answer kept under this key."""
        if workspace is None:
            return self._answers.get(key)
        space = self._spaces.get(workspace)
        return None if space is None else space.answers.get(key)

    def keep_answer(self, workspace: str | None, key: bytes, answer: KeptAnswer) -> None:
        """Keep an answer, and drop those that are older than a day before it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._locked():
            if workspace is None:
                keep(self._answers, key, answer, 0)
            else:
                space = self._space(workspace)
                keep(space.answers, key, answer, space.last_erasure)

    def erasures(self, workspace: str) -> int:
        """The number of the last transaction that erased something; 0 when nothing ever was."""
        space = self._spaces.get(workspace)
        return 0 if space is None else space.last_erasure

    def note_export(self, workspace: str, export: NotedExport) -> None:
        """Note that something left the home.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._locked():
            self._space(workspace).exports.append(export)

    def exports(self, workspace: str, since: int = 0) -> Sequence[NotedExport]:
        """The noted exports of a workspace that hold transaction ``since``, oldest first."""
        space = self._spaces.get(workspace)
        return () if space is None else [one for one in space.exports if one.number >= since]

    def job(self, workspace: str, id: str) -> Job | None:
        """A job."""
        space = self._spaces.get(workspace)
        return None if space is None else space.jobs.get(id)

    def jobs(self, workspace: str, limit: int) -> Sequence[Job]:
        """The newest jobs, newest first."""
        space = self._spaces.get(workspace)
        return [] if space is None else list(space.jobs.copy().values())[::-1][:limit]

    def put_job(self, workspace: str, job: Job) -> None:
        """Store a job, or what became of it.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        with self._locked():
            space = self._space(workspace)
            forgotten = job.id in space.forgotten
            space.jobs[job.id] = replace(job, request={}, result=None) if forgotten else job
            ended = [one.id for one in space.jobs.values() if one.state != "running"]
            for old in ended[:-MOST_ENDED_JOBS]:
                del space.jobs[old]

    def lose_jobs(self, now: int) -> int:
        """Running jobs are lost: whoever did them is gone."""
        if not any(self._running()):
            return 0
        with self._locked():
            running = list(self._running())
            for space, job in running:
                lost = replace(job, state="lost", updated_at=now, finished_at=now)
                space.jobs[job.id] = lost
        return len(running)

    def _running(self) -> Iterator[tuple[Space, Job]]:
        for space in list(self._spaces.values()):
            for job in list(space.jobs.values()):
                if job.state == "running":
                    yield space, job

    def _space(self, workspace: str) -> Space:
        if workspace not in self._spaces:
            raise NotFound("workspace.unknown", name=workspace)
        return self._spaces[workspace]


def keep(
    answers: dict[bytes, KeptAnswer], key: bytes, answer: KeptAnswer, last_erasure: int
) -> None:
    """Keep the first answer under a key, without its body when something was erased since."""
    for old in [k for k, one in answers.items() if one.created_at < answer.created_at - _DAY_US]:
        del answers[old]
    forgotten = answer.since is not None and last_erasure > answer.since
    kept = replace(answer, since=None, body=None if forgotten else answer.body)
    answers.setdefault(key, kept)
