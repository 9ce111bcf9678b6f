"""A Git repository as a history of the files below a folder."""

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryFile
from typing import IO, Final

from damals.adapters.git.program import SILENCE_S, Git, Running
from damals.app.history.model import Blob, Commit, FileChange, Parts
from damals.app.vault.file_kinds import MAX_NOTE_BYTES
from damals.domain.errors import InvalidInput
from damals.domain.instants import BEGINNING, FOREVER

MAX_TEXT: Final = 1_000
"""Characters that are kept of an author and of the first line of a message."""

LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/"

_FORMAT: Final = "--format=%H%x00%P%x00%ct%x00%an%x00%s"
_FIELDS: Final = 5
_PLAIN: Final = (b"100644", b"100755", b"100664")
_RENAMES: Final = (b"R", b"C")
_SECOND_US: Final = 1_000_000
_PIECE: Final = 1 << 16
_OBJECT: Final = b"blob"


class GitHistories:
    """Opens repositories (``Histories``)."""

    def __init__(self, silence_s: float = SILENCE_S) -> None:
        """Nothing is read yet.

        Args:
            silence_s: for so long the program may keep silent while it is waited for.
        """
        self._silence_s = silence_s

    @contextmanager
    def open(self, root: Path, *, confined: bool) -> "Generator[GitHistory]":
        """See :class:`damals.app.history.model.Histories`."""
        git = Git(root, self._silence_s)
        known = git.ask("rev-parse", "--absolute-git-dir")
        if known is None:
            raise InvalidInput("history.no_repository", path=str(root))
        kept = Path(os.fsdecode(known.removesuffix(b"\n")))
        if confined and not _is_inside(kept, root):
            raise InvalidInput("history.outside", path=str(root))
        head = git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if head is None:
            raise InvalidInput("history.no_commits", path=str(root))
        shallow = git.ask("rev-parse", "--is-shallow-repository") == b"true\n"
        history = GitHistory(git, head.decode().strip(), shallow=shallow)
        try:
            yield history
        finally:
            history.close()


def _is_inside(kept: Path, root: Path) -> bool:
    """Whether all of a repository lies in a folder: no other one is borrowed from."""
    if not kept.resolve().is_relative_to(root.resolve()):
        return False
    borrowed = ("commondir", "objects/info/alternates", "objects/info/http-alternates")
    if any((kept / name).exists() for name in borrowed):
        return False
    inner = (kept, kept / "objects", kept / "objects" / "pack", kept / "refs", kept / "HEAD")
    return not any(path.is_symlink() for path in inner)


