"""What logged operations did, as later operations need to know it."""

from collections.abc import Callable

from damals.app.ledger_model import LoggedOperation, StoredTransaction
from damals.domain.instants import instant_of
from damals.domain.parsing import parse_end
from damals.domain.state import Done
from damals.domain.zones import load_zone

_BOUNDS = frozenset({"valid_from", "valid_to", "valid_until"})

NumberOf = Callable[[int], int | None]
"""Gives the number of the transaction that was recorded at an instant."""


def done_in(stored: StoredTransaction, number_of: NumberOf) -> list[Done]:
    """The operations of a transaction, in order."""
    return [
        _done(stored, place, operation, number_of)
        for place, operation in enumerate(stored.operations)
    ]


def _done(
    stored: StoredTransaction, place: int, operation: LoggedOperation, number_of: NumberOf
) -> Done:
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
