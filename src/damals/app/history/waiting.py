"""Files that cannot be taken in as long as another note stands in their way.

Two files may give themselves one id. The first keeps it; the other is told when the first has let
go of it, which can be in a commit that does not touch the other. And what a file says may be
refused, since it claims a time that another note has taken over; it is told when one that takes
over has changed.
"""

from collections.abc import Iterable, Sequence

from damals.app.history.state import NoteState
from damals.app.history.tree import Touched, Tree
from damals.app.source_model import ParsedNote, SourceFile
from damals.app.vault.notes import declared_identity
from damals.domain.errors import DamalsError


class Waiting:
    """Which files wait for which paths to be touched."""

    def __init__(self) -> None:
        """Nothing waits."""
        self._paths: dict[str, set[str]] = {}
        self._for: dict[str, str] = {}
        self._held: set[str] = set()

    def hold(self, path: str) -> None:
        """Let a file wait that was refused."""
        self._held.add(path)

    def held(self, tree: Tree) -> Sequence[Touched]:
        """The files that were refused, to be tried once more; they wait no more."""
        files = [Touched(path, tree.blob_at(path)) for path in sorted(self._held)]
        self._held.clear()
        return [one for one in files if one.blob is not None]

    def called(self, touched: Sequence[Touched], tree: Tree) -> Sequence[Touched]:
        """The files that waited for one that was touched; they wait no more, nor do the latter."""
        here = {one.path for one in touched}
        freed = {path for one in here for path in self._paths.get(one, ())} - here
        for path in (*here, *freed):
            self._forget(path)
        files = (Touched(path, tree.blob_at(path)) for path in sorted(freed))
        return [one for one in files if one.blob is not None]

    def note(self, failed: Iterable[tuple[str, DamalsError]]) -> None:
        """Let those files wait that failed since another one has their id."""
        for path, error in failed:
            if error.key == "vault.duplicate_id":
                self._wait(path, str(error.values["other"]))

    def found(
        self, files: Iterable[tuple[SourceFile, ParsedNote]], notes: NoteState, workspace: str
    ) -> None:
        """Let those files wait that an earlier run could not take in.

        Those whose id another note had when it ended, wait for that one; the others were refused.
        """
        named = {one.external_id: one for one in notes if one.external_id is not None}
        for file, parsed in files:
            try:
                said = declared_identity(parsed, workspace)
            except DamalsError:
                continue
            holder = None
            if said is not None:
                holder = named.get(said.external_id or "")
                if holder is None and said.entry_id in notes:
                    holder = notes[said.entry_id]
            if holder is not None and holder.path != file.path:
                self._wait(file.path, holder.path)
            else:
                self.hold(file.path)

    def _wait(self, path: str, other: str) -> None:
        self._forget(path)
        self._for[path] = other
        self._paths.setdefault(other, set()).add(path)

    def _forget(self, path: str) -> None:
        self._held.discard(path)
        other = self._for.pop(path, None)
        if other is not None:
            self._paths[other].discard(path)
