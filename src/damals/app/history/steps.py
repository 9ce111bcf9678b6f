"""The commits that are to be replayed, one after the other, with the files that each touched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from damals.app.history.commit import Vault
from damals.app.history.model import Commit, FileChange
from damals.app.history.order import Order
from damals.app.history.tree import Touched


@dataclass(frozen=True, slots=True)
class Step:
    """A commit that is to be replayed, and the files it touched."""

    commit: Commit
    touched: Sequence[Touched]


def steps(vault: Vault, order: Order) -> Iterator[Step]:
    """What is to be replayed, as the files of the vault's tree go on from step to step."""
    if not order.left:
        return
    start = order.start
    if start:
        vault.tree.settle(vault.history.files(order.commits[start - 1]))
    walk = _Walk(vault, order, rewritten=order.rewritten)
    commits = order.commits[start:]
    waiting: list[tuple[int, Sequence[FileChange]]] = []
    for place, changes in enumerate(vault.history.changes(commits), start):
        if order.knows(order.commits[place]):
            walk.touch(place, changes)
        elif order.is_passed(place):
            if vault.tree.touched_by(changes):  # it came with a branch that was merged since
                waiting.append((place, changes))
        else:
            for earlier in waiting:
                yield walk.step(*earlier)
            waiting.clear()
            yield walk.step(place, changes)
    for earlier in waiting:
        yield walk.step(*earlier)


@dataclass(slots=True)
class _Walk:
    """Lets the files of the tree go on by a commit.

    Attributes:
        rewritten: the ledger has replayed another history before: all files are compared once.
        begun: there was a step; before the first one the files are those an earlier run ended with.
    """

    vault: Vault
    order: Order
    rewritten: bool
    begun: bool = False

    def touch(self, place: int, changes: Sequence[FileChange]) -> Sequence[Touched]:
        """The files that a commit touched."""
        commit, tree = self.order.commits[place], self.vault.tree
        if len(commit.parents) > 1 and self.order.is_whole(place):
            return tree.settle(self.vault.history.files(commit), changes)
        return tree.apply(changes)

    def step(self, place: int, changes: Sequence[FileChange]) -> Step:
        """A commit with the files it touched."""
        commit = self.order.commits[place]
        if not self.begun:
            self.begun = True
            self.vault.recall_waiting()
        if not self.rewritten:
            return Step(commit, self.touch(place, changes))
        self.rewritten = False
        tree = self.vault.tree
        tree.settle(self.vault.history.files(commit))
        here = tree.all()
        paths = {one.path for one in here}
        gone = [
            Touched(note.path, None)
            for note in self.vault.notes
            if note.attributes.source.commit and note.path not in paths
        ]
        return Step(commit, [*here, *gone])
