"""The log without what was erased.

Erasing leaves the fact that operations happened, since other entries stand on them: what they cut
stays cut. What they said is gone. For people an operation on an erased entry is its name and an
id; an export keeps as much of its shape as a replay needs to give the same answers about others.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from damals.app.ledger_model import EVERYTHING, LoggedOperation, StoredTransaction
from damals.app.ledger_port import LedgerReader
from damals.domain.book import INHERITED
from damals.domain.entries import Json
from damals.domain.fields import FIELDS
from damals.domain.ids import parse_uuid
from damals.domain.instants import format_instant

ERASED_TITLE: Final = "[erased]"

_SHAPE: Final = frozenset(
    {
        *("op", "id", "target", "src", "dst", "a", "b", "type", "keep", "transaction"),
        *("valid_from", "valid_to", "valid_until", "at", "on_overlap", "relation", "restore"),
        *("score", "confidence", "rule", "parts", "ended"),
    }
)
"""Parameters that say what is done to whom and when, but nothing of what was known."""

_SAYS: Final = frozenset(FIELDS) - {"key"}
"""Parameters of what an entry says; a key stays, by a name of its own."""

_NAMED_OTHERWISE: Final = ("relate", "unrelate", "derive")
"""Operations whose ``type`` is one of relations; elsewhere it says something of an entry."""


@dataclass(slots=True)
class Keys:
    """Keys in what is told of entries that may not be named.

    Attributes:
        reader: of those entries that may be.
    """

    reader: LedgerReader
    _names: dict[str, str] = field(default_factory=dict[str, str])

    def shared(self, key: str) -> bool:
        """Whether an entry that may be named ever had a key."""
        return bool(self.reader.key_history(key, EVERYTHING))

    def named(self, key: str) -> str:
        """A key that some entry still has; another name for one that nobody has any more."""
        if key not in self._names:
            name = f"[erased key {len(self._names) + 1}]"
            self._names[key] = key if self.shared(key) else name
        return self._names[key]


@dataclass(slots=True)
class Redaction:
    """Takes out of a log what must not be told any more.

    Attributes:
        reader: the workspace whose log it is.
    """

    reader: LedgerReader
    _erased: frozenset[UUID] = field(init=False)
    _keys: Keys = field(init=False)

    def __post_init__(self) -> None:
        """Ask once who was erased."""
        self._erased = frozenset(self.reader.tombstones())
        self._keys = Keys(self.reader)

    def for_people(self, log: Iterable[StoredTransaction]) -> Iterator[StoredTransaction]:
        """Transactions as they are shown."""
        return (self._transaction(stored, replayable=False) for stored in log)

    def for_replay(self, log: Iterable[StoredTransaction]) -> Iterator[StoredTransaction]:
        """Transactions as another home can replay them, with the same answers about all others."""
        return (self._transaction(stored, replayable=True) for stored in log)

    def _transaction(self, stored: StoredTransaction, *, replayable: bool) -> StoredTransaction:
        if self._erased.isdisjoint(i for op in stored.operations for i in op.touched):
            return stored
        operations = tuple(
            self._operation(stored, operation, replayable=replayable)
            for operation in stored.operations
        )
        return replace(stored, reason=None, operations=operations)

    def _operation(
        self, stored: StoredTransaction, operation: LoggedOperation, *, replayable: bool
    ) -> LoggedOperation:
        if self._erased.isdisjoint(operation.touched):
            return operation
        params = with_ids(operation)
        if operation.entry_id in self._erased:
            params = self._shape(stored, operation) if replayable else _name(params)
        elif operation.kind == "update" and replayable and self._is_erased(params["target"]):
            params |= inherited(self.reader, stored, operation)
        return replace(operation, params=params, reason=None)

    def _is_erased(self, target: Json) -> bool:
        return parse_uuid(str(target)) in self._erased

    def _shape(self, stored: StoredTransaction, operation: LoggedOperation) -> dict[str, Json]:
        kept = shape(stored, operation, self._keys)
        if "relations" in operation.params:
            kept["relations"] = _plain_relations(operation.params["relations"])
        return kept


def shape(stored: StoredTransaction, operation: LoggedOperation, keys: Keys) -> dict[str, Json]:
    """An operation that says nothing and does the same to others, but for declared relations."""
    params = with_ids(operation)
    kind = params["op"]
    kept = bare_shape(params)
    kept.pop("relations", None)
    if "key" in params:  # that it has none any more is part of the shape
        key = params["key"]
        kept["key"] = keys.named(key) if isinstance(key, str) else None
    if kind in ("remember", "update"):
        kept |= {"title": ERASED_TITLE, "content": ""}
    if "content" in kept and kind == "correct":
        place = stored.operations.index(operation)
        kept["content"] = f"{format_instant(stored.recorded_at)} {place}"
    return kept


def bare_shape(params: Mapping[str, Json]) -> dict[str, Json]:
    """What parameters say of whom something is done to and when; no key.

    A correction that says something new has an empty ``content``. Done again, it changes nothing.
    """
    kind = params["op"]
    kept = {name: value for name, value in params.items() if name in _SHAPE}
    if kind not in _NAMED_OTHERWISE:
        kept.pop("type", None)
    if "parts" in kept:
        kept["parts"] = _plain_parts(kept["parts"])
    if "relations" in params:
        kept["relations"] = _plain_relations(params["relations"])
    if kind == "correct" and not _SAYS.isdisjoint(params):  # it still says something new
        kept["content"] = ""
    return kept


def is_repeated(
    reader: LedgerReader,
    stored: StoredTransaction,
    operation: LoggedOperation,
    *,
    entirely: bool = False,
) -> bool:
    """Whether a correction said nothing new of its entry, as far as rows are left of that.

    Args:
        reader: sees the entry.
        stored: the transaction of the correction.
        operation: any operation; of others than corrections it is not known.
        entirely: it said nothing else either, neither when it holds nor what it is related to.
    """
    if operation.kind != "correct" or operation.entry_id is None:
        return False
    if entirely and not _SAYS.issuperset(operation.params.keys() - {"op", "target", "reason"}):
        return False
    rows = [found.version for found, _ in reader.history(operation.entry_id, EVERYTHING)]
    return bool(rows) and all(stored.number not in (r.opened_by, r.closed_by) for r in rows)


def inherited(
    reader: LedgerReader, stored: StoredTransaction, operation: LoggedOperation
) -> dict[str, Json]:
    """What an entry took over from one that may not be named, said out loud.

    Of what the same transaction corrected at once, no row tells what it was; it was otherwise, and
    so it is said here, or the correction would say nothing new.
    """
    if operation.entry_id is None:
        return {}
    for found, _ in reader.history(operation.entry_id, EVERYTHING):
        if found.version.opened_by == stored.number:
            has = found.version.attributes
            said: dict[str, Json] = {"tags": list(has.tags), "acl": list(has.acl)}
            said.update((n, getattr(has, n)) for n in INHERITED if n not in said)
            corrected = _corrected(stored, operation.entry_id)
            return {n: _otherwise(n, one) if n in corrected else one for n, one in said.items()}
    return {}


def _corrected(stored: StoredTransaction, entry_id: UUID) -> set[str]:
    """The fields of an entry that a transaction corrects."""
    corrections = (
        one for one in stored.operations if one.kind == "correct" and one.entry_id == entry_id
    )
    pins = {one.kind for one in stored.operations if one.entry_id == entry_id} & {"pin", "unpin"}
    return {name for one in corrections for name in one.params} | ({"pinned"} if pins else set())


def _otherwise(name: str, value: Json) -> Json:
    """Another value of a field than this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value - 1 if value > 1 else value + 1
    if isinstance(value, list):
        return [*value, ERASED_TITLE]
    if name == "visibility":
        return "internal" if value == "public" else "public"
    return "en" if name == "lang" and value != "en" else ERASED_TITLE


