"""Rows on their way into the database: collected, chained and written in bulk."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Table, bindparam, select, update

from damals.adapters.sql import erasing
from damals.adapters.sql.chain import RowDigests, digest_of, transaction_hash, written_digests
from damals.adapters.sql.contents import Contents, batches, encoded, insert_rows
from damals.adapters.sql.relation_views import premises_of
from damals.adapters.sql.schema import (
    CONTENT_COLUMNS,
    archivings,
    chunks,
    entries,
    operations,
    relation_premises,
    relations,
    touches,
    transactions,
    verifications,
    version_acl,
    version_tags,
    versions,
)
from damals.app.ledger_model import ChunkRow
from damals.domain.errors import Conflict
from damals.domain.instants import FOREVER

Values = dict[str, Any]
Rows = dict[int, Values]
Closed = list[tuple[str, tuple[int, ...]]]
"""Rows that are closed, by table."""

Ids = Mapping[str | None, int | None]
"""The rows of texts in ``contents``; none has none."""

_BYTES: Final = 8_000_000
_ROWS: Final = 10_000

RECORDED: Final = (versions, relations, archivings, verifications)
"""The chained tables whose rows are opened and closed, in the order they are written."""

_CLOSE: Final = {
    table.name: update(table)
    .where(table.c.id == bindparam("row"), table.c.recorded_to == FOREVER)
    .values(recorded_to=bindparam("closed_at"), closed_by=bindparam("closer"))
    for table in (*RECORDED, chunks)
}
_DIGESTS: Final = {
    table.name: select(table.c.id, table.c.digest).where(
        table.c.id.in_(bindparam("ids", expanding=True))
    )
    for table in RECORDED
}


@dataclass(slots=True)
class PendingTransaction:
    """A transaction that is not chained yet, with the rows it wrote and closed.

    Rows hold texts where the ids of contents will be.

    Attributes:
        opened: per table of :data:`RECORDED`, the rows; tables without any are left out.
        closed: likewise, the ids of rows, ascending.
        erased: ids of entries, ascending.
    """

    row: Values
    operations: list[Values]
    entries: list[Values]
    opened: dict[str, list[Values]]
    closed: dict[str, list[int]]
    erased: list[bytes]

    @property
    def tables(self) -> Iterator[tuple[str, Sequence[Values]]]:
        """Its own row and all that it wrote, by table."""
        yield "transactions", (self.row,)
        yield "operations", self.operations
        yield "entries", self.entries
        yield from self.opened.items()


_TEXTS_OF: Final = {
    table: itemgetter(*columns, columns[0])  # of one name it would give no tuple
    for table, columns in CONTENT_COLUMNS.items()
}
"""Per table, the texts of a row."""


def _tables() -> dict[str, Rows]:
    return {table.name: {} for table in (*RECORDED, chunks)}


@dataclass(slots=True)
class Buffer:
    """What was appended and not yet written.

    Attributes:
        pending: transactions in order.
        entries: new rows of entries by id; of these nothing is written yet.
        opened: new rows by table and id; those of chunks are not chained.
        tombstones: of erased entries.
        closings: per table, row id → what to set on a row that is already stored.
        closed: the chained tables of which any row is closed, stored or not.
        open_chunks: appended chunk rows that are still current, by entry and row.
        closed_chunks: all chunk rows that were closed, by id.
        texts: those of all rows with their UTF-8, in the order in which they came.
        size: of all texts, in bytes.
        rows: how many there are.
    """

    pending: list[PendingTransaction] = field(default_factory=list[PendingTransaction])
    entries: dict[bytes, Values] = field(default_factory=dict[bytes, Values])
    opened: dict[str, Rows] = field(default_factory=_tables)
    tombstones: list[Values] = field(default_factory=list[Values])
    touches: list[Values] = field(default_factory=list[Values])
    tags: list[Values] = field(default_factory=list[Values])
    acl: list[Values] = field(default_factory=list[Values])
    closings: dict[str, list[Values]] = field(default_factory=dict[str, list[Values]])
    closed: set[str] = field(default_factory=set[str])
    open_chunks: dict[UUID, dict[int, ChunkRow]] = field(
        default_factory=dict[UUID, dict[int, ChunkRow]]
    )
    closed_chunks: set[int] = field(default_factory=set[int])
    texts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    size: int = 0
    rows: int = 0

    @property
    def full(self) -> bool:
        """Whether it is time to write."""
        return self.rows > _ROWS or self.size > _BYTES

    def measure(self, tables: Iterable[tuple[str, Iterable[Values]]]) -> None:
        """Count rows and check, before anything else happens, that their texts can be stored."""
        found: dict[str | None, None] = {}  # many rows share a text: it is looked at once
        known = self.texts
        for table, rows in tables:
            texts_of = _TEXTS_OF[table]
            for row in rows:
                self.rows += 1
                found.update(dict.fromkeys(texts_of(row)))
        new = {one: encoded(one) for one in found if one is not None and one not in known}
        self.size += sum(map(len, new.values()))
        known.update(new)

    def add(self, pending: PendingTransaction) -> None:
        """Take over a transaction with all its chained rows."""
        self.pending.append(pending)
        self.closed.update(pending.closed)
        for row in pending.entries:
            self.entries[row["entry_id"]] = row
        for table, rows in pending.opened.items():
            self.opened[table] |= {row["id"]: row for row in rows}

    def add_chunks(self, chunks_: Iterable[ChunkRow], rows: Iterable[Values]) -> None:
        """Take chunk rows over, as values without their numbers and as what will be inserted."""
        for chunk, row in zip(chunks_, rows, strict=True):
            self.opened["chunks"][row["id"]] = row
            self.open_chunks.setdefault(chunk.entry_id, {})[row["id"]] = chunk

    def forget_chunks(self, closed: Iterable[int]) -> None:
        """These chunk rows are no longer current."""
        self.closed_chunks.update(closed)
        for row in closed:
            if row in self.opened["chunks"]:
                entry_id = UUID(bytes=self.opened["chunks"][row]["entry_id"])
                self.open_chunks[entry_id].pop(row, None)

    def erase(self, tombstone: Values) -> None:
        """Leave a tombstone of an entry; its chunk rows are gone, those to be written as well."""
        entry = tombstone["target"]
        self.tombstones.append(tombstone)
        if entry in self.entries:
            self.entries[entry] |= erasing.erased_columns(tombstone)
        self.open_chunks.pop(UUID(bytes=entry), None)
        rows = self.opened["chunks"]
        for row in [row for row, values in rows.items() if values["entry_id"] == entry]:
            del rows[row]
        self.rows += 1

    def close(self, table: str, row: int, closing: Values) -> None:
        """End a row in recorded time, wherever it is by now."""
        own = self.opened[table]
        if row in own:
            own[row] |= {"recorded_to": closing["closed_at"], "closed_by": closing["closer"]}
        else:
            self.closings.setdefault(table, []).append({"row": row, **closing})
            self.rows += 1


class Flush:
    """One writing of a buffer."""

    def __init__(self, connection: Connection, contents: Contents, workspace: str) -> None:
        self._connection = connection
        self._contents = contents
        self._workspace = workspace

    def run(self, buffer: Buffer, previous: bytes) -> bytes:
        """Write everything; the hash of the last transaction.

        Raises:
            Conflict: ``transaction.not_open`` when a row to close is unknown or closed already.
        """
        # What was erased since it was measured is not to be stored any more.
        wanted = _texts(buffer) if buffer.tombstones else buffer.texts
        interned = self._contents.intern_encoded(wanted)
        digests: dict[object, bytes] = {text: one.digest for text, one in interned.items()}
        ids = {None: None, **{text: one.id for text, one in interned.items()}}
        previous = self._chain(buffer, digests, previous)
        pending = buffer.pending
        self._insert(transactions, [one.row for one in pending], ids)
        self._close(buffer)
        # Before new entries come, which may take over the names of erased ones.
        erasing.erase_entries(self._connection, buffer.tombstones)
        self._insert(entries, [row for one in pending for row in one.entries], ids)
        self._insert(operations, [row for one in pending for row in one.operations], ids)
        self._insert(touches, buffer.touches, ids)
        self._insert(versions, buffer.opened["versions"].values(), ids)
        self._insert(version_tags, buffer.tags, ids)
        self._insert(version_acl, buffer.acl, ids)
        for table in (relations, archivings, verifications, chunks):
            self._insert(table, buffer.opened[table.name].values(), ids)
        self._insert(relation_premises, premises_of(buffer.opened["relations"].values()), ids)
        return previous

    def _close(self, buffer: Buffer) -> None:
        for table, closings in buffer.closings.items():
            if self._connection.execute(_CLOSE[table], closings).rowcount != len(closings):
                raise _not_open(buffer)

    def _insert(self, table: Table, rows: Iterable[Values], ids: Ids) -> None:
        columns = CONTENT_COLUMNS.get(table.name, ())
        finished = list(rows)
        for row in finished:
            for name in columns:
                row[name] = ids[row[name]]
        insert_rows(self._connection, table, finished)

    def _chain(self, buffer: Buffer, digests: Mapping[object, bytes], previous: bytes) -> bytes:
        """Digest every row and link every transaction to the one before."""
        written = written_digests(digests)
        for one in buffer.pending:
            chained = {"operations": one.operations, "entries": one.entries, **one.opened}
            for table, rows in chained.items():
                for row in rows:
                    row["digest"] = digest_of(table, row, written)
        closed = {table: self._closed(buffer, table) for table in buffer.closed}
        erased = self._erased(buffer) if buffer.tombstones else {}
        for one in buffer.pending:
            one.row["previous"] = previous
            gone = {name: [closed[name][row] for row in ids] for name, ids in one.closed.items()}
            rows = RowDigests.of(
                operations=_digests(one.operations),
                created=_digests(one.entries),
                opened={name: _digests(rows) for name, rows in one.opened.items()},
                closed=gone,
                erased=[erased[entry] for entry in one.erased],
            )
            previous = transaction_hash(self._workspace, one.row, digests, rows)
            one.row["hash"] = previous
        return previous

    def _closed(self, buffer: Buffer, table: str) -> dict[int, bytes]:
        """Digests of all rows that the buffer closes."""
        found = {row: values["digest"] for row, values in buffer.opened[table].items()}
        stored = [closing["row"] for closing in buffer.closings.get(table, ())]
        for batch in batches(stored):
            for row in self._connection.execute(_DIGESTS[table], {"ids": batch}):
                found[row.id] = row.digest
        if len(found) < len(buffer.opened[table]) + len(set(stored)):
            raise _not_open(buffer)
        return found

    def _erased(self, buffer: Buffer) -> dict[bytes, bytes]:
        """Digests of all entries that the buffer erases."""
        found = {entry: values["digest"] for entry, values in buffer.entries.items()}
        stored = [one for one in buffer.tombstones if one["target"] not in found]
        return found | erasing.entry_digests(self._connection, stored)


def _not_open(buffer: Buffer) -> Conflict:
    return Conflict("transaction.not_open", number=buffer.pending[-1].row["number"])


def _digests(rows: Iterable[Values]) -> list[bytes]:
    return [row["digest"] for row in rows]


def _texts(buffer: Buffer) -> dict[str, bytes]:
    """The texts that rows still name."""
    found: set[Any] = set()
    for one in buffer.pending:
        _collect(found, "transactions", [one.row])
        _collect(found, "operations", one.operations)
        _collect(found, "entries", one.entries)
    for table, rows in buffer.opened.items():
        _collect(found, table, rows.values())
    return {text: utf8 for text, utf8 in buffer.texts.items() if text in found}


def _collect(found: set[Any], table: str, rows: Iterable[Values]) -> None:
    columns = CONTENT_COLUMNS[table]
    for row in rows:
        found.update(row[name] for name in columns)
