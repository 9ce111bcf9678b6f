"""What notes state by the arrows of canvases, while a history is replayed.

Most commits touch no canvas and no note at which an arrow begins; then it is what it was.
"""

from damals.app.history.links import LinkState
from damals.app.linking import note_names
from damals.app.vault.drawings import Compared, Drawings, Stated, drawings, drawn_in, stated_by
from damals.app.vault.file_kinds import is_canvas
from damals.domain.types import TypeCatalogue


class Drawn:
    """The arrows of all canvases, as they are known."""

    def __init__(self, types: TypeCatalogue) -> None:
        """Nothing is looked at yet.

        Args:
            types: which relations there are.
        """
        self._types = types
        self._stated: Stated | None = None
        self._starts: frozenset[str] = frozenset()

    def after(self, plan: Compared, links: LinkState) -> Drawings:
        """What notes state by arrows before and after a commit.

        Args:
            plan: what the commit changes, and the canvases before it.
            links: the names of notes as they are after it.
        """
        if _touches(plan):
            self._stated = None  # what is stored of it is known at the next commit
            return drawings(plan, links.resolver, self._types, prune=True)
        if self._stated is None:
            arrows = drawn_in(plan.before)
            starts = {one.start for some in arrows.values() for one in some}
            self._starts = frozenset(name for one in starts for name in note_names(one, ()))
            self._stated = stated_by(arrows.values(), links.resolver, self._types)
        elif links.renames(self._starts):
            arrows = drawn_in(plan.before)
            self._stated = stated_by(arrows.values(), links.resolver, self._types)
        return Drawings(self._stated, self._stated)


def _touches(plan: Compared) -> bool:
    """Whether a commit touches a canvas."""
    read = any(parsed.arrows is not None for _, parsed, _ in plan.identified)
    return read or any(is_canvas(note.path) for note in plan.vanished)
