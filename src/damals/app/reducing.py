"""The log as somebody who does not see everything may take it to another home.

A replay of it gives the same answers about what is visible. Hidden entries that cut visible ones,
or are tied to such, stay in shape, under ids that are not theirs; all others, and whatever relates
something visible to something hidden without a cut, are left out. At the end what is not theirs to
see is erased, so that it is in no answer of the other home either.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Final
from uuid import UUID, uuid4

from damals.app.changed_model import DERIVE, REVERT, only_ties
from damals.app.decisions import Part, contradicts, decisions, resolves, settles
from damals.app.ledger_model import LoggedOperation, StoredTransaction
from damals.app.ledger_port import LedgerReader
from damals.app.log_model import (
    ENDED,
    NAMES,
    NOBODY,
    Sight,
    entries_in,
    named_in,
    relations_in,
    reverted_in,
    shown,
    shown_params,
    touches,
)
from damals.app.overtaken import said_before, says_otherwise
from damals.app.places import told_without_places
from damals.app.redaction import ERASED_TITLE, Keys, inherited, is_repeated, shape, with_ids
from damals.domain.entries import Json
from damals.domain.ids import parse_uuid
from damals.domain.instants import format_instant
from damals.domain.operations import CONTRADICTS, CUTTING_RELATIONS
from damals.domain.types import relation_name

_TYING: Final = ("relate", "unrelate", "derive", "contradict")
"""Operations on a relation, which may have evidence."""

_COUNTING: Final = ("retract", "end", "correct")
"""Operations that count when validity is given back later, though they may have changed nothing."""

Shows = Callable[[Mapping[str, Json]], bool]
"""Whether a declared relation may be told."""

Pair = frozenset[UUID]


class Reduction:
    """Reduces the log of a workspace to what somebody may see of it."""

    def __init__(self, reader: LedgerReader) -> None:
        """Find out, in one pass over the log, which hidden entries a replay needs.

        Args:
            reader: as somebody who does not see everything.
        """
        self._reader = reader
        self._whole = reader.unrestricted()
        self._seen: dict[UUID, bool] = {}
        self._keys = Keys(reader)
        self._others = _Others()
        self._covered: set[str] = set()
        self._reverted: set[str] = set()
        self._acting: set[str] = set()
        self._decided: set[Pair] = set()
        self._kept = self._needed()

    def for_replay(self) -> Iterator[StoredTransaction]:
        """Transactions as another home can replay them."""
        # What stands in for others is there before all else, so that nothing that is taken back
        # takes it back. Who does is known once all is told, so it is told twice.
        first = last = next(self._transactions(), None)
        for one in self._transactions():
            last = one
        if first is None or last is None:
            return
        if self._others.began:
            yield self._of_others(first.recorded_at - 1, map(_begun, self._others.began))
        yield from self._transactions()
        if gone := self._others.left():
            yield self._of_others(last.recorded_at + 1, map(_erased, gone))

    def _transactions(self) -> Iterator[StoredTransaction]:
        made = (self._transaction(stored, told) for stored, told in self._log())
        return (one for one in made if one is not None)

    def _log(self) -> Iterator[tuple[StoredTransaction, StoredTransaction | None]]:
        """Every transaction, and as it is told, where it is."""
        told = self._reader.log()
        one = next(told, None)
        everything = self._whole.log()
        if not self._reader.access.places:
            everything = map(told_without_places, everything)
        for stored in everything:
            if one is not None and one.number == stored.number:
                yield stored, one
                one = next(told, None)
            else:
                yield stored, None

    def _of_others(self, at: int, operations: Iterable[dict[str, Json]]) -> StoredTransaction:
        zone = self._reader.workspace().zone
        return StoredTransaction(0, at, at, NOBODY, None, zone, tuple(map(_logged, operations)))

    # --- who is needed

    def _needed(self) -> frozenset[UUID]:
        """The hidden entries without which validity would come out otherwise."""
        ties: list[frozenset[UUID]] = []
        needed: set[UUID] = set()
        held: dict[UUID, set[str]] = {}
        for stored, told in self._log():
            self._learn(entries_in(stored))
            self._reverted |= reverted_in(stored)
            for operation in stored.operations:
                _take_keys(operation, held)
                settled = settles(operation, told)
                if resolves(operation) or settled:
                    self._decided.add(frozenset(named_in(operation.params)))
                hidden = frozenset(i for i in operation.touched if not self._seen[i])
                if not hidden or (only_ties(operation) and not settled):
                    continue
                if told is not None and self._changes(operation, told):
                    needed |= hidden
                elif len(hidden) > 1:
                    ties.append(hidden)
        ties.extend(self._key_ties(held, needed))
        return frozenset(_tied(needed, ties))

    def _changes(self, operation: LoggedOperation, told: StoredTransaction) -> bool:
        """Whether an operation may have changed something visible, as its transaction is told."""
        return touches(told, [one for one in operation.touched if self._seen[one]])

    def _key_ties(
        self, held: Mapping[UUID, set[str]], needed: set[UUID]
    ) -> Iterator[frozenset[UUID]]:
        """Hidden entries that share a key: what is given back ends where the other holds.

        Those that share one with a visible entry are added to what is needed.
        """
        holders: dict[str, set[UUID]] = {}
        for entry_id, keys in held.items():
            if not self._seen[entry_id]:
                for key in keys:
                    holders.setdefault(key, set()).add(entry_id)
        for key, ids in holders.items():
            if self._keys.shared(key):
                needed |= ids
            yield frozenset(ids)

    def _learn(self, entry_ids: Iterable[UUID]) -> None:
        new = {one for one in entry_ids if one not in self._seen}
        if new:
            seen = self._reader.seen(new)
            self._seen.update((one, one in seen) for one in new)

    # --- what is told

    def _transaction(
        self, stored: StoredTransaction, told: StoredTransaction | None
    ) -> StoredTransaction | None:
        sight = Sight(
            frozenset(i for i in entries_in(stored) if self._seen[i]),
            self._reader.access.hidden_relations,
            self._covered,
        )
        name = format_instant(stored.recorded_at)
        if sight.covers_all(stored):
            self._covered.add(name)
            return stored
        acting = self._acting_in(stored, sight, told)
        if told is not None or not all(map(sight.covers, compress(stored.operations, acting))):
            self._acting.add(name)
        made: list[LoggedOperation] = []
        for one, acts in zip(stored.operations, acting, strict=True):
            if acts:
                made.append(one if sight.covers(one) else self._operation(stored, one, sight))
            elif told is not None:
                part = Part(stored, told, one, sight)
                made += decisions(self._whole, part, self._name_of)
        hides = told is None or not all(acting)
        stays = hides and any(one.kind in _COUNTING for one in compress(stored.operations, acting))
        if stays or name in self._reverted:  # what is left out may have been all that was new
            instead = self._others.name(f"in {stored.number}", erase=True)
            made.extend(map(_logged, _nothing(instead)))
        elif told is None and all(map(sight.covers, compress(stored.operations, acting))):
            return None
        actor = NOBODY if told is None else told.actor
        return replace(stored, actor=actor, reason=None, operations=tuple(made))

    def _acting_in(
        self, stored: StoredTransaction, sight: Sight, told: StoredTransaction | None
    ) -> list[bool]:
        """Of each operation, whether another home has to do it."""
        acting: list[bool] = []
        before = said_before(stored.operations)
        for place, one in enumerate(stored.operations):
            acts = sight.covers(one) or self._acts(one, sight, told)
            if acts and one.entry_id not in sight.seen:
                acts = not is_repeated(self._whole, stored, one, entirely=True)
            if not acts and place in before and acting[before[place]]:
                # It may have withdrawn what that one said, so that nothing of both is told.
                said = shown(stored.operations[before[place]], sight)
                acts = told is None and says_otherwise(shown(one, sight), said)
            acting.append(acts)
        return acting

    def _acts(
        self, operation: LoggedOperation, sight: Sight, told: StoredTransaction | None
    ) -> bool:
        """Whether an operation that may not be told in full is needed all the same."""
        pair = frozenset(named_in(operation.params))
        decided = contradicts(operation) and pair in self._decided
        decided = decided or settles(operation, told)
        if operation.kind == DERIVE:
            return self._derives(operation, sight, told)
        if sight.hides_edge(operation) or (only_ties(operation) and not decided):
            return False
        if operation.kind == REVERT and operation.params.get("transaction") in self._acting:
            # Of a relation that it gives back or takes it touched no more than one end, and of what
            # a later operation withdrew at once no row is left.
            return True
        if not self._kept.isdisjoint((*operation.touched, *pair)):
            return True
        return told is not None and self._is_told(operation, sight, told)

    def _derives(
        self, operation: LoggedOperation, sight: Sight, told: StoredTransaction | None
    ) -> bool:
        """Whether an operation derived, or ended, something that may be told."""
        if told is None or any(i not in sight.seen for i in named_in(operation.params)):
            return False
        params = shown_params(operation, sight)
        return any(one.params == params for one in told.operations)

    def _is_told(self, operation: LoggedOperation, sight: Sight, told: StoredTransaction) -> bool:
        """Whether an operation of which something is hidden may have changed what is visible."""
        if not self._changes(operation, told):
            return False
        if operation.kind == REVERT or any(i not in sight.seen for i in named_in(operation.params)):
            return True
        # Without its relations nothing of it is hidden, and so it is told by the other home.
        params = shown_params(operation, sight)
        return any(one.params == params for one in told.operations)

    def _operation(
        self, stored: StoredTransaction, operation: LoggedOperation, sight: Sight
    ) -> LoggedOperation:
        """An operation that does the same to what is visible, and tells of nothing else."""
        if operation.entry_id in sight.seen:
            return self._of_visible(stored, operation, sight)
        params = with_ids(operation)
        if operation.kind != REVERT:
            params = shape(stored, operation, self._keys)
            params |= self._named(operation, lambda _: False)
            if is_repeated(self._whole, stored, operation):
                params.pop("content", None)
        if operation.kind == "erase":
            self._others.gone(str(params["target"]))
        return replace(operation, params=params, reason=None)

    def _of_visible(
        self, stored: StoredTransaction, operation: LoggedOperation, sight: Sight
    ) -> LoggedOperation:
        params = with_ids(operation)
        target = parse_uuid(str(params.get("target")))
        if operation.kind == "update" and target not in sight.seen:
            params |= inherited(self._whole, stored, operation)
        params |= self._named(replace(operation, params=params), sight.shows)
        if operation.kind == DERIVE:
            may_be = shown_params(operation, sight)
            params |= {name: may_be[name] for name in ("parts", ENDED) if name in may_be}
        return replace(operation, params=params, reason=None)

    def _named(self, operation: LoggedOperation, shows: Shows) -> dict[str, Json]:
        """The parameters that name entries, by names that may be told."""
        params = with_ids(operation)
        made: dict[str, Json] = {}
        for name in NAMES:
            entry_id = parse_uuid(str(params[name])) if name in params else None
            if entry_id is not None:
                made[name] = self._name_of(entry_id)
        if "relations" in params:
            said = (self._said(one, shows) for one in relations_in(params))
            made["relations"] = [one for one in said if one is not None]
        if "evidence" in params and operation.kind in _TYING:
            made["evidence"] = self._evidence(params["evidence"])
        return made

    def _evidence(self, evidence: Json) -> list[Json]:
        listed = evidence if isinstance(evidence, list) else []
        return [str(self._others.name(f"evidence {one}")) for one in listed]

    def _name_of(self, entry_id: UUID) -> str:
        if self._seen.get(entry_id):
            return str(entry_id)
        if entry_id in self._kept:
            return str(self._others.name(f"entry {entry_id}", erase=True))
        return str(self._others.stand_in(f"entry {entry_id}"))

    def _said(self, relation: Mapping[str, Json], shows: Shows) -> dict[str, Json] | None:
        """A declared relation; of one that may not be told, no more than what it cuts."""
        if shows(relation):
            return dict(relation)
        kind, dst = relation_name(str(relation.get("type"))), parse_uuid(str(relation.get("dst")))
        if dst is None or not (self._seen[dst] or dst in self._kept):
            return None
        made: dict[str, Json] = {"type": kind, "dst": self._name_of(dst)}
        if kind not in CUTTING_RELATIONS:
            return made if kind == CONTRADICTS and not relation.get("target") else None
        if relation.get("target"):  # of a link, whose other end need not be there
            said = json.dumps(relation, sort_keys=True)
            made["target"] = str(self._others.name(f"link {said}"))
        return made


class _Others:
    """Entries of the other home that stand for what is not told, each by an id of its own."""

    def __init__(self) -> None:
        self.began: list[UUID] = []
        self._ids: dict[str, UUID] = {}
        self._left: set[str] = set()
        self._erased: set[str] = set()

    def name(self, of: str, *, erase: bool = False) -> UUID:
        """An id in the place of something that is told elsewhere."""
        made = self._ids.setdefault(of, uuid4())
        if erase:
            self._left.add(str(made))
        return made

    def stand_in(self, of: str) -> UUID:
        """An entry that says nothing, and begins before all else."""
        if of not in self._ids:
            self.began.append(self.name(of, erase=True))
        return self._ids[of]

    def gone(self, name: str) -> None:
        """One is erased already."""
        self._erased.add(name)

    def left(self) -> Sequence[str]:
        """All that are still to be erased."""
        return sorted(self._left - self._erased)


def _take_keys(operation: LoggedOperation, held: dict[UUID, set[str]]) -> None:
    """The keys that an entry may have had, by what was said of it: an erased one is not asked."""
    if operation.entry_id is None:
        return
    keys = held.setdefault(operation.entry_id, set())
    key = operation.params.get("key")
    if isinstance(key, str):
        keys.add(key)
    if operation.kind == "update":
        for other in operation.touched:
            keys |= held.get(other, set())


def _tied(needed: Iterable[UUID], ties: Iterable[frozenset[UUID]]) -> set[UUID]:
    """What is needed, and what that is tied to."""
    found, rest = set(needed), list(ties)
    while True:
        more = [tie for tie in rest if not found.isdisjoint(tie)]
        rest = [tie for tie in rest if found.isdisjoint(tie)]
        if not more:
            return found
        found.update(*more)


def _begun(one: UUID) -> dict[str, Json]:
    return {"op": "remember", "id": str(one), "title": ERASED_TITLE, "content": ""}


def _nothing(one: UUID) -> tuple[dict[str, Json], ...]:
    """What makes a transaction, and leaves nothing in it: that may be taken back twice."""
    return _begun(one), {"op": "retract", "target": str(one), "restore": False}


def _erased(one: str) -> dict[str, Json]:
    return {"op": "erase", "target": one}


def _logged(params: dict[str, Json]) -> LoggedOperation:
    return LoggedOperation(str(params["op"]), None, params, None, ())