def with_ids(operation: LoggedOperation) -> dict[str, Json]:
    """The parameters without their reason, the target as an id: an external id can name people."""
    params = dict(operation.params)
    params.pop("reason", None)
    if "target" in params and parse_uuid(str(params["target"])) is None:
        others = [i for i in operation.touched if i != operation.entry_id]
        target = (others or [None])[0] if operation.kind == "update" else operation.entry_id
        params["target"] = str(target or params["target"])
    return params


def _name(params: Mapping[str, Json]) -> dict[str, Json]:
    """What an operation is called and whom it was about."""
    names = ("op", "id", "target", "src", "dst", "a", "b")
    return {name: params[name] for name in names if name in params} | {"erased": True}


def _plain_parts(parts: Json) -> list[Json]:
    """Where a derived edge held; what showed it is left out."""
    listed = parts if isinstance(parts, list) else []
    return [
        {name: value for name, value in one.items() if name != "evidence"}
        for one in listed
        if isinstance(one, dict)
    ]


def _plain_relations(relations: Json) -> list[Json]:
    """Type and other end of relations; what a link was written as is left out."""
    listed = relations if isinstance(relations, list) else []
    return [
        {"type": one.get("type"), "dst": one.get("dst")}
        for one in listed
        if isinstance(one, dict) and not one.get("unresolved")
    ]
