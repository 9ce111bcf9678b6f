"""Which commits are still to be replayed, and at which recorded instants."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from damals.app.history.model import Commit, Replayed
from damals.domain.instants import BEGINNING


class Order:
    """The commits of a history, parents first, and what the ledger knows of them.

    A commit is known when a transaction names it, or when it is an ancestor of such a one: then it
    changed nothing, or could not be read.

    Attributes:
        commits: all of them.
        start: place of the first commit that has to be looked at; the files before it are exactly
            those of the commit in front of it, and no later one began before that.
        rewritten: the ledger knows commits that are not among these.
    """

    def __init__(self, commits: Sequence[Commit], replayed: Sequence[Replayed]) -> None:
        """Compare a history with what was replayed of it."""
        self.commits = commits
        named = {one.commit for one in replayed}
        self._known = _with_ancestors(commits, named)
        self.rewritten = not named <= {one.sha for one in commits}
        self._whole = _whole(commits)
        self._last = max((at for at, one in enumerate(commits) if one.sha in named), default=-1)
        self.start = self._first_place()

    def _first_place(self) -> int:
        place = 0
        while place < len(self.commits) and self.commits[place].sha in self._known:
            place += 1
        oldest = _oldest_parents(self.commits)
        while place and not (self.is_whole(place - 1) and oldest[place] >= place - 1):
            place -= 1
        return place

    @property
    def left(self) -> int:
        """How many commits are not known."""
        return sum(one.sha not in self._known for one in self.commits)

    def knows(self, commit: Commit) -> bool:
        """Whether a commit was replayed."""
        return commit.sha in self._known

    def is_whole(self, place: int) -> bool:
        """Whether all commits before this one are its ancestors: then the files are its own."""
        return place in self._whole

    def is_passed(self, place: int) -> bool:
        """Whether a later commit was replayed.

        A commit before it that is unknown has changed nothing then, or is new: a branch that was
        merged since.
        """
        return place < self._last


def _whole(commits: Sequence[Commit]) -> frozenset[int]:
    """The places at which no commit before is on a branch beside."""
    heads: set[str] = set()
    found: list[int] = []
    for place, commit in enumerate(commits):
        heads.difference_update(commit.parents)
        heads.add(commit.sha)
        if len(heads) == 1:
            found.append(place)
    return frozenset(found)


def _oldest_parents(commits: Sequence[Commit]) -> Sequence[int]:
    """For each place, and that behind the last, the first place at which later ones begin."""
    places = {one.sha: place for place, one in enumerate(commits)}
    found = [len(commits)]
    for commit in reversed(commits):
        parents = (places[parent] for parent in commit.parents if parent in places)
        found.append(min(found[-1], *parents, len(commits)))
    return found[::-1]


def _with_ancestors(commits: Sequence[Commit], named: Collection[str]) -> set[str]:
    known = set(named)
    for commit in reversed(commits):
        if commit.sha in known:
            known.update(commit.parents)
    return known & {one.sha for one in commits}


@dataclass(frozen=True, slots=True)
class Slot:
    """When a commit is to be recorded.

    Attributes:
        recorded_at: the instant; ``None`` for now.
        problem: key of the message that says why it is now, else ``None``.
    """

    recorded_at: int | None
    problem: str | None = None


class Instants:
    """Gives each commit its recorded instant: its own, but later than all before it.

    Nothing can be recorded before what others have recorded, or in the future: such a commit is
    recorded now, and so are those that follow it until one is later again.
    """

    def __init__(self, replayed: Sequence[Replayed], others: int) -> None:
        """Go on where the last replay ended.

        Args:
            replayed: earlier transactions of this history, in order.
            others: recorded instant of the last transaction that is not among them.
        """
        self._due = BEGINNING
        self._floor = others
        for one in replayed:
            self.take(one.committed_at, one.recorded_at)

    def others(self, recorded_at: int) -> None:
        """Somebody else has recorded something."""
        self._floor = max(self._floor, recorded_at)

    def slot(self, committed_at: int, clock: int) -> Slot:
        """When the next commit is to be recorded."""
        due = max(committed_at, self._due + 1)
        if due > clock:
            return Slot(None, "history.future")
        return Slot(None, "history.late") if due <= self._floor else Slot(due)

    def take(self, committed_at: int, recorded_at: int) -> None:
        """The next commit was recorded."""
        if committed_at <= recorded_at:  # else its clock was ahead, and says nothing of the next
            self._due = max(committed_at, self._due + 1)
        if recorded_at != self._due:
            self._floor = max(self._floor, recorded_at)
