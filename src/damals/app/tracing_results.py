"""What the trace of a belief tells; conventions as in ``results.py``."""

from dataclasses import dataclass

from damals.app.diff_results import ChangeView
from damals.app.results import Entry, Result, Understood, VersionView


@dataclass(frozen=True, slots=True)
class SimilarError(VersionView):
    """A rectangle that turned out to be wrong, of an entry that is like the traced one.

    Attributes:
        alike: in what: ``key``, ``subject``, ``text``, ``tag``; what says most first.
        ended_by: ``retract`` or ``correct``.
        ended_at: when that was recorded.
        ended_reason, ended_actor: why and by whom.
    """

    alike: tuple[str, ...]
    ended_by: str
    ended_at: str
    ended_reason: str | None
    ended_actor: str


@dataclass(frozen=True, slots=True)
class Traced(Result):
    """Where a belief came from.

    Attributes:
        entry: at the asked pair, else as it was known last.
        entered: the first rectangle that said the same, with who recorded it and from which
            source and session.
        logged_at: when that was really logged; later than it was recorded where history was
            replayed.
        before: what was known of the matter just before that.
        changes: what changed about the entry since, or between two asked instants.
        similar_errors: what was said before it entered, was taken back or corrected by the asked
            instant, and is like it; the most alike first.
    """

    entry: Entry
    entered: VersionView
    logged_at: str
    before: tuple[Entry, ...]
    changes: tuple[ChangeView, ...]
    similar_errors: tuple[SimilarError, ...]


@dataclass(frozen=True, slots=True)
class Trace(Result):
    """The trace of one entry, or of those that say some words.

    Attributes:
        what: as asked.
        entries: in the order in which they entered.
        omitted: how many more there are.
    """

    what: str
    understood: Understood
    entries: tuple[Traced, ...]
    omitted: int
