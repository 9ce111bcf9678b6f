"""The oracle: a second, slow and plain implementation of both clocks.

It keeps what every entry holds as sets of instants in every reading of the imprecise dates, and a
whole copy of that for each recorded instant; it knows neither rows nor periods of the program.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import oracle_operations as entries
import oracle_relations as relations
from oracle_attempt import Attempt, Params
from oracle_readings import Readings, edges
from oracle_revert import revert
from oracle_state import Name, State

OPERATIONS: Mapping[str, Callable[[Attempt, Params], bool]] = {
    "remember": entries.remember,
    "update": entries.update,
    "correct": entries.correct,
    "end": entries.end,
    "retract": entries.retract,
    "revert": revert,
    "relate": relations.relate,
    "unrelate": relations.unrelate,
    "contradict": relations.contradict,
    "resolve": relations.resolve,
    "verify": entries.verify,
    "pin": entries.pin,
    "unpin": entries.pin,
    "archive": entries.archive,
    "erase": entries.erase,
}
"""Each returns whether nothing changed."""


@dataclass
class Oracle:
    """All that a workspace knew, at every recorded instant.

    Attributes:
        past: the state after each transaction.
    """

    readings: Readings
    past: list[State] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    @property
    def state(self) -> State:
        return self.past[-1] if self.past else State()

    def trial(self, now: int) -> Attempt:
        """A transaction to be; ``run`` says what it comes to, ``commit`` makes it known."""
        number = len(self.past) + 1
        return Attempt(self.state.copy(), self.past, self.readings, now, number, self.numbers)

    def run(self, trial: Attempt, operations: Sequence[Params]) -> None:
        for place, params in enumerate(operations):
            trial.place = place
            trial.unchanged.append(OPERATIONS[str(params["op"])](trial, params))
        _finish(trial)

    def commit(self, trial: Attempt) -> None:
        trial.state.recorded_at = trial.now
        self.past.append(trial.state)

    def at(self, known_at: int) -> State:
        """What was known at an instant."""
        known = [one for one in self.past if one.recorded_at <= known_at]
        return known[-1] if known else State()

    def hidden(self) -> set[Name]:
        """The entries of which only a tombstone is left, whatever instant is asked for."""
        return {name for name, entry in self.state.entries.items() if entry.erased}

    def edges(self) -> set[int]:
        """The valid instants at which any answer may change."""
        found: set[int] = set()
        for state in self.past:
            for entry in state.entries.values():
                found |= edges(entry.rects)
            for link in state.links.values():
                found |= edges(link.taken)
        return found


def _finish(trial: Attempt) -> None:
    """Only the final state was ever known: neither what was said and gone again meanwhile, nor
    relations to what never held anything.
    """
    state = trial.state
    before = trial.past[-1].entries if trial.past else {}
    for name, entry in state.entries.items():
        if entry.rects:
            state.entries[name] = replace(entry, stored=True)
        elif entry.stored:
            was = before[name]
            state.entries[name] = replace(
                entry, content=was.content, key=was.key, pinned=was.pinned
            )
    state.links = {i: link for i, link in state.links.items() if state.entries[link.dst].stored}
