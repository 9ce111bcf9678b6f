"""What an operation changed that a later one of its transaction said anew.

No row is left of it that would tell. It counts all the same: what is said in between makes a
version older, and what is said at first and withdrawn at once must not come back where what
withdrew it is left out.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from damals.app.changed_model import DERIVE, ChangedRows, Edge, What
from damals.app.ledger_model import LoggedOperation
from damals.domain.entries import Json
from damals.domain.ids import parse_uuid
from damals.domain.types import relation_name

_EDGE: Final = ("src", "type", "dst", "rule")


def said_before(operations: Iterable[LoggedOperation]) -> dict[int, int]:
    """By place, that of the last operation before it that said the whole of the same thing.

    That is all relations that an entry declares, or where an edge follows by a rule: what it does
    not repeat is withdrawn.
    """
    last: dict[object, int] = {}
    before: dict[int, int] = {}
    for place, operation in enumerate(operations):
        about = _about(operation)
        if about is None:
            continue
        if about in last:
            before[place] = last[about]
        last[about] = place
    return before


def _about(operation: LoggedOperation) -> object:
    """What it is that an operation says the whole of, if it does."""
    if operation.kind == DERIVE:
        return tuple(str(operation.params.get(name)) for name in _EDGE)
    return operation.entry_id if "relations" in operation.params else None


def says_otherwise(operation: LoggedOperation, before: LoggedOperation) -> bool:
    """Whether, as both are told, an operation changed what another said the whole of."""
    return _listed(operation) != _listed(before)


def relates_again(operation: LoggedOperation, rows: ChangedRows, place: int) -> bool:
    """Whether an operation began or withdrew a relation that a later one began.

    Args:
        operation: as it is told.
        rows: of its entry, that its transaction began and ended.
        place: of the operation.
    """
    items = list(_items(operation))
    if operation.kind == DERIVE:
        edge = _edge(operation, operation.params)
        said = {edge} if items else set[Edge | None]()
        about: Iterable[What] = () if edge is None else (edge,)
    else:
        said = {_edge(operation, one) for one in items}
        about = (one for one in rows.began if _declarable(operation, one))
    return any(
        (one in said) != (one in rows.renewed) for one in about if rows.begin_behind(one, place)
    )


def _declarable(operation: LoggedOperation, what: What) -> bool:
    """Whether a row is of a relation that the entry of an operation may declare."""
    return isinstance(what, tuple) and what[0] == operation.entry_id and what[3] is None


def _items(operation: LoggedOperation) -> Iterator[Mapping[str, Json]]:
    listed = operation.params.get("parts" if operation.kind == DERIVE else "relations")
    return (one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict))


def _listed(operation: LoggedOperation) -> set[str]:
    return {json.dumps(one, sort_keys=True) for one in _items(operation)}


def _edge(operation: LoggedOperation, said: Mapping[str, Json]) -> Edge | None:
    """The relation from the entry of an operation that some parameters say."""
    dst, rule = parse_uuid(str(said.get("dst"))), said.get("rule")
    if operation.entry_id is None or dst is None:
        return None
    kind = relation_name(str(said.get("type")))
    return (operation.entry_id, kind, dst, None if rule is None else str(rule))
