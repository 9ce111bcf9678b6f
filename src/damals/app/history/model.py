"""The port of version histories: what a replay needs of a repository, and of its own past."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from damals.domain.instants import instant_of

Parts = tuple[str, ...]
"""Names of folders and file below the root, as ``os.fsdecode`` gives them."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit.

    Attributes:
        sha: its name, hex.
        parents: names of its parents, as far as they are there; the first is the one it changed.
        committed_at: instant by its committer's clock, UTC microseconds.
        author: who wrote it; may be empty.
        summary: first line of its message; may be empty.
    """

    sha: str
    parents: tuple[str, ...]
    committed_at: int
    author: str
    summary: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a commit did to one file against its first parent.

    Attributes:
        parts: where the file is, or was.
        blob: name of its bytes; ``None`` when it is gone, or is no plain file any more.
        before: name of its bytes in the first parent; ``None`` when there was no plain file.
        came_from: where it was before it was renamed, else ``None``.
    """

    parts: Parts
    blob: str | None
    before: str | None
    came_from: Parts | None = None


@dataclass(frozen=True, slots=True)
class Blob:
    """The bytes of a file.

    Attributes:
        data: ``None`` when they are not there or too many.
        failure: key of the message that says why, else ``None``.
    """

    data: bytes | None
    failure: str | None = None


class History(Protocol):
    """The history of a folder up to its newest commit, read once from the beginning."""

    @property
    def shallow(self) -> bool:
        """Whether older commits are missing."""
        ...

    def commits(self) -> Sequence[Commit]:
        """All commits, parents before children, always in the same order."""
        ...

    def changes(self, commits: Sequence[Commit]) -> Iterator[Sequence[FileChange]]:
        """What each of some commits did to files of the folder, against its first parent."""
        ...

    def files(self, commit: Commit) -> Mapping[Parts, str]:
        """The plain files of the folder as of a commit: name of the bytes of each."""
        ...

    def blob(self, name: str) -> Blob:
        """The bytes of a file."""
        ...


class Histories(Protocol):
    """Opens version histories. Nothing of what it reads is run, and nothing is written."""

    def open(self, root: Path, *, confined: bool) -> AbstractContextManager[History]:
        """The history of the folder ``root``.

        Args:
            root: a folder under version control, or one inside of such, or a bare repository.
            confined: refuse a repository that is kept outside of ``root``, even in part.

        Raises:
            InvalidInput: ``history.no_repository``, ``history.no_commits``, ``history.outside``.
            Unavailable: ``history.no_git``; ``history.failed`` when it does not answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class Replayed:
    """A transaction that replayed a commit of a source.

    Attributes:
        number, recorded_at: of the transaction.
        commit: name of the commit.
        committed_at: instant of the commit.
    """

    number: int
    recorded_at: int
    commit: str
    committed_at: int


def commit_named(params: Mapping[str, object], source: str) -> tuple[str, int] | None:
    """Name and instant of the commit that an operation replays of a source, if it does."""
    said = params.get("source")
    if not isinstance(said, Mapping):
        return None
    told = cast("Mapping[str, object]", said)
    commit, at = told.get("commit"), told.get("committed_at")
    if told.get("name") != source or not isinstance(commit, str) or not isinstance(at, str):
        return None
    try:
        return commit, instant_of(at)
    except ValueError:  # somebody told it as an event, in other words
        return None
