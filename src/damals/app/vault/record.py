"""What notes say into the ledger, as one transaction, without what is refused."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast
from uuid import UUID

from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recorded, Recording, Request, Tools
from damals.app.vault.notes import Change
from damals.domain.errors import Conflict, DamalsError, Denied, InvalidInput, NotFound
from damals.domain.params import Params

REFUSAL: Final = (InvalidInput, NotFound, Conflict, Denied)
"""What is wrong with one note, or above what who imports may see; the others are taken in."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A change that was left out, or told without one of its relations (``told``)."""

    change: Change
    error: DamalsError
    told: bool


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of some changes.

    Attributes:
        recorded: the transaction.
        done: changes that were stored, or that said nothing new (``True``).
        refused: in the order in which they were met.
    """

    recorded: Recorded
    done: Sequence[tuple[Change, bool]]
    refused: Sequence[Refused]

    def tally(self, counts: Counter[str], again: set[UUID]) -> Iterator[Refused]:
        """Count what was stored.

        Args:
            counts: changes by their kind, chunks and edges.
            again: takes the notes of which the next run has to tell more.

        Returns:
            What is to be reported.
        """
        counts.update(change.kind for change, unchanged in self.done if not unchanged)
        counts.update(chunks=self.recorded.chunks, edges=self.recorded.edges)
        for one in self.refused:
            if one.told or one.change.kind == "healed":
                again.add(target_of(one.change))
        return (one for one in self.refused if not _is_out_of_use(one))


def store(
    writer: LedgerWriter, tools: Tools, request: Request, changes: Iterable[Change]
) -> Stored:
    """Store changes as one transaction; what is refused is left out, and the rest is told again.

    A note keeps its text when one of its relations is refused.
    """
    left = list(changes)
    refused: list[Refused] = []
    while True:
        recording = Recording(writer, tools, request)
        done: list[tuple[Change, bool]] = []
        for place, change in enumerate(left):
            try:
                outcome = recording.add(change.params)
                if change.archives:
                    recording.add(_archiving(change.params))
            except REFUSAL as error:
                instead = _without_relation(change, error)
                refused.append(Refused(change, error, instead is not None))
                left[place : place + 1] = [instead] if instead else []
                break
            done.append((change, outcome.unchanged))
        else:
            return Stored(recording.store(), done, refused)


def target_of(change: Change) -> UUID:
    """The note that a change is about."""
    return UUID(str(_target_in(change.params)))


def _target_in(params: Params) -> object:
    return params.get("target") or params["id"]


def _archiving(said: Params) -> Params:
    """The operation that takes a note out of use, behind the one that tells what it says."""
    return {"op": "archive", "target": _target_in(said), "reason": "status"}


def _without_relation(change: Change, error: DamalsError) -> Change | None:
    """A change without the relation that an error refuses; ``None`` when it is not about one."""
    if error.key != "relation.cycle":
        return None
    refused = (error.values["relation"], error.values["dst"])
    told = cast("Sequence[Mapping[str, object]]", change.params.get("relations", ()))
    left = [one for one in told if (one["type"], one["dst"]) != refused]
    if len(left) == len(told):
        return None
    return replace(change, params={**change.params, "relations": left})


def _is_out_of_use(one: Refused) -> bool:
    """A removed note that is archived stays found in historical answers; that is no failure."""
    return one.change.kind == "removed" and one.error.key == "entry.archived"
