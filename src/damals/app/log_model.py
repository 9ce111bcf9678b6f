"""What somebody may be told of the log who may not see every entry.

What changed nothing visible is not told: a relation to something hidden, or of a hidden type,
leaves no trace. What is told of an operation of a hidden entry is its kind and which visible
entries it changed: that is enough to know why their validity did.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise
from typing import Final, cast
from uuid import UUID

from damals.app.changed_model import (
    DERIVE,
    RELATE,
    RELATING,
    REVERT,
    VERSION,
    Changed,
    ChangedRows,
    may_end,
)
from damals.app.ledger_model import LoggedOperation, StoredTransaction
from damals.app.overtaken import relates_again, said_before, says_otherwise
from damals.app.places import params_without_place
from damals.domain.entries import Json
from damals.domain.ids import parse_uuid
from damals.domain.types import relation_name

NOBODY: Final = "-"
"""Actor of what is told without saying who did it."""

PREMISES: Final = "premises"
"""Of a part of a derived edge: the entries that it follows from beside its ends."""

ENDED: Final = "ended"
"""Of an operation that derives: what the parts followed from that it ended, each once."""

NAMES: Final = ("id", "target", "src", "dst", "a", "b")
"""Parameters that name an entry."""


@dataclass(frozen=True, slots=True)
class Told:
    """A transaction as it is told.

    Attributes:
        places: of each operation, by its place in what is stored, the first place it is told at.
    """

    transaction: StoredTransaction
    places: Mapping[int, int]

    def only(self, places: Collection[int]) -> "Told":
        """With no more than what is told of the operations at some places of what is stored."""
        whole = self.transaction.operations
        firsts = sorted({*self.places.values(), len(whole)})
        behind = dict(pairwise(firsts))
        operations: list[LoggedOperation] = []
        kept: dict[int, int] = {}
        for place in sorted(self.places.keys() & set(places)):
            first = self.places[place]
            kept[place] = len(operations)
            operations.extend(whole[first : behind[first]])
        return Told(replace(self.transaction, operations=tuple(operations)), kept)


@dataclass(frozen=True, slots=True)
class Sight:
    """What may be seen of some transactions.

    Attributes:
        seen: those of the entries that they name that may be seen.
        hidden_relations: types of relations that may not.
        covered: recorded instants of the transactions of which nothing is hidden, as far as
            these transactions take others back.
        reverted: of the others that they take back, by recorded instant, the visible entries of
            which those changed something.
        changed: of those of the transactions of which something is hidden, by number, what they
            changed.
        places: whether addresses of files on the machine are told.
    """

    seen: Collection[UUID]
    hidden_relations: Collection[str] = ()
    covered: Collection[str] = ()
    changed: Mapping[int, Changed] = field(default_factory=dict[int, Changed])
    reverted: Mapping[str, Collection[UUID]] = field(default_factory=dict[str, Collection[UUID]])
    places: bool = True

    def shows(self, relation: Mapping[str, Json]) -> bool:
        """Whether a declared relation may be told: a link to nothing yet is its source's text."""
        if relation_name(str(relation.get("type"))) in self.hidden_relations:
            return False
        return bool(relation.get("unresolved")) or parse_uuid(str(relation.get("dst"))) in self.seen

    def _derives_openly(self, operation: LoggedOperation) -> bool:
        """Whether all may be seen that the edges followed from that an operation began and ended.

        Where it does not say what it ended, that shows in the rows alone.
        """
        known = isinstance(operation.params.get(ENDED), list)
        return known and all(map(self.follows, (*parts_in(operation), *ended_in(operation))))

    def follows(self, part: Mapping[str, Json]) -> bool:
        """Whether a part of a derived edge may be told: all that it follows from is seen."""
        return PREMISES in part and all(one in self.seen for one in premises_in(part))

    def hides_edge(self, operation: LoggedOperation) -> bool:
        """Whether an operation is about a relation of a hidden type."""
        if operation.kind not in RELATING:
            return False
        return relation_name(str(operation.params.get("type"))) in self.hidden_relations

    def covers(self, operation: LoggedOperation) -> bool:
        """Whether nothing that an operation touches or names is hidden.

        Whoever takes a transaction back names all that it touched.
        """
        named = all(i in self.seen for i in (*operation.touched, *named_in(operation.params)))
        shown = all(map(self.shows, relations_in(operation.params)))
        shown = shown and (operation.kind != DERIVE or self._derives_openly(operation))
        back = operation.kind != REVERT or operation.params.get("transaction") in self.covered
        return named and shown and back and not self.hides_edge(operation)

    def opens(self, operation: LoggedOperation) -> bool:
        """Whether nothing is hidden of an operation but relations that it declares or derives."""
        named = all(i in self.seen for i in (*operation.touched, *named_in(operation.params)))
        back = operation.kind != REVERT or self.covers(operation)
        return named and back and not self.hides_edge(operation)

    def taken_back(self, operation: LoggedOperation) -> Collection[UUID]:
        """The visible entries of which what an operation takes back changed something."""
        return self.reverted.get(str(operation.params.get("transaction")), ())

    def covers_all(self, stored: StoredTransaction) -> bool:
        """Whether nothing of a transaction is hidden."""
        return all(map(self.covers, stored.operations))


