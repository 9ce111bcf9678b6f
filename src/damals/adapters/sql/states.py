"""The current state of entries, as drafts need it, kept up to date while a writer appends."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import Connection, bindparam, exists, select

from damals.adapters.sql import marks, queries, relation_queries
from damals.adapters.sql.numbered import Opened
from damals.adapters.sql.prepared import first_row, rows_of
from damals.adapters.sql.restored_marks import ONE_BARRED
from damals.adapters.sql.rows import relation_of, version_of
from damals.adapters.sql.schema import contents, entries, touches, verifications
from damals.app.ledger_model import NewTransaction
from damals.domain.effects import Effects
from damals.domain.entries import Archiving, Relation, Verification, Version
from damals.domain.holders import Holders
from damals.domain.instants import FOREVER
from damals.domain.state import EntryState, Statement, ordered, rectangle_of, statement

_KEPT: Final = 2_000
_UNKNOWN: Final = EntryState(UUID(int=0))
"""Stands for an entry of which nothing is remembered."""

_ENTRY: Final = (
    select(
        entries,
        contents.c.text.label("external"),
        queries.last_touch(touches.c.number).label("last_transaction"),
        queries.ARCHIVED_AT.label("archived_at"),
        exists(
            select(verifications.c.id)
            .where(
                verifications.c.workspace_id == entries.c.workspace_id,
                verifications.c.entry_id == entries.c.entry_id,
            )
            .correlate(entries)
        ).label("was_verified"),
    )
    .select_from(entries.outerjoin(contents, contents.c.id == entries.c.external_id))
    .where(
        entries.c.workspace_id == bindparam("workspace"),
        entries.c.entry_id == bindparam("entry"),
    )
)


def load_state(connection: Connection, workspace_id: int, entry_id: UUID) -> EntryState | None:
    """The stored state of an entry, or ``None`` when there is no such entry."""
    values = {"workspace": workspace_id, "entry": entry_id.bytes}
    row = first_row(connection, _ENTRY, values)
    if row is None:
        gone = first_row(connection, ONE_BARRED, values) is not None
        return EntryState(entry_id, erased=True) if gone else None
    versions = [version_of(r) for r in rows_of(connection, queries.OPEN_VERSIONS, values)]
    newest = first_row(connection, queries.NEWEST_VERSION, values)
    relations = rows_of(connection, relation_queries.OPEN_OF, values)
    cut_by = (row.src_id for row in rows_of(connection, relation_queries.CUT_BY, values))
    return EntryState(
        id=entry_id,
        external_id=None if row.erased_at != FOREVER else row.external,
        rectangles=ordered(rectangle_of(version) for version in versions),
        relations=tuple(relation_of(r) for r in relations),
        cut_by=tuple(dict.fromkeys(UUID(bytes=src) for src in cut_by)),
        last=None if newest is None else version_of(newest),
        last_transaction=row.last_transaction or row.created_by,
        archiving=None if row.archived_at is None else _archiving(connection, values),
        verifications=_verifications(connection, values) if row.was_verified else (),
        erased=row.erased_at != FOREVER,
    )


def _archiving(connection: Connection, values: dict[str, Any]) -> Archiving | None:
    row = connection.execute(marks.OPEN_ARCHIVING, values).first()
    return None if row is None else marks.archiving_of(row)


def _verifications(connection: Connection, values: dict[str, Any]) -> tuple[Verification, ...]:
    rows = connection.execute(marks.OPEN_VERIFICATIONS, values)
    return tuple(marks.verification_of(row) for row in rows)


@dataclass(slots=True)
class StateCache:
    """States of entries that are stored, and of those that are appended and not yet stored.

    The second kind is never forgotten before :meth:`settle`; the first only as room demands.

    Attributes:
        names: external ids of entries not yet stored.
    """

    names: dict[str, UUID] = field(default_factory=dict[str, UUID])
    _holders: Holders = field(default_factory=Holders)
    _statements: dict[Statement, set[UUID]] = field(default_factory=dict[Statement, set[UUID]])
    _unsorted: list[EntryState] = field(default_factory=list[EntryState])
    _dirty: dict[UUID, EntryState] = field(default_factory=dict[UUID, EntryState])
    _clean: OrderedDict[UUID, EntryState | None] = field(
        default_factory=OrderedDict[UUID, EntryState | None]
    )

    def get(self, entry_id: UUID, load: Callable[[UUID], EntryState | None]) -> EntryState | None:
        """The state of an entry, loaded when it is not remembered."""
        state = self._dirty.get(entry_id)
        if state is not None:
            return state
        known = self._clean.get(entry_id, _UNKNOWN)
        if known is _UNKNOWN:
            known = load(entry_id)
            self._loaded(entry_id, known)
        return known

    def _loaded(self, entry_id: UUID, state: EntryState | None) -> None:
        """Remember what the database says."""
        self._clean[entry_id] = state
        while len(self._clean) > _KEPT:
            self._clean.popitem(last=False)

    def change(self, state: EntryState) -> None:
        """Take over a state that is not stored yet."""
        clean = self._clean.pop(state.id, None)
        before = self._dirty.get(state.id, clean)
        self._dirty[state.id] = state
        if state.external_id is not None:
            self.names[state.external_id] = state.id
        elif before is not None and self.names.get(before.external_id or "") == state.id:
            del self.names[before.external_id or ""]
        self._unsorted.append(state)

    def holders(self) -> Holders:
        """Where entries began to hold keys since the last settling."""
        self._sort()
        return self._holders

    def stating(self, wanted: Statement) -> Collection[UUID]:
        """The entries that have stated this since the last settling."""
        self._sort()
        return self._statements.get(wanted, ())

    def _sort(self) -> None:
        """Sort what was changed by what it says, which nobody may ever ask."""
        for state in self._unsorted:
            self._holders.add(state)
            for rectangle in state.rectangles:
                stated = statement(rectangle.attributes)
                self._statements.setdefault(stated, set()).add(state.id)
        self._unsorted.clear()

    def settle(self) -> None:
        """Everything appended is stored now."""
        for entry_id, state in self._dirty.items():
            self._loaded(entry_id, state)
        for index in (self._dirty, self.names, self._holders, self._statements, self._unsorted):
            index.clear()


def after_append(
    states: dict[UUID, EntryState],
    transaction: NewTransaction,
    opened: Opened,
    touched: Iterable[UUID],
) -> dict[UUID, EntryState]:
    """The states of all entries that a transaction touched, after it.

    Args:
        states: the states before, of every touched entry that existed, every end of a cut, and
            whoever else cut an entry of which a cut is taken back.
        transaction: what is appended.
        opened: its rows with their numbers.
        touched: every entry that it touched, as :func:`touched_by` says.
    """
    after = dict(states)
    gone = _Gone.of(transaction.effects) if states else _NOTHING
    versions: dict[UUID, list[Version]] = {}
    for version in opened.versions:
        versions.setdefault(version.entry_id, []).append(version)
    for state in transaction.effects.created:
        after[state.id] = _begun(state, transaction, versions.get(state.id, ()))
    for entry_id in touched:
        if entry_id in states:
            made = versions.get(entry_id, ())
            after[entry_id] = _changed(states[entry_id], transaction, gone, made)
    if opened.relations:
        _add_relations(after, opened.relations)
    for archiving in opened.archivings:
        state = after[archiving.entry_id]
        after[state.id] = replace(state, archiving=archiving)
    for one in opened.verifications:
        state = after[one.entry_id]
        after[state.id] = replace(state, verifications=(*state.verifications, one))
    if gone.relations:
        _uncut(states, after, gone.relations)
    for entry_id in transaction.effects.erased:
        after[entry_id] = replace(after[entry_id], external_id=None, erased=True)
    return after


def touched_by(transaction: NewTransaction) -> tuple[UUID, ...]:
    """Every entry that a transaction touched, each once."""
    effects = transaction.effects
    created = [state.id for state in effects.created]
    operated = [one for operation in transaction.operations for one in operation.touched]
    return tuple(dict.fromkeys([*created, *effects.touched, *operated]))


class _Gone(NamedTuple):
    """The rows that a transaction closed."""

    versions: frozenset[int]
    relations: frozenset[int]
    archivings: frozenset[int]
    verifications: frozenset[int]

    @classmethod
    def of(cls, effects: Effects) -> "_Gone":
        return cls(
            frozenset(effects.closed),
            frozenset(effects.relations_closed),
            frozenset(effects.archivings_closed),
            frozenset(effects.verifications_closed),
        )


_NOTHING: Final = _Gone(frozenset(), frozenset(), frozenset(), frozenset())
"""Whatever a transaction closes is of an entry that was there before it."""


def _begun(state: EntryState, transaction: NewTransaction, opened: Sequence[Version]) -> EntryState:
    """The state of a new entry with the versions that the transaction opened."""
    return EntryState(
        id=state.id,
        external_id=state.external_id,
        rectangles=ordered(map(rectangle_of, opened)),
        last=opened[-1] if opened else None,
        last_transaction=transaction.number,
    )


def _changed(
    state: EntryState, transaction: NewTransaction, gone: _Gone, opened: Sequence[Version]
) -> EntryState:
    """The state with what the transaction closed of it and the versions that it opened."""
    last, archiving = opened[-1] if opened else state.last, state.archiving
    if last is not None and last.row in gone.versions:
        last = replace(last, recorded_to=transaction.recorded_at, closed_by=transaction.number)
    if archiving is not None and archiving.row in gone.archivings:
        archiving = None
    left = tuple([r for r in state.rectangles if r.row not in gone.versions])
    return EntryState(
        id=state.id,
        external_id=state.external_id,
        rectangles=ordered([*left, *map(rectangle_of, opened)]) if opened else left,
        relations=tuple([r for r in state.relations if r.row not in gone.relations]),
        cut_by=state.cut_by,
        last=last,
        last_transaction=transaction.number,
        archiving=archiving,
        verifications=tuple([v for v in state.verifications if v.row not in gone.verifications]),
        erased=state.erased,
    )


def _uncut(
    before: dict[UUID, EntryState], after: dict[UUID, EntryState], gone: frozenset[int]
) -> None:
    """Of entries that a cut was taken back from: who still cuts them, in the order they began."""
    taken_back = (r for s in before.values() for r in s.relations if r.cuts and r.row in gone)
    losers = {r.dst_id for r in taken_back if r.dst_id in after}
    first: dict[UUID, dict[UUID, int]] = {loser_id: {} for loser_id in losers}
    for source_id in {one for loser_id in losers for one in after[loser_id].cut_by}:
        for row in after[source_id].relations:
            if row.cuts and row.dst_id in losers:
                since = first[row.dst_id]
                since[source_id] = min(row.row, since.get(source_id, row.row))
    for loser_id, since in first.items():
        cut_by = [one for one in after[loser_id].cut_by if one in since]
        cut_by.sort(key=since.__getitem__)
        after[loser_id] = replace(after[loser_id], cut_by=tuple(cut_by))


def _add_relations(after: dict[UUID, EntryState], opened: Iterable[Relation]) -> None:
    made: dict[UUID, list[Relation]] = {}
    cutters: dict[UUID, list[UUID]] = {}
    for relation in opened:
        made.setdefault(relation.src_id, []).append(relation)
        if relation.cuts and relation.dst_id in after:
            cutters.setdefault(relation.dst_id, []).append(relation.src_id)
    for source_id, rows in made.items():
        source = after[source_id]
        after[source_id] = replace(source, relations=(*source.relations, *rows))
    for loser_id, cut_by in cutters.items():
        loser = after[loser_id]
        after[loser_id] = replace(loser, cut_by=tuple(dict.fromkeys((*loser.cut_by, *cut_by))))
