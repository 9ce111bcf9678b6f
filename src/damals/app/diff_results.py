"""What a diff returns; shapes and conventions as in ``results.py``."""

from collections.abc import Iterator
from dataclasses import dataclass

from damals.app.results import Entry, Result


@dataclass(frozen=True, slots=True)
class PairView(Result):
    """A pair of instants as it was understood."""

    as_of: str
    known_at: str


@dataclass(frozen=True, slots=True)
class TextPart(Result):
    """A passage of a text: ``equal`` in both, or a ``delete`` or ``insert``.

    Attributes:
        section: of what changed, the headings that it stands under, the outermost first.
    """

    op: str
    text: str
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeView(Result):
    """One change.

    Attributes:
        relation: type of the relation behind it.
        before, after: entries as they were at the start and are at the end of the change's phase:
            the same one, or the old and the new one, the extended and the extending one, the two
            that contradict each other. Of an erased entry both are null.
        at: the valid instant (phase 1) or the recorded one (phase 2).
        reason, actor: of the operation behind it.
        entry_id: the entry it is about.
        phase: 1 when the world moved, 2 when knowledge did.
        text: of a correction, how the content changed, or the title where the content did not.
    """

    kind: str
    relation: str | None
    before: Entry | None
    after: Entry | None
    at: str
    reason: str | None
    actor: str
    entry_id: str
    phase: int
    text: tuple[TextPart, ...] | None


@dataclass(frozen=True, slots=True)
class Diff(Result):
    """What changed from one pair of instants to another, by phase, instant and id.

    Attributes:
        topic, axis: as asked.
        zone: of the workspace, in which days were read.
    """

    topic: str | None
    axis: str | None
    from_: PairView
    to: PairView
    changes: tuple[ChangeView, ...]
    zone: str

    def __iter__(self) -> Iterator[ChangeView]:
        """The changes."""
        return iter(self.changes)

    def __len__(self) -> int:
        """How many changes there are."""
        return len(self.changes)
