"""What a reader may see and tell: the part of it on which all others stand."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, CursorResult, Executable, Row, and_, bindparam, select

from damals.adapters.sql import log, telling
from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.contents import TextOwner, batches
from damals.adapters.sql.erasing import ENTRY
from damals.adapters.sql.queries import FOREVER_LITERAL, Query
from damals.adapters.sql.reserved import tombstones
from damals.adapters.sql.rows import found_of
from damals.adapters.sql.schema import entries, touches, transactions
from damals.app import log_model
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import At, EntryInfo, Found, StoredTransaction
from damals.app.log_model import Sight, Told, entries_in, is_reduced, reverted_in
from damals.app.places import without_place
from damals.domain.entries import Attributes, Version
from damals.domain.instants import format_instant, instant_of

Values = dict[str, Any]


_RECORDED_AT: Final = select(transactions.c.number).where(
    transactions.c.workspace_id == bindparam("workspace"),
    transactions.c.recorded_at.in_(bindparam("instants", expanding=True)),
)


_TOUCHED_ERASED: Final = (
    select(touches.c.number, tombstones.c.target)
    .join_from(
        tombstones,
        touches,
        and_(
            touches.c.workspace_id == tombstones.c.workspace_id,
            touches.c.entry_id == tombstones.c.target,
        ),
    )
    .where(
        tombstones.c.workspace_id == bindparam("workspace"),
        tombstones.c.kind == ENTRY,
        touches.c.number.in_(bindparam("numbers", expanding=True)),
    )
)


@cache
def _seen(shape: AccessShape) -> Query:
    """Those of ``entries`` that may be seen and are not erased."""
    return select(entries.c.entry_id).where(
        entries.c.workspace_id == bindparam("workspace"),
        entries.c.entry_id.in_(bindparam("entries", expanding=True)),
        entries.c.erased_at == FOREVER_LITERAL,
        *visible(shape, entries.c.workspace_id, entries.c.entry_id),
    )


class SightReader:
    """The part of a reader that knows what may be seen; the rest of it runs the statements."""

    _connection: Connection
    _owner: TextOwner
    _access: AccessFilter
    _shape: AccessShape

    @property
    def access(self) -> AccessFilter:
        """What may be seen."""
        return self._access

    @property
    def shape(self) -> AccessShape:
        """Of the access filter."""
        return self._shape

    def run(self, statement: Executable, values: Values) -> CursorResult[Any]:
        """The rows of a statement, with the parameters that all of a reader share."""
        return self._execute(statement, values)

    @property
    def _restricted(self) -> bool:
        return self._access != OWNER

    def seen(self, entry_ids: Collection[UUID]) -> frozenset[UUID]:
        """Those of some ids that are of entries that may be seen and are not erased."""
        found: set[UUID] = set()
        for batch in batches(sorted(one.bytes for one in set(entry_ids))):
            rows = self._rows(_seen(self._shape), {"entries": batch})
            found.update(UUID(bytes=row.entry_id) for row in rows)
        return frozenset(found)

    def _wanted(self, entry_ids: Collection[UUID]) -> list[UUID]:
        """Of what is asked for, what may be told, in the order asked."""
        if not self._restricted:
            return list(entry_ids)
        seen = self.seen(entry_ids)
        return [one for one in entry_ids if one in seen]

    def _told(self, stored: Iterable[StoredTransaction]) -> dict[int, Told]:
        """Transactions as they are told, by number; without those that are not."""
        listed = list(stored)
        if not self._restricted:
            return {one.number: _whole(one) for one in listed}
        sight = self._sight(listed)
        told = ((one.number, log_model.told(one, sight)) for one in listed)
        return {number: one for number, one in told if one is not None}

    def _sight(self, listed: Sequence[StoredTransaction]) -> Sight:
        """What may be seen of some transactions, and of those that they take back."""
        named = {entry_id for one in listed for entry_id in entries_in(one)}
        seen, hidden = self.seen(named), self._access.hidden_relations
        back = self._recorded_at({at for one in listed for at in reverted_in(one)})
        sight = Sight(seen, hidden, self._covered(back), places=self._access.places)
        part = {one.number for one in listed if not sight.covers_all(one)}
        known = {format_instant(one.recorded_at): one.number for one in back}
        known = {at: number for at, number in known.items() if at not in sight.covered}
        numbers = part.union(known.values())
        changed = telling.changed_by(self._execute, self.seen, numbers, self._access)
        reverted = {at: changed[number].own.keys() for at, number in known.items()}
        return replace(sight, changed=changed, reverted=reverted)

    def _covered(self, back: Sequence[StoredTransaction]) -> frozenset[str]:
        """The instants of those of some transactions of which nothing is hidden."""
        if not back:
            return frozenset()
        named = {entry_id for one in back for entry_id in entries_in(one)}
        further = self._recorded_at({at for one in back for at in reverted_in(one)})
        covered = self._covered(further)
        before = Sight(self.seen(named), self._access.hidden_relations, covered)
        whole = (one.recorded_at for one in back if before.covers_all(one))
        return frozenset(map(format_instant, whole))

    def _recorded_at(self, instants: Collection[str]) -> list[StoredTransaction]:
        """The transactions that were recorded at some instants."""
        numbers: list[int] = []
        for batch in batches(sorted(map(instant_of, instants))):
            numbers.extend(self._execute(_RECORDED_AT, {"instants": batch}).scalars())
        workspace = self._owner.workspace_id
        return list(log.read_transactions(self._connection, workspace, numbers).values())

    def _found(self, rows: Iterable[Row[Any]], at: At) -> list[Found]:
        """Versions with their entries' identities, as they are told."""
        found = [found_of(row, at.known_at) for row in rows]
        if not self._restricted:
            return found
        found = [replace(one, version=self._version(one.version)) for one in found]
        later = [f.info for f in found if f.version.opened_by != f.info.last_transaction]
        told = self._as_told(later) if later else {}
        return [replace(one, info=told.get(one.info.id, one.info)) for one in found]

    def _version(self, version: Version) -> Version:
        """A version as it is told."""
        return replace(version, attributes=self._attributes(version.attributes))

    def _attributes(self, attributes: Attributes) -> Attributes:
        """What an entry says, as it is told."""
        return attributes if self._access.places else without_place(attributes)

    def _as_told(self, infos: Iterable[EntryInfo]) -> dict[UUID, EntryInfo]:
        """Identities of entries with the last transaction that is told of each.

        What touched them last may have changed nothing of them that may be told.
        """
        listed = {info.id: info for info in infos}
        numbers = {info.last_transaction for info in listed.values()}
        changed = telling.changed_by(self._execute, self.seen, numbers, self._access)
        unsure = [i for i in listed.values() if i.id not in changed[i.last_transaction].own]
        told = self._told_by_number({info.last_transaction for info in unsure})
        behind = [info for info in unsure if not _touches(told.get(info.last_transaction), info.id)]
        return listed | {info.id: self._last_told(info) for info in behind}

    def _last_told(self, info: EntryInfo) -> EntryInfo:
        before = info.updated_at
        while True:
            given = {"entry": info.id.bytes, "before": before}
            earlier = self._execute(telling.EARLIER, given).all()
            told = self._told_by_number([row.number for row in earlier])
            for row in earlier:
                if _touches(told.get(row.number), info.id):
                    number, at = row.number, row.recorded_at
                    return replace(info, last_transaction=number, updated_at=at)
            if len(earlier) < telling.PAGE:
                return info
            before = earlier[-1].recorded_at

    def _told_at(self, places: Collection[tuple[int, int]]) -> dict[int, Told]:
        """The transactions of some operations, pairs of number and place, by number.

        Of each no more than these operations, and no reason that may tell of what is erased.
        """
        parts = log.read_parts(self._connection, self._owner.workspace_id, places)
        if not self._restricted:
            reasoned = [n for n, part in parts.items() if part.transaction.reason is not None]
            withheld = self._withheld(reasoned)
            return {n: _told_part(part, withheld=n in withheld) for n, part in parts.items()}
        found: dict[int, Told] = {}
        sight = self._sight([part.transaction for part in parts.values()])
        for number, part in parts.items():
            told = log_model.told(part.transaction, sight, part.places)
            # Who did it, and why, may hang on the other operations as well.
            if told is not None and part.transaction.reason is None and not _reduced(told):
                places_ = {part.places[place]: at for place, at in told.places.items()}
                found[number] = Told(told.transaction, places_)
        whole = self._told_by_number(parts.keys() - found.keys())
        return found | {n: one.only(parts[n].places) for n, one in whole.items()}

    def _told_by_number(self, numbers: Collection[int]) -> dict[int, Told]:
        wanted = sorted(set(numbers))
        found = log.read_transactions(self._connection, self._owner.workspace_id, wanted)
        return self._told(found.values())

    def _withheld(self, numbers: Collection[int]) -> dict[int, set[UUID]]:
        """Of the transactions that touched what is erased, what that is."""
        found: dict[int, set[UUID]] = {}
        for batch in batches(sorted(numbers)):
            for row in self._execute(_TOUCHED_ERASED, {"numbers": batch}):
                found.setdefault(row.number, set()).add(UUID(bytes=row.target))
        return found

    def _rows(self, statement: Query, values: Values) -> Iterator[Any]:
        raise NotImplementedError

    def _execute(self, statement: Executable, values: Values) -> CursorResult[Any]:
        raise NotImplementedError


def _touches(told: Told | None, entry_id: UUID) -> bool:
    """Whether a transaction is told, and to have touched an entry."""
    return told is not None and log_model.touches(told.transaction, {entry_id})


def _whole(stored: StoredTransaction) -> Told:
    return Told(stored, {place: place for place in range(len(stored.operations))})


def _told_part(part: log.Part, *, withheld: bool) -> Told:
    transaction = replace(part.transaction, reason=None) if withheld else part.transaction
    return Told(transaction, {place: at for at, place in enumerate(part.places)})


def _reduced(told: Told) -> bool:
    """Whether of any operation hardly anything is told."""
    return any(map(is_reduced, told.transaction.operations))