def named_in(params: Mapping[str, Json]) -> Iterator[UUID]:
    """The entries that an operation names beside its declared relations."""
    found = (parse_uuid(str(params[name])) for name in NAMES if name in params)
    return (one for one in found if one is not None)


def relations_in(params: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """The declared relations among the parameters of an operation."""
    listed = params.get("relations")
    items: Sequence[Json] = listed if isinstance(listed, list) else []
    return [cast("Mapping[str, Json]", one) for one in items if isinstance(one, dict)]


def parts_in(operation: LoggedOperation) -> Sequence[Mapping[str, Json]]:
    """The parts of the edge that an operation says was derived."""
    listed = operation.params.get("parts") if operation.kind == DERIVE else None
    items: Sequence[Json] = listed if isinstance(listed, list) else []
    return [cast("Mapping[str, Json]", one) for one in items if isinstance(one, dict)]


def ended_in(operation: LoggedOperation) -> Sequence[Mapping[str, Json]]:
    """What the parts followed from that an operation says ended, as parts themselves say it."""
    listed = operation.params.get(ENDED) if operation.kind == DERIVE else None
    items: Sequence[Json] = listed if isinstance(listed, list) else []
    return [{PREMISES: one} if isinstance(one, list) else {} for one in items]


def premises_in(part: Mapping[str, Json]) -> Iterator[UUID]:
    """The entries that a part of a derived edge follows from beside its ends."""
    listed = part.get(PREMISES)
    found = (parse_uuid(str(one)) for one in (listed if isinstance(listed, list) else ()))
    return (one for one in found if one is not None)


def entries_in(stored: StoredTransaction) -> set[UUID]:
    """Every entry that a transaction touches or names."""
    found: set[UUID] = set()
    for operation in stored.operations:
        found.update(operation.touched)
        found.update(named_in(operation.params))
        others = (parse_uuid(str(one.get("dst"))) for one in relations_in(operation.params))
        found.update(one for one in others if one is not None)
        derived = (*parts_in(operation), *ended_in(operation))
        found.update(one for part in derived for one in premises_in(part))
    return found


def reverted_in(stored: StoredTransaction) -> set[str]:
    """The recorded instants of the transactions that a transaction takes back."""
    return {
        str(operation.params.get("transaction"))
        for operation in stored.operations
        if operation.kind == REVERT
    }


def touches(stored: StoredTransaction, entry_ids: Collection[UUID]) -> bool:
    """Whether a transaction, as it is told, is about any of some entries."""
    return any(one in entry_ids for operation in stored.operations for one in operation.touched)


def told(stored: StoredTransaction, sight: Sight, at: Sequence[int] | None = None) -> Told | None:
    """A transaction as it is told; ``None`` when it changed nothing visible.

    Args:
        stored: the transaction, or a part of it.
        sight: what may be seen of it.
        at: where the operations of a part stand among all.
    """
    operations: list[LoggedOperation] = []
    places: dict[int, int] = {}
    whole = sight.covers_all(stored)
    if not whole and not sight.changed.get(stored.number):
        return None  # what is left of it says nothing new, and would not be a transaction
    changed = _Changing(stored, sight, at or range(len(stored.operations))).touched()
    for place, operation in enumerate(stored.operations):
        made = _told(operation, sight, changed[place])
        if not sight.places:
            made = [replace(one, params=params_without_place(one.params)) for one in made]
        if made:
            places[place] = len(operations)
            operations.extend(made)
    if not operations:
        return None
    known = any(not is_reduced(one) for one in operations)
    made = replace(
        stored,
        operations=tuple(operations),
        reason=stored.reason if whole else None,
        actor=stored.actor if known else NOBODY,
    )
    return Told(made, places)


class _Changing:
    """Tells which operations of a transaction changed what, as far as they may be told.

    Of a row that just ended it is not known which operation ended it: one that may be told in full,
    else every one that may have. Of what a later operation said anew no row is left at all.
    """

    def __init__(self, stored: StoredTransaction, sight: Sight, at: Sequence[int]) -> None:
        """Args are as for :func:`told`, but for where the operations of a whole stand."""
        done = stored.operations
        self._done = done
        self._at = at
        self._sight = sight
        self._covered = [sight.covers(one) for one in done]
        self._rows = sight.changed.get(stored.number, Changed())
        self._wholes = _by_entry(compress(done, self._covered))
        self._opens = _by_entry(one for one in done if sight.opens(one))
        self._before = said_before(done)

    def touched(self) -> list[tuple[UUID, ...]]:
        """Of each operation, the visible entries that it changed."""
        return [self._touched(place) for place in range(len(self._done))]

    def _touched(self, place: int) -> tuple[UUID, ...]:
        operation = self._done[place]
        seen = [i for i in operation.touched if i in self._sight.seen]
        if self._covered[place]:
            return tuple(seen)
        changed = [i for i in seen if self._changed(i, place)]
        # What was derived is recorded of one end; without what is hidden of it, it is of both.
        derived = operation.kind == DERIVE and self._sight.opens(operation)
        return tuple(seen if changed and derived else changed)

    def _changed(self, entry_id: UUID, place: int) -> bool:
        operation, sight = self._done[place], self._sight
        if operation.kind == REVERT and entry_id not in sight.taken_back(operation):
            return False
        rows = self._rows.rows(entry_id, operation)
        own = entry_id == operation.entry_id
        if rows is not None:
            if self._at[place] in rows.places or (own and _makes(operation)):
                return True
            if self._ended(entry_id, operation, rows):
                return True
        return own and sight.opens(operation) and self._overtaken(place, rows)

    def _ended(self, entry_id: UUID, operation: LoggedOperation, rows: ChangedRows) -> bool:
        if any(map(self._sight.follows, ended_in(operation))):  # it says so itself
            return any(may_end(operation, what) for what in rows.gone)
        others = (self._wholes if self._sight.opens(operation) else self._opens).get(entry_id, ())
        return any(
            may_end(operation, what) and not any(may_end(other, what) for other in others)
            for what in rows.gone
        )

    def _overtaken(self, place: int, rows: ChangedRows | None) -> bool:
        """Whether a later operation said anew what one changed of which no name is hidden."""
        said, at = shown(self._done[place], self._sight), self._at[place]
        if place in self._before:
            earlier = shown(self._done[self._before[place]], self._sight)
            if says_otherwise(said, earlier):
                return True
        elif rows is not None and relates_again(said, rows, at):
            return True
        versions = rows is not None and rows.begin_behind(VERSION, at)
        return versions and may_end(said, VERSION)


def _by_entry(operations: Iterable[LoggedOperation]) -> dict[UUID, list[LoggedOperation]]:
    """Operations by the entries that they touched."""
    found: dict[UUID, list[LoggedOperation]] = {}
    for operation in operations:
        for one in operation.touched:
            found.setdefault(one, []).append(operation)
    return found


def _makes(operation: LoggedOperation) -> bool:
    """Whether an operation makes its entry: a later one may have recorded the only row of it."""
    return operation.kind in ("remember", "update")


def is_reduced(operation: LoggedOperation) -> bool:
    """Whether of an operation only the kind is told, and which visible entries it touched."""
    return operation.params.get("hidden") is True


def _told(
    operation: LoggedOperation, sight: Sight, touched: tuple[UUID, ...]
) -> Sequence[LoggedOperation]:
    if not touched:
        return ()
    if sight.hides_edge(operation):
        own = operation.entry_id
        return [_reduced(operation.kind if one == own else RELATE, (one,)) for one in touched]
    if not all(one in sight.seen for one in named_in(operation.params)):
        return [_reduced(operation.kind, touched)]
    if operation.kind == REVERT and not sight.covers(operation):
        return [_reduced(operation.kind, touched)]
    reason = operation.reason if sight.covers(operation) else None
    params = shown_params(operation, sight)
    return [replace(operation, params=params, reason=reason, touched=touched)]


def shown(operation: LoggedOperation, sight: Sight) -> LoggedOperation:
    """An operation with what is told of it, when it names nothing hidden otherwise."""
    return replace(operation, params=shown_params(operation, sight))


def shown_params(operation: LoggedOperation, sight: Sight) -> dict[str, Json]:
    """What is told of an operation that names nothing hidden but in its declared relations."""
    params = dict(operation.params)
    if relations := relations_in(params):
        params["relations"] = [dict(one) for one in relations if sight.shows(one)]
    if operation.kind == DERIVE:
        params["parts"] = [dict(one) for one in parts_in(operation) if sight.follows(one)]
        if ENDED in params:
            seen = [one[PREMISES] for one in ended_in(operation) if sight.follows(one)]
            params[ENDED] = seen
    if operation.reason is None or not sight.covers(operation):
        params.pop("reason", None)
    return params


def _reduced(kind: str, touched: tuple[UUID, ...]) -> LoggedOperation:
    entries: list[Json] = [str(one) for one in sorted(touched)]
    return LoggedOperation(
        kind, None, {"op": kind, "entries": entries, "hidden": True}, None, touched
    )
