"""One commit into the ledger: what it says, without what is refused."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recorded, Recording, Request, Tools
from damals.app.vault_import import without_relation
from damals.app.vault_notes import Change
from damals.domain.errors import Conflict, DamalsError, Denied, InvalidInput, NotFound
from damals.domain.params import Params

Refusal: Final = (InvalidInput, NotFound, Conflict, Denied)


@dataclass(slots=True)
class Stored:
    """What became of the changes of a commit.

    Attributes:
        recorded: the transaction.
        done: changes that were stored, or that said nothing new (``True``).
        refused: changes that were left out, or told without one of their relations (``True``).
    """

    recorded: Recorded
    done: list[tuple[Change, bool]]
    refused: list[tuple[Change, DamalsError, bool]] = field(
        default_factory=list[tuple[Change, DamalsError, bool]]
    )


def store(
    writer: LedgerWriter, tools: Tools, request: Request, changes: Iterable[Change]
) -> Stored:
    """Store changes as one transaction; what is refused is left out, and the rest is told again."""
    left = list(changes)
    refused: list[tuple[Change, DamalsError, bool]] = []
    while True:
        recording = Recording(writer, tools, request)
        done: list[tuple[Change, bool]] = []
        for place, change in enumerate(left):
            try:
                outcome = recording.add(change.params)
                if change.archives:
                    recording.add(_archiving(change.params))
            except Refusal as error:
                instead = without_relation(change, error)
                refused.append((change, error, instead is not None))
                left[place : place + 1] = [instead] if instead else []
                break
            done.append((change, outcome.unchanged))
        else:
            return Stored(recording.store(), done, refused)


def _archiving(said: Params) -> Params:
    """The operation that takes a note out of use, behind the one that tells what it says."""
    return {"op": "archive", "target": said.get("target") or said["id"], "reason": "status"}
