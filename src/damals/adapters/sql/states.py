"""The current state of entries, as drafts need it, kept up to date while a writer appends."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, select

from damals.adapters.sql import queries, relation_queries
from damals.adapters.sql.rows import relation_of, version_of
from damals.adapters.sql.schema import contents, entries, touches
from damals.app.ledger_model import NewTransaction
from damals.domain.entries import Relation, Version
from damals.domain.instants import FOREVER
from damals.domain.state import EntryState, Rectangle, statement

_KEPT: Final = 2_000

_ENTRY: Final = (
    select(
        entries,
        contents.c.text.label("external"),
        queries.last_touch(touches.c.number).label("last_transaction"),
        queries.ARCHIVED_AT.label("archived_at"),
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
    row = connection.execute(_ENTRY, values).first()
    if row is None:
        return None
    versions = [version_of(r) for r in connection.execute(queries.OPEN_VERSIONS, values)]
    newest = connection.execute(queries.NEWEST_VERSION, values).first()
    relations = connection.execute(relation_queries.OPEN_OF, values)
    cut_by = connection.execute(relation_queries.CUT_BY, values).scalars()
    return EntryState(
        id=entry_id,
        external_id=None if row.erased_at != FOREVER else row.external,
        rectangles=ordered(rectangle_of(version) for version in versions),
        relations=tuple(relation_of(r) for r in relations),
        cut_by=tuple(dict.fromkeys(UUID(bytes=src) for src in cut_by)),
        last=None if newest is None else version_of(newest),
        last_transaction=row.last_transaction or row.created_by,
        archived_at=row.archived_at,
        erased=row.erased_at != FOREVER,
    )


def rectangle_of(version: Version) -> Rectangle:
    """A current version as the state holds it."""
    return Rectangle(
        version.period,
        version.attributes,
        version.generation,
        version.zone,
        version.row,
        version.operation,
    )


def ordered(rectangles: Iterable[Rectangle]) -> tuple[Rectangle, ...]:
    """Rectangles by start."""
    return tuple(sorted(rectangles, key=_start))


def _start(rectangle: Rectangle) -> tuple[int, int, int, int]:
    start, end = rectangle.period.start, rectangle.period.end
    return (start.earliest, start.latest, end.earliest, end.latest)


@dataclass(slots=True)
class StateCache:
    """States of entries that are stored, and of those that are appended and not yet stored.

    The second kind is never forgotten before :meth:`settle`; the first only as room demands.

    Attributes:
        names: external ids of entries not yet stored.
        keys, statements: entries that took one on since the last settling.
    """

    names: dict[str, UUID] = field(default_factory=dict[str, UUID])
    keys: dict[str, set[UUID]] = field(default_factory=dict[str, set[UUID]])
    statements: dict[Any, set[UUID]] = field(default_factory=dict[Any, set[UUID]])
    _dirty: dict[UUID, EntryState] = field(default_factory=dict[UUID, EntryState])
    _clean: OrderedDict[UUID, EntryState | None] = field(
        default_factory=OrderedDict[UUID, EntryState | None]
    )

    def __contains__(self, entry_id: UUID) -> bool:
        return entry_id in self._dirty or entry_id in self._clean

    def get(self, entry_id: UUID) -> EntryState | None:
        """What is remembered of an entry; ``None`` also for one known not to exist."""
        return self._dirty.get(entry_id) or self._clean.get(entry_id)

    def loaded(self, entry_id: UUID, state: EntryState | None) -> None:
        """Remember what the database says."""
        self._clean[entry_id] = state
        while len(self._clean) > _KEPT:
            self._clean.popitem(last=False)

    def change(self, state: EntryState) -> None:
        """Take over a state that is not stored yet."""
        self._clean.pop(state.id, None)
        self._dirty[state.id] = state
        if state.external_id is not None:
            self.names[state.external_id] = state.id
        for rectangle in state.rectangles:
            attributes = rectangle.attributes
            if attributes.key is not None:
                self.keys.setdefault(attributes.key, set()).add(state.id)
            self.statements.setdefault(statement(attributes), set()).add(state.id)

    def settle(self) -> None:
        """Everything appended is stored now."""
        for entry_id, state in self._dirty.items():
            self.loaded(entry_id, state)
        for index in (self._dirty, self.names, self.keys, self.statements):
            index.clear()


def after_append(
    states: dict[UUID, EntryState],
    transaction: NewTransaction,
    opened: Iterable[Version],
    relations: Iterable[Relation],
) -> dict[UUID, EntryState]:
    """The states of all entries that a transaction touched, after it.

    Args:
        states: the states before, of every touched entry that existed and every end of a cut.
        transaction: what is appended.
        opened: its versions with their rows.
        relations: its relations with their rows.
    """
    made = {
        state.id: EntryState(state.id, state.external_id) for state in transaction.effects.created
    }
    after = made | states
    for entry_id in touched_by(transaction):
        if entry_id in after:
            state = after[entry_id]
            after[entry_id] = _closed(state, transaction)
    _uncut(states, after, transaction)
    for version in opened:
        state = after[version.entry_id]
        rectangles = ordered((*state.rectangles, rectangle_of(version)))
        after[version.entry_id] = replace(state, rectangles=rectangles, last=version)
    for relation in relations:
        _add_relation(after, relation)
    return after


def touched_by(transaction: NewTransaction) -> tuple[UUID, ...]:
    """Every entry that a transaction touched, each once."""
    effects = transaction.effects
    created = (state.id for state in effects.created)
    operated = (one for operation in transaction.operations for one in operation.touched)
    return tuple(dict.fromkeys((*created, *effects.touched, *operated)))


def _closed(state: EntryState, transaction: NewTransaction) -> EntryState:
    gone, relations_gone = (
        set(transaction.effects.closed),
        set(transaction.effects.relations_closed),
    )
    last = state.last
    if last is not None and last.row in gone:
        last = replace(last, recorded_to=transaction.recorded_at, closed_by=transaction.number)
    return replace(
        state,
        rectangles=tuple(r for r in state.rectangles if r.row not in gone),
        relations=tuple(r for r in state.relations if r.row not in relations_gone),
        last=last,
        last_transaction=transaction.number,
    )


def _uncut(
    before: dict[UUID, EntryState], after: dict[UUID, EntryState], transaction: NewTransaction
) -> None:
    """Take back from ``cut_by`` whoever has no cut left."""
    gone = set(transaction.effects.relations_closed)
    for source in before.values():
        for relation in source.relations:
            if not relation.cuts or relation.row not in gone or relation.dst_id not in after:
                continue
            left = {r.dst_id for r in after[source.id].relations if r.cuts}
            if relation.dst_id not in left:
                loser = after[relation.dst_id]
                cut_by = tuple(i for i in loser.cut_by if i != source.id)
                after[loser.id] = replace(loser, cut_by=cut_by)


def _add_relation(after: dict[UUID, EntryState], relation: Relation) -> None:
    source = after[relation.src_id]
    after[source.id] = replace(source, relations=(*source.relations, relation))
    if relation.cuts and relation.dst_id in after:
        loser = after[relation.dst_id]
        cut_by = tuple(dict.fromkeys((*loser.cut_by, relation.src_id)))
        after[loser.id] = replace(loser, cut_by=cut_by)
