"""Appending to one workspace under the write lock."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Executable, Row, bindparam, func, select

from damals.adapters.sql import queries
from damals.adapters.sql.buffer import Buffer, Flush, PendingTransaction
from damals.adapters.sql.chain import GENESIS
from damals.adapters.sql.contents import Contents, TextOwner, batches, encoded
from damals.adapters.sql.queries import FOREVER_LITERAL, known
from damals.adapters.sql.reader import SqlReader, chunk_rows
from damals.adapters.sql.rows import (
    chunk_columns,
    operation_columns,
    relation_columns,
    version_columns,
)
from damals.adapters.sql.schema import chunks, contents, entries, relations, transactions, versions
from damals.adapters.sql.states import StateCache, after_append, load_state, touched_by
from damals.app.ledger_model import ChunkRow, Head, NewTransaction, Workspace
from damals.domain.entries import Attributes, Relation, Version
from damals.domain.errors import Conflict
from damals.domain.instants import FOREVER, format_instant
from damals.domain.names import folded_tags
from damals.domain.state import EntryState, statement

Values = dict[str, Any]

_Numbered = TypeVar("_Numbered", Version, Relation, ChunkRow)

_NAMED: Final = select(entries.c.entry_id).where(
    entries.c.workspace_id == bindparam("workspace"),
    entries.c.external_id == bindparam("name"),
    entries.c.erased_at == FOREVER_LITERAL,
)
_HOLDING: Final = queries.HOLDERS.where(known(versions, "now")).with_hint(
    versions, "INDEXED BY versions_current_key", "sqlite"
)
_STATING: Final = (
    select(versions.c.entry_id)
    .where(
        versions.c.workspace_id == bindparam("workspace"),
        versions.c.title_id == bindparam("title"),
        versions.c.content_id == bindparam("content"),
        known(versions, "now"),
    )
    .with_hint(versions, "INDEXED BY versions_current_statement", "sqlite")
)
_OPEN_CHUNKS: Final = (
    select(chunks)
    .where(
        chunks.c.workspace_id == bindparam("workspace"),
        chunks.c.entry_id.in_(bindparam("entries", expanding=True)),
        known(chunks, "now"),
    )
    .order_by(chunks.c.id)
)
_LAST_HASH: Final = (
    select(transactions.c.hash)
    .where(transactions.c.workspace_id == bindparam("workspace"))
    .order_by(transactions.c.number.desc())
    .limit(1)
)


@dataclass(slots=True)
class NextIds:
    """The next free number of each table; whoever holds the write lock counts on from there."""

    content: int
    position: int
    version: int
    relation: int
    chunk: int


_NEXT: Final = select(
    *(
        select(func.coalesce(func.max(column), 0) + 1).scalar_subquery().label(name)
        for name, column in (
            ("content", contents.c.id),
            ("position", transactions.c.position),
            ("version", versions.c.id),
            ("relation", relations.c.id),
            ("chunk", chunks.c.id),
        )
    )
)


def next_ids(connection: Connection) -> NextIds:
    """The next free numbers; only true while nobody else can write."""
    row = connection.execute(_NEXT).one()
    return NextIds(row.content, row.position, row.version, row.relation, row.chunk)


class SqlWriter(SqlReader):
    """A ``LedgerWriter``: appends are collected and written in bulk, reads see them all."""

    def __init__(self, connection: Connection, workspace: Workspace, owner: TextOwner) -> None:
        super().__init__(connection, workspace, owner)
        self._next = next_ids(connection)
        self._contents = Contents(connection, owner, self._next.content)
        self._states = StateCache()
        self._buffer = Buffer()
        given = {"workspace": owner.workspace_id}
        self._hash = connection.execute(_LAST_HASH, given).scalar() or GENESIS

    def by_id(self, entry_id: UUID) -> EntryState | None:
        """The state of an entry, or ``None`` when there is no such entry."""
        if entry_id not in self._states:
            state = load_state(self._connection, self._owner.workspace_id, entry_id)
            self._states.loaded(entry_id, state)
            return state
        return self._states.get(entry_id)

    def by_external_id(self, external_id: str) -> EntryState | None:
        """The state of the entry with this external id, or ``None``."""
        pending = self._states.names.get(external_id)
        if pending is not None:
            return self.by_id(pending)
        text = self._contents.find(external_id)
        entry = None if text is None else self._stored(_NAMED, {"name": text})
        return self.by_id(UUID(bytes=entry[0])) if entry else None

    def holding_key(self, key: str) -> Iterable[EntryState]:
        """The entries that currently have a rectangle with this key, by id."""
        text = self._contents.find(key)
        stored = self._stored(_HOLDING, {"key": text}) if text is not None else ()
        return [
            state
            for state in self._candidates(stored, self._states.keys.get(key, ()))
            if any(r.attributes.key == key for r in state.rectangles)
        ]

    def stating(self, attributes: Attributes) -> Iterable[EntryState]:
        """The entries that currently state this type, title, content and key, by id."""
        wanted = statement(attributes)
        title = self._contents.find(attributes.title)
        content = None if title is None else self._contents.find(attributes.content)
        stored: Sequence[bytes] = []
        if content is not None:
            stored = self._stored(_STATING, {"title": title, "content": content})
        return [
            state
            for state in self._candidates(stored, self._states.statements.get(wanted, ()))
            if any(statement(r.attributes) == wanted for r in state.rectangles)
        ]

    def open_chunks(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[ChunkRow]]:
        """The current chunk rows of the entries."""
        stored = [entry_id.bytes for entry_id in entry_ids if self._has_rows(entry_id)]
        rows = [row for batch in batches(stored) for row in self._chunk_rows(batch)]
        found: dict[UUID, list[ChunkRow]] = {entry_id: [] for entry_id in entry_ids}
        for chunk in chunk_rows(self._connection, rows):
            found[chunk.entry_id].append(chunk)
        for entry_id, chunks_ in found.items():
            chunks_.extend(self._buffer.open_chunks.get(entry_id, {}).values())
        return found

    def _has_rows(self, entry_id: UUID) -> bool:
        """Whether anything of an entry may be written already."""
        return entry_id not in self._buffer.created and self.by_id(entry_id) is not None

    def _chunk_rows(self, entry_batch: Sequence[bytes]) -> list[Row[Any]]:
        """The written chunk rows of some entries that no appended transaction closed."""
        given = {"workspace": self._owner.workspace_id, "entries": entry_batch}
        closed = self._buffer.closed_chunks
        return [r for r in self._connection.execute(_OPEN_CHUNKS, given) if r.id not in closed]

    def append(self, transaction: NewTransaction) -> None:
        """Store a transaction and put it into the outbox.

        Raises:
            Conflict: ``transaction.order`` when its number or instant does not follow the last.
            InvalidInput: ``ledger.surrogate`` or ``ledger.not_json`` for what cannot be stored.
        """
        head = self.head()
        if transaction.number != head.number + 1 or transaction.recorded_at <= head.recorded_at:
            raise Conflict(
                "transaction.order",
                number=transaction.number,
                recorded_at=format_instant(transaction.recorded_at),
                last=format_instant(head.recorded_at),
            )
        opened = _numbered(transaction.effects.opened, self._next.version)
        related = _numbered(transaction.effects.relations_opened, self._next.relation)
        self._collect(transaction, opened, related)
        self._next.version += len(opened)
        self._next.relation += len(related)
        self._follow(transaction, opened, related)
        self._head = Head(transaction.number, transaction.recorded_at)
        if self._buffer.full:
            self.flush()

    def flush(self) -> None:
        """Write what was appended; the transaction stays open."""
        buffer, self._buffer = self._buffer, Buffer()
        if buffer.pending:
            flush = Flush(self._connection, self._contents, self._workspace.name)
            self._hash = flush.run(buffer, self._hash)
            self._states.settle()

    def _settle(self) -> None:
        self.flush()

    def _stored(self, query: Executable, values: Values) -> Sequence[bytes]:
        """Entry ids that a query finds among what is written, leaving out what is not yet."""
        given = {"workspace": self._owner.workspace_id, **values}
        return self._connection.execute(query, given).scalars().all()

    def _candidates(self, stored: Iterable[bytes], pending: Iterable[UUID]) -> list[EntryState]:
        ids = {UUID(bytes=entry) for entry in stored} | set(pending)
        states = (self.by_id(entry_id) for entry_id in sorted(ids))
        return [state for state in states if state is not None]

    def _follow(
        self,
        transaction: NewTransaction,
        opened: Sequence[Version],
        related: Sequence[Relation],
    ) -> None:
        """Keep the states true."""
        wanted = dict.fromkeys(touched_by(transaction))
        wanted |= dict.fromkeys(relation.dst_id for relation in related if relation.cuts)
        before = {i: s for i in wanted if (s := self.by_id(i)) is not None}
        gone = set(transaction.effects.relations_closed)
        for relation in [r for s in before.values() for r in s.relations if r.row in gone]:
            loser = self.by_id(relation.dst_id)
            if relation.cuts and loser is not None:
                before[loser.id] = loser
        for state in after_append(before, transaction, opened, related).values():
            self._states.change(state)

    def _collect(
        self,
        transaction: NewTransaction,
        opened: Sequence[Version],
        related: Sequence[Relation],
    ) -> None:
        """Put all rows of a transaction into the buffer."""
        pending = self._pending(transaction, opened, related)
        cut = _numbered(transaction.chunks_opened, self._next.chunk)
        chunk_values = [self._own(chunk_columns(chunk)) | {"id": chunk.row} for chunk in cut]
        buffer = self._buffer
        _check_texts(transaction)
        for table, rows in (
            ("transactions", [pending.row]),
            ("operations", pending.operations),
            ("entries", pending.entries),
            ("versions", pending.versions),
            ("relations", pending.relations),
            ("chunks", chunk_values),
        ):
            buffer.measure(table, rows)
        self._next.position += 1
        self._next.chunk += len(cut)
        buffer.add_chunks(cut, chunk_values)
        buffer.pending.append(pending)
        buffer.created.update(state.id for state in transaction.effects.created)
        buffer.versions |= {row["id"]: row for row in pending.versions}
        buffer.relations |= {row["id"]: row for row in pending.relations}
        self._derive(transaction, opened)
        self._close(transaction)

    def _pending(
        self,
        transaction: NewTransaction,
        opened: Sequence[Version],
        related: Sequence[Relation],
    ) -> PendingTransaction:
        effects = transaction.effects
        created = sorted(effects.created, key=lambda state: state.id)
        return PendingTransaction(
            row=self._own(_transaction_columns(transaction)) | {"position": self._next.position},
            operations=[
                self._own(operation_columns(transaction.number, seq, operation))
                for seq, operation in enumerate(transaction.operations)
            ],
            entries=[self._own(_entry_columns(transaction, state)) for state in created],
            versions=[self._own(version_columns(one)) | {"id": one.row} for one in opened],
            relations=[self._own(relation_columns(one)) | {"id": one.row} for one in related],
            versions_closed=sorted(effects.closed),
            relations_closed=sorted(effects.relations_closed),
        )

    def _own(self, values: Values) -> Values:
        values["workspace_id"] = self._owner.workspace_id
        return values

    def _derive(self, transaction: NewTransaction, opened: Sequence[Version]) -> None:
        """Rows that only repeat what others say, to be found by it."""
        buffer = self._buffer
        recorded = {"number": transaction.number, "recorded_at": transaction.recorded_at}
        buffer.touches.extend(
            self._own({"entry_id": entry_id.bytes, **recorded})
            for entry_id in touched_by(transaction)
        )
        for version in opened:
            tags, acl = folded_tags(version.attributes.tags), set(version.attributes.acl)
            buffer.tags.extend({"version_id": version.row, "tag": tag} for tag in tags)
            buffer.acl.extend({"version_id": version.row, "principal": name} for name in acl)

    def _close(self, transaction: NewTransaction) -> None:
        closing = {"closed_at": transaction.recorded_at, "closer": transaction.number}
        buffer, effects = self._buffer, transaction.effects
        for table, own, rows in (
            ("versions", buffer.versions, effects.closed),
            ("relations", buffer.relations, effects.relations_closed),
            ("chunks", buffer.chunks, transaction.chunks_closed),
        ):
            for row in rows:
                buffer.close(table, own, row, closing)
        buffer.forget_chunks(transaction.chunks_closed)


def _numbered(values: Iterable[_Numbered], first: int) -> list[_Numbered]:
    return [replace(value, row=first + place) for place, value in enumerate(values)]


def _check_texts(transaction: NewTransaction) -> None:
    """Refuse, before anything is kept, what could not be written later."""
    for version in transaction.effects.opened:
        encoded(version.attributes.type + version.attributes.visibility + version.zone)
    for relation in transaction.effects.relations_opened:
        encoded(relation.relation + (relation.rule or ""))
    for chunk in transaction.chunks_opened:
        encoded(chunk.type + chunk.lang)


def _transaction_columns(transaction: NewTransaction) -> Values:
    return {
        "number": transaction.number,
        "recorded_at": transaction.recorded_at,
        "logged_at": transaction.logged_at,
        "zone": transaction.zone,
        "actor_id": transaction.actor,
        "reason_id": transaction.reason,
    }


def _entry_columns(transaction: NewTransaction, state: EntryState) -> Values:
    return {
        "entry_id": state.id.bytes,
        "external_id": state.external_id,
        "created_by": transaction.number,
        "created_at": transaction.recorded_at,
        "erased_at": FOREVER,
    }
