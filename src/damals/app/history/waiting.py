"""Files that cannot be taken in as long as another file is the note that they say they are.

Two files may give themselves one id. The first keeps it; the other is told when the first has let
go of it, which can be in a commit that does not touch the other.
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
        """Let those files wait whose id another note had when an earlier run ended."""
        named = {one.external_id: one for one in notes if one.external_id is not None}
        for file, parsed in files:
            try:
                said = declared_identity(parsed, workspace)
            except DamalsError:
                continue
            if said is None:
                continue
            holder = named.get(said.external_id or "")
            if holder is None and said.entry_id in notes:
                holder = notes[said.entry_id]
            if holder is not None and holder.path != file.path:
                self._wait(file.path, holder.path)

    def _wait(self, path: str, other: str) -> None:
        self._forget(path)
        self._for[path] = other
        self._paths.setdefault(other, set()).add(path)

    def _forget(self, path: str) -> None:
        other = self._for.pop(path, None)
        if other is not None:
            self._paths[other].discard(path)
