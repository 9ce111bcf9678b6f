"""What the interfaces return about keys, denied calls and jobs."""

from collections.abc import Mapping
from dataclasses import dataclass

from damals.app.results import Result, WorkspaceView
from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class KeyView(Result):
    """A key without its secret."""

    name: str
    roles: tuple[str, ...]
    workspaces: tuple[str, ...] | None
    visibility: str
    sensitivity: int
    created_at: str
    revoked_at: str | None


@dataclass(frozen=True, slots=True)
class Keys(Result):
    """All keys."""

    keys: tuple[KeyView, ...]


@dataclass(frozen=True, slots=True)
class NewKey(Result):
    """A key that was just made. Its secret is shown this once."""

    key: KeyView
    secret: str


@dataclass(frozen=True, slots=True)
class DenialView(Result):
    """A call that was refused."""

    denied_at: str
    principal: str | None
    workspace: str | None
    channel: str
    call: str
    problem: str


@dataclass(frozen=True, slots=True)
class Denials(Result):
    """Calls that were refused, newest first."""

    denials: tuple[DenialView, ...]


@dataclass(frozen=True, slots=True)
class Workspaces(Result):
    """The workspaces that the asker may use."""

    workspaces: tuple[WorkspaceView, ...]


@dataclass(frozen=True, slots=True)
class JobView(Result):
    """Long work and how far it is.

    Attributes:
        state: ``running``, ``done``, ``failed`` or ``lost``.
        request: what was asked.
        result: an import's report when it is done.
        problem: what went wrong when it failed.
    """

    id: str
    kind: str
    state: str
    done: int
    total: int | None
    request: Mapping[str, Json]
    created_at: str
    updated_at: str
    finished_at: str | None
    result: Mapping[str, Json] | None = None
    problem: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Jobs(Result):
    """Jobs, newest first."""

    jobs: tuple[JobView, ...]
