"""Rows on their way into the database: collected, chained and written in bulk."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Table, bindparam, select, update

from damals.adapters.sql import erasing
from damals.adapters.sql.chain import RowDigests, row_digest, transaction_hash
from damals.adapters.sql.contents import Contents, batches, encoded, insert_rows
from damals.adapters.sql.schema import (
    CONTENT_COLUMNS,
    archivings,
    chunks,
    entries,
    operations,
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

_CHARACTERS: Final = 8_000_000
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
        open_chunks: appended chunk rows that are still current, by entry and row.
        closed_chunks: all chunk rows that were closed, by id.
        texts: those of all rows, in the order in which they came.
    """

    pending: list[PendingTransaction] = field(default_factory=list[PendingTransaction])
    entries: dict[bytes, Values] = field(default_factory=dict[bytes, Values])
    opened: dict[str, Rows] = field(default_factory=_tables)
    tombstones: list[Values] = field(default_factory=list[Values])
    touches: list[Values] = field(default_factory=list[Values])
    tags: list[Values] = field(default_factory=list[Values])
    acl: list[Values] = field(default_factory=list[Values])
    closings: dict[str, list[Values]] = field(default_factory=dict[str, list[Values]])
    open_chunks: dict[UUID, dict[int, ChunkRow]] = field(
        default_factory=dict[UUID, dict[int, ChunkRow]]
    )
    closed_chunks: set[int] = field(default_factory=set[int])
    texts: dict[str, None] = field(default_factory=dict[str, None])
    characters: int = 0
    rows: int = 0

    @property
    def full(self) -> bool:
        """Whether it is time to write."""
        return self.rows > _ROWS or self.characters > _CHARACTERS

    def measure(self, tables: Iterable[tuple[str, Iterable[Values]]]) -> None:
        """Count rows and check, before anything else happens, that their texts can be stored."""
        fresh: dict[str | None, None] = {}
        known = self.texts
        for table, rows in tables:
            names = CONTENT_COLUMNS[table]
            for row in rows:
                self.rows += 1
                for name in names:
                    text = row[name]
                    if text not in known:  # many rows share a text: it is looked at once
                        fresh[text] = None
        new = [text for text in fresh if text is not None]
        self.characters += sum(len(encoded(text)) for text in new)
        known.update(dict.fromkeys(new))

    def add(self, pending: PendingTransaction) -> None:
        """Take over a transaction with all its chained rows."""
        self.pending.append(pending)
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
        interned = self._contents.intern(wanted)
        digests: dict[object, bytes] = {text: one.digest for text, one in interned.items()}
        ids = {text: one.id for text, one in interned.items()}
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
        return previous

    def _close(self, buffer: Buffer) -> None:
        for table, closings in buffer.closings.items():
            if self._connection.execute(_CLOSE[table], closings).rowcount != len(closings):
                raise _not_open(buffer)

    def _insert(self, table: Table, rows: Iterable[Values], ids: Mapping[str, int]) -> None:
        columns = CONTENT_COLUMNS.get(table.name, ())
        finished = list(rows)
        for row in finished:
            for name in columns:
                text = row[name]
                if text is not None:
                    row[name] = ids[text]
        insert_rows(self._connection, table, finished)

    def _chain(self, buffer: Buffer, digests: Mapping[object, bytes], previous: bytes) -> bytes:
        """Digest every row and link every transaction to the one before."""
        for one in buffer.pending:
            chained = {"operations": one.operations, "entries": one.entries, **one.opened}
            for table, rows in chained.items():
                for row in rows:
                    row["digest"] = row_digest(table, row, digests)
        closed = {table.name: self._closed(buffer, table.name) for table in RECORDED}
        erased = self._erased(buffer)
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


def _texts(buffer: Buffer) -> set[str]:
    found: set[Any] = set()
    for one in buffer.pending:
        _collect(found, "transactions", [one.row])
        _collect(found, "operations", one.operations)
        _collect(found, "entries", one.entries)
    for table, rows in buffer.opened.items():
        _collect(found, table, rows.values())
    found.discard(None)
    return found


def _collect(found: set[Any], table: str, rows: Iterable[Values]) -> None:
    columns = CONTENT_COLUMNS[table]
    for row in rows:
        found.update(row[name] for name in columns)
