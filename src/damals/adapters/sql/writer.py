"""Appending to one workspace under the write lock."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, select

from damals.adapters.sql import holding, kept, queries, relation_floors, sources, taking_back
from damals.adapters.sql.buffer import Buffer, Closed, Flush, PendingTransaction
from damals.adapters.sql.chain import GENESIS
from damals.adapters.sql.contents import Contents, TextOwner, encoded, lookup_of
from damals.adapters.sql.doings import Doings
from damals.adapters.sql.erased_as import ErasingWriter
from damals.adapters.sql.erasing import MARK, tombstone_columns
from damals.adapters.sql.marks import archiving_columns, verification_columns
from damals.adapters.sql.numbered import Numbered, Opened, next_ids
from damals.adapters.sql.prepared import rows_of
from damals.adapters.sql.queries import FOREVER_LITERAL, known
from damals.adapters.sql.reader import SqlReader, chunk_rows
from damals.adapters.sql.rows import (
    chunk_columns,
    operation_columns,
    relation_columns,
    version_columns,
)
from damals.adapters.sql.schema import chunks, entries, transactions, versions
from damals.adapters.sql.states import StateCache, after_append, load_state, touched_by
from damals.app.access_model import KeptAnswer
from damals.app.floors_model import Floors
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import ChunkRow, Head, NewTransaction, Workspace
from damals.app.sources_model import SourceRun
from damals.domain.effects import Effects
from damals.domain.entries import Attributes
from damals.domain.errors import Conflict
from damals.domain.holders import holds
from damals.domain.instants import FOREVER, format_instant
from damals.domain.names import folded_tags
from damals.domain.operations import TransactionName
from damals.domain.periods import Period
from damals.domain.state import Done, EntryState, TransactionRows, statement

Values = dict[str, Any]

_NAMED: Final = select(entries.c.entry_id).where(
    entries.c.workspace_id == bindparam("workspace"),
    entries.c.external_id == bindparam("name"),
    entries.c.erased_at == FOREVER_LITERAL,
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
        chunks.c.entry_id == bindparam("entry"),
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


class SqlWriter(SqlReader, ErasingWriter):
    """A ``LedgerWriter``: appends are collected and written in bulk, reads see them all."""

    def __init__(
        self,
        connection: Connection,
        workspace: Workspace,
        owner: TextOwner,
        access: AccessFilter = OWNER,
    ) -> None:
        super().__init__(connection, workspace, owner, access)
        self._next = next_ids(connection)
        self._contents = Contents(connection, owner, self._next.content)
        self._states = StateCache()
        self._doings = Doings(connection, owner.workspace_id)
        self._buffer = Buffer()
        given = {"workspace": owner.workspace_id}
        self._hash = connection.execute(_LAST_HASH, given).scalar() or GENESIS

    def by_id(self, entry_id: UUID) -> EntryState | None:
        """The state of an entry, or ``None`` when there is no such entry."""
        return self._states.get(entry_id, self._load)

    def _load(self, entry_id: UUID) -> EntryState | None:
        return load_state(self._connection, self._owner.workspace_id, entry_id)

    def by_external_id(self, external_id: str) -> EntryState | None:
        """The state of the entry with this external id, or ``None``."""
        pending = self._states.names.get(external_id)
        if pending is not None:
            return self.by_id(pending)
        text = self._contents.find(external_id)
        entry = None if text is None else self._stored(_NAMED, {"name": text})
        state = self.by_id(UUID(bytes=entry[0])) if entry else None
        # What was erased since the database was asked last has lost its name.
        return None if state is None or state.erased else state

    def holding_key(self, key: str, period: Period) -> Iterable[EntryState]:
        """The entries of which a current rectangle with this key overlaps a period, by id."""
        text = self._contents.find(key)
        stored: Sequence[bytes] = []
        if text is not None:
            span = {"since": period.start.earliest, "until": period.end.latest}
            stored = self._stored(holding.HOLDING, {"key": text, **span})
        pending = self._states.holders().within(key, period, self.by_id)
        return [one for one in self._candidates(stored, pending) if holds(one, key, period)]

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
            for state in self._candidates(stored, self._states.stating(wanted))
            if any(statement(r.attributes) == wanted for r in state.rectangles)
        ]

    def open_chunks(self, entry_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[ChunkRow]]:
        """The current chunk rows of the entries."""
        if not entry_ids:
            return {}
        stored = [entry_id.bytes for entry_id in entry_ids if self._has_rows(entry_id)]
        rows = [row for entry in stored for row in self._chunk_rows(entry)]
        found: dict[UUID, list[ChunkRow]] = {entry_id: [] for entry_id in entry_ids}
        for chunk in chunk_rows(self._connection, rows) if rows else ():
            found[chunk.entry_id].append(chunk)
        for entry_id, chunks_ in found.items():
            pending = self._buffer.open_chunks.get(entry_id, {})
            chunks_.extend(replace(chunk, row=number) for number, chunk in pending.items())
        return found

    def _has_rows(self, entry_id: UUID) -> bool:
        """Whether anything of an entry may be written already."""
        new = entry_id.bytes in self._buffer.entries
        return not new and self.by_id(entry_id) is not None

    def _chunk_rows(self, entry: bytes) -> list[Any]:
        """The written chunk rows of an entry that no appended transaction closed."""
        given = {"workspace": self._owner.workspace_id, "entry": entry}
        closed = self._buffer.closed_chunks
        return [r for r in rows_of(self._connection, _OPEN_CHUNKS, given) if r.id not in closed]

    def expect(self, texts: Iterable[str]) -> None:
        """Find many texts at once that will be asked for one by one."""
        self._contents.expect(texts)

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
        opened = Opened.of(transaction.effects, self._next)
        touched = touched_by(transaction)
        self._collect(transaction, opened)
        self._derive(transaction, opened, touched)
        opened.take(self._next)
        self._follow(transaction, opened, touched)
        self._head = Head(transaction.number, transaction.recorded_at, transaction.logged_at)
        if self._buffer.full:
            self.flush()

    def changed_by(self, transaction: TransactionName) -> TransactionRows | None:
        """What a transaction changed; ``None`` when there is none of this number or instant."""
        self._settle()
        return taking_back.changed_by(self._connection, self._owner.workspace_id, transaction)

    def done_since(self, entry_id: UUID, number: int) -> Iterable[Done]:
        """The operations that touched an entry, from transaction ``number`` on, in order."""
        self._settle()
        return self._doings.since(entry_id, number)

    def elsewhere(self, target: str) -> bool:
        """Whether this id or external id names an entry of another workspace."""
        self._settle()
        return taking_back.elsewhere(self._connection, self._owner.workspace_id, target)

    def kept_answer(self, key: bytes) -> KeptAnswer | None:
        """The answer kept under a request's key."""
        return kept.kept_answer(self._connection, self._owner.workspace_id, key)

    def keep_answer(self, key: bytes, answer: KeptAnswer) -> None:
        """Keep an answer, in the same write as what it answers; the first under a key stays."""
        self._settle()  # what this write erases forgets older answers, not this one
        kept.keep_answer(self._connection, self._owner.workspace_id, key, answer)

    def put_source(self, run: SourceRun) -> None:
        """Note how an import ended; it replaces what was noted of that source before."""
        self._settle()
        sources.put(self._connection, self._owner.workspace_id, self._contents, run)

    def put_floors(self, source: str, floors: Floors) -> None:
        """Note what a source asks of those who are shown its relations."""
        self._settle()
        workspace = self._owner.workspace_id
        relation_floors.put(self._connection, workspace, self._contents, source, floors)

    def flush(self) -> None:
        """Write what was appended; the transaction stays open."""
        buffer, self._buffer = self._buffer, Buffer()
        if buffer.pending:
            flush = Flush(self._connection, self._contents, self._workspace.name)
            self._hash = flush.run(buffer, self._hash)
            self._states.settle()

    def _settle(self) -> None:
        self.flush()

    def _stored(self, query: queries.Query, values: Values) -> Sequence[bytes]:
        """Entry ids that a query finds among what is written, leaving out what is not yet."""
        given = {"workspace": self._owner.workspace_id, **values}
        return [row.entry_id for row in rows_of(self._connection, query, given)]

    def _candidates(self, stored: Iterable[bytes], pending: Iterable[UUID]) -> list[EntryState]:
        ids = {UUID(bytes=entry) for entry in stored} | set(pending)
        states = (self.by_id(entry_id) for entry_id in sorted(ids))
        return [state for state in states if state is not None]

    def _follow(self, transaction: NewTransaction, opened: Opened, touched: Iterable[UUID]) -> None:
        """Keep the states true."""
        new = {state.id for state in transaction.effects.created}
        cut = [row.dst_id for row in opened.relations if row.cuts]
        older = dict.fromkeys([i for i in (*touched, *cut) if i not in new])
        before = {i: s for i in older if (s := self.by_id(i)) is not None}
        if transaction.effects.relations_closed:
            self._add_uncut(before, set(transaction.effects.relations_closed))
        for state in after_append(before, transaction, opened, touched).values():
            self._states.change(state)

    def _add_uncut(self, before: dict[UUID, EntryState], gone: Collection[int]) -> None:
        """Add the states of those that closed relations had cut, and of all that cut them."""
        cuts = [r for s in before.values() for r in s.relations if r.row in gone and r.cuts]
        for loser in (self.by_id(row.dst_id) for row in cuts):
            if loser is not None:
                before.setdefault(loser.id, loser)
                # The order of those that are left depends on when each of them cut it first.
                others = ((i, self.by_id(i)) for i in loser.cut_by)
                before |= {i: s for i, s in others if s is not None and i not in before}

    def _collect(self, transaction: NewTransaction, opened: Opened) -> None:
        """Put all rows of a transaction into the buffer."""
        closed = _closed(transaction.effects)
        pending = self._pending(transaction, opened, closed)
        cut, first = transaction.chunks_opened, self._next.chunk
        chunk_values = [self._row(chunk_columns(one), first + n) for n, one in enumerate(cut)]
        buffer = self._buffer
        _check_texts(transaction)
        buffer.measure([*pending.tables, ("chunks", chunk_values)])
        buffer.add(pending)
        self._next.position += 1
        self._next.chunk += len(cut)
        buffer.add_chunks(cut, chunk_values)
        self._close(transaction, closed)
        for entry_id in transaction.effects.erased:
            buffer.erase(self._tombstone(tombstone_columns(transaction, entry_id.bytes)))
        for target in sorted(lookup_of(self._owner.key, mark) for mark in transaction.marks):
            mark = self._tombstone(tombstone_columns(transaction, target, MARK))
            buffer.tombstones.append(mark)

    def _tombstone(self, values: Values) -> Values:
        values["id"] = self._next.tombstone
        self._next.tombstone += 1
        return self._own(values)

    def _pending(
        self, transaction: NewTransaction, opened: Opened, closed: Closed
    ) -> PendingTransaction:
        effects = transaction.effects
        created = sorted(effects.created, key=lambda state: state.id)
        return PendingTransaction(
            row=self._own(_transaction_columns(transaction, self._next.position)),
            operations=[
                self._own(operation_columns(transaction.number, seq, operation))
                for seq, operation in enumerate(transaction.operations)
            ],
            entries=[self._own(_entry_columns(transaction, state)) for state in created],
            opened=self._opened(opened),
            closed={table: sorted(rows) for table, rows in closed},
            erased=sorted(entry_id.bytes for entry_id in effects.erased),
        )

    def _opened(self, opened: Opened) -> dict[str, list[Values]]:
        """The rows that are opened, by table; most transactions open rows of one table only."""
        made = {"versions": self._made(version_columns, opened.versions)}
        made["relations"] = self._made(relation_columns, opened.relations)
        made["archivings"] = self._made(archiving_columns, opened.archivings)
        made["verifications"] = self._made(verification_columns, opened.verifications)
        return {table: rows for table, rows in made.items() if rows}

    def _made(self, columns: Callable[[Numbered], Values], rows: list[Numbered]) -> list[Values]:
        return [self._row(columns(one), one.row) for one in rows] if rows else []

    def _row(self, values: Values, number: int) -> Values:
        values["id"] = number
        return self._own(values)

    def _own(self, values: Values) -> Values:
        values["workspace_id"] = self._owner.workspace_id
        return values

    def _derive(self, transaction: NewTransaction, opened: Opened, touched: Iterable[UUID]) -> None:
        """Rows that only repeat what others say, to be found by it."""
        buffer = self._buffer
        recorded = {"number": transaction.number, "recorded_at": transaction.recorded_at}
        buffer.touches.extend(
            [self._own({"entry_id": entry_id.bytes, **recorded}) for entry_id in touched]
        )
        for version in opened.versions:
            said, row = version.attributes, version.row
            if said.tags:
                tags = folded_tags(said.tags)
                buffer.tags.extend({"version_id": row, "tag": tag} for tag in tags)
            if said.acl:
                names = set(said.acl)
                buffer.acl.extend({"version_id": row, "principal": name} for name in names)

    def _close(self, transaction: NewTransaction, closed: Closed) -> None:
        closing = {"closed_at": transaction.recorded_at, "closer": transaction.number}
        buffer = self._buffer
        for table, rows in (*closed, ("chunks", transaction.chunks_closed)):
            for row in rows:
                buffer.close(table, row, closing)
        buffer.forget_chunks(transaction.chunks_closed)


def _closed(effects: Effects) -> Closed:
    """The rows that some effects close, by table; tables of which there are none are left out."""
    every = (
        ("versions", effects.closed),
        ("relations", effects.relations_closed),
        ("archivings", effects.archivings_closed),
        ("verifications", effects.verifications_closed),
    )
    return [one for one in every if one[1]]


def _check_texts(transaction: NewTransaction) -> None:
    """Refuse, before anything is kept, what could not be written later."""
    for version in transaction.effects.opened:
        encoded(version.attributes.type + version.attributes.visibility + version.zone)
    for relation in transaction.effects.relations_opened:
        encoded(relation.relation + (relation.rule or ""))
    for chunk in transaction.chunks_opened:
        encoded(chunk.type + chunk.lang)
    if transaction.effects.erased:
        encoded(transaction.actor)


def _transaction_columns(transaction: NewTransaction, position: int) -> Values:
    return {
        "position": position,
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
        "erased_by": None,
    }