class GitHistory:
    """What can be asked of one repository (``History``)."""

    def __init__(self, git: Git, head: str, *, shallow: bool) -> None:
        """Nothing is read yet."""
        self._git = git
        self._head = head
        self._shallow = shallow
        self._blobs: Running | None = None

    @property
    def shallow(self) -> bool:
        """Whether older commits are missing."""
        return self._shallow

    def close(self) -> None:
        """End the programs that are still there."""
        if self._blobs is not None:
            self._blobs.stop()
            self._blobs = None

    # --- commits

    def commits(self) -> Sequence[Commit]:
        """All commits, parents before children."""
        arguments = ("rev-list", "--topo-order", "--reverse", "--encoding=UTF-8", _FORMAT)
        with self._output([*arguments, self._head, "--"]) as output:
            return [_commit(line) for line in output.lines() if not line.startswith(b"commit ")]

    def changes(self, commits: Sequence[Commit]) -> Iterator[Sequence[FileChange]]:
        """What each of some commits did to files of the folder, against its first parent."""
        arguments = ["diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-abbrev"]
        arguments += ["--find-renames=50%", "--no-ext-diff", "--no-textconv", "--relative"]
        arguments += ["--diff-merges=first-parent"]
        with TemporaryFile() as names:
            names.writelines(f"{commit.sha}\n".encode() for commit in commits)
            names.seek(0)
            with self._output(arguments, names) as output:
                yield from self._per_commit(commits, _Fields(output))

    def _per_commit(
        self, commits: Sequence[Commit], fields: "_Fields"
    ) -> Iterator[Sequence[FileChange]]:
        """A commit without a difference is not told of."""
        told = fields.take()
        for commit in commits:
            found: list[FileChange] = []
            if told is not None and told.strip(b"\n") == commit.sha.encode():
                told = fields.take()
                while told is not None and told.startswith(b":"):
                    found += _changes(told, fields)
                    told = fields.take()
            yield found
        if told is not None:
            raise self._git.failed()

    def files(self, commit: Commit) -> Mapping[Parts, str]:
        """The plain files of the folder as of a commit: name of the bytes of each."""
        found: dict[Parts, str] = {}
        with self._output(["ls-tree", "-r", "-z", commit.sha]) as output:
            fields = _Fields(output)
            while (line := fields.take()) is not None:
                what, _, path = line.partition(b"\t")
                mode, kind, name = what.split(b" ")
                if mode in _PLAIN and kind == _OBJECT:
                    found[_parts(path)] = name.decode()
        return found

    @contextmanager
    def _output(
        self, arguments: Sequence[str], stdin: IO[bytes] | None = None
    ) -> Generator[Running]:
        """What a command writes, read as it comes.

        Raises:
            Unavailable: ``history.failed`` when it broke off, ``history.silent``.
        """
        with self._git.start(arguments, DEVNULL if stdin is None else stdin) as running:
            yield running
            if not running.ended_well():
                raise self._git.failed()

    # --- bytes

    def blob(self, name: str) -> Blob:
        """The bytes of a file."""
        if self._blobs is None:
            self._blobs = self._git.start(["cat-file", "--batch"], PIPE)
        told = self._blobs
        told.tell(name)
        answer = told.line().split()
        if not answer:
            raise self._git.failed()
        if len(answer) != len(("name", "kind", "size")):
            return Blob(None, "history.missing")
        size = int(answer[2])
        data = _read(told, size)
        if len(data) < size or told.read(1) != b"\n":
            return Blob(None, "vault.too_large") if size > MAX_NOTE_BYTES else self._broken()
        if data.startswith(LFS_POINTER):
            return Blob(None, "history.lfs")
        return Blob(data)

    def _broken(self) -> Blob:
        raise self._git.failed()


def _read(running: Running, size: int) -> bytes:
    """So many bytes; of too many none, but they are read past."""
    if size <= MAX_NOTE_BYTES:
        return running.read(size)
    left = size + 1
    while left > 0 and (piece := running.read(min(_PIECE, left))):
        left -= len(piece)
    return b""


@dataclass(slots=True)
class _Fields:
    """Fields that end in a NUL byte."""

    running: Running
    _rest: bytes = b""
    _at: int = 0

    def take(self) -> bytes | None:
        """The next field; ``None`` at the end."""
        while (end := self._rest.find(b"\0", self._at)) < 0:
            piece = self.running.piece(_PIECE)
            if not piece:
                return None
            self._rest, self._at = self._rest[self._at :] + piece, 0
        field, self._at = self._rest[self._at : end], end + 1
        return field


def _commit(line: bytes) -> Commit:
    fields = line.rstrip(b"\n").decode("utf-8", "replace").split("\0", _FIELDS - 1)
    sha, parents, seconds, author, summary = fields
    return Commit(
        sha=sha,
        parents=tuple(parents.split()),
        committed_at=_instant(seconds),
        author=author.strip()[:MAX_TEXT],
        summary=summary.strip()[:MAX_TEXT],
    )


def _instant(seconds: str) -> int:
    """An instant that can be stored; clocks of committers can be anything."""
    try:
        at = int(seconds) * _SECOND_US
    except ValueError:
        at = 0
    return min(max(at, BEGINNING + 1), FOREVER - _SECOND_US)


def _changes(told: bytes, fields: _Fields) -> Iterator[FileChange]:
    """A line of ``--raw``: modes, names of bytes and status, then one path or two."""
    old_mode, new_mode, old, new, status = told[1:].split(b" ")
    path = fields.take() or b""
    blob = new.decode() if new_mode in _PLAIN else None
    before = old.decode() if old_mode in _PLAIN else None
    if status[:1] not in _RENAMES:
        yield FileChange(_parts(path), blob, before)
        return
    yield FileChange(_parts(fields.take() or b""), blob, before, _parts(path))


def _parts(path: bytes) -> Parts:
    return tuple(path.decode("utf-8", "surrogateescape").split("/"))
