"""Decisions, in a log of which something is hidden.

Whoever relates an entry that waits for a decision to another one decides on it, also when that
other one is hidden, or the relation is. Of the relation there is no trace, but the entry waits no
longer: in another home it is related to something that stands in for what is not told.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from damals.app.changed_model import RELATE, only_ties
from damals.app.ledger_model import EVERYTHING, LoggedOperation, StoredTransaction
from damals.app.ledger_port import LedgerReader
from damals.app.log_model import Sight, is_reduced, named_in, touches
from damals.domain.entries import Json
from damals.domain.ids import parse_uuid
from damals.domain.operations import CONTRADICTS
from damals.domain.types import relation_name

_CONTRADICT: Final = "contradict"
_RESOLVE: Final = "resolve"
_ENDS: Final[Mapping[str, Sequence[str]]] = {RELATE: ("src", "dst"), _CONTRADICT: ("a", "b")}
"""Of operations that begin a relation and decide on its ends, the parameters that name these."""
_NAMING: Final = (RELATE, _CONTRADICT, _RESOLVE, "correct", "update", "end")
"""Operations that decide on what they name."""
_ANY_RELATION: Final = "related_to"
_OTHER_END: Final = "other end"
"""Of a relation that is hidden although both of its ends are visible."""


@dataclass(frozen=True, slots=True)
class Part:
    """An operation of a transaction of which something is hidden.

    Attributes:
        stored: the transaction.
        told: it, as it is told.
        operation: it.
        sight: what may be seen of the transaction.
    """

    stored: StoredTransaction
    told: StoredTransaction
    operation: LoggedOperation
    sight: Sight


def contradicts(operation: LoggedOperation) -> bool:
    """Whether an operation records a contradiction, which another may decide."""
    if operation.kind == RELATE:
        return relation_name(str(operation.params.get("type"))) == CONTRADICTS
    return operation.kind == _CONTRADICT


def resolves(operation: LoggedOperation) -> bool:
    """Whether an operation decides a contradiction such that one of both ends."""
    return operation.kind == _RESOLVE and operation.params.get("keep") != "both"


def settles(operation: LoggedOperation, told: StoredTransaction | None) -> bool:
    """Whether it is told that both ends of a contradiction stand, since one of them waited."""
    if told is None or operation.kind != _RESOLVE or resolves(operation):
        return False
    return any(_is_told(operation, told, one) for one in named_in(operation.params))


def decisions(
    whole: LedgerReader, part: Part, name_of: Callable[[UUID], str]
) -> Iterator[LoggedOperation]:
    """What stands for an operation that decides on something visible, and may not be told.

    Args:
        whole: the workspace as its owner sees it.
        part: the operation, which leaves validity as it is.
        name_of: gives the id in another home of an entry, or of what stands in for it.
    """
    operation, seen = part.operation, part.sight.seen
    if operation.kind not in _ENDS or not only_ties(operation):
        return
    ends = {name: parse_uuid(str(operation.params[name])) for name in _ENDS[operation.kind]}
    named = [one for one in ends.values() if one is not None and one in seen]
    decided = [one for one in named if _decided(whole, part, one)]
    for place, one in ends.items():
        if one is not None and one in decided:
            hidden = (i for i in ends.values() if i is not None and i not in seen)
            other = next(hidden, uuid5(one, _OTHER_END))
            params: dict[str, Json] = {"op": operation.kind, **dict.fromkeys(ends, name_of(other))}
            params[place] = str(one)
            if operation.kind == RELATE:
                params["type"] = _ANY_RELATION
            yield LoggedOperation(operation.kind, None, params, None, ())


def _decided(whole: LedgerReader, part: Part, entry_id: UUID) -> bool:
    told = _is_told(part.operation, part.told, entry_id)
    return told or _is_in_rows(whole, part, entry_id)


def _is_told(operation: LoggedOperation, told: StoredTransaction, entry_id: UUID) -> bool:
    """Whether such an operation is told to have changed an entry, which is no more than that."""
    return any(
        is_reduced(one) and one.kind == operation.kind and entry_id in one.touched
        for one in told.operations
    )


def _is_in_rows(whole: LedgerReader, part: Part, entry_id: UUID) -> bool:
    """Whether an entry was decided on although a later operation wrote its rows once more.

    What may be told decides as well, and then nothing has to stand for what may not.
    """
    if not touches(part.told, {entry_id}):
        return False
    stored = part.stored
    for one in stored.operations:
        named = one.kind in _NAMING and entry_id in named_in(one.params)
        if named and part.sight.covers(one):
            return False
    rows = [found.version for found, _ in whole.history(entry_id, EVERYTHING)]
    waited = any(row.closed_by == stored.number and row.attributes.acquired for row in rows)
    said = any(
        one.entry_id == entry_id and one.params.get("acquired") is True for one in stored.operations
    )
    opened = [row for row in rows if row.opened_by == stored.number]
    return (waited or said) and bool(opened) and not any(r.attributes.acquired for r in opened)
