"""What transactions changed of entries, for those who do not see everything.

Of a row that a transaction began it is stored which operation did; of one that it ended, only the
transaction is. Which operations may have ended it follows from their kinds.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from damals.app.ledger_model import LoggedOperation
from damals.domain.operations import CONTRADICTS, CUTTING_RELATIONS
from damals.domain.types import relation_name

REVERT: Final = "revert"
RELATE: Final = "relate"
DERIVE: Final = "derive"
RELATING: Final = (RELATE, "unrelate", DERIVE)
_TYING: Final = (*RELATING, "contradict", "resolve")

VERSION: Final = "version"
ARCHIVING: Final = "archiving"
VERIFICATION: Final = "verification"

Edge = tuple[UUID, str, UUID, str | None]
"""Source, type and other end of a relation, and the rule that gave it where it was derived."""

What = str | Edge
"""What a row is: what ends and begins anew in the same transaction is the same."""

_PERIOD: Final = frozenset({"valid_from", "valid_to", "valid_until"})
_MARKING: Final = {
    "archive": ARCHIVING, "unarchive": ARCHIVING, "verify": VERIFICATION,
}  # fmt: skip
"""Operations that begin and end nothing but marks of one kind."""


@dataclass(frozen=True, slots=True)
class Change:
    """A row that a transaction began or ended, as far as it tells something of a visible entry.

    Attributes:
        entry_id: the entry.
        what: the row is.
        place: of the operation that began it; ``None`` when it ended.
        cut: it is a relation that cut the entry; else it is the entry's own: a version, a mark,
            or a relation from it.
    """

    entry_id: UUID
    what: What
    place: int | None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """The rows of an entry that a transaction began and ended.

    Attributes:
        began: the places of the operations that began one, by what it is.
        places: all of them.
        gone: what ended and did not begin anew.
        renewed: what ended and began anew.
    """

    began: Mapping[What, Collection[int]]
    places: Collection[int]
    gone: Collection[What]
    renewed: Collection[What]

    def begin_behind(self, what: What, place: int) -> bool:
        """Whether an operation behind a place began this."""
        return any(one > place for one in self.began.get(what, ()))


@dataclass(frozen=True, slots=True)
class Changed:
    """Of which visible entries a transaction began or ended a row that may be seen.

    Attributes:
        own: rows of the entry itself, and relations from it.
        cuts: relations that cut it, whoever did. To take one back leaves the entry as it is,
            unless rows of its own come back.
    """

    own: Mapping[UUID, ChangedRows] = field(default_factory=dict[UUID, ChangedRows])
    cuts: Mapping[UUID, ChangedRows] = field(default_factory=dict[UUID, ChangedRows])

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.own or self.cuts)

    def rows(self, entry_id: UUID, operation: LoggedOperation) -> ChangedRows | None:
        """The rows of an entry that an operation of this kind may change; ``None`` for none."""
        own, cuts = self.own.get(entry_id), self.cuts.get(entry_id)
        if operation.kind == REVERT or cuts is None:
            return own
        if own is None:
            return cuts
        return ChangedRows(
            {**own.began, **cuts.began},
            {*own.places, *cuts.places},
            {*own.gone, *cuts.gone},
            {*own.renewed, *cuts.renewed},
        )


def changed_by(changes: Iterable[Change]) -> Changed:
    """What the rows that a transaction began and ended changed."""
    listed = list(changes)
    return Changed(
        _rows(one for one in listed if not one.cut), _rows(one for one in listed if one.cut)
    )


def _rows(changes: Iterable[Change]) -> dict[UUID, ChangedRows]:
    began: dict[UUID, dict[What, set[int]]] = {}
    ended: dict[UUID, set[What]] = {}
    for one in changes:
        ends = ended.setdefault(one.entry_id, set())
        begins = began.setdefault(one.entry_id, {})
        if one.place is None:
            ends.add(one.what)
        else:
            begins.setdefault(one.what, set()).add(one.place)
    return {
        i: ChangedRows(
            began[i],
            {one for places in began[i].values() for one in places},
            ends - began[i].keys(),
            ends & began[i].keys(),
        )
        for i, ends in ended.items()
    }


def only_ties(operation: LoggedOperation) -> bool:
    """Whether an operation leaves both of its entries as they are."""
    if operation.kind == "resolve":
        return operation.params.get("keep") == "both"
    return operation.kind in (*RELATING, "contradict") and not _cuts(operation)


def may_end(operation: LoggedOperation, what: What) -> bool:
    """Whether a row of an entry that an operation touched may have ended by it."""
    if operation.kind in _TYING and (only_ties(operation) or operation.kind == RELATE):
        return _ties(operation, what) or (what == VERSION and not only_ties(operation))
    if operation.kind in _MARKING:
        return what == _MARKING[operation.kind]
    if operation.kind == "correct":
        return _corrects(operation.params.keys(), what)
    return True


def _ties(operation: LoggedOperation, what: What) -> bool:
    """Whether a row is of the relation that an operation is about."""
    params = operation.params
    ends = {str(params[name]) for name in ("src", "dst", "a", "b") if name in params}
    if not isinstance(what, tuple) or ends != {str(what[0]), str(what[2])}:
        return False
    if (params.get("rule") if operation.kind == DERIVE else None) != what[3]:
        return False
    kind = params.get("type") if operation.kind in RELATING else CONTRADICTS
    return relation_name(str(kind)) == what[1]


def _corrects(params: Collection[str], what: What) -> bool:
    if isinstance(what, tuple):
        moves = what[1] in CUTTING_RELATIONS and not _PERIOD.isdisjoint(params)
        return "relations" in params or moves
    says = set(params) - {"op", "target", "reason", "relations", "if_transaction"}
    return what == VERSION and bool(says)


def _cuts(operation: LoggedOperation) -> bool:
    return relation_name(str(operation.params.get("type"))) in CUTTING_RELATIONS
