"""What logged operations did, as later operations need to know it."""

from collections.abc import Callable
from typing import Final

from damals.app.ledger_model import LoggedOperation, StoredTransaction
from damals.domain.instants import instant_of
from damals.domain.parsing import parse_end
from damals.domain.state import Done
from damals.domain.zones import load_zone

_BOUNDS = frozenset({"valid_from", "valid_to", "valid_until"})

PARAMETERS_COUNT: Final = ("end", "correct", "revert")
"""Kinds of operations whose parameters say what was done."""

NumberOf = Callable[[int], int | None]
"""Gives the number of the transaction that was recorded at an instant."""


def done_in(stored: StoredTransaction, number_of: NumberOf) -> list[Done]:
    """The operations of a transaction, in order."""
    return [
        done_of(stored, place, operation, number_of)
        for place, operation in enumerate(stored.operations)
    ]


def done_of(
    stored: StoredTransaction, place: int, operation: LoggedOperation, number_of: NumberOf
) -> Done:
    """One operation of a transaction.

    Args:
        stored: the transaction; its operations are not asked for.
        place: of the operation in it.
        operation: what was logged; of its parameters only those of ``end``, ``correct`` and
            ``revert`` count.
        number_of: as said above.
    """
    params = operation.params
    end = reverted = None
    if operation.kind == "end":
        end = parse_end(params["at"], zone=load_zone(stored.zone), now=stored.recorded_at)
    if operation.kind == "revert":
        reverted = number_of(instant_of(str(params["transaction"])))
    return Done(
        number=stored.number,
        operation=place,
        kind=operation.kind,
        entry_id=operation.entry_id,
        end=end,
        bounded=operation.kind == "correct" and not _BOUNDS.isdisjoint(params),
        reverted=reverted,
    )
