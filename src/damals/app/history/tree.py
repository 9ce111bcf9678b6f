"""The files of a vault while its history is replayed, as far as they are notes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from damals.app.history.model import FileChange, Parts


@dataclass(frozen=True, slots=True)
class Touched:
    """A note's file that is another one after a commit.

    Attributes:
        path: in the vault, as stored.
        blob: name of its bytes; ``None`` when there is no such file any more.
        came_from: path that it had before it was renamed, else ``None``.
        twice: there are several files of this path, which differ only in how it is encoded; the
            first by name is it.
    """

    path: str
    blob: str | None
    came_from: str | None = None
    twice: bool = False


class Tree:
    """Which bytes each note has, commit by commit.

    A commit is applied as what it changed against its first parent. Where branches run side by
    side, another one may have touched the same file meanwhile: what a commit wrote holds until the
    next one writes, a file that was renamed there is written under its new name, and one that was
    rewritten there is not deleted. The merge that ends all branches then settles all files.
    """

    def __init__(self, note_path: Callable[[Parts], str | None]) -> None:
        """Begin with no files.

        Args:
            note_path: the path of a note's file; ``None`` for what is no note.
        """
        self._note_path = note_path
        self._paths: dict[Parts, str | None] = {}
        self._blobs: dict[Parts, str] = {}
        self._files: dict[str, list[Parts]] = {}
        self._moved: dict[Parts, Parts] = {}

    def touched_by(self, changes: Sequence[FileChange]) -> bool:
        """Whether applying a commit would change anything."""
        return any(
            self._blobs.get(one.parts) != one.blob or one.came_from is not None
            for one in changes
            if self._path(one.parts) or (one.came_from and self._path(one.came_from))
        )

    def apply(self, changes: Sequence[FileChange]) -> Sequence[Touched]:
        """Apply a commit beside which others are."""
        written = {self._target(one): one for one in changes if one.blob is not None}
        came_from: dict[str, str] = {}
        gone: list[Parts] = []
        for one in changes:
            was = one.came_from if one.came_from is not None else one.parts
            known = self._blobs.get(was)
            if one.came_from is not None:
                old, new = self._path(one.came_from), self._path(one.parts)
                if old and new and known is not None:
                    came_from[new] = old
                    self._moved[one.came_from] = one.parts
            if (one.came_from is not None or one.blob is None) and known == one.before:
                gone.append(was)
        return self._write({parts: one.blob for parts, one in written.items()}, gone, came_from)

    def settle(
        self, files: Mapping[Parts, str], changes: Sequence[FileChange] = ()
    ) -> Sequence[Touched]:
        """Let the files be exactly these.

        Args:
            files: name of the bytes of each.
            changes: of the commit; they tell which files were renamed.
        """
        gone = [parts for parts in self._blobs if parts not in files]
        new = {parts: blob for parts, blob in files.items() if self._blobs.get(parts) != blob}
        came_from: dict[str, str] = {}
        for one in changes:
            if one.came_from in self._blobs and one.came_from not in files and one.parts in new:
                old, path = self._path(one.came_from), self._path(one.parts)
                if old and path and one.parts not in self._blobs:
                    came_from[path] = old
        return self._write(new, gone, came_from)

    def all(self) -> Sequence[Touched]:
        """All files, as if each had just been touched."""
        return [self._now(path) for path in self._files]

    def blob_at(self, path: str) -> str | None:
        """Name of the bytes of a note; ``None`` when there is no such file."""
        return self._now(path).blob

    def _target(self, one: FileChange) -> Parts:
        """Where a commit writes: to a file that another branch has renamed, under its new name."""
        parts, seen = one.parts, {one.parts}
        if one.before is None or one.came_from is not None:
            return parts
        while parts not in self._blobs and parts in self._moved:
            parts = self._moved[parts]
            if parts in seen:
                return one.parts
            seen.add(parts)
        return parts if parts in self._blobs else one.parts

    def _write(
        self, new: Mapping[Parts, str | None], gone: Iterable[Parts], came_from: Mapping[str, str]
    ) -> Sequence[Touched]:
        before: dict[str, Touched] = {}
        for parts in gone:
            self._note(parts, before)
            if self._blobs.pop(parts, None) is not None and (path := self._path(parts)):
                self._files[path].remove(parts)
                if not self._files[path]:
                    del self._files[path]
        for parts, blob in new.items():
            path = self._path(parts)
            if path is None or blob is None:
                continue
            self._note(parts, before)
            if parts not in self._blobs:
                self._files[path] = sorted([*self._files.get(path, ()), parts])
            self._blobs[parts] = blob
            self._moved.pop(parts, None)
        after = [self._now(path, came_from.get(path)) for path in before]
        return [one for one in after if one != before[one.path]]

    def _note(self, parts: Parts, before: dict[str, Touched]) -> None:
        path = self._path(parts)
        if path is not None and path not in before:
            before[path] = self._now(path)

    def _now(self, path: str, came_from: str | None = None) -> Touched:
        files = self._files.get(path)
        if not files:
            return Touched(path, None)
        return Touched(path, self._blobs[files[0]], came_from, len(files) > 1)

    def _path(self, parts: Parts) -> str | None:
        if parts not in self._paths:
            self._paths[parts] = self._note_path(parts)
        return self._paths[parts]
