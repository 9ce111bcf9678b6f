"""Principals, denied calls, answers that are kept, and jobs: what they are and their ports.

The port has one contract test class under ``tests/contracts`` that every ledger passes.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal, Protocol

from damals.domain.access import Principal
from damals.domain.entries import Json

MAX_DENIALS: Final = 10_000
"""How many denied calls are remembered."""


@dataclass(frozen=True, slots=True)
class Key:
    """A principal as it is stored. The secret itself is nowhere.

    Attributes:
        digest: SHA-256 of the secret.
        revoked_at: when it stopped to be valid; ``None`` while it is.
    """

    principal: Principal
    digest: bytes
    created_at: int
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Denial:
    """A call that was refused.

    Attributes:
        principal: who called; ``None`` without a valid key.
        channel: ``rest`` or ``mcp``.
        call: what was called: method and route, or the name of a tool. No values.
        problem: key of the message that said why.
    """

    MAX_CALL: ClassVar[int] = 200

    denied_at: int
    principal: str | None
    workspace: str | None
    channel: str
    call: str
    problem: str

    def storable(self, workspaces: Collection[str]) -> "Denial":
        """The same, without what a stranger sent and no store can hold or should.

        Args:
            workspaces: those that there are; no other is named.
        """
        call = self.call.encode(errors="replace").decode().replace("\0", "")
        known = self.workspace if self.workspace in workspaces else None
        return replace(self, call=call[: self.MAX_CALL], workspace=known)


@dataclass(frozen=True, slots=True)
class Once:
    """A request that must not be done twice.

    Attributes:
        key: SHA-256 of who asks, workspace, route and the key that came with the request.
        request: SHA-256 of its body.
    """

    key: bytes
    request: bytes


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The answer to a request that came with a key.

    Attributes:
        request: SHA-256 of the body that it answers.
        body: JSON; ``None`` when it was forgotten because something in it was erased.
        since: what :meth:`Registry.erasures` gave before anything in the body was read. When
            something was erased since, the body is not kept. ``None`` when nothing in it is text
            of an entry, or when it is kept in the write that it is about.
    """

    request: bytes
    status: int
    body: Json
    created_at: int
    since: int | None


JobState = Literal["running", "done", "failed", "lost"]


MOST_ENDED_JOBS: Final = 200
"""So many ended jobs of a workspace are kept; when one more is asked for, the oldest go."""


@dataclass(frozen=True, slots=True)
class Job:
    """Long work that someone asked for and comes back to.

    Attributes:
        id: UUID, as text.
        kind: ``import``.
        state: ``lost`` when the process that did it ended before the work did.
        done, total: how far it is.
        request: what was asked; empty when something was erased since.
        result: the report of a job that is done, the problem of one that failed; likewise
            ``None`` when something was erased since the job was first stored.
        elsewhere: another home that shares the ledger does it; it is told, never stored.
    """

    id: str
    kind: str
    principal: str
    state: JobState
    request: Mapping[str, Json]
    created_at: int
    updated_at: int
    done: int = 0
    total: int | None = None
    result: Json = None
    finished_at: int | None = None
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class NotedExport:
    """That knowledge was written into a file outside of the home.

    Attributes:
        kind: ``events``, ``markdown`` or ``person``.
        path: of the file or folder, absolute.
        created_at: when, UTC microseconds.
        number: of the last transaction in it.
        principal: name of the key that asked for it; ``None`` for the owner.
    """

    kind: str
    path: str
    created_at: int
    number: int
    principal: str | None = None


class Registry(Protocol):
    """Who may use a home, and what they were refused. Any thread may use it.

    Reading waits for nobody. Writing may wait for the write lock of the ledger, so a thread that
    is inside :meth:`~damals.app.ledger_port.Ledger.write` must only use :meth:`deny`.
    An erasure forgets, in its own write, what all answers and jobs of its workspace say.
    """

    def add_key(self, key: Key) -> None:
        """Store a key.

        Raises:
            Conflict: ``key.exists`` when a key that is not revoked has its name.
        """
        ...

    def all_keys(self) -> Sequence[Key]:
        """All keys, revoked ones too, in the order they were made."""
        ...

    def revoke_key(self, name: str, now: int) -> Key:
        """The key of this name is valid no longer.

        Whoever asks this object from the call on is told so. The call returns when it is stored,
        however long others write.

        Raises:
            NotFound: ``key.missing`` when no valid one has it.
        """
        ...

    def in_acls(self, names: Collection[str]) -> Collection[str]:
        """Those of some names that the acl of any version names, in any workspace."""
        ...

    def deny(self, denial: Denial) -> None:
        """Log a denied call, and wait only a moment for the write lock.

        While others write, it stays in memory, and is written with the next one or at the end.
        A workspace that there is not is left out; the oldest of :data:`MAX_DENIALS` are dropped.
        """
        ...

    def denials(self, limit: int) -> Sequence[Denial]:
        """The newest denied calls, newest first."""
        ...

    def answer(self, workspace: str | None, key: bytes) -> KeptAnswer | None:
        """The answer kept under this key."""
        ...

    def keep_answer(self, workspace: str | None, key: bytes, answer: KeptAnswer) -> None:
        """Keep an answer, and drop those that are older than a day before it.

        The first one under a key stays. One that holds a secret must not be kept. While others
        write, it may stay in memory, and is told from there.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        ...

    def erasures(self, workspace: str) -> int:
        """The number of the last transaction that erased something; 0 when nothing ever was."""
        ...

    def job(self, workspace: str, id: str) -> Job | None:
        """A job."""
        ...

    def jobs(self, workspace: str, limit: int) -> Sequence[Job]:
        """The newest jobs, newest first."""
        ...

    def put_job(self, workspace: str, job: Job) -> None:
        """Store a job, or what became of it; while others write, it may stay in memory.

        Raises:
            NotFound: ``workspace.unknown``.
        """
        ...

    def lose_jobs(self, now: int) -> int:
        """Running jobs are lost: whoever did them in this home is gone. Called by a new owner.

        Returns:
            How many there were.
        """
        ...

    def note_export(self, workspace: str, export: NotedExport) -> None:
        """Note that something left the home, in a write of its own: an erasure does not reach it.

        Raises:
            NotFound: ``workspace.unknown``.
            Unavailable: ``ledger.busy`` and others.
        """
        ...

    def exports(self, workspace: str, since: int = 0) -> Sequence[NotedExport]:
        """The noted exports of a workspace that hold transaction ``since``, oldest first."""
        ...
